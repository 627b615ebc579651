//! What values of documents fields take.

use crate::completion;
use crate::error::{Result, SearchError};
use crate::fields::{Term, term, text_at};
use crate::mapping::{Field, FieldKind};
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
        FieldKind::Boolean if value.as_str() == Some("") => true,
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
        false => Err(SearchError::mapper(format!(
            "failed to parse field [{}] of type [{}]",
            field.name, field.type_name
        ))),
    }
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
