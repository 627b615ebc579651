//! The operands of `$firstN $lastN $minN $maxN`, `$top $topN $bottom $bottomN`.

use super::accumulation::{Asking, key_parts, options};
use super::placed;
use crate::stage::StageScope;
use crate::{Code, QueryError, Result};
use language::expression::accumulator::{Ranked, Ties};
use language::expression::number::Number;
use language::expression::{Expression, Variables};
use query::execute::sort_key;
use query::plan::SortPattern;
use std::collections::BTreeSet;
use value::collation::encode_in;
use value::key::Direction;
use value::{Document, DocumentRef, Value};

/// By what documents are ranked.
#[derive(Clone, Debug)]
enum By {
    /// The order in which they come.
    Arrival,
    /// The reverse of it.
    Departure,
    /// The value itself.
    Value(Direction),
    /// The fields of the document; `true` is from the end.
    Fields(SortedBy, bool),
}

/// The fields that documents are ranked by.
#[derive(Clone, Debug)]
struct SortedBy {
    pattern: SortPattern,
    /// What the paths reach as expressions, and the order of that: where a path goes below a field, MongoDB sorts by what its
    /// expression gives (`parseAccumulatorTopBottomNSortBy`), which has nothing for an element of an array that lacks it.
    reached: Option<(Vec<Expression>, SortPattern)>,
}

impl SortedBy {
    fn parse(sort: &Document, scope: &StageScope<'_>) -> Result<SortedBy> {
        let parse = |sort: &Document| {
            SortPattern::parse(sort).map(|pattern| pattern.with_collation(scope.variables.collation()))
        };
        let pattern = parse(sort)?;
        let fields = pattern.fields();
        if !fields.iter().any(|field| field.name.contains('.')) {
            return Ok(SortedBy {
                pattern,
                reached: None,
            });
        }
        let parse_scope = scope.parse_scope();
        let paths = fields.iter().map(|field| Value::from(format!("${}", field.name)));
        let reached = paths.map(|path| Expression::parse(&path, &parse_scope));
        let reached: Vec<Expression> = reached.collect::<language::Result<_>>()?;
        let order = fields.iter().enumerate().map(|(at, field)| {
            let direction = match field.direction {
                Direction::Ascending => 1,
                Direction::Descending => -1,
            };
            (format!("f{at}"), Value::Int32(direction))
        });
        let order = parse(&order.collect())?;
        Ok(SortedBy {
            pattern,
            reached: Some((reached, order)),
        })
    }

    fn put_key(&self, document: DocumentRef<'_>, variables: &Variables, key: &mut Vec<u8>) -> Result<()> {
        let Some((reached, order)) = &self.reached else {
            return sort_key(document, &self.pattern, key);
        };
        let mut fields = Document::new();
        for (path, field) in reached.iter().zip(order.fields()) {
            if let Some(value) = path.evaluate(document, variables)? {
                fields.push(field.name.as_str(), value);
            }
        }
        sort_key((&fields).into(), order, key)
    }
}

/// A parsed `$topN` or relative.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    by: By,
    output: Expression,
    /// How many; none for the singular forms.
    count: Option<Expression>,
}

/// The names of all rankings.
pub(super) const RANKINGS: [&str; 8] = [
    "$firstN", "$lastN", "$minN", "$maxN", "$top", "$topN", "$bottom", "$bottomN",
];

/// The ranking of this name; `None` if it is not one.
pub(super) fn parse_ranking(name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Option<Ranking>> {
    match name {
        "$firstN" => parse_n(name, operand, By::Arrival, scope),
        "$lastN" => parse_n(name, operand, By::Departure, scope),
        "$minN" => parse_n(name, operand, By::Value(Direction::Ascending), scope),
        "$maxN" => parse_n(name, operand, By::Value(Direction::Descending), scope),
        "$top" | "$topN" => parse_sorted(name, operand, false, scope),
        "$bottom" | "$bottomN" => parse_sorted(name, operand, true, scope),
        _ => return Ok(None),
    }
    .map(Some)
}

fn parse_n(name: &str, operand: &Value, by: By, scope: &StageScope<'_>) -> Result<Ranking> {
    let operand = options(operand, || {
        let code = match by {
            By::Arrival | By::Departure => Code::location(5_787_801),
            By::Value(_) | By::Fields(..) => Code::location(5_787_900),
        };
        QueryError::new(
            code,
            format!(
                "specification must be an object; found {name}: {}",
                operand.type_of().alias()
            ),
        )
    })?;
    check_known(operand, &["n", "input"], Code::location(5_787_901))?;
    let missing = |field: &str, code| QueryError::new(code, format!("Missing value for '{field}'"));
    let count = operand
        .get("n")
        .ok_or_else(|| missing("n", Code::location(5_787_906)))?;
    let input = operand
        .get("input")
        .ok_or_else(|| missing("input", Code::location(5_787_907)))?;
    let parse_scope = scope.parse_scope();
    Ok(Ranking {
        by,
        output: Expression::parse(input, &parse_scope)?,
        count: Some(Expression::parse(count, &parse_scope)?),
    })
}

fn parse_sorted(name: &str, operand: &Value, from_end: bool, scope: &StageScope<'_>) -> Result<Ranking> {
    let operand = options(operand, || {
        QueryError::new(
            Code::location(5_788_001),
            format!(
                "specification must be an object; found {name}: {}",
                operand.type_of().alias()
            ),
        )
    })?;
    let many = name.ends_with('N');
    let parse_scope = scope.parse_scope();
    let (mut count, mut output, mut sort) = (None, None, None);
    // In the order written, so that the first error is the one that MongoDB finds.
    for (field, value) in operand.iter() {
        match (field, value) {
            ("n", count_of) if many => count = Some(Expression::parse(count_of, &parse_scope)?),
            ("output", shown) => output = Some(shown),
            ("sortBy", Value::Document(pattern)) => sort = Some(pattern),
            ("sortBy", other) => {
                return Err(QueryError::new(
                    Code::location(10_065),
                    format!(
                        "expected 'sortBy' to be an object, found {}",
                        other.type_of().alias()
                    ),
                ));
            }
            (unknown, _) => return Err(unknown_argument(unknown, Code::location(5_788_002))),
        }
    }
    let missing = |field: &str, code| QueryError::new(code, format!("Missing value for '{field}'"));
    if many && count.is_none() {
        return Err(missing("n", Code::location(5_788_003)));
    }
    let output = output.ok_or_else(|| missing("output", Code::location(5_788_004)))?;
    let sort = sort.ok_or_else(|| missing("sortBy", Code::location(5_788_005)))?;
    Ok(Ranking {
        by: By::Fields(SortedBy::parse(sort, scope)?, from_end),
        output: Expression::parse(output, &parse_scope)?,
        count,
    })
}

fn check_known(operand: &Document, known: &[&str], code: Code) -> Result<()> {
    match operand.iter().find(|(field, _)| !known.contains(field)) {
        Some((unknown, _)) => Err(unknown_argument(unknown, code)),
        None => Ok(()),
    }
}

fn unknown_argument(name: &str, code: Code) -> QueryError {
    QueryError::new(code, format!("Unknown argument for 'n' operator: {name}"))
}

/// A count of values to keep, as `n` gives it. MongoDB runs `$group` by another engine than the rest, whose errors have one code.
fn checked_count(value: Option<Value>, asking: Asking) -> Result<usize> {
    let code = |code| match asking {
        Asking::Group => Code::location(7_548_606),
        Asking::Bucket | Asking::GrowingFrame | Asking::MovingFrame => Code::location(code),
    };
    let value = value.unwrap_or(Value::Null);
    let wrong = |code| {
        let shown = value::shell::value(value.as_ref());
        QueryError::new(
            code,
            format!("Value for 'n' must be of integral type, but found {shown}"),
        )
    };
    let number = Number::of(value.as_ref()).ok_or_else(|| wrong(code(5_787_902)))?;
    let whole = number.to_i64().ok_or_else(|| wrong(code(5_787_903)))?;
    match usize::try_from(whole) {
        Ok(count @ 1..) => Ok(count),
        _ => Err(QueryError::new(
            code(5_787_908),
            format!("'n' must be greater than 0, found {whole}"),
        )),
    }
}

impl Ranking {
    /// The fields of documents that are read; `None` if they are read as a whole.
    pub(super) fn fields_read(&self) -> Option<BTreeSet<String>> {
        let mut fields = self.output.fields_read()?.clone();
        if let By::Fields(sorted, _) = &self.by {
            fields.extend(sorted.pattern.fields().iter().map(|field| field.name.clone()));
        }
        Some(fields)
    }

    /// The state before any document. Where documents go out again later, the last of equal ones stay longest.
    pub(super) fn start(
        &self,
        group: DocumentRef<'_>,
        variables: &Variables,
        asking: Asking,
    ) -> Result<Ranked> {
        let kept_max = match &self.count {
            None => 1,
            Some(count) => {
                let key = match self.counts_by_group() {
                    true => key_parts(group),
                    false => Document::new(),
                };
                checked_count(count.evaluate((&key).into(), variables)?, asking)?
            }
        };
        let forgets = asking == Asking::MovingFrame;
        let ties = match &self.by {
            By::Departure => Ties::LastStay,
            By::Value(Direction::Descending) | By::Fields(_, true) if forgets => Ties::LastStay,
            By::Value(Direction::Descending) | By::Fields(_, true) => Ties::LastFirst,
            By::Arrival | By::Value(Direction::Ascending) | By::Fields(_, false) => Ties::FirstFirst,
        };
        Ok(Ranked::new(kept_max, ties))
    }

    /// Whether it depends on the group how many are kept.
    pub(super) fn counts_by_group(&self) -> bool {
        self.count.as_ref().is_some_and(Expression::reads_document)
    }

    pub(super) fn is_single(&self) -> bool {
        self.count.is_none()
    }

    /// Whether what is kept comes in the reverse of the order that is wanted.
    pub(super) fn is_reversed(&self) -> bool {
        matches!(self.by, By::Departure | By::Fields(_, true))
    }

    pub(super) fn add(
        &self,
        kept: &mut Ranked,
        document: DocumentRef<'_>,
        variables: &Variables,
    ) -> Result<()> {
        self.put(None, kept, document, variables)
    }

    /// As [`Ranking::add`], where documents do not come in their order, of the one at this place.
    pub(super) fn add_at(
        &self,
        place: usize,
        kept: &mut Ranked,
        document: DocumentRef<'_>,
        variables: &Variables,
    ) -> Result<()> {
        self.put(Some(place), kept, document, variables)
    }

    fn put(
        &self,
        place: Option<usize>,
        kept: &mut Ranked,
        document: DocumentRef<'_>,
        variables: &Variables,
    ) -> Result<()> {
        let value = self.output.find(document, variables)?;
        let mut bytes = Vec::new();
        match &self.by {
            By::Arrival | By::Departure => {
                if let Some(place) = place {
                    bytes = placed::key(place, matches!(self.by, By::Departure));
                }
            }
            By::Value(direction) => {
                let Some(present) = value.present() else {
                    return Ok(());
                };
                encode_in(variables.collation(), present, *direction, &mut bytes);
            }
            By::Fields(sorted, from_end) => {
                sorted.put_key(document, variables, &mut bytes)?;
                if *from_end {
                    // No key is the front of another, so that turned bytes turn the order.
                    bytes.iter_mut().for_each(|byte| *byte = !*byte);
                }
            }
        }
        kept.add(bytes, || value.into_value().unwrap_or(Value::Null));
        Ok(())
    }
}
