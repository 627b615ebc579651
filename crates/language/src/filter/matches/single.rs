//! Predicates against one value, arrays taken whole.

use super::{Position, count};
use crate::Result;
use crate::filter::{Comparison, Node, Predicate, number};
use crate::interruption::steps;
use crate::regex::Regex;
use std::cmp::Ordering;
use value::collation::{Collation, compare_in};
use value::{ArrayRef, Document, DocumentRef, RawDocument, Value, ValueRef, canonical_type};

impl Predicate {
    /// Whether this value, or its absence, satisfies the predicate.
    pub(super) fn matches_single(
        &self,
        value: Option<ValueRef<'_>>,
        collation: Option<&Collation>,
        position: &mut Position,
    ) -> Result<bool> {
        match self {
            Predicate::Compare { op, value: limit } => Ok(match value {
                Some(value) => compare_by(*op, value, limit.as_ref(), collation),
                None => compare_missing(*op, limit),
            }),
            Predicate::In { values, regexes } => is_in(values, regexes, value, collation),
            Predicate::Exists => Ok(value.is_some()),
            Predicate::Not(predicates) => {
                count(predicates)?;
                for predicate in predicates {
                    if !predicate.matches_single(value, collation, &mut None)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            present => match value {
                Some(value) => present.matches_present(value, collation, position),
                None => Ok(false),
            },
        }
    }

    /// The predicates that a missing field never satisfies.
    fn matches_present(
        &self,
        value: ValueRef<'_>,
        collation: Option<&Collation>,
        position: &mut Position,
    ) -> Result<bool> {
        match self {
            Predicate::Type(types) => Ok(types.contains(value.type_of())),
            Predicate::Mod { divisor, remainder } => {
                // The lowest number divided by -1 overflows, and leaves nothing.
                Ok(number::truncated(value).is_some_and(|n| n.wrapping_rem(*divisor) == *remainder))
            }
            Predicate::Regex(regex) => matches_regex(regex, value),
            Predicate::Bits(test) => Ok(test.matches(value)),
            Predicate::Geo(condition) => condition.matches(value),
            Predicate::Near(condition) => condition.matches(value),
            Predicate::Size(size) => Ok(value
                .as_array()
                .is_some_and(|array| array.len() == *size as usize)),
            Predicate::ElemMatchObject(node) => match value {
                ValueRef::Array(array) => {
                    elem_match(array, position, |element| object_matches(node, element))
                }
                _ => Ok(false),
            },
            Predicate::ElemMatchValue(predicates) => match value {
                ValueRef::Array(array) => elem_match(array, position, |element| {
                    all_match(predicates, element, collation)
                }),
                _ => Ok(false),
            },
            Predicate::Compare { .. } | Predicate::In { .. } | Predicate::Exists | Predicate::Not(_) => {
                self.matches_single(Some(value), collation, position)
            }
        }
    }
}

/// MongoDB's comparison for queries: only values of the limit's own kind, but for MinKey and MaxKey, which compare
/// with everything; NaN equals NaN and is neither less nor greater than any number.
pub(in crate::filter) fn compare(op: Comparison, value: ValueRef<'_>, limit: ValueRef<'_>) -> bool {
    compare_by(op, value, limit, None)
}

fn compare_by(
    op: Comparison,
    value: ValueRef<'_>,
    limit: ValueRef<'_>,
    collation: Option<&Collation>,
) -> bool {
    if canonical_type(value.type_of()) != canonical_type(limit.type_of()) {
        return match limit {
            ValueRef::MaxKey => matches!(op, Comparison::Lt | Comparison::Lte),
            ValueRef::MinKey => matches!(op, Comparison::Gt | Comparison::Gte),
            _ => false,
        };
    }
    let (value_is_nan, limit_is_nan) = (is_nan(value), is_nan(limit));
    if value_is_nan || limit_is_nan {
        return value_is_nan && limit_is_nan && !matches!(op, Comparison::Lt | Comparison::Gt);
    }
    let order = compare_in(collation, value, limit);
    match op {
        Comparison::Eq => order == Ordering::Equal,
        Comparison::Lt => order == Ordering::Less,
        Comparison::Lte => order != Ordering::Greater,
        Comparison::Gt => order == Ordering::Greater,
        Comparison::Gte => order != Ordering::Less,
    }
}

/// A missing field equals null; it comes before MaxKey and after MinKey like everything else.
fn compare_missing(op: Comparison, limit: &Value) -> bool {
    match limit {
        Value::Null => matches!(op, Comparison::Eq | Comparison::Lte | Comparison::Gte),
        Value::MaxKey => matches!(op, Comparison::Lt | Comparison::Lte),
        Value::MinKey => matches!(op, Comparison::Gt | Comparison::Gte),
        _ => false,
    }
}

fn is_nan(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Double(number) => number.is_nan(),
        ValueRef::Decimal128(number) => number.is_nan(),
        _ => false,
    }
}

fn is_in(
    values: &[Value],
    regexes: &[Regex],
    value: Option<ValueRef<'_>>,
    collation: Option<&Collation>,
) -> Result<bool> {
    let wanted = value.unwrap_or(ValueRef::Null);
    if values
        .binary_search_by(|candidate| compare_in(collation, candidate.as_ref(), wanted))
        .is_ok()
    {
        return Ok(true);
    }
    let Some(value) = value else {
        return Ok(false);
    };
    for regex in regexes {
        if matches_regex(regex, value)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A string that the pattern matches, or the same regular expression.
fn matches_regex(regex: &Regex, value: ValueRef<'_>) -> Result<bool> {
    match value {
        ValueRef::String(text) | ValueRef::Symbol(text) => regex.is_match(text),
        ValueRef::Regex { pattern, options } => Ok(regex.pattern() == pattern && regex.options() == options),
        _ => Ok(false),
    }
}

/// Whether an element satisfies the test, and which.
fn elem_match(
    array: ArrayRef<'_>,
    position: &mut Position,
    test: impl Fn(ValueRef<'_>) -> Result<bool>,
) -> Result<bool> {
    for (at, element) in array.iter().enumerate() {
        steps(1)?;
        if test(element)? {
            *position = Some(at);
            return Ok(true);
        }
    }
    Ok(false)
}

fn all_match(predicates: &[Predicate], element: ValueRef<'_>, collation: Option<&Collation>) -> Result<bool> {
    count(predicates)?;
    for predicate in predicates {
        if !predicate.matches_single(Some(element), collation, &mut None)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An array counts as a document whose fields are named by position.
fn object_matches(node: &Node, element: ValueRef<'_>) -> Result<bool> {
    match element {
        ValueRef::Document(document) => node.matches(document),
        ValueRef::Array(ArrayRef::Raw(array)) => {
            let fields = RawDocument::from_validated(array.as_bytes());
            node.matches(DocumentRef::Raw(fields))
        }
        ValueRef::Array(ArrayRef::Tree(values)) => {
            let fields: Document = values
                .iter()
                .enumerate()
                .map(|(at, value)| (at.to_string(), value.clone()))
                .collect();
            node.matches(DocumentRef::Tree(&fields))
        }
        _ => Ok(false),
    }
}
