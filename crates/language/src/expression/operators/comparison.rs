//! `$cmp $eq $ne $gt $gte $lt $lte`: MongoDB's order of all values, a missing one before all but MinKey.

use super::{Operator, Syntax, operator};
use crate::Result;
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Apply, Call, Node, Operation, Scope};
use crate::expression::parse::Parser;
use std::cmp::Ordering;
use value::collation::Collation;
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$cmp", Syntax::Named(parse)),
    operator("$eq", Syntax::Named(parse)),
    operator("$ne", Syntax::Named(parse)),
    operator("$gt", Syntax::Named(parse)),
    operator("$gte", Syntax::Named(parse)),
    operator("$lt", Syntax::Named(parse)),
    operator("$lte", Syntax::Named(parse)),
];

/// A comparison of two operands by their bytes.
type Simple = fn(Evaluated<'_>, Evaluated<'_>) -> Result<Option<Value>>;

/// What a comparison makes of an order.
type Outcome = fn(Ordering) -> Value;

fn parse(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let mut operands = parser.operands(name, argument, 2, 2)?;
    let (apply, outcome): (Simple, Outcome) = match name {
        "$eq" => (|a, b| Ok(Some(is_eq(compare(&a, &b)))), is_eq),
        "$ne" => (|a, b| Ok(Some(is_ne(compare(&a, &b)))), is_ne),
        "$gt" => (|a, b| Ok(Some(is_gt(compare(&a, &b)))), is_gt),
        "$gte" => (|a, b| Ok(Some(is_ge(compare(&a, &b)))), is_ge),
        "$lt" => (|a, b| Ok(Some(is_lt(compare(&a, &b)))), is_lt),
        "$lte" => (|a, b| Ok(Some(is_le(compare(&a, &b)))), is_le),
        _ => (|a, b| Ok(Some(sign(compare(&a, &b)))), sign),
    };
    let Some(collation) = parser.collation() else {
        let apply = Apply::Two(apply);
        return Ok(Node::Call(Call {
            apply,
            operands,
            collation: None,
        }));
    };
    // There are two: that was checked.
    let (Some(right), Some(left)) = (operands.pop(), operands.pop()) else {
        return Ok(Node::Constant(None));
    };
    Ok(Node::Operation(Box::new(Collated {
        collation: collation.clone(),
        outcome,
        left,
        right,
    })))
}

/// A comparison by a collation.
#[derive(Debug)]
struct Collated {
    collation: Collation,
    outcome: Outcome,
    left: Node,
    right: Node,
}

impl Operation for Collated {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let (left, right) = (self.left.evaluate(scope)?, self.right.evaluate(scope)?);
        let order = match (left.get(), right.get()) {
            (Some(a), Some(b)) => self.collation.compare_values(a, b),
            _ => compare(&left, &right),
        };
        Ok(Evaluated::from(Some((self.outcome)(order))))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        vec![&mut self.left, &mut self.right]
    }

    fn reads_document(&self) -> bool {
        self.left.reads_document() || self.right.reads_document()
    }
}

fn is_eq(order: Ordering) -> Value {
    Value::Bool(order.is_eq())
}

fn is_ne(order: Ordering) -> Value {
    Value::Bool(order.is_ne())
}

fn is_gt(order: Ordering) -> Value {
    Value::Bool(order.is_gt())
}

fn is_ge(order: Ordering) -> Value {
    Value::Bool(order.is_ge())
}

fn is_lt(order: Ordering) -> Value {
    Value::Bool(order.is_lt())
}

fn is_le(order: Ordering) -> Value {
    Value::Bool(order.is_le())
}

fn sign(order: Ordering) -> Value {
    Value::Int32(order as i32)
}

/// The order of two outcomes; nothing and undefined stand between MinKey and null.
fn compare(a: &Evaluated<'_>, b: &Evaluated<'_>) -> Ordering {
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
