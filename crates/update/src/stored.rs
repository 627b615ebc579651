//! What may be stored: names, the `_id`, nesting.

use language::{Code, Error, Result};
use value::raw::NESTING_DEPTH_MAX;
use value::{Document, DocumentRef, Value, ValueRef};

/// `$a` may not be the name of a whole document's field, except of a database reference.
pub(crate) fn check_top_level_name(name: &str) -> Result<()> {
    if !name.starts_with('$') || matches!(name, "$ref" | "$id" | "$db") {
        return Ok(());
    }
    Err(Error::new(
        Code::DOLLAR_PREFIXED_FIELD_NAME,
        format!(
            "The dollar ($) prefixed field '{name}' in '{name}' is not allowed in the context of an update's \
             replacement document. Consider using an aggregation pipeline with $replaceWith."
        ),
    ))
}

/// Checks what must hold of every stored document, however it was made.
pub fn check_stored(document: &Document) -> Result<()> {
    check_ids(document.into())?;
    if document
        .iter()
        .any(|(_, value)| depth_exceeds(value, NESTING_DEPTH_MAX - 1))
    {
        return Err(Error::new(
            Code::OVERFLOW,
            format!("Document exceeds maximum nested object depth: {NESTING_DEPTH_MAX}"),
        ));
    }
    Ok(())
}

/// Refuses several `_id`s, and a value that cannot be one.
pub fn check_ids(document: DocumentRef<'_>) -> Result<()> {
    let mut ids = document.iter().filter(|(name, _)| *name == "_id");
    match (ids.next(), ids.next()) {
        (None, _) => Ok(()),
        (Some((_, id)), None) => check_id(id),
        (Some(_), Some(_)) => Err(Error::bad_value("can't have multiple _id fields in one document")),
    }
}

/// Refuses values that cannot be an `_id`.
fn check_id(id: ValueRef<'_>) -> Result<()> {
    match id {
        ValueRef::Array(_) | ValueRef::Regex { .. } | ValueRef::Undefined => Err(Error::new(
            Code::INVALID_ID_FIELD,
            format!("The '_id' value cannot be of type {}", id.type_of().alias()),
        )),
        ValueRef::Document(inner) => check_id_names(inner),
        _ => Ok(()),
    }
}

fn check_id_names(id: DocumentRef<'_>) -> Result<()> {
    let operator = |name: &str| name.starts_with('$') && !matches!(name, "$ref" | "$id" | "$db");
    match id.iter().find(|(name, _)| operator(name)) {
        Some((name, _)) => Err(Error::new(
            Code::DOLLAR_PREFIXED_FIELD_NAME,
            format!("_id fields may not contain '$'-prefixed fields: {name} is not valid for storage."),
        )),
        None => Ok(()),
    }
}

fn depth_exceeds(value: &Value, levels: usize) -> bool {
    match value {
        Value::Document(fields) => {
            levels == 0 || fields.iter().any(|(_, value)| depth_exceeds(value, levels - 1))
        }
        Value::Array(values) => levels == 0 || values.iter().any(|value| depth_exceeds(value, levels - 1)),
        _ => false,
    }
}
