//! The planner's input.

use super::leaves::Conjunction;
use super::sort::Ordering;
use crate::{QueryError, Result};
use language::filter::Filter;
use store::Order;
use value::{Document, Value};

/// The parts of a query on which the choice of a plan depends.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// What documents must match.
    pub filter: &'a Filter,
    /// The order of results.
    pub ordering: &'a Ordering,
    /// The paths that the results are made of; `None` if whole documents are needed.
    pub needed: Option<&'a [String]>,
    /// The most results that are wanted, including those that are skipped.
    pub results_max: Option<u64>,
    /// The index that must be used.
    pub hint: Option<&'a Hint>,
    /// `min`: the first index key that is read.
    pub min: Option<&'a Document>,
    /// `max`: the index key before which reading ends.
    pub max: Option<&'a Document>,
    /// Whether reading every document of the collection is allowed.
    pub allow_full_scan: bool,
}

/// The plan that a client prescribes.
#[derive(Clone, Debug, PartialEq)]
pub enum Hint {
    /// The index of this name.
    Name(String),
    /// The index of this key pattern.
    Key(Document),
    /// All documents in natural order, or its reverse.
    Natural(Order),
}

impl Hint {
    /// Parses a `hint`: a name or a key pattern; `None` if it is empty.
    pub fn parse(hint: &Value) -> Result<Option<Hint>> {
        match hint {
            Value::String(name) => Ok(Some(Hint::Name(name.clone()))),
            Value::Document(key) => match key.get("$natural") {
                None if key.is_empty() => Ok(None),
                None => Ok(Some(Hint::Key(key.clone()))),
                Some(_) if key.len() > 1 => Err(QueryError::bad_value(
                    "$natural cannot be combined with other fields of a hint",
                )),
                Some(direction) => {
                    let ordering = Ordering::parse(&Document::new().with("$natural", direction.clone()));
                    match ordering {
                        Ok(Ordering::Natural(order)) => Ok(Some(Hint::Natural(order))),
                        _ => Err(QueryError::bad_value("$natural hint may only be set to 1 or -1")),
                    }
                }
            },
            _ => Err(QueryError::failed_to_parse("Hint must be a string or an object")),
        }
    }
}

impl<'a> Query<'a> {
    /// A query for everything that the filter matches, in any order.
    pub fn of(filter: &'a Filter, ordering: &'a Ordering) -> Query<'a> {
        Query {
            filter,
            ordering,
            needed: None,
            results_max: None,
            hint: None,
            min: None,
            max: None,
            allow_full_scan: true,
        }
    }

    /// The filter's top conjunction.
    pub fn conjunction(&self) -> Conjunction<'a> {
        Conjunction::of(self.filter)
    }
}
