//! `clusteredIndex`: kept for whoever lists it.
//!
//! Documents are found by `_id` through its index in any case, and no collection is laid out by `_id`: the natural
//! order stays that of insertion.

use crate::arguments::{Arguments, Fields, Number};
use crate::error::{CommandError, Result};
use code::Code;
use value::{Document, DocumentRef, ValueRef, doc};

/// Reads the option; `false` asks for none.
pub(super) fn parse(create: &Arguments<'_>) -> Result<Option<Document>> {
    let Some(value) = create.any("clusteredIndex") else {
        return Ok(None);
    };
    let given = |name: &str| {
        create
            .document_ref()
            .get(name)
            .is_some_and(|value| !matches!(value, ValueRef::Bool(false)))
    };
    let document = match value {
        ValueRef::Document(document) => Some(document),
        ValueRef::Bool(_) => None,
        number if number.is_number() => None,
        other => {
            return Err(create
                .wrong_type(
                    "clusteredIndex",
                    other,
                    "'[object, bool, long, int, decimal, double]'",
                )
                .into());
        }
    };
    let parsed = document.map(check).transpose()?;
    check_capped(create, &given)?;
    match (document, value) {
        (None, ValueRef::Bool(false)) => return Ok(None),
        (None, number) if Number::of(number).is_some_and(Number::is_zero) => return Ok(None),
        (None, _) => {
            return Err(CommandError::new(
                Code::location(5_979_703),
                "'clusteredIndex' has to be a document: {key: {_id: 1}, unique: true}",
            ));
        }
        (Some(_), _) => {}
    }
    if given("timeseries") || given("idIndex") {
        return Err(CommandError::invalid_options(
            "'clusteredIndex' is not valid together with 'timeseries' or 'idIndex'",
        ));
    }
    if given("viewOn") {
        return Err(CommandError::new(
            Code::location(6_026_500),
            "a view cannot have a 'clusteredIndex'",
        ));
    }
    Ok(parsed)
}

/// Refuses limits on what is kept, even where `clusteredIndex` is `false`.
fn check_capped(create: &Arguments<'_>, given: &impl Fn(&str) -> bool) -> Result<()> {
    let refused = [
        (6_049_200, "size", create.present("size").is_some()),
        (6_049_204, "max", create.present("max").is_some()),
        (6_127_800, "capped", given("capped")),
    ];
    match refused.into_iter().find(|(.., is_given)| *is_given) {
        Some((number, name, _)) => Err(CommandError::new(
            Code::location(number),
            format!("'{name}' is not supported together with 'clusteredIndex'"),
        )),
        None => Ok(()),
    }
}

fn check(document: DocumentRef<'_>) -> Result<Document> {
    let arguments = Fields::new("create.clusteredIndex", document);
    let version = arguments.integer("v")?;
    let key = arguments
        .document("key")?
        .ok_or_else(|| arguments.missing("key"))?;
    let unique = arguments
        .flag("unique")?
        .ok_or_else(|| arguments.missing("unique"))?;
    let name = arguments.string("name")?.unwrap_or("_id_");
    arguments.finish()?;
    if version.is_some_and(|version| version != 2) {
        return Err(CommandError::new(
            Code::location(5_979_704),
            "The only version of a clustered index is 2",
        ));
    }
    let is_id = key.iter().count() == 1
        && key.get("_id").and_then(Number::of).map(Number::to_i64_saturating) == Some(1);
    if !is_id {
        return Err(CommandError::new(
            Code::INVALID_INDEX_SPECIFICATION_OPTION,
            "The 'clusteredIndex' can only be on {_id: 1}",
        ));
    }
    match unique {
        true => Ok(doc! {"v": 2, "key": key.to_document(), "name": name, "unique": true}),
        false => Err(CommandError::new(
            Code::location(5_979_700),
            "The 'unique' field of a 'clusteredIndex' must be true",
        )),
    }
}
