//! Objects that stand for a value which JSON lacks: `{"$oid": "…"}` and the like.

use super::date;
use crate::{Binary, DbPointer, Document, Regex, Timestamp, Value};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(super) const DATE_FORMS: &str = r#"$date takes an ISO-8601 text or {"$numberLong": "milliseconds"}"#;

/// The value that the document stands for; itself where its first name is none of the specification's.
pub(super) fn resolve(document: Document) -> Result<Value, String> {
    let first = document
        .iter()
        .next()
        .map(|(name, _)| name)
        .filter(|name| name.starts_with('$'));
    let Some(name) = first.map(str::to_owned) else {
        return Ok(Value::Document(document));
    };
    match name.as_str() {
        "$oid" => text_of(document, &name)?
            .parse()
            .map(Value::ObjectId)
            .map_err(|_| "$oid takes 24 hexadecimal digits in quotes".to_owned()),
        "$numberInt" => parsed(document, &name, "an int", |text| {
            text.parse().ok().map(Value::Int32)
        }),
        "$numberLong" => parsed(document, &name, "a long", |text| {
            text.parse().ok().map(Value::Int64)
        }),
        "$numberDouble" => parsed(document, &name, "a double", |text| {
            double(text).map(Value::Double)
        }),
        "$numberDecimal" => parsed(document, &name, "a decimal", |text| {
            text.parse().ok().map(Value::Decimal128)
        }),
        "$symbol" => text_of(document, &name).map(Value::Symbol),
        "$date" => date_time(document),
        "$uuid" => uuid(&text_of(document, &name)?),
        "$binary" => binary(document),
        "$code" | "$scope" => code(document, &name),
        "$timestamp" => timestamp(document),
        "$regularExpression" => regex(document),
        "$dbPointer" => db_pointer(document),
        "$undefined" => constant(document, &name, &Value::Bool(true), Value::Undefined),
        "$minKey" => constant(document, &name, &Value::Int32(1), Value::MinKey),
        "$maxKey" => constant(document, &name, &Value::Int32(1), Value::MaxKey),
        _ => Ok(Value::Document(document)),
    }
}

/// The value of the only field.
fn only(document: Document, name: &str) -> Result<Value, String> {
    let mut fields = document.into_iter();
    match (fields.next(), fields.next()) {
        (Some((_, value)), None) => Ok(value),
        _ => Err(format!("{name} stands alone in its object")),
    }
}

/// The values of exactly these fields, in any order.
fn fields<const N: usize>(value: Value, names: [&str; N], form: &str) -> Result<[Value; N], String> {
    let error = || format!("the form is {form}");
    let Value::Document(mut document) = value else {
        return Err(error());
    };
    if document.len() != N {
        return Err(error());
    }
    let mut values = [const { Value::Null }; N];
    for (slot, name) in values.iter_mut().zip(names) {
        *slot = document.remove(name).ok_or_else(error)?;
    }
    Ok(values)
}

fn text_of(document: Document, name: &str) -> Result<String, String> {
    match only(document, name)? {
        Value::String(text) => Ok(text),
        _ => Err(format!("{name} takes a text in quotes")),
    }
}

fn parsed(
    document: Document,
    name: &str,
    kind: &str,
    parse: impl FnOnce(&str) -> Option<Value>,
) -> Result<Value, String> {
    let text = text_of(document, name)?;
    parse(&text).ok_or_else(|| format!("{name} takes {kind} in quotes, not {text:?}"))
}

fn constant(document: Document, name: &str, expected: &Value, value: Value) -> Result<Value, String> {
    if only(document, name)? == *expected {
        return Ok(value);
    }
    Err(format!(
        "{name} takes {}",
        if *expected == Value::Bool(true) {
            "true"
        } else {
            "1"
        }
    ))
}

fn double(text: &str) -> Option<f64> {
    match text {
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        // Words that the standard library takes besides are not the specification's.
        _ if text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')) =>
        {
            text.parse().ok()
        }
        _ => None,
    }
}

fn date_time(document: Document) -> Result<Value, String> {
    match only(document, "$date")? {
        Value::Int64(ms) => Ok(Value::DateTime(ms)),
        Value::String(text) => date::parse(&text)
            .map(Value::DateTime)
            .ok_or_else(|| DATE_FORMS.to_owned()),
        _ => Err(DATE_FORMS.to_owned()),
    }
}

fn uuid(text: &str) -> Result<Value, String> {
    let error = || "$uuid takes 32 hexadecimal digits with hyphens as in RFC 4122".to_owned();
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    if text.len() != 36 || !text.bytes().enumerate().all(fits) {
        return Err(error());
    }
    let number = u128::from_str_radix(&text.replace('-', ""), 16).map_err(|_| error())?;
    Ok(Value::Binary(Binary {
        subtype: 4,
        bytes: number.to_be_bytes().to_vec(),
    }))
}

/// The form of version 2, `{"$binary": {"base64": …, "subType": …}}`, or of version 1, `{"$binary": …, "$type": …}`.
fn binary(document: Document) -> Result<Value, String> {
    const FORM: &str = r#"{"$binary": {"base64": "text", "subType": "hexadecimal digits"}}"#;
    let parts = match document.get("$type") {
        Some(_) => fields(Value::Document(document), ["$binary", "$type"], FORM)?,
        None => fields(only(document, "$binary")?, ["base64", "subType"], FORM)?,
    };
    let [Value::String(base64), Value::String(subtype)] = parts else {
        return Err(format!("the form is {FORM}"));
    };
    let bytes = STANDARD
        .decode(base64)
        .map_err(|error| format!("$binary is not base64: {error}"))?;
    let digits = Some(subtype.as_str()).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let subtype = digits
        .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        .ok_or_else(|| format!("the subtype is one or two hexadecimal digits, not {subtype:?}"))?;
    Ok(Value::Binary(Binary { subtype, bytes }))
}

fn code(document: Document, name: &str) -> Result<Value, String> {
    const FORM: &str = r#"{"$code": "text"} or {"$code": "text", "$scope": {…}}"#;
    if document.len() == 1 && name == "$code" {
        return text_of(document, name).map(Value::JavaScript);
    }
    // A document may have a field $scope that means nothing here.
    if !document.contains("$code") {
        return Ok(Value::Document(document));
    }
    match fields(Value::Document(document), ["$code", "$scope"], FORM)? {
        [Value::String(code), Value::Document(scope)] => Ok(Value::JavaScriptWithScope(code, scope)),
        _ => Err(format!("the form is {FORM}")),
    }
}

fn timestamp(document: Document) -> Result<Value, String> {
    const FORM: &str = r#"{"$timestamp": {"t": seconds, "i": increment}}"#;
    let parts = fields(only(document, "$timestamp")?, ["t", "i"], FORM)?;
    let part = |value: &Value| match value {
        Value::Int32(int) => u32::try_from(*int).ok(),
        Value::Int64(int) => u32::try_from(*int).ok(),
        _ => None,
    };
    match parts.each_ref().map(part) {
        [Some(seconds), Some(increment)] => Ok(Value::Timestamp(Timestamp { seconds, increment })),
        _ => Err(format!("the form is {FORM}")),
    }
}

fn regex(document: Document) -> Result<Value, String> {
    const FORM: &str = r#"{"$regularExpression": {"pattern": "text", "options": "letters"}}"#;
    match fields(
        only(document, "$regularExpression")?,
        ["pattern", "options"],
        FORM,
    )? {
        [Value::String(pattern), Value::String(options)] => {
            if pattern.contains('\0') || options.contains('\0') {
                return Err("a regular expression cannot hold the character U+0000".to_owned());
            }
            // BSON has the letters in alphabetical order.
            let mut options: Vec<char> = options.chars().collect();
            options.sort_unstable();
            Ok(Value::Regex(Regex {
                pattern,
                options: options.into_iter().collect(),
            }))
        }
        _ => Err(format!("the form is {FORM}")),
    }
}

fn db_pointer(document: Document) -> Result<Value, String> {
    const FORM: &str = r#"{"$dbPointer": {"$ref": "namespace", "$id": {"$oid": "…"}}}"#;
    match fields(only(document, "$dbPointer")?, ["$ref", "$id"], FORM)? {
        [Value::String(namespace), Value::ObjectId(id)] => Ok(Value::DbPointer(DbPointer { namespace, id })),
        _ => Err(format!("the form is {FORM}")),
    }
}
