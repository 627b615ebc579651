//! `$sortArray`: by the elements or by fields of theirs. Unlike a query's sort it takes of an array the elements that a
//! path names by position alone.

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::interruption::sort_by;
use crate::sort_path::sort_value;
use crate::{Code, Result};
use std::cmp::Ordering;
use value::collation::{Collation, compare_in};
use value::key::Direction;
use value::{Document, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[operator("$sortArray", Syntax::Named(parse_sort))];

/// By what an array is sorted.
#[derive(Debug)]
enum SortBy {
    /// The elements themselves.
    Elements(Direction),
    /// Fields of the elements.
    Fields(Vec<(Box<str>, Direction)>),
}

#[derive(Debug)]
struct SortArray {
    input: Node,
    by: SortBy,
    collation: Option<Collation>,
}

fn parse_sort(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["input", "sortBy"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(2_942_500),
            unknown: Code::location(2_942_501),
        },
    )?;
    named::require(
        name,
        argument,
        &[
            ("input", Code::location(2_942_502)),
            ("sortBy", Code::location(2_942_503)),
        ],
    )?;
    let by = match argument.get("sortBy") {
        Some(Value::Document(pattern)) => SortBy::Fields(parse_pattern(pattern)?),
        Some(scalar) => SortBy::Elements(parse_direction(scalar)?),
        None => SortBy::Elements(Direction::Ascending),
    };
    let input = parser.operand(argument.get("input").unwrap_or(&Value::Null))?;
    let collation = parser.collation().cloned();
    Ok(Node::Operation(Box::new(SortArray { input, by, collation })))
}

fn parse_pattern(pattern: &Document) -> Result<Vec<(Box<str>, Direction)>> {
    let wrong = |why: &str| {
        error(
            Code::location(2_942_505),
            format!("The $sort pattern is invalid: {why}"),
        )
    };
    if pattern.is_empty() {
        return Err(wrong("it must not be empty"));
    }
    let fields = pattern.iter().map(|(name, direction)| {
        if name.split('.').any(str::is_empty) {
            return Err(wrong("field names may not be empty"));
        }
        match Number::of(direction.as_ref()).and_then(Number::to_i64) {
            Some(1) => Ok((name.into(), Direction::Ascending)),
            Some(-1) => Ok((name.into(), Direction::Descending)),
            _ => Err(wrong("directions are 1 and -1")),
        }
    });
    fields.collect()
}

fn parse_direction(scalar: &Value) -> Result<Direction> {
    let number = Number::of(scalar.as_ref()).ok_or_else(|| {
        error(
            Code::location(2_942_507),
            "The $sort element value must be an object or a number",
        )
    })?;
    match number.to_i64() {
        Some(1) => Ok(Direction::Ascending),
        Some(-1) => Ok(Direction::Descending),
        _ => Err(error(
            Code::location(2_942_506),
            "The $sort element value must be either 1 or -1",
        )),
    }
}

impl Operation for SortArray {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let input = self.input.evaluate(scope)?;
        if input.present().is_none() {
            return Ok(Evaluated::of(Value::Null));
        }
        let Some(Value::Array(mut values)) = input.into_value() else {
            return Err(error(
                Code::location(2_942_504),
                "The input argument to $sortArray must be an array.",
            ));
        };
        let collation = self.collation.as_ref();
        match &self.by {
            SortBy::Elements(direction) => {
                sort_by(&mut values, |a, b| {
                    ordered(collation, a.as_ref(), b.as_ref(), *direction)
                })?;
            }
            SortBy::Fields(fields) => sort_by(&mut values, |a, b| {
                let orders = fields.iter().map(|(path, direction)| {
                    ordered(
                        collation,
                        sort_value(a.as_ref(), path),
                        sort_value(b.as_ref(), path),
                        *direction,
                    )
                });
                orders.fold(Ordering::Equal, Ordering::then)
            })?,
        }
        Ok(Evaluated::Owned(Value::Array(values)))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        vec![&mut self.input]
    }

    fn reads_document(&self) -> bool {
        self.input.reads_document()
    }
}

fn ordered(
    collation: Option<&Collation>,
    a: ValueRef<'_>,
    b: ValueRef<'_>,
    direction: Direction,
) -> Ordering {
    let order = compare_in(collation, a, b);
    match direction {
        Direction::Ascending => order,
        Direction::Descending => order.reverse(),
    }
}
