//! One field of `$group`, `$bucket` …: an accumulator with its operands.

use super::placed::Placed;
use super::ranking::{RANKINGS, Ranking, parse_ranking};
use super::script_accumulator::{self, ScriptAccumulator, ScriptState};
use crate::stage::StageScope;
use crate::{Code, QueryError, Result};
use language::expression::accumulator::{self, Accumulator, AccumulatorKind, Method, Ranked};
use language::expression::{Evaluated, Expression, Variables};
use std::collections::BTreeSet;
use std::fmt::Debug;
use value::{Document, DocumentRef, Value, ValueRef};

/// The names of all accumulators, `$` included.
pub fn accumulator_names() -> impl Iterator<Item = &'static str> {
    let others = ["$accumulator", "$count", "$percentile", "$median"];
    AccumulatorKind::names().chain(others).chain(RANKINGS)
}

/// A parsed accumulator with its operands.
#[derive(Clone, Debug)]
pub(crate) enum Accumulation {
    /// One value a document.
    Simple(AccumulatorKind, Expression),
    /// `$count`
    Count,
    /// `$percentile`, `$median`
    Percentile {
        input: Expression,
        shares: Vec<f64>,
        method: Method,
        single: bool,
    },
    /// `$topN` and its relatives.
    Ranked(Ranking),
    /// `$accumulator`
    Script(ScriptAccumulator),
}

/// The place in which a state is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// A group of `$group`.
    Group,
    /// A bucket of `$bucketAuto`.
    Bucket,
    /// A frame that grows from the beginning of its partition.
    GrowingFrame,
    /// One place of a moving frame, which documents leave again.
    MovingFrame,
}

/// The state of an accumulation in one group.
#[derive(Debug)]
pub(crate) enum AccumulationState {
    One(Box<dyn Accumulator>),
    Count(i64),
    Ranked {
        kept: Ranked,
        single: bool,
        reversed: bool,
    },
    Placed(Placed),
    Script(ScriptState),
}

impl Accumulation {
    /// Parses `{$sum: …}` for the field of this name.
    pub(super) fn parse(field: &str, spec: &Value, scope: &StageScope<'_>) -> Result<Accumulation> {
        let first = match spec {
            Value::Document(spec) => spec.iter().next().map(|first| (spec, first)),
            _ => None,
        };
        let Some((spec, (name, operand))) = first.filter(|(_, (name, _))| name.starts_with('$')) else {
            return Err(QueryError::new(
                Code::location(40_234),
                format!("The field '{field}' must be an accumulator object"),
            ));
        };
        check_field(field)?;
        if spec.len() > 1 {
            return Err(QueryError::new(
                Code::location(40_238),
                format!("The field '{field}' must specify one accumulator"),
            ));
        }
        if let Value::Array(_) = operand {
            return Err(QueryError::new(
                Code::location(40_237),
                format!("The {name} accumulator is a unary operator"),
            ));
        }
        match (name, operand) {
            // The older and still common way to count documents.
            ("$sum", Value::Int32(1)) => Ok(Accumulation::Count),
            _ => Accumulation::parse_operand(name, operand, scope),
        }
    }

    /// Parses the operand of the accumulator of this name.
    pub(crate) fn parse_operand(name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Accumulation> {
        if let Some(kind) = AccumulatorKind::find(name) {
            return Ok(Accumulation::Simple(
                kind,
                Expression::parse(operand, &scope.parse_scope())?,
            ));
        }
        match name {
            "$count" => match operand {
                Value::Document(none) if none.is_empty() => Ok(Accumulation::Count),
                _ => Err(QueryError::type_mismatch(
                    "$count takes no arguments, i.e. $count:{}",
                )),
            },
            "$percentile" | "$median" => super::percentile::parse(name, operand, scope),
            "$accumulator" => script_accumulator::parse(operand, scope).map(Accumulation::Script),
            _ => match parse_ranking(name, operand, scope)? {
                Some(ranking) => Ok(Accumulation::Ranked(ranking)),
                None => Err(QueryError::new(
                    Code::location(15_952),
                    format!("unknown group operator '{name}'"),
                )),
            },
        }
    }

    /// The fields of documents that are read; `None` if they are read as a whole.
    pub(crate) fn fields_read(&self) -> Option<BTreeSet<String>> {
        match self {
            Accumulation::Count => Some(BTreeSet::new()),
            Accumulation::Simple(_, input) | Accumulation::Percentile { input, .. } => {
                input.fields_read().cloned()
            }
            Accumulation::Ranked(ranking) => ranking.fields_read(),
            Accumulation::Script(script) => script.fields_read(),
        }
    }

    /// Whether the state before any document depends on the group.
    pub(super) fn begins_by_group(&self) -> bool {
        match self {
            Accumulation::Ranked(ranking) => ranking.counts_by_group(),
            Accumulation::Script(script) => script.begins_by_group(),
            Accumulation::Simple(..) | Accumulation::Count | Accumulation::Percentile { .. } => false,
        }
    }

    /// The state before any document; `group` has the group's `_id`, which the count of `$topN` may depend on.
    pub(crate) fn start(
        &self,
        group: DocumentRef<'_>,
        variables: &Variables,
        asking: Asking,
    ) -> Result<AccumulationState> {
        Ok(match self {
            Accumulation::Simple(kind, _) => {
                let placed = (asking == Asking::Bucket).then(|| Placed::start(*kind));
                match placed.flatten() {
                    Some(placed) => AccumulationState::Placed(placed),
                    None => AccumulationState::One(kind.start(variables.collation())),
                }
            }
            Accumulation::Count => AccumulationState::Count(0),
            Accumulation::Percentile {
                shares,
                method,
                single,
                ..
            } => AccumulationState::One(accumulator::percentile(shares, *method, *single)),
            Accumulation::Ranked(ranking) => AccumulationState::Ranked {
                kept: ranking.start(group, variables, asking)?,
                single: ranking.is_single(),
                reversed: ranking.is_reversed(),
            },
            Accumulation::Script(script) => AccumulationState::Script(script.start(group, variables)?),
        })
    }

    /// Whether the size of the state never changes.
    pub(crate) fn keeps_its_size(&self) -> bool {
        match self {
            Accumulation::Count => true,
            Accumulation::Simple(kind, _) => kind.keeps_its_size(),
            Accumulation::Percentile { .. } | Accumulation::Ranked(_) | Accumulation::Script(_) => false,
        }
    }

    /// Takes one more document into the state.
    pub(crate) fn add(
        &self,
        state: &mut AccumulationState,
        document: DocumentRef<'_>,
        variables: &Variables,
    ) -> Result<()> {
        match (self, state) {
            (
                Accumulation::Simple(_, input) | Accumulation::Percentile { input, .. },
                AccumulationState::One(state),
            ) => {
                match input.field(document, variables) {
                    Some(value) => state.see(value)?,
                    None => state.add(input.find(document, variables)?)?,
                }
                Ok(())
            }
            (Accumulation::Count, AccumulationState::Count(count)) => {
                *count += 1;
                Ok(())
            }
            (Accumulation::Ranked(ranking), AccumulationState::Ranked { kept, .. }) => {
                ranking.add(kept, document, variables)
            }
            (Accumulation::Script(script), AccumulationState::Script(state)) => {
                script.add(state, document, variables)
            }
            // A state is only ever given to the accumulation that started it.
            _ => Ok(()),
        }
    }

    /// As [`Accumulation::add`], into the state of a bucket, of the document that came at this place.
    pub(super) fn add_at(
        &self,
        place: usize,
        state: &mut AccumulationState,
        document: DocumentRef<'_>,
        variables: &Variables,
    ) -> Result<()> {
        match (self, state) {
            (Accumulation::Simple(_, input), AccumulationState::Placed(placed)) => {
                placed.add(place, input.find(document, variables)?);
                Ok(())
            }
            (Accumulation::Ranked(ranking), AccumulationState::Ranked { kept, .. }) => {
                ranking.add_at(place, kept, document, variables)
            }
            (_, state) => self.add(state, document, variables),
        }
    }
}

impl AccumulationState {
    /// The result; `None` if it is missing.
    pub(crate) fn result(&mut self) -> Result<Option<Value>> {
        Ok(match self {
            AccumulationState::One(state) => state.result(),
            AccumulationState::Count(count) => Some(Value::integer(*count)),
            AccumulationState::Placed(placed) => placed.result()?,
            AccumulationState::Script(state) => Some(state.result()?),
            AccumulationState::Ranked {
                kept,
                single,
                reversed,
            } => {
                let mut values = kept.take();
                if *reversed {
                    values.reverse();
                }
                Some(match *single {
                    // A moving frame may be empty.
                    true => values.pop().unwrap_or(Value::Null),
                    false => Value::Array(values),
                })
            }
        })
    }

    /// The approximate bytes that the state keeps.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            AccumulationState::One(state) => state.bytes(),
            AccumulationState::Count(_) => 0,
            AccumulationState::Ranked { kept, .. } => kept.bytes(),
            AccumulationState::Placed(placed) => placed.bytes(),
            AccumulationState::Script(state) => state.bytes(),
        }
    }
}

fn check_field(field: &str) -> Result<()> {
    if field.contains('.') {
        return Err(QueryError::new(
            Code::location(40_235),
            format!("The field name '{field}' cannot contain '.'"),
        ));
    }
    if field.starts_with('$') {
        return Err(QueryError::new(
            Code::location(40_236),
            format!("The field name '{field}' cannot be an operator name"),
        ));
    }
    Ok(())
}

/// What accumulators see of a group before any document: the parts of its key, as in MongoDB; nothing of a key without parts.
pub(super) fn key_parts(group: DocumentRef<'_>) -> Document {
    match group.get("_id") {
        Some(ValueRef::Document(key)) => key.to_document(),
        _ => Document::new(),
    }
}

/// The fields of an accumulator whose operands have names.
pub(super) fn options(operand: &Value, wrong: impl FnOnce() -> QueryError) -> Result<&Document> {
    match operand {
        Value::Document(options) => Ok(options),
        _ => Err(wrong()),
    }
}

/// The value of an operand that must not depend on the document.
pub(crate) fn constant(
    operand: &Value,
    scope: &StageScope<'_>,
    wrong: impl Fn() -> QueryError,
) -> Result<Option<Value>> {
    let expression = Expression::parse(operand, &scope.variables.parse_scope())?;
    if expression.reads_document() {
        return Err(wrong());
    }
    let nothing = Document::new();
    let found: Evaluated<'_> = expression.find((&nothing).into(), scope.variables)?;
    Ok(found.into_value())
}
