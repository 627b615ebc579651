//! `$out` with `timeseries`: not supported yet, but what is wrong in it is told first, as MongoDB does.

use crate::{Code, QueryError, Result};
use language::expression::number::Number;
use value::Value;

/// The longest span of a bucket: a year.
const SPAN_SECONDS_MAX: i64 = 31_536_000;

/// Refuses time-series collections.
pub(super) fn refuse(options: &Value) -> Result<()> {
    let options = match options {
        Value::Null | Value::Undefined => return Ok(()),
        Value::Document(options) => options,
        other => return Err(wrong_type("timeseries", other, "object")),
    };
    let (mut time_field, mut meta_field, mut granularity) = (None, None, None);
    let (mut max_span, mut rounding) = (None, None);
    for (name, value) in options.iter() {
        if matches!(value, Value::Null | Value::Undefined) {
            continue;
        }
        match name {
            "timeField" => time_field = Some(field(name, value)?),
            "metaField" => meta_field = Some(field(name, value)?),
            "granularity" => granularity = Some(parse_granularity(value)?),
            "bucketMaxSpanSeconds" => max_span = Some(seconds(name, value)?),
            "bucketRoundingSeconds" => rounding = Some(seconds(name, value)?),
            unknown => {
                return Err(QueryError::new(
                    Code::UNKNOWN_FIELD,
                    format!("BSON field 'timeseries.{unknown}' is an unknown field."),
                ));
            }
        }
    }
    if time_field.is_none() {
        return Err(QueryError::new(
            Code::MISSING_FIELD,
            "BSON field 'timeseries.timeField' is missing but a required field",
        ));
    }
    if meta_field.is_some_and(|meta_field| meta_field == "_id" || Some(meta_field) == time_field) {
        return Err(QueryError::new(
            Code::INVALID_OPTIONS,
            "The field 'metaField' cannot be \"_id\" or the same as 'timeField'",
        ));
    }
    if max_span != rounding || (granularity.is_some() && rounding.is_some()) {
        return Err(QueryError::new(
            Code::INVALID_OPTIONS,
            "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set to equal values, without \
             'granularity'",
        ));
    }
    Err(QueryError::new(
        Code::NOT_IMPLEMENTED,
        "time-series collections are not supported yet",
    ))
}

fn wrong_type(name: &str, value: &Value, expected: &str) -> QueryError {
    QueryError::type_mismatch(format!(
        "BSON field '$out.{name}' is the wrong type '{}', expected type '{expected}'",
        value.type_of().alias()
    ))
}

/// A field at the top of documents.
fn field<'v>(name: &str, value: &'v Value) -> Result<&'v str> {
    let Value::String(field) = value else {
        return Err(wrong_type(&format!("timeseries.{name}"), value, "string"));
    };
    if field.contains('\0') {
        return Err(QueryError::bad_value(format!(
            "'{name}' must not contain null bytes"
        )));
    }
    if field.contains('.') {
        return Err(QueryError::new(
            Code::INVALID_OPTIONS,
            format!("'{name}' must be a top-level field and not contain a '.'"),
        ));
    }
    Ok(field)
}

fn parse_granularity(value: &Value) -> Result<&str> {
    match value {
        Value::String(text) if ["seconds", "minutes", "hours"].contains(&text.as_str()) => Ok(text),
        Value::String(text) => Err(QueryError::bad_value(format!(
            "Enumeration value '{text}' for field '$out.timeseries.granularity' is not a valid value."
        ))),
        other => Err(wrong_type("timeseries.granularity", other, "string")),
    }
}

fn seconds(name: &str, value: &Value) -> Result<i64> {
    let Some(number) = Number::of(value.as_ref()) else {
        return Err(wrong_type(
            &format!("timeseries.{name}"),
            value,
            "[int, decimal, double, long]",
        ));
    };
    let whole = match number {
        Number::Decimal(_) => number.rounded(),
        other => other.truncated(),
    };
    whole
        .filter(|seconds| (1..=SPAN_SECONDS_MAX).contains(seconds))
        .ok_or_else(|| {
            QueryError::bad_value(format!(
                "BSON field '{name}' value must be >= 1 and <= {SPAN_SECONDS_MAX}"
            ))
        })
}
