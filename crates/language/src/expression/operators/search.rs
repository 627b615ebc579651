//! `$indexOfBytes $indexOfCP`, `$replaceOne $replaceAll`.

use super::named::{self, Wrong};
use super::text::check_length;
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::{Code, Result};
use std::ops::Range;
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$indexOfBytes",
        Syntax::Many(2, 4, |v| {
            index_of(
                "$indexOfBytes",
                &v,
                [Code::location(40_091), Code::location(40_092)],
                Unit::Bytes,
            )
        }),
    ),
    operator(
        "$indexOfCP",
        Syntax::Many(2, 4, |v| {
            index_of(
                "$indexOfCP",
                &v,
                [Code::location(40_093), Code::location(40_094)],
                Unit::Points,
            )
        }),
    ),
    operator("$replaceOne", Syntax::Named(parse_replace)),
    operator("$replaceAll", Syntax::Named(parse_replace)),
];

/// The unit of positions.
#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Points,
}

impl Unit {
    /// The position at the end of a text.
    fn end_of(self, text: &str) -> usize {
        match self {
            Unit::Bytes => text.len(),
            Unit::Points => text.chars().count(),
        }
    }
}

fn index_of(name: &str, operands: &[Evaluated<'_>], codes: [Code; 2], unit: Unit) -> Result<Option<Value>> {
    let [text, wanted, bounds @ ..] = operands else {
        return Ok(None);
    };
    let string = |operand, code, place: &str| match Evaluated::get(operand) {
        Some(ValueRef::String(text)) => Ok(text.to_owned()),
        _ => Err(error(
            code,
            format!(
                "{name} requires a string as the {place} argument, found: {}",
                type_name(operand)
            ),
        )),
    };
    if text.present().is_none() {
        return Ok(Some(Value::Null));
    }
    let text = string(text, codes[0], "first")?;
    let wanted = string(wanted, codes[1], "second")?;
    let last = unit.end_of(&text);
    let start = bound(name, bounds.first(), "starting", BOUND_CODES)?.unwrap_or(0);
    let end = bound(name, bounds.get(1), "ending", BOUND_CODES)?
        .unwrap_or(last)
        .min(last);
    if start > end {
        return Ok(Some(Value::Int32(-1)));
    }
    let position = match unit {
        Unit::Bytes => find(&text, &wanted, start..end),
        Unit::Points => find_point(&text, &wanted, start).filter(|at| *at < end || text.is_empty()),
    };
    Ok(Some(Value::Int32(position.map_or(-1, |at| at as i32))))
}

/// The first code point, at this one or after it, with which the wanted text begins. It counts where it begins: the wanted text
/// may go on past any end.
fn find_point(text: &str, wanted: &str, start: usize) -> Option<usize> {
    let from = text.char_indices().nth(start).map_or(text.len(), |(at, _)| at);
    let at = find(text, wanted, from..text.len())?;
    Some(start + text.get(from..at)?.chars().count())
}

/// Where the wanted text begins within a range of bytes, which need not be at the bounds of characters.
fn find(text: &str, wanted: &str, range: Range<usize>) -> Option<usize> {
    let start = range.start;
    memchr::memmem::find(text.as_bytes().get(range)?, wanted.as_bytes()).map(|at| start + at)
}

/// The codes of a position that is wrong.
#[derive(Clone, Copy)]
pub(super) struct BoundCodes {
    pub(super) not_integral: Code,
    pub(super) negative: Code,
}

/// Those of `$indexOfBytes` and `$indexOfCP`.
const BOUND_CODES: BoundCodes = BoundCodes {
    not_integral: Code::location(40_096),
    negative: Code::location(40_097),
};

/// A position given to an operator, if it is given.
pub(super) fn bound(
    name: &str,
    operand: Option<&Evaluated<'_>>,
    what: &str,
    codes: BoundCodes,
) -> Result<Option<usize>> {
    let Some(operand) = operand else {
        return Ok(None);
    };
    let number = operand
        .get()
        .and_then(Number::of)
        .and_then(Number::to_i32)
        .ok_or_else(|| {
            error(
                codes.not_integral,
                format!(
                    "{name} requires an integral {what} index, found a value of type: {}",
                    type_name(operand)
                ),
            )
        })?;
    let bound = usize::try_from(number).map_err(|_| {
        error(
            codes.negative,
            format!("{name} requires a nonnegative {what} index, found: {number}"),
        )
    })?;
    Ok(Some(bound))
}

fn parse_replace(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["input", "find", "replacement"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(51_751),
            unknown: Code::location(51_750),
        },
    )?;
    named::require(
        name,
        argument,
        &[
            ("input", Code::location(51_749)),
            ("find", Code::location(51_748)),
            ("replacement", Code::location(51_747)),
        ],
    )?;
    let apply: named::Apply = match name {
        "$replaceOne" => |v| replace("$replaceOne", &v, 1),
        _ => |v| replace("$replaceAll", &v, usize::MAX),
    };
    named::call(parser, argument, &fields, apply)
}

fn replace(name: &str, operands: &[Option<Evaluated<'_>>], places_max: usize) -> Result<Option<Value>> {
    let [Some(input), Some(find), Some(by)] = operands else {
        return Ok(None);
    };
    let string = |operand, code, what: &str| match Evaluated::present(operand) {
        None => Ok(None),
        Some(ValueRef::String(text)) => Ok(Some(text.to_owned())),
        Some(_) => Err(error(
            code,
            format!(
                "{name} requires that '{what}' be a string, found: {}",
                type_name(operand)
            ),
        )),
    };
    let input = string(input, Code::location(10_503_904), "input")?;
    let find = string(find, Code::location(10_503_901), "find")?;
    let by = string(by, Code::location(10_503_902), "replacement")?;
    let (Some(input), Some(find), Some(by)) = (input, find, by) else {
        return Ok(Some(Value::Null));
    };
    let places = input.matches(find.as_str()).take(places_max).count();
    check_length(input.len() - places * find.len() + places * by.len())?;
    Ok(Some(Value::String(input.replacen(&find, &by, places))))
}
