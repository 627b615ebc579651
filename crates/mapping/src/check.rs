//! What values of documents fields take.

use crate::completion;
use crate::error::{Result, SearchError};
use crate::fields::{Term, term, text_at};
use crate::geo::Point;
use crate::mapping::{Field, FieldKind};
use crate::unsigned;
use value::ValueRef;

/// Refuses a value that a field cannot have.
pub(crate) fn check(field: &Field, value: ValueRef<'_>) -> Result<()> {
    if let Some(flattened) = &field.flattened {
        return flattened.check(&field.name, value);
    }
    let is_fine = match &field.kind {
        FieldKind::Binary => matches!(value, ValueRef::String(_) | ValueRef::Binary { .. }),
        FieldKind::Integer(..) if field.counts_words.is_some() => text_at(value).is_some(),
        FieldKind::Keyword if field.constant.is_some() => return check_constant(field, value),
        FieldKind::Text | FieldKind::Keyword => text_at(value).is_some(),
        FieldKind::Disabled => true,
        FieldKind::Completion => return completion::check(field, value),
        FieldKind::Point if value.is_number() => true,
        FieldKind::Object | FieldKind::Nested => {
            return Err(SearchError::mapper(format!(
                "object mapping for [{}] tried to parse field [{}] as object, but found a concrete value",
                field.name,
                field.name.rsplit('.').next().unwrap_or_default()
            )));
        }
        FieldKind::Boolean | FieldKind::Unsigned if value.as_str() == Some("") => true,
        FieldKind::Unsigned => return check_unsigned(field, value),
        // A text without anything is as null.
        FieldKind::Integer(..) | FieldKind::Float(_) if field.coerce && value.as_str() == Some("") => true,
        FieldKind::Integer(..) | FieldKind::Float(_) if !field.coerce => {
            value.is_number() && term(field, value).is_some()
        }
        _ => term(field, value).is_some(),
    };
    if field.is_nanos() {
        check_nanos(field, value)?;
    }
    match is_fine || field.ignore_malformed {
        true => Ok(()),
        false => Err(malformed(field)),
    }
}

/// The bytes of a keyword at most that is not left out for its length: those of a term of Lucene's.
const TERM_BYTES_MAX: usize = 32_766;

/// Beyond it, a number is no half-precision one any more.
const HALF_END: f64 = 65_520.0;

/// The first number beyond those of 64 bits.
const LONG_END: f64 = 9_223_372_036_854_775_808.0;

/// Refuses what Elasticsearch does not take of a value that could be read, and that other protocols may write.
pub(crate) fn check_written(field: &Field, value: ValueRef<'_>) -> Result<()> {
    let number = || match value {
        ValueRef::String(text) => text.parse().ok(),
        value => value.as_f64(),
    };
    let is_fine = match &field.kind {
        _ if field.counts_words.is_some() => true,
        // No number is malformed that is an object.
        FieldKind::Integer(..) | FieldKind::Unsigned | FieldKind::Float(_)
            if value.as_document().is_some() =>
        {
            return Err(malformed(field));
        }
        FieldKind::Integer(..) => {
            let is_exact = value.as_i64_exact().is_some();
            let is_whole = field.coerce || number().is_none_or(|number: f64| number.fract() == 0.0);
            let is_bare = value.as_str().is_none_or(|text| text.trim() == text);
            is_whole && is_bare && (is_exact || number().is_none_or(|number| number < LONG_END))
        }
        FieldKind::Float(_) => number().is_none_or(|number| match field.type_name.as_str() {
            "float" => (number as f32).is_finite(),
            "half_float" => number.abs() < HALF_END,
            _ => true,
        }),
        // Milliseconds are counted from 1970 on.
        FieldKind::Date => !value.is_number() || value.as_f64().is_none_or(|ms| ms >= 0.0),
        FieldKind::Keyword if field.type_name == "keyword" && (field.index || field.doc_values) => {
            return check_length(field, value);
        }
        _ => true,
    };
    match is_fine || field.ignore_malformed {
        true => Ok(()),
        false => Err(malformed(field)),
    }
}

fn check_length(field: &Field, value: ValueRef<'_>) -> Result<()> {
    let Some(text) = value.as_str().filter(|text| text.len() > TERM_BYTES_MAX) else {
        return Ok(());
    };
    match text.chars().count() > field.ignore_above {
        true => Ok(()),
        false => Err(SearchError::illegal(format!(
            "Document contains at least one immense term in field=\"{}\" (whose UTF8 encoding is longer than the max length \
             {TERM_BYTES_MAX}): it has {} bytes; [ignore_above] in the mapping leaves such values out",
            field.name,
            text.len()
        ))),
    }
}

/// Refuses what is no place, and no list of places.
pub(crate) fn check_places(field: &Field, value: ValueRef<'_>) -> Result<()> {
    match are_places(value) || field.ignore_malformed {
        true => Ok(()),
        false => Err(malformed(field)),
    }
}

fn are_places(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null | ValueRef::Undefined => true,
        ValueRef::Array(list) if list.iter().next().is_some_and(ValueRef::is_number) => {
            // The third is a height.
            let numbers: Vec<ValueRef<'_>> = list.iter().collect();
            numbers.len() <= 3
                && numbers.iter().all(|number| number.is_number())
                && Point::all(&numbers).len() == 1
        }
        ValueRef::Array(list) => list.iter().all(are_places),
        value => !value.is_number() && Point::all(&[value]).len() == 1,
    }
}

/// Refuses a name that no field can have; a dot at its end means nothing.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let reason = match name.trim_end_matches('.').split('.').any(str::is_empty) {
        _ if name.is_empty() => "field name cannot be an empty string".to_owned(),
        true => {
            format!("object field starting or ending with a [.] makes object resolution ambiguous: [{name}]")
        }
        false => return Ok(()),
    };
    Err(SearchError::mapper(format!("failed to parse: {reason}")))
}

fn malformed(field: &Field) -> SearchError {
    SearchError::mapper(format!(
        "failed to parse field [{}] of type [{}]",
        field.name, field.type_name
    ))
}

fn check_constant(field: &Field, value: ValueRef<'_>) -> Result<()> {
    let constant = field.constant.as_deref().unwrap_or_default();
    match text_at(value) {
        Some(text) if text == constant => Ok(()),
        found => Err(SearchError::mapper(format!(
            "failed to parse field [{0}] of type [constant_keyword]: [constant_keyword] field [{0}] only accepts values that are equal \
             to the value defined in the mappings [{constant}], but got [{1}]",
            field.name,
            found.unwrap_or_default()
        ))),
    }
}

fn check_unsigned(field: &Field, value: ValueRef<'_>) -> Result<()> {
    match unsigned::read(value) {
        Err(reason) if !field.ignore_malformed => Err(SearchError::mapper(format!(
            "failed to parse field [{}] of type [{}]: {reason}",
            field.name, field.type_name
        ))),
        _ => Ok(()),
    }
}

fn check_nanos(field: &Field, value: ValueRef<'_>) -> Result<()> {
    let Some(Term::Date(ms)) = term(field, value) else {
        return Ok(());
    };
    // As precise as the document has it.
    let shown = value
        .as_str()
        .map_or_else(|| crate::dates::date_text(ms), str::to_owned);
    let reason = match ms {
        ms if ms < 0 => {
            format!("date[{shown}] is before the epoch in 1970 and cannot be stored in nanosecond resolution")
        }
        ms if ms > i64::MAX / 1_000_000 => format!(
            "date[{shown}] is after 2262-04-11T23:47:16.854775807 and cannot be stored in nanosecond resolution"
        ),
        _ => return Ok(()),
    };
    Err(SearchError::mapper(format!(
        "failed to parse field [{}] of type [date_nanos]: {reason}",
        field.name
    )))
}
