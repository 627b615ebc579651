//! Values as text: how string operators and `$toString` write numbers, dates and timestamps.

use super::{error, name_of_type};
use crate::{Code, Result};
use jiff::tz::TimeZone;
use std::borrow::Cow;
use value::ValueRef;

/// A string of this many bytes or more is refused.
pub(crate) const STRING_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Fails if a string is too long for a result.
pub(crate) fn check_size(text: &str) -> Result<()> {
    check_length(text.len())
}

/// As [`check_size`], for a string of this many bytes that is still to be made.
pub(super) fn check_length(bytes: usize) -> Result<()> {
    if bytes < STRING_BYTES_MAX {
        return Ok(());
    }
    Err(error(
        Code::location(16_493),
        format!(
            "Tried to create string longer than {}MB",
            STRING_BYTES_MAX / (1024 * 1024)
        ),
    ))
}

/// The text that the older string operators take from an operand; empty for null.
pub(super) fn coerce(operand: Option<ValueRef<'_>>) -> Result<Cow<'_, str>> {
    let Some(value) = operand else {
        return Ok(Cow::Borrowed(""));
    };
    Ok(match value {
        ValueRef::Null | ValueRef::Undefined => Cow::Borrowed(""),
        ValueRef::String(text) | ValueRef::JavaScript(text) | ValueRef::Symbol(text) => Cow::Borrowed(text),
        ValueRef::Int32(number) => Cow::Owned(number.to_string()),
        ValueRef::Int64(number) => Cow::Owned(number.to_string()),
        ValueRef::Double(number) => Cow::Owned(six_digits(number)),
        ValueRef::Decimal128(number) => Cow::Owned(number.to_string()),
        ValueRef::DateTime(ms) => Cow::Owned(date(ms)?),
        ValueRef::Timestamp(time) => {
            Cow::Owned(format!("{}:{}", timestamp_seconds(time.seconds), time.increment))
        }
        _ => {
            return Err(error(
                Code::location(16_007),
                format!("can't convert from BSON type {} to String", name_of_type(operand)),
            ));
        }
    })
}

/// The shortest text that reads back as the same double, with an exponent where C's `%g` has one.
pub(super) fn double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let magnitude = number.abs();
    if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
        return number.to_string();
    }
    with_exponent(number)
}

/// The shortest digits with an exponent of at least two digits.
fn with_exponent(number: f64) -> String {
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// The double to six significant digits, as C's `%g` writes it: what the older string operators see.
fn six_digits(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if number == 0.0 {
        return double(number);
    }
    let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    if (1e-4..1e6).contains(&rounded.abs()) {
        return rounded.to_string();
    }
    with_exponent(rounded)
}

/// `2024-01-31T12:00:00.000Z`.
pub(super) fn date(ms: i64) -> Result<String> {
    let timestamp = jiff::Timestamp::from_millisecond(ms)
        .ok()
        .map(|at| at.to_zoned(TimeZone::UTC))
        .filter(|at| (0..=9999).contains(&at.year()));
    let Some(at) = timestamp else {
        return Err(error(
            Code::location(18_537),
            "Could not convert date to string: date component was outside the supported range of 0-9999",
        ));
    };
    Ok(at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
}

/// `Jan  1 00:00:00`.
fn timestamp_seconds(seconds: u32) -> String {
    match jiff::Timestamp::from_second(seconds.into()) {
        Ok(at) => at.to_zoned(TimeZone::UTC).strftime("%b %e %H:%M:%S").to_string(),
        Err(_) => String::new(),
    }
}
