//! `$all`: one predicate for each entry.

use super::{Parser, equality};
use crate::filter::Predicate;
use crate::regex::Regex;
use crate::{Error, Result};
use value::{Document, Value};

impl Parser<'_> {
    /// The predicates that all must hold. An empty `$all` matches nothing.
    pub(super) fn all(self, value: &Value) -> Result<Vec<Predicate>> {
        let Value::Array(entries) = value else {
            return Err(Error::bad_value("$all needs an array"));
        };
        if entries.is_empty() {
            let nothing = Predicate::In {
                values: Vec::new(),
                regexes: Vec::new(),
            };
            return Ok(vec![nothing]);
        }
        if entries.first().and_then(elem_match).is_some() {
            return entries
                .iter()
                .map(|entry| match elem_match(entry) {
                    Some(condition) => self.elem_match(condition),
                    None => Err(Error::bad_value("$all/$elemMatch has to be consistent")),
                })
                .collect();
        }
        entries.iter().map(entry).collect()
    }
}

/// The operand of `$elemMatch` where the entry is one.
fn elem_match(entry: &Value) -> Option<&Value> {
    let Value::Document(document) = entry else {
        return None;
    };
    match document.iter().next() {
        Some(("$elemMatch", condition)) => Some(condition),
        _ => None,
    }
}

/// Whether a document is a condition on a field; one of another `$` name, such as a stage, is a value. MongoDB counts `$not` among
/// those.
fn is_condition(document: &Document) -> bool {
    let first = document.iter().next();
    first.is_some_and(|(name, _)| name != "$not" && super::OF_FIELDS.contains(&name))
}

fn entry(entry: &Value) -> Result<Predicate> {
    match entry {
        Value::Regex(regex) => Regex::new(&regex.pattern, &regex.options).map(Predicate::Regex),
        Value::Document(document) if is_condition(document) => {
            Err(Error::bad_value("no $ expressions in $all"))
        }
        value => equality(value),
    }
}
