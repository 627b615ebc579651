//! The values that queries ask for, as fields have them, and why a field cannot have one.

use crate::error::{ErrorKind, Result, SearchError};
use crate::fields::{ip, term_of};
use crate::java;
use crate::json::scalar;
use crate::mapping::{Field, FieldKind};
use crate::short;
use crate::term::Term;
use crate::unsigned::{self, End};
use serde_json::Value;
use value::ValueRef;

/// The greatest number that `half_float` rounds to one that it has, and the first that it does not.
const HALF_END: f64 = 65_520.0;
/// 2^63, the first number that is no `i64`.
const LONG_END: f64 = 9_223_372_036_854_775_808.0;

/// A value of a query; `None` where it is one of the kind, which no document can have in this field.
pub fn value(field: &Field, kind: &FieldKind, value: &Value) -> Result<Option<Term>> {
    Ok(match kind {
        FieldKind::Integer(least, most) => match whole(*most, value)? {
            Term::Integer(number) if (least..=most).contains(&&number) => Some(Term::Integer(number)),
            _ => None,
        },
        FieldKind::Unsigned => unsigned::asked(value).map_err(failed)?.map(Term::Unsigned),
        FieldKind::Float(factor) => {
            let number = float(field, *factor, value)?;
            check_finite("double", number)?;
            let rounded = match factor {
                Some(factor) => java::round(number * factor) / factor,
                None => short::nearest(&field.type_name, number),
            };
            // The sum has no negative zero, which columns do not know.
            Some(Term::Float(rounded + 0.0)).filter(|_| rounded.is_finite())
        }
        _ => Some(other(field, kind, value)?),
    })
}

/// The end of a range of values: one between two values of the field is an end all the same.
pub fn end(field: &Field, kind: &FieldKind, value: &Value) -> Result<Term> {
    match kind {
        FieldKind::Integer(_, most) => match whole(*most, value)? {
            Term::Float(_) if matches!(field.kind, FieldKind::Range(_)) => {
                Err(failed(format!("Value [{}] has a decimal part", text(value))))
            }
            number => Ok(number),
        },
        FieldKind::Float(factor) => {
            let number = float(field, *factor, value)?;
            Ok(Term::Float(short::end(&field.type_name, number)))
        }
        _ => other(field, kind, value),
    }
}

/// The ends of a range of numbers without a sign; `None` where there is no number in it.
pub fn unsigned_range(low: &End, high: &End) -> Result<Option<(Term, Term)>> {
    let ends = unsigned::range(low, high).map_err(failed)?;
    Ok(ends.map(|(least, greatest)| (Term::Unsigned(least), Term::Unsigned(greatest))))
}

fn text(value: &Value) -> String {
    scalar(value).unwrap_or_else(|| value.to_string())
}

fn failed(reason: impl AsRef<str>) -> SearchError {
    let reason = format!("failed to create query: {}", reason.as_ref());
    SearchError::new(ErrorKind::QueryShard, reason)
}

/// The number that is given, or written.
fn number(value: &Value) -> Result<f64> {
    let read = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if text.trim().is_empty() => return Err(failed("empty String")),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    read.ok_or_else(|| failed(format!("For input string: \"{}\"", text(value))))
}

/// A whole number, or one between two of them. Errors: it is none, or one beyond all of the type in which Elasticsearch reads it.
fn whole(most: i64, value: &Value) -> Result<Term> {
    let exact = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let read = match exact {
        Some(number) => Term::Integer(number),
        None => match number(value)? {
            number if number.is_nan() => {
                return Err(failed(format!("For input string: \"{}\"", text(value))));
            }
            number if number.fract() == 0.0 && (-LONG_END..LONG_END).contains(&number) => {
                Term::Integer(number as i64)
            }
            number => Term::Float(number),
        },
    };
    let is_within = |least: f64, end: f64| read.as_f64().is_some_and(|number| (least..end).contains(&number));
    let (name, is_fine) = match i32::try_from(most) {
        Ok(_) => (
            "an integer",
            is_within(f64::from(i32::MIN), f64::from(i32::MAX) + 1.0),
        ),
        Err(_) => (
            "a long",
            matches!(read, Term::Integer(_)) || is_within(-LONG_END, LONG_END),
        ),
    };
    match is_fine {
        true => Ok(read),
        false => Err(failed(format!(
            "Value [{}] is out of range for {name}",
            text(value)
        ))),
    }
}

/// A number of the type of the field. Errors: it is none, or one that the type does not have.
fn float(field: &Field, factor: Option<f64>, value: &Value) -> Result<f64> {
    let number = number(value)?;
    match field.type_name.as_str() {
        "half_float" if number.abs() >= HALF_END => check_finite("half_float", f64::INFINITY)?,
        "half_float" | "float" | "float_range" => {
            let name = field.type_name.trim_end_matches("_range");
            check_finite(name, f64::from(number as f32))?;
        }
        _ if factor.is_some() => check_finite("scaled_float", number)?,
        _ => {}
    }
    Ok(number)
}

fn check_finite(type_name: &str, number: f64) -> Result<()> {
    let shown = match number {
        number if number.is_finite() => return Ok(()),
        number if number.is_nan() => "NaN",
        number if number > 0.0 => "Infinity",
        _ => "-Infinity",
    };
    let reason = format!("[{type_name}] supports only finite values, but got [{shown}]");
    Err(failed(reason))
}

/// A value of a kind that is not numbers.
fn other(field: &Field, kind: &FieldKind, value: &Value) -> Result<Term> {
    let found = match (kind, value) {
        (FieldKind::Boolean, Value::Bool(flag)) => Some(Term::Boolean(*flag)),
        (FieldKind::Boolean, Value::String(text)) => match text.as_str() {
            "true" => Some(Term::Boolean(true)),
            "false" => Some(Term::Boolean(false)),
            _ => None,
        },
        (FieldKind::Boolean, _) => None,
        (FieldKind::Ip, Value::String(text)) => ip(text).map(Term::Ip),
        (_, Value::Bool(flag)) => term_of(kind, field, ValueRef::Bool(*flag)),
        (_, Value::String(text)) => term_of(kind, field, ValueRef::String(text)),
        (_, Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => term_of(kind, field, ValueRef::Int64(number)),
            (None, Some(number)) => term_of(kind, field, ValueRef::Double(number)),
            (None, None) => None,
        },
        _ => None,
    };
    found.ok_or_else(|| {
        let text = text(value);
        failed(match kind {
            FieldKind::Boolean => format!("Can't parse boolean value [{text}], expected [true] or [false]"),
            FieldKind::Ip => format!("'{text}' is not an IP string literal."),
            _ => format!(
                "[{text}] is no value of the field [{}] of type [{}]",
                field.name, field.type_name
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::mapping::Mapping;
    use serde_json::json;

    /// The term that a value is in a field of a type, or why it is refused.
    fn asked(type_name: &str, given: &Value) -> std::result::Result<Option<Term>, String> {
        let source = json!({"properties": {"f": {"type": type_name}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let field = mapping.field("f").expect("a field");
        value(&field, &field.kind, given)
            .map_err(|error| error.reason.replace("failed to create query: ", ""))
    }

    #[test]
    fn whole_numbers_beyond_their_type_are_refused_and_others_no_document_has() {
        for type_name in ["byte", "short", "integer", "long"] {
            assert_eq!(asked(type_name, &json!("1.0")), Ok(Some(Term::Integer(1))));
            assert_eq!(asked(type_name, &json!(1.5)), Ok(None));
            for wrong in [json!("abc"), json!(""), json!(true), json!(1e300), json!("NaN")] {
                assert!(asked(type_name, &wrong).is_err(), "{type_name} {wrong}");
            }
        }
        assert_eq!(asked("byte", &json!(128)), Ok(None));
        assert_eq!(asked("long", &json!(i64::MAX)), Ok(Some(Term::Integer(i64::MAX))));
        let beyond = "Value [3000000000] is out of range for an integer".to_owned();
        assert_eq!(asked("byte", &json!(3_000_000_000_u32)), Err(beyond));
        let beyond = "Value [9223372036854775808] is out of range for a long".to_owned();
        assert_eq!(asked("long", &json!(1_u64 << 63)), Err(beyond));
    }

    #[test]
    fn numbers_that_a_type_does_not_have_are_refused() {
        for (type_name, wrong, fine) in [
            ("half_float", json!(65_520), json!(65_519)),
            ("float", json!(1e39), json!(65_520)),
            ("double", json!("Infinity"), json!(1e39)),
        ] {
            assert!(asked(type_name, &wrong).is_err(), "{type_name}");
            assert!(asked(type_name, &fine).is_ok(), "{type_name}");
        }
    }
}
