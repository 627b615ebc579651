//! `$cmp $eq $ne $gt $gte $lt $lte`: MongoDB's order of all values, a missing one before all but MinKey.

use super::{Operator, Syntax, operator};
use crate::Result;
use crate::expression::found::Found;
use std::cmp::Ordering;
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$cmp",
        Syntax::Two(|a, b| Ok(Some(Value::Int32(compare(&a, &b) as i32)))),
    ),
    operator("$eq", Syntax::Two(|a, b| holds(compare(&a, &b).is_eq()))),
    operator("$ne", Syntax::Two(|a, b| holds(compare(&a, &b).is_ne()))),
    operator("$gt", Syntax::Two(|a, b| holds(compare(&a, &b).is_gt()))),
    operator("$gte", Syntax::Two(|a, b| holds(compare(&a, &b).is_ge()))),
    operator("$lt", Syntax::Two(|a, b| holds(compare(&a, &b).is_lt()))),
    operator("$lte", Syntax::Two(|a, b| holds(compare(&a, &b).is_le()))),
];

fn holds(truth: bool) -> Result<Option<Value>> {
    Ok(Some(Value::Bool(truth)))
}

/// The order of two outcomes; nothing and undefined stand between MinKey and null.
fn compare(a: &Found<'_>, b: &Found<'_>) -> Ordering {
    match (a.get(), b.get()) {
        (Some(a), Some(b)) => value::compare(a, b),
        (None, None) => Ordering::Equal,
        (None, Some(b)) => missing_before(b),
        (Some(a), None) => missing_before(a).reverse(),
    }
}

fn missing_before(other: ValueRef<'_>) -> Ordering {
    match other {
        ValueRef::MinKey => Ordering::Greater,
        ValueRef::Undefined => Ordering::Equal,
        _ => Ordering::Less,
    }
}
