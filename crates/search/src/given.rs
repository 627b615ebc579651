//! The values that `search_after` begins at, as the fields of an index have them.

use crate::hit::SortValue;
use crate::sort::{FieldSort, NumericType, SortKey};
use jiff::tz::TimeZone;
use mapping::dates::{DateFormats, Rounding, parse_math};
use mapping::decimals::java_number;
use mapping::error::{Result, SearchError};
use mapping::fields::Term;
use mapping::json::{as_f64, scalar};
use mapping::{Field, FieldKind, Mapping};
use serde_json::Value;

/// The values of `search_after`, read by the fields of an index.
pub(crate) fn given_value(key: &SortKey, given: &Value, mapping: &Mapping) -> Result<SortValue> {
    let sort = match key {
        SortKey::Field(sort) => sort,
        other => return without_field(other, given),
    };
    let failed = || failed(&sort.name);
    let field = mapping.field(&sort.name).filter(|field| !field.is_object());
    let field = field.as_deref();
    let is_text = match (field, sort.unmapped_type.as_deref()) {
        (Some(field), _) => field.is_textual() || field.kind == FieldKind::Ip,
        (None, unmapped) => matches!(unmapped, Some("keyword" | "ip")) || sort.name == "_id",
    };
    if given.is_null() && is_text {
        let is_first = sort.missing.as_ref().and_then(Value::as_str) == Some("_first");
        return Ok(if is_first {
            SortValue::First
        } else {
            SortValue::Last
        });
    }
    let type_name = match field {
        Some(field) => Some(field.type_name.as_str()),
        None => sort.unmapped_type.as_deref(),
    };
    let is_unsigned = sort.is_unsigned(type_name.unwrap_or_default());
    let text = scalar(given).ok_or_else(failed)?;
    let term = match field {
        Some(field) if field.kind == FieldKind::Ip => {
            let invalid = || SearchError::illegal(format!("'{text}' is not an IP string literal."));
            Term::Ip(mapping::fields::ip(&text).ok_or_else(invalid)?)
        }
        _ if is_text => Term::Text(text),
        Some(field) if field.is_date() => return date(sort, field, given),
        Some(field) if field.kind == FieldKind::Boolean => Term::Integer(flag(given)?),
        Some(field)
            if matches!(field.kind, FieldKind::Float(_))
                || sort.numeric_type == Some(NumericType::Double) =>
        {
            let number = float(given).ok_or_else(failed)?;
            Term::Float(sort.number(&field.type_name, number))
        }
        _ if is_unsigned => Term::Unsigned(match text.parse() {
            Ok(whole) => whole,
            // The fraction is dropped.
            Err(_) => float(given).ok_or_else(failed)? as u64,
        }),
        _ if sort.unmapped_type.as_deref() == Some("double") => Term::Float(float(given).ok_or_else(failed)?),
        _ => match (given, text.parse::<i64>()) {
            (_, Ok(whole)) => Term::Integer(whole),
            // The fraction is dropped.
            (Value::Number(number), _) => Term::Integer(number.as_f64().unwrap_or(0.0) as i64),
            _ => return Err(failed()),
        },
    };
    Ok(SortValue::Term(term))
}

/// The same where no field is sorted by.
fn without_field(key: &SortKey, given: &Value) -> Result<SortValue> {
    let name = match key {
        SortKey::Script(script) if script.is_text => {
            return Ok(SortValue::Term(Term::Text(scalar(given).unwrap_or_default())));
        }
        SortKey::Distance(distance) => distance.field.as_str(),
        SortKey::Position(_) => "_doc",
        SortKey::Script(_) => "_script",
        _ => "null",
    };
    match float(given) {
        Some(number) => Ok(SortValue::Term(Term::Float(number))),
        None => Err(failed(name)),
    }
}

fn failed(name: &str) -> SearchError {
    SearchError::illegal(format!("Failed to parse search_after value for field [{name}]."))
}

/// A number of a request, or its text; those without end have texts alone.
fn float(given: &Value) -> Option<f64> {
    match given {
        Value::String(text) if text == "Infinity" => Some(f64::INFINITY),
        Value::String(text) if text == "-Infinity" => Some(f64::NEG_INFINITY),
        Value::String(text) => java_number(text).ok(),
        other => as_f64(other),
    }
}

/// True or false as a number, which sorts have it as.
fn flag(given: &Value) -> Result<i64> {
    match given {
        Value::Number(number) => Ok(number.as_f64().unwrap_or(0.0) as i64),
        other => match scalar(other).unwrap_or_default().as_str() {
            "true" => Ok(1),
            "false" => Ok(0),
            text => Err(SearchError::illegal(format!(
                "Cannot parse boolean [{text}], expected either [true] or [false]"
            ))),
        },
    }
}

fn date(sort: &FieldSort, field: &Field, given: &Value) -> Result<SortValue> {
    let is_nanos = field.is_nanos() && sort.numeric_type.is_none();
    if let Some(whole) = given
        .as_f64()
        .map(|number| given.as_i64().unwrap_or(number as i64))
    {
        return Ok(SortValue::Term(match is_nanos {
            true => Term::Integer(whole),
            false => Term::Date(whole),
        }));
    }
    let refused;
    let formats = match (&sort.formats, &sort.format) {
        (Some(formats), _) => formats,
        (None, None) => &field.formats,
        (None, Some(format)) => {
            refused = DateFormats::parse(format)?;
            &refused
        }
    };
    let text = scalar(given).unwrap_or_default();
    if is_nanos {
        let field = Field {
            formats: formats.clone(),
            ..Field::clone(field)
        };
        if let Some(nanos) = mapping::fields::nanos(&field, value::ValueRef::String(&text)) {
            return Ok(SortValue::Term(Term::Integer(nanos)));
        }
        return parse_math(&text, &field.formats, &TimeZone::UTC, 0, Rounding::Down)
            .map(|ms| SortValue::Term(Term::Integer(ms.saturating_mul(1_000_000))));
    }
    let ms = parse_math(&text, formats, &TimeZone::UTC, 0, Rounding::Down)?;
    Ok(SortValue::Term(Term::Date(ms)))
}
