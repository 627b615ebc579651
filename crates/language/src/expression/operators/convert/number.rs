//! Conversions to numbers.

use super::binary::{ByteOrder, integer};
use super::{failure, unsupported};
use crate::Result;
use crate::expression::number::Number;
use std::ops::RangeInclusive;
use value::decimal::{DIGITS_MAX, EXPONENT_MIN, Parts};
use value::{Decimal128, Value, ValueRef};

fn overflow(number: impl std::fmt::Display) -> crate::Error {
    failure(format!(
        "Conversion would overflow target type in $convert with no onError value: {number}"
    ))
}

fn not_a_number(text: &str, why: &str) -> crate::Error {
    failure(format!(
        "Failed to parse number '{text}' in $convert with no onError value: {why}"
    ))
}

/// The whole part of a number, where it fits 64 bits.
fn whole(number: Number) -> Result<i64> {
    let shown = number.to_f64();
    if number.is_nan() {
        return Err(failure(
            "Attempt to convert NaN value to integer type in $convert with no onError value",
        ));
    }
    if shown.is_infinite() {
        return Err(failure(
            "Attempt to convert infinity value to integer type in $convert with no onError value",
        ));
    }
    number.truncated().ok_or_else(|| overflow(shown))
}

/// An integer in base 10: a sign and digits, nothing else.
fn parse_integer(text: &str) -> Result<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_a_number(text, "Did not consume whole string."));
    }
    text.parse().map_err(|_| not_a_number(text, "Overflow"))
}

/// The doubles that become ints.
const INTS: RangeInclusive<f64> = i32::MIN as f64..=i32::MAX as f64;

pub(super) fn to_int(value: ValueRef<'_>, order: ByteOrder) -> Result<Value> {
    let number = match value {
        // The double itself must fit, not its whole part.
        ValueRef::Double(double) if double.is_finite() && !INTS.contains(&double) => {
            return Err(overflow(double));
        }
        ValueRef::Bool(truth) => i64::from(truth),
        ValueRef::String(text) => parse_integer(text)?,
        ValueRef::Binary { subtype, bytes } => integer(subtype, bytes, order, &[1, 2, 4])?,
        other => match Number::of(other) {
            Some(number) => whole(number)?,
            None => return Err(unsupported(value, "int")),
        },
    };
    i32::try_from(number)
        .map(Value::Int32)
        .map_err(|_| overflow(number))
}

pub(super) fn to_long(value: ValueRef<'_>, order: ByteOrder) -> Result<Value> {
    Ok(Value::Int64(match value {
        ValueRef::Bool(truth) => i64::from(truth),
        ValueRef::DateTime(ms) => ms,
        ValueRef::String(text) => parse_integer(text)?,
        ValueRef::Binary { subtype, bytes } => integer(subtype, bytes, order, &[1, 2, 4, 8])?,
        other => match Number::of(other) {
            Some(number) => whole(number)?,
            None => return Err(unsupported(value, "long")),
        },
    }))
}

pub(super) fn to_double(value: ValueRef<'_>, order: ByteOrder) -> Result<Value> {
    Ok(Value::Double(match value {
        ValueRef::Bool(truth) => f64::from(u8::from(truth)),
        ValueRef::DateTime(ms) => ms as f64,
        ValueRef::String(text) => parse_double(text)?,
        ValueRef::Binary { subtype, bytes } => super::binary::double(subtype, bytes, order)?,
        other => match Number::of(other) {
            Some(Number::Decimal(number)) => {
                let double = number.to_f64();
                // What is too small for a normal double does not fit either.
                let is_tiny = (double == 0.0 || double.is_subnormal()) && !number.is_zero();
                if number.is_finite() && (double.is_infinite() || is_tiny) {
                    return Err(overflow(number));
                }
                double
            }
            Some(number) => number.to_f64(),
            None => return Err(unsupported(value, "double")),
        },
    }))
}

/// A double as C's `strtod` reads it, hexadecimal forms included, without white space.
fn parse_double(text: &str) -> Result<f64> {
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let signed = magnitude.len() < text.len();
    if magnitude.starts_with("0X") || (signed && magnitude.starts_with("0x")) {
        let number = parse_hexadecimal(&magnitude[2..])
            .ok_or_else(|| not_a_number(text, "Did not consume whole string."))?;
        return Ok(if negative { -number } else { number });
    }
    if magnitude.starts_with(['+', '-']) {
        return Err(not_a_number(text, "Did not consume whole string."));
    }
    let number: f64 = text
        .parse()
        .map_err(|_| not_a_number(text, "Did not consume whole string."))?;
    let has_digits = magnitude.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if has_digits && number.is_infinite() {
        return Err(not_a_number(text, "Out of range"));
    }
    let mantissa = magnitude.split(['e', 'E']).next().unwrap_or_default();
    if number == 0.0 && mantissa.contains(|c: char| ('1'..='9').contains(&c)) {
        return Err(not_a_number(text, "Out of range"));
    }
    Ok(number)
}

/// `1.8p1`: hexadecimal digits and a power of two.
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut number = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        number = number * 16.0 + f64::from(digit.to_digit(16)?);
    }
    Some(number * 2f64.powi(exponent - 4 * fraction.len() as i32))
}

pub(super) fn to_decimal(value: ValueRef<'_>) -> Result<Value> {
    Ok(Value::Decimal128(match value {
        ValueRef::Bool(truth) => Decimal128::from(i32::from(truth)),
        ValueRef::DateTime(ms) => Decimal128::from(ms),
        ValueRef::String(text) => parse_decimal(text)?,
        other => match Number::of(other) {
            Some(number) => number.to_decimal(),
            None => return Err(unsupported(value, "decimal")),
        },
    }))
}

fn parse_decimal(text: &str) -> Result<Decimal128> {
    if text.eq_ignore_ascii_case("-nan") {
        return Ok(Decimal128::from_bytes((0xFCu128 << 120).to_le_bytes()));
    }
    let number = Decimal128::parse_rounded(text)
        .map_err(|_| not_a_number(text, "Failed to parse string to decimal"))?;
    let has_digits = text
        .trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if has_digits && number.is_infinite() {
        return Err(not_a_number(
            text,
            "Conversion from string to decimal would overflow",
        ));
    }
    // What is so small that digits are lost.
    if is_tiny(number) && text.parse::<Decimal128>().is_err() {
        return Err(not_a_number(
            text,
            "Conversion from string to decimal would underflow",
        ));
    }
    Ok(number)
}

/// Whether a decimal is zero, or so near to it that it has fewer digits than others.
fn is_tiny(number: Decimal128) -> bool {
    matches!(
        number.parts(),
        Parts::Finite { coefficient, exponent: EXPONENT_MIN, .. } if coefficient < 10u128.pow(DIGITS_MAX - 1)
    )
}
