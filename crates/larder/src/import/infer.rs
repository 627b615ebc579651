//! The type of a CSV field, as given or as inferred from its text.

use super::input::NOT_UTF8;
use super::options::FieldType;
use logline::dates;
use logline::infer::{boolean, double, inferred, integer};
use value::{Decimal128, ObjectId, Value};

/// The value of a field; `None` if it is empty (the document then has no such field).
pub fn value_of(text: &str, kind: FieldType) -> Result<Option<Value>, String> {
    if text.is_empty() && kind != FieldType::String {
        return Ok(None);
    }
    let wrong = |what: &str| format!("'{text}' is not {what}");
    Ok(Some(match kind {
        FieldType::Auto => inferred(text),
        FieldType::String => Value::from(text),
        FieldType::Int => integer(text).ok_or_else(|| wrong("a 64-bit integer"))?,
        FieldType::Double => {
            Value::Double(double(text).ok_or_else(|| wrong("a number that a double can hold"))?)
        }
        FieldType::Decimal => {
            let decimal: Decimal128 = text.trim().parse().map_err(|_| wrong("a decimal number"))?;
            Value::Decimal128(decimal)
        }
        FieldType::Bool => boolean(text).ok_or_else(|| wrong("true or false"))?,
        FieldType::Date => dates::milliseconds(text)
            .map(Value::DateTime)
            .ok_or_else(|| wrong("a date such as 2026-01-31 or 2026-01-31T12:00:00Z"))?,
        FieldType::Objectid => {
            let id: ObjectId = text.trim().parse().map_err(|_| wrong("24 hexadecimal digits"))?;
            Value::ObjectId(id)
        }
    }))
}

/// An integer, or a date as milliseconds since 1970, without making a value of it.
pub fn integral(text: &[u8], kind: FieldType) -> Result<i64, String> {
    if kind == FieldType::Date
        && let Some(milliseconds) = dates::plain_milliseconds(text)
    {
        return Ok(milliseconds);
    }
    let text = std::str::from_utf8(text).map_err(|_| NOT_UTF8.to_owned())?;
    match value_of(text, kind)? {
        Some(Value::Int32(number)) => Ok(i64::from(number)),
        Some(Value::Int64(number) | Value::DateTime(number)) => Ok(number),
        _ => Err("a column that is to be added up is empty".to_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn fields_become_what_they_look_like() {
        let cases = [
            ("42", Value::Int32(42)),
            ("-7", Value::Int32(-7)),
            ("5000000000", Value::Int64(5_000_000_000)),
            ("1.5", Value::Double(1.5)),
            ("-1e3", Value::Double(-1000.0)),
            ("0.5", Value::Double(0.5)),
            ("007", Value::from("007")),
            ("true", Value::Bool(true)),
            ("nan", Value::from("nan")),
            ("1e308", Value::Double(1e308)),
            ("1e400", Value::from("1e400")),
            ("-1e400", Value::from("-1e400")),
            ("-9223372036854775808", Value::Int64(i64::MIN)),
            ("18446744073709551615", Value::from("18446744073709551615")),
            ("1970-01-01", Value::DateTime(0)),
            ("1970-01-01 00:00:01", Value::DateTime(1000)),
            ("1970-01-01T01:00:00+01:00", Value::DateTime(0)),
            ("2026-13-01", Value::from("2026-13-01")),
            ("10.0.0.1", Value::from("10.0.0.1")),
        ];
        for (text, wanted) in cases {
            assert_eq!(value_of(text, FieldType::Auto), Ok(Some(wanted)), "{text}");
        }
        assert_eq!(value_of("", FieldType::Auto), Ok(None));
    }

    #[test]
    fn given_types_refuse_what_is_not_of_them() {
        assert_eq!(value_of("007", FieldType::Int), Ok(Some(Value::Int32(7))));
        assert_eq!(value_of("", FieldType::String), Ok(Some(Value::from(""))));
        assert!(value_of("x", FieldType::Int).is_err_and(|error| error.contains("'x'")));
        assert!(value_of("maybe", FieldType::Bool).is_err());
        assert!(value_of("1e400", FieldType::Double).is_err());
        assert_eq!(
            value_of("-inf", FieldType::Double),
            Ok(Some(Value::Double(f64::NEG_INFINITY)))
        );
        assert!(value_of("yesterday", FieldType::Date).is_err());
    }
}
