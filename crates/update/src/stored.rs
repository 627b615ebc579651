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

/// The same of all names of a whole document. `$ref` and `$id` of a database reference stand together, and `$db` behind them.
pub(crate) fn check_top_level_names(document: &Document) -> Result<()> {
    let wrong = |message: &str| Err(Error::new(Code::INVALID_DB_REF, message));
    let following = document.iter().skip(1).map(|(name, _)| Some(name)).chain([None]);
    let mut before = "";
    for ((name, value), after) in document.iter().zip(following) {
        match (name, value) {
            ("$ref" | "$db", value) if !matches!(value, Value::String(_)) => {
                return wrong("The DBRef $ref and $db fields must be strings");
            }
            ("$ref", _) if after != Some("$id") => {
                return wrong("The DBRef $ref field must be followed by a $id field");
            }
            ("$id", _) if before != "$ref" => {
                return wrong("Found $id field without a $ref before it, which is invalid.");
            }
            ("$db", _) if before != "$id" => {
                return wrong("Found $db field without a $id before it, which is invalid.");
            }
            _ => check_top_level_name(name)?,
        }
        before = name;
    }
    Ok(())
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
    only_id(document)?.map_or(Ok(()), check_id)
}

/// The `_id` of a document, if it has one. Refuses several.
pub(crate) fn only_id(document: DocumentRef<'_>) -> Result<Option<ValueRef<'_>>> {
    let mut ids = document.iter().filter(|(name, _)| *name == "_id");
    match (ids.next(), ids.next()) {
        (_, Some(_)) => Err(Error::bad_value("can't have multiple _id fields in one document")),
        (id, None) => Ok(id.map(|(_, id)| id)),
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
