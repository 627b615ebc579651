//! What a text looks like: integers, numbers, true and false, dates; everything else is text.

use crate::dates;
use value::Value;

/// The value that a text looks like. A number with leading zeros is text: it is a postal code or a part number, and its
/// zeros matter. So is an integer of more than 64 bits, whose last digits a double would lose, and what is beyond a double.
pub fn inferred(text: &str) -> Value {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let first = digits.as_bytes().first().copied().unwrap_or_default();
    if first.is_ascii_digit() {
        let leading_zero = first == b'0' && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if !leading_zero {
            if let Some(integer) = integer(text) {
                return integer;
            }
            let is_integer = digits.bytes().all(|digit| digit.is_ascii_digit());
            if let Ok(double) = text.parse::<f64>()
                && double.is_finite()
                && !is_integer
            {
                return Value::Double(double);
            }
        }
        if let Some(milliseconds) = dates::milliseconds(text) {
            return Value::DateTime(milliseconds);
        }
    }
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => Value::from(text),
    }
}

/// An integer of 64 bits.
pub fn integer(text: &str) -> Option<Value> {
    let number: i64 = text.trim().parse().ok()?;
    Some(Value::integer(number))
}

/// A number; infinity only for its own word, not for digits beyond a double.
pub fn double(text: &str) -> Option<f64> {
    let text = text.trim();
    let number: f64 = text.parse().ok()?;
    let is_beyond = number.is_infinite() && text.contains(|char: char| char.is_ascii_digit());
    (!is_beyond).then_some(number)
}

/// A word for true or false.
pub fn boolean(text: &str) -> Option<Value> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "1" => Some(Value::Bool(true)),
        "false" | "f" | "no" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}
