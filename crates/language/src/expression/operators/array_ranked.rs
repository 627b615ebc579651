//! `$firstN $lastN $minN $maxN`, `$percentile $median` on the elements of an array.

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::accumulator::{self, Method, Ranked, Ties};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::{Code, Fields, Result};
use value::collation::{Collation, encode_in};
use value::key::Direction;
use value::{ArrayRef, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$firstN", Syntax::Named(parse_n)),
    operator("$lastN", Syntax::Named(parse_n)),
    operator("$minN", Syntax::Named(parse_n)),
    operator("$maxN", Syntax::Named(parse_n)),
    operator("$percentile", Syntax::Named(parse_percentile)),
    operator("$median", Syntax::Named(parse_percentile)),
];

fn parse_n(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["n", "input"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: match name {
                "$firstN" | "$lastN" => Code::location(5_787_801),
                _ => Code::location(5_787_900),
            },
            unknown: Code::location(5_787_901),
        },
    )?;
    named::require(
        name,
        argument,
        &[
            ("n", Code::location(5_787_906)),
            ("input", Code::location(5_787_907)),
        ],
    )?;
    // Both are there.
    let operands = named::operands(parser, argument, &fields)?;
    let operands = operands.into_iter().flatten().collect();
    let apply: fn(Option<&Collation>, Vec<Evaluated<'_>>) -> Result<Option<Value>> = match name {
        "$firstN" => |_, v| elements("$firstN", v, Vec::truncate),
        "$lastN" => |_, v| {
            elements("$lastN", v, |values, n| {
                drop(values.drain(..values.len().saturating_sub(n)));
            })
        },
        "$minN" => |c, v| ranked("$minN", c, v, Direction::Ascending),
        _ => |c, v| ranked("$maxN", c, v, Direction::Descending),
    };
    Ok(Node::collated(apply, operands, parser.collation()))
}

/// What is kept of the elements of an array, by how many are wanted.
fn elements(
    name: &str,
    operands: Vec<Evaluated<'_>>,
    keep: impl FnOnce(&mut Vec<Value>, usize),
) -> Result<Option<Value>> {
    let Ok([count, input]) = <[Evaluated<'_>; 2]>::try_from(operands) else {
        return Ok(None);
    };
    let count = checked_count(&count)?;
    match input.into_value() {
        Some(Value::Array(mut values)) => {
            keep(&mut values, count);
            Ok(Some(Value::Array(values)))
        }
        other => Err(error(
            Code::location(5_788_200),
            format!(
                "Input must be an array, {name} got {}",
                type_name(&Evaluated::from(other))
            ),
        )),
    }
}

/// The smallest or largest that are not null, in order.
fn ranked(
    name: &str,
    collation: Option<&Collation>,
    operands: Vec<Evaluated<'_>>,
    direction: Direction,
) -> Result<Option<Value>> {
    let ties = match direction {
        Direction::Ascending => Ties::FirstFirst,
        Direction::Descending => Ties::LastFirst,
    };
    elements(name, operands, |values, count| {
        let mut kept = Ranked::new(count, ties);
        let present = |value: &Value| !matches!(value, Value::Null | Value::Undefined);
        for value in values.drain(..).filter(present) {
            let mut key = Vec::new();
            encode_in(collation, value.as_ref(), direction, &mut key);
            kept.add(key, || value);
        }
        *values = kept.take();
    })
}

/// The operand `n`: a positive integer.
fn checked_count(operand: &Evaluated<'_>) -> Result<usize> {
    let number = operand.get().and_then(Number::of).ok_or_else(|| {
        error(
            Code::location(5_787_902),
            format!(
                "Value for 'n' must be of integral type, but found {}",
                type_name(operand)
            ),
        )
    })?;
    let whole = number.to_i64().ok_or_else(|| {
        error(
            Code::location(5_787_903),
            format!(
                "Value for 'n' must be of integral type, but found {}",
                number.to_f64()
            ),
        )
    })?;
    match usize::try_from(whole) {
        Ok(count @ 1..) => Ok(count),
        _ => Err(error(
            Code::location(5_787_908),
            format!("'n' must be greater than 0, found {whole}"),
        )),
    }
}

#[derive(Debug)]
struct Percentile {
    input: Node,
    shares: Option<Node>,
    method: Method,
}

fn parse_percentile(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let many = name == "$percentile";
    let known: &[&str] = if many {
        &["input", "p", "method"]
    } else {
        &["input", "method"]
    };
    let argument = named::object(
        name,
        argument,
        known,
        &Wrong {
            not_object: match many {
                true => Code::location(7_436_200),
                false => Code::location(7_436_201),
            },
            unknown: Code::UNKNOWN_FIELD,
        },
    )?;
    let required: &[(&str, Code)] = if many {
        &[
            ("input", Code::MISSING_FIELD),
            ("p", Code::MISSING_FIELD),
            ("method", Code::MISSING_FIELD),
        ]
    } else {
        &[("input", Code::MISSING_FIELD), ("method", Code::MISSING_FIELD)]
    };
    named::require(name, argument, required)?;
    let method = accumulator::method(&Fields::new(name.to_owned(), argument))?;
    let input = parser.operand(argument.get("input").unwrap_or(&Value::Null))?;
    let shares = argument
        .get("p")
        .map(|shares| parse_shares(parser, shares))
        .transpose()?;
    Ok(Node::Operation(Box::new(Percentile {
        input,
        shares,
        method,
    })))
}

/// What `p` says: nothing that depends on the document; variables get their values later.
fn parse_shares(parser: &mut Parser<'_>, operand: &Value) -> Result<Node> {
    let shares = parser.operand(operand)?.folded()?;
    if shares.reads_document() {
        return Err(error(
            Code::location(7_750_300),
            "The $percentile 'p' field must be an array of constant values",
        ));
    }
    if let Node::Constant(constant) = &shares {
        accumulator::shares(constant.as_ref())?;
    }
    Ok(shares)
}

impl Operation for Percentile {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let shares = match &self.shares {
            Some(shares) => accumulator::shares(shares.evaluate(scope)?.into_value().as_ref())?,
            None => vec![0.5],
        };
        let input = self.input.evaluate(scope)?;
        let values = match input.get() {
            Some(ValueRef::Array(array)) => {
                let mut numbers = numbers(array);
                accumulator::percentiles(&mut numbers, &shares, self.method)
            }
            // A single number is what every share of it is, NaN too.
            single => {
                let number = single.and_then(Number::of).map(Number::to_f64);
                vec![number.map_or(Value::Null, Value::Double); shares.len()]
            }
        };
        let mut values = values.into_iter();
        Ok(match self.shares {
            Some(_) => Evaluated::Owned(values.collect()),
            None => Evaluated::Owned(values.next().unwrap_or(Value::Null)),
        })
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        std::iter::once(&mut self.input).chain(&mut self.shares).collect()
    }

    fn reads_document(&self) -> bool {
        self.input.reads_document() || self.shares.as_ref().is_some_and(Node::reads_document)
    }
}

/// The numbers among the elements of an array.
fn numbers(array: ArrayRef<'_>) -> Vec<f64> {
    array.iter().filter_map(Number::of).map(Number::to_f64).collect()
}
