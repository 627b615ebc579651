//! `$push` with `$each`, `$position`, `$sort` and `$slice`.

use super::{Context, Effect, whole_number};
use crate::growth::value_bytes;
use language::interruption::sort_by;
use language::sort_path::sort_value;
use language::{Error, Result};
use std::cmp::Ordering;
use value::collation::{Collation, compare_in};
use value::{Document, Value};

/// Values to add, and what happens to the array then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Push {
    values: Vec<Value>,
    position: Option<i64>,
    sort: Option<Sort>,
    slice: Option<i64>,
}

/// How the array is sorted.
#[derive(Clone, Debug)]
enum Sort {
    /// Whole elements; true is ascending.
    Elements(bool),
    /// By fields of elements that are documents.
    Fields(Vec<(String, bool)>),
}

pub(super) fn parse(operand: &Value) -> Result<Push> {
    let clauses = match operand {
        Value::Document(clauses) if clauses.contains("$each") => clauses,
        _ => {
            return Ok(Push {
                values: vec![operand.clone()],
                ..Push::default()
            });
        }
    };
    let mut push = Push::default();
    for (at, (name, value)) in clauses.iter().enumerate() {
        if clauses.iter().take(at).any(|(earlier, _)| earlier == name) {
            return Err(Error::bad_value(format!("Only one {name} is supported.")));
        }
        match name {
            "$each" => match value {
                Value::Array(values) => push.values = values.clone(),
                other => {
                    return Err(Error::bad_value(format!(
                        "The argument to $each in $push must be an array but it was of type: {}",
                        other.type_of().alias()
                    )));
                }
            },
            "$position" => push.position = Some(clause_number("$position", value)?),
            "$slice" => push.slice = Some(clause_number("$slice", value)?),
            "$sort" => push.sort = Some(parse_sort(value)?),
            _ => {
                return Err(Error::bad_value(format!("Unrecognized clause in $push: {name}")));
            }
        }
    }
    Ok(push)
}

fn clause_number(clause: &str, value: &Value) -> Result<i64> {
    whole_number(value).ok_or_else(|| {
        Error::bad_value(format!(
            "The value for {clause} must be an integer value but was given type: {}",
            value.type_of().alias()
        ))
    })
}

fn parse_sort(value: &Value) -> Result<Sort> {
    match value {
        Value::Document(pattern) => parse_sort_fields(pattern),
        other if other.as_ref().is_number() => match whole_number(other) {
            Some(1) => Ok(Sort::Elements(true)),
            Some(-1) => Ok(Sort::Elements(false)),
            _ => Err(Error::bad_value("The $sort element value must be either 1 or -1")),
        },
        _ => Err(Error::bad_value(
            "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields",
        )),
    }
}

fn parse_sort_fields(pattern: &Document) -> Result<Sort> {
    if pattern.is_empty() {
        return Err(Error::bad_value(
            "The $sort pattern is empty when it should be a set of fields.",
        ));
    }
    let fields = pattern.iter().map(|(path, direction)| {
        if path.is_empty() {
            return Err(Error::bad_value("The $sort field cannot be empty"));
        }
        if path.split('.').any(str::is_empty) {
            return Err(Error::bad_value(format!(
                "The $sort field is a dotted field but has an empty part: {path}"
            )));
        }
        match whole_number(direction) {
            Some(1) => Ok((path.to_owned(), true)),
            Some(-1) => Ok((path.to_owned(), false)),
            _ => Err(Error::bad_value("The $sort element value must be either 1 or -1")),
        }
    });
    Ok(Sort::Fields(fields.collect::<Result<_>>()?))
}

impl Push {
    /// The array where there was none.
    pub(super) fn fresh(&self, collation: Option<&Collation>) -> Result<Value> {
        let mut elements = Vec::new();
        self.change(&mut elements, collation)?;
        Ok(Value::Array(elements))
    }

    pub(super) fn apply(&self, present: &mut Value, field: &str, context: &Context<'_>) -> Result<Effect> {
        match present {
            Value::Array(elements) => Ok(if self.change(elements, context.variables.collation())? {
                Effect::Changed
            } else {
                Effect::Unchanged
            }),
            other => Err(Error::bad_value(format!(
                "The field '{field}' must be an array but is of type {} in document {{{}}}",
                other.type_of().alias(),
                context.id_text()
            ))),
        }
    }

    /// Whether anything happened; sorting counts even where the order was right, as it does for MongoDB.
    fn change(&self, elements: &mut Vec<Value>, collation: Option<&Collation>) -> Result<bool> {
        let mut changed = !self.values.is_empty();
        let at = self.insert_at(elements.len());
        elements.splice(at..at, self.values.iter().cloned());
        if let Some(sort) = &self.sort {
            sort.apply(elements, collation)?;
            changed = true;
        }
        if let Some(slice) = self.slice {
            let kept = usize::try_from(slice.unsigned_abs()).unwrap_or(usize::MAX);
            if elements.len() > kept {
                changed = true;
                if slice < 0 {
                    elements.drain(..elements.len() - kept);
                } else {
                    elements.truncate(kept);
                }
            }
        }
        Ok(changed)
    }

    /// The bytes at least that it put into the array that it changed.
    pub(super) fn put_bytes(&self, changed: &Value) -> usize {
        match self.slice {
            None => self.values.iter().map(value_bytes).sum(),
            // What it put there may be gone, but what is left stays.
            Some(_) => value_bytes(changed),
        }
    }

    fn insert_at(&self, length: usize) -> usize {
        match self.position {
            None => length,
            Some(position) if position >= 0 => usize::try_from(position).map_or(length, |at| at.min(length)),
            Some(position) => {
                length.saturating_sub(usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX))
            }
        }
    }
}

impl Sort {
    fn apply(&self, elements: &mut Vec<Value>, collation: Option<&Collation>) -> Result<()> {
        match self {
            Sort::Elements(ascending) => sort_by(elements, |a, b| {
                directed(compare_in(collation, a.as_ref(), b.as_ref()), *ascending)
            }),
            Sort::Fields(fields) => sort_by(elements, |a, b| {
                let orders = fields.iter().map(|(path, ascending)| {
                    let order = compare_in(
                        collation,
                        sort_value(a.as_ref(), path),
                        sort_value(b.as_ref(), path),
                    );
                    directed(order, *ascending)
                });
                orders.fold(Ordering::Equal, Ordering::then)
            }),
        }
    }
}

fn directed(order: Ordering, ascending: bool) -> Ordering {
    if ascending { order } else { order.reverse() }
}
