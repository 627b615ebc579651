//! Conversions to strings, dates and ObjectIds.

use super::super::date::from_text;
use super::super::text::{check_size, date, double};
use super::binary::{Format, encode};
use super::{failure, unsupported};
use crate::Result;
use crate::expression::number::Number;
use value::{ObjectId, Value, ValueRef};

pub(super) fn to_string(value: ValueRef<'_>, format: Option<Format>) -> Result<Value> {
    let text = match value {
        ValueRef::String(text) => text.to_owned(),
        ValueRef::Bool(truth) => truth.to_string(),
        ValueRef::Int32(number) => number.to_string(),
        ValueRef::Int64(number) => number.to_string(),
        ValueRef::Double(number) => double(number),
        ValueRef::Decimal128(number) => number.to_string(),
        ValueRef::DateTime(ms) => date(ms)?,
        ValueRef::ObjectId(id) => id.to_string(),
        ValueRef::Binary { subtype, bytes } => {
            let text = encode(subtype, bytes, format)?;
            if format != Some(Format::Utf8) {
                check_size(&text).map_err(|wrong| failure(wrong.message))?;
            }
            text
        }
        _ => return Err(unsupported(value, "string")),
    };
    check_size(&text)?;
    Ok(Value::String(text))
}

pub(super) fn to_date(value: ValueRef<'_>) -> Result<Value> {
    Ok(Value::DateTime(match value {
        ValueRef::DateTime(ms) => ms,
        ValueRef::ObjectId(id) => i64::from(id.seconds() as i32) * 1_000,
        ValueRef::Timestamp(time) => i64::from(time.seconds) * 1_000,
        ValueRef::String(text) => from_text(text, None, None)?,
        ValueRef::Int64(_) | ValueRef::Double(_) | ValueRef::Decimal128(_) => {
            let number = Number::of(value);
            number.and_then(Number::truncated).ok_or_else(|| {
                failure("Conversion would overflow target type in $convert with no onError value")
            })?
        }
        _ => return Err(unsupported(value, "date")),
    }))
}

pub(super) fn to_object_id(value: ValueRef<'_>) -> Result<Value> {
    match value {
        ValueRef::ObjectId(id) => Ok(Value::ObjectId(id)),
        ValueRef::String(text) => text.parse::<ObjectId>().map(Value::ObjectId).map_err(|_| {
            failure(format!(
                "Failed to parse objectId '{text}' in $convert with no onError value: Invalid string length for parsing to OID, \
                 expected 24 hexadecimal digits but found {} characters",
                text.len()
            ))
        }),
        _ => Err(unsupported(value, "objectId")),
    }
}
