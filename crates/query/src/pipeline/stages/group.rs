//! `$group`: documents with equal keys, and what accumulates over them.

use super::accumulation::{Accumulation, State};
use crate::expression::{Expression, Found, Variables};
use crate::pipeline::memory;
use crate::pipeline::row::Row;
use crate::pipeline::stage::{Run, Stage, StageScope, named};
use crate::pipeline::step::{Flow, Step, Work, give};
use crate::{Code, QueryError, Result};
use std::collections::HashMap;
use std::sync::Arc;
use value::key::{self, Direction};
use value::{Document, Value};

#[derive(Clone, Debug)]
pub(super) struct Group {
    operand: Document,
    id: Expression,
    fields: Arc<Vec<(String, Accumulation)>>,
}

pub(in crate::pipeline) fn parse(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(spec) = operand else {
        return Err(QueryError::new(
            Code(15_947),
            "a group's fields must be specified in an object",
        ));
    };
    Ok(vec![Arc::new(Group::parse(spec, scope).map_err(in_group)?)])
}

/// MongoDB runs groups in an engine of its own, which has other codes for the same errors.
fn in_group(error: QueryError) -> QueryError {
    let code = match (error.code.0, error.message.as_str()) {
        (2, "can't $divide by zero") => Code(4_848_401),
        (16_610 | 5_733_415, _) => Code(4_848_403),
        _ => error.code,
    };
    QueryError { code, ..error }
}

impl Group {
    pub(super) fn parse(spec: &Document, scope: &StageScope<'_>) -> Result<Group> {
        let mut id = None;
        let mut fields = Vec::with_capacity(spec.len());
        for (name, value) in spec.iter() {
            if name == "_id" {
                check_id(value)?;
                id = Some(Expression::parse(value, &scope.variables.parse_scope())?);
            } else {
                fields.push((name.to_owned(), Accumulation::parse(name, value, scope)?));
            }
        }
        Ok(Group {
            operand: spec.clone(),
            id: id
                .ok_or_else(|| QueryError::new(Code(15_955), "a group specification must include an _id"))?,
            fields: Arc::new(fields),
        })
    }
}

/// `{_id: {a: 1}}` looks like a projection, which a key is not.
fn check_id(id: &Value) -> Result<()> {
    let Value::Document(id) = id else {
        return Ok(());
    };
    let is_operator = id.iter().next().is_some_and(|(name, _)| name.starts_with('$'));
    let inclusion = |value: &Value| value.type_of().is_number() || matches!(value, Value::Bool(_));
    if !is_operator && id.iter().any(|(_, value)| inclusion(value)) {
        return Err(QueryError::new(
            Code(17_390),
            "$group does not support inclusion-style expressions",
        ));
    }
    Ok(())
}

impl Stage for Group {
    fn start(&self, run: &Run) -> Work {
        Work::local(Grouping {
            group: self.clone(),
            variables: Arc::clone(&run.variables),
            places: HashMap::new(),
            groups: Vec::new(),
            bytes: 0,
            key: Vec::new(),
            given: None,
        })
    }

    fn to_document(&self) -> Document {
        named("$group", self.operand.clone())
    }
}

/// The groups so far.
struct Grouping {
    group: Group,
    variables: Arc<Variables>,
    /// Where each key's group is.
    places: HashMap<Box<[u8]>, usize>,
    groups: Vec<OneGroup>,
    /// What keys and states hold.
    bytes: usize,
    /// The key of the document at hand, kept to be written again.
    key: Vec<u8>,
    given: Option<std::vec::IntoIter<OneGroup>>,
}

struct OneGroup {
    id: Value,
    states: Vec<State>,
}

/// About what a group takes beside its key and what its accumulators keep.
const GROUP_BYTES: usize = 128;

impl Grouping {
    fn add(&mut self, row: &Row) -> Result<()> {
        let document = row.as_ref();
        let id = self.group.id.find(document, &self.variables)?;
        self.key.clear();
        key::encode(id.or_null(), Direction::Ascending, &mut self.key);
        let at = match self.places.get(self.key.as_slice()) {
            Some(at) => *at,
            None => {
                let id = match id {
                    Found::Missing => Value::Null,
                    other => other.into_value().unwrap_or(Value::Null),
                };
                self.open(id)?
            }
        };
        let states = &mut self.groups[at].states;
        for ((_, accumulation), state) in self.group.fields.iter().zip(states) {
            let before = state.bytes();
            accumulation.add(state, document, &self.variables)?;
            self.bytes = (self.bytes + state.bytes()).saturating_sub(before);
        }
        memory::check("$group", self.bytes)
    }

    /// Opens a group for the key at hand.
    fn open(&mut self, id: Value) -> Result<usize> {
        let at = self.groups.len();
        let id_document = Document::new().with("_id", id.clone());
        let states = self.group.fields.iter();
        let states =
            states.map(|(_, accumulation)| accumulation.start((&id_document).into(), &self.variables));
        let states: Vec<State> = states.collect::<Result<_>>()?;
        self.bytes += GROUP_BYTES * (1 + states.len()) + 2 * self.key.len();
        self.groups.push(OneGroup { id, states });
        self.places.insert(self.key.as_slice().into(), at);
        Ok(at)
    }
}

impl Step for Grouping {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        rows.iter().try_for_each(|row| self.add(row)).map_err(in_group)?;
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        let groups = self.given.get_or_insert_with(|| {
            self.places = HashMap::new();
            std::mem::take(&mut self.groups).into_iter()
        });
        let fields = &self.group.fields;
        let mut rows = groups.map(|mut group| {
            let mut document = Document::new().with("_id", group.id);
            for ((name, _), state) in fields.iter().zip(&mut group.states) {
                if let Some(value) = state.result() {
                    document.push(name.as_str(), value);
                }
            }
            Row::Tree(document)
        });
        Ok(give(&mut rows, out))
    }
}
