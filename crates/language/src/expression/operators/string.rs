//! Strings built and taken apart; searching is in `search`, trimming in `trim`, patterns in `regex`.

use super::text::{check_size, coerce};
use super::{Operator, Syntax, error, name_of_type, operator, type_name};
use crate::expression::building::Building;
use crate::expression::evaluated::Evaluated;
use crate::expression::number::Number;
use crate::{Code, Result};
use std::cmp::Ordering;
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$concat", Syntax::UntilNull(|_, v| concat(&v))),
    operator("$strcasecmp", Syntax::Two(compare_ignoring_case)),
    operator(
        "$toLower",
        Syntax::One(|v| string(coerce(v.get())?.to_ascii_lowercase())),
    ),
    operator(
        "$toUpper",
        Syntax::One(|v| string(coerce(v.get())?.to_ascii_uppercase())),
    ),
    operator(
        "$strLenBytes",
        Syntax::One(|v| {
            Ok(Some(length(
                &v,
                "$strLenBytes",
                Code::location(34_473),
                str::len,
            )?))
        }),
    ),
    operator(
        "$strLenCP",
        Syntax::One(|v| {
            Ok(Some(length(&v, "$strLenCP", Code::location(34_471), |s| {
                s.chars().count()
            })?))
        }),
    ),
    operator("$split", Syntax::Two(split)),
    operator(
        "$substr",
        Syntax::Three(|v| substring_of_bytes("$substrBytes", v)),
    ),
    operator(
        "$substrBytes",
        Syntax::Three(|v| substring_of_bytes("$substrBytes", v)),
    ),
    operator("$substrCP", Syntax::Three(substring_of_points)),
];

fn string(text: String) -> Result<Option<Value>> {
    check_size(&text)?;
    Ok(Some(Value::String(text)))
}

fn concat(operands: &[Evaluated<'_>]) -> Result<Option<Value>> {
    let mut text = String::new();
    for operand in operands {
        match operand.present() {
            None => return Ok(Some(Value::Null)),
            Some(ValueRef::String(part)) => text.push_str(part),
            Some(_) => {
                return Err(error(
                    Code::location(16_702),
                    format!("$concat only supports strings, not {}", type_name(operand)),
                ));
            }
        }
        check_size(&text)?;
    }
    Ok(Some(Value::String(text)))
}

fn compare_ignoring_case(a: Evaluated<'_>, b: Evaluated<'_>) -> Result<Option<Value>> {
    let (a, b) = (
        coerce(a.get())?.to_ascii_uppercase(),
        coerce(b.get())?.to_ascii_uppercase(),
    );
    let order: Ordering = a.cmp(&b);
    Ok(Some(Value::Int32(order as i32)))
}

fn length(operand: &Evaluated<'_>, name: &str, code: Code, measure: fn(&str) -> usize) -> Result<Value> {
    match operand.get() {
        Some(ValueRef::String(text)) => Ok(Value::Int32(measure(text) as i32)),
        _ => Err(error(
            code,
            format!("{name} requires a string argument, found: {}", type_name(operand)),
        )),
    }
}

fn split(text: Evaluated<'_>, separator: Evaluated<'_>) -> Result<Option<Value>> {
    let (Some(present), Some(by)) = (text.present(), separator.present()) else {
        return Ok(Some(Value::Null));
    };
    let ValueRef::String(whole) = present else {
        return Err(error(
            Code::location(40_085),
            format!(
                "$split requires an expression that evaluates to a string as a first argument, found: {}",
                type_name(&text)
            ),
        ));
    };
    match by {
        ValueRef::String("") => Err(error(
            Code::location(40_087),
            "$split requires a non-empty separator",
        )),
        ValueRef::String(by) => {
            let mut building = Building::new("$split");
            let parts = whole.split(by).map(|part| building.copy(ValueRef::String(part)));
            parts.collect::<Result<Value>>().map(Some)
        }
        _ => Err(error(
            Code::location(10_503_900),
            format!(
                "$split requires an expression that evaluates to a string as a second argument, found: {}",
                type_name(&separator)
            ),
        )),
    }
}

/// An operand as a whole number of bytes, as MongoDB coerces numbers.
fn bytes(operand: Option<ValueRef<'_>>, code: Code, what: &str) -> Result<i64> {
    let number = operand.and_then(Number::of).ok_or_else(|| {
        error(
            code,
            format!(
                "$substrBytes: {what} must be a numeric type (is BSON type {})",
                name_of_type(operand)
            ),
        )
    })?;
    // Decimals are rounded, and are the smallest long where they fit none; doubles are cut off.
    let whole = match number {
        Number::Decimal(_) => Some(number.rounded().unwrap_or(i64::MIN)),
        other => other.truncated(),
    };
    whole.ok_or_else(|| {
        error(
            Code::location(31_109),
            format!("Can't coerce out of range value {} to long", number.to_f64()),
        )
    })
}

fn substring_of_bytes(name: &str, [text, start, count]: [Option<ValueRef<'_>>; 3]) -> Result<Option<Value>> {
    let text = coerce(text)?;
    let start = bytes(start, Code::location(16_034), "starting index")?;
    let count = bytes(count, Code::location(16_035), "length")?;
    let start = usize::try_from(start).map_err(|_| {
        error(
            Code::location(50_752),
            format!("{name}: starting index must be non-negative (got: {start})"),
        )
    })?;
    // A negative length means the rest of the string.
    let end = usize::try_from(count).map_or(text.len(), |count| start.saturating_add(count).min(text.len()));
    if start >= text.len() {
        return Ok(Some(Value::from("")));
    }
    if !text.is_char_boundary(start) {
        return Err(error(
            Code::location(28_656),
            format!("{name}: Invalid range, starting index is a UTF-8 continuation byte."),
        ));
    }
    if !text.is_char_boundary(end) {
        return Err(error(
            Code::location(28_657),
            format!("{name}: Invalid range, ending index is in the middle of a UTF-8 character."),
        ));
    }
    Ok(Some(Value::from(&text[start..end])))
}

/// An operand as a 32-bit number.
fn points(operand: Option<ValueRef<'_>>, codes: [Code; 2], what: &str) -> Result<i32> {
    let number = operand.and_then(Number::of).ok_or_else(|| {
        error(
            codes[0],
            format!(
                "$substrCP: {what} must be a numeric type (is BSON type {})",
                name_of_type(operand)
            ),
        )
    })?;
    number.to_i32().ok_or_else(|| {
        error(
            codes[1],
            format!(
                "$substrCP: {what} cannot be represented as a 32-bit integral value: {}",
                number.to_f64()
            ),
        )
    })
}

fn substring_of_points([text, start, count]: [Option<ValueRef<'_>>; 3]) -> Result<Option<Value>> {
    let text = coerce(text)?;
    let start = points(
        start,
        [Code::location(34_450), Code::location(34_451)],
        "starting index",
    )?;
    let count = points(count, [Code::location(34_452), Code::location(34_453)], "length")?;
    let count = usize::try_from(count).map_err(|_| {
        error(
            Code::location(34_454),
            "$substrCP: length must be a nonnegative integer.",
        )
    })?;
    let start = usize::try_from(start).map_err(|_| {
        error(
            Code::location(34_455),
            "$substrCP: the starting index must be nonnegative integer.",
        )
    })?;
    let part: String = text.chars().skip(start).take(count).collect();
    Ok(Some(Value::String(part)))
}
