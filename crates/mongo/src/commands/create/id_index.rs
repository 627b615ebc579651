//! `idIndex`: the index of `_id` is always the same, so this may only describe it.

use crate::arguments::{Arguments, Number};
use crate::commands::collation;
use crate::error::{CommandError, Result};
use code::Code;
use value::collation::Collation;
use value::{DocumentRef, ValueRef};

/// Refuses anything but the description of the index that there is.
pub(super) fn check(create: &Arguments<'_>, collation: Option<&Collation>) -> Result<()> {
    let Some(document) = create.document("idIndex")? else {
        return Ok(());
    };
    if create.document_ref().get("viewOn").is_some() {
        return Err(CommandError::invalid_options(
            "'idIndex' is not allowed with 'viewOn'",
        ));
    }
    let missing = |name: &str| {
        CommandError::failed_to_parse(format!(
            "The '{name}' field is a required property of an index specification"
        ))
    };
    let key = match document.get("key") {
        Some(ValueRef::Document(key)) => key,
        Some(other) => return Err(wrong_type("key", other)),
        None => return Err(missing("key")),
    };
    let name = match document.get("name") {
        Some(ValueRef::String(name)) => name,
        Some(other) => return Err(wrong_type("name", other)),
        None => return Err(missing("name")),
    };
    check_rest(document, collation)?;
    let is_id = key.iter().count() == 1
        && key.get("_id").and_then(Number::of).map(Number::to_i64_saturating) == Some(1);
    if !is_id {
        return Err(CommandError::bad_value(
            "The field 'key' for an _id index must be {_id: 1}",
        ));
    }
    match name.is_empty() {
        true => Err(CommandError::new(
            Code::CANNOT_CREATE_INDEX,
            "index name cannot be empty",
        )),
        false => Ok(()),
    }
}

fn check_rest(document: DocumentRef<'_>, of_collection: Option<&Collation>) -> Result<()> {
    for (name, value) in document.iter() {
        match name {
            "key" | "name" | "ns" => {}
            "v" => check_version(value)?,
            "collation" => {
                let own = match value {
                    ValueRef::Document(options) => collation::read(&options.to_document())?,
                    other => return Err(wrong_type("collation", other)),
                };
                if own.as_ref() != of_collection {
                    return Err(CommandError::bad_value(
                        "The collation of the _id index must be that of the collection",
                    ));
                }
            }
            other => {
                let message = format!("The field '{other}' is not valid for an _id index specification");
                return Err(CommandError::new(
                    Code::INVALID_INDEX_SPECIFICATION_OPTION,
                    message,
                ));
            }
        }
    }
    Ok(())
}

fn check_version(value: ValueRef<'_>) -> Result<()> {
    if !value.is_number() {
        return Err(wrong_type("v", value));
    }
    match Number::of(value).and_then(Number::to_i64) {
        Some(1 | 2) => Ok(()),
        Some(other) => Err(CommandError::new(
            Code::CANNOT_CREATE_INDEX,
            format!("an index cannot be of version {other}: use 2"),
        )),
        None => Err(CommandError::bad_value(
            "the version of an index is a whole number",
        )),
    }
}

fn wrong_type(name: &str, value: ValueRef<'_>) -> CommandError {
    let found = value.type_of().alias();
    CommandError::type_mismatch(format!(
        "The field '{name}' of an index specification cannot be a {found}"
    ))
}
