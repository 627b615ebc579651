//! What `aggregate` refuses for reasons outside of the stages themselves: the stable API, read concerns, rights.

use crate::call::Call;
use crate::error::{CommandError, Result};
use auth::{Action, Resource};
use code::Code;
use engine::AggregateSource;
use value::{Document, Value};

/// Stages that the stable API does not have.
const UNSTABLE: [&str; 13] = [
    "$listClusterCatalog",
    "$currentOp",
    "$indexStats",
    "$listLocalSessions",
    "$listSessions",
    "$planCacheStats",
    "$search",
    "$searchMeta",
    "$vectorSearch",
    "$rankFusion",
    "$querySettings",
    "$queryStats",
    "$listSearchIndexes",
];

/// Stages that tell of this very server, and so know no read concern but `local`.
const LOCAL_ONLY: [&str; 5] = [
    "$listClusterCatalog",
    "$currentOp",
    "$listLocalSessions",
    "$listSessions",
    "$planCacheStats",
];

/// Stages at the beginning that read no stored documents: what they tell, anybody may know, or they ask for a right of their own.
const WITHOUT_DOCUMENTS: [&str; 5] = [
    "$currentOp",
    "$documents",
    "$listClusterCatalog",
    "$listLocalSessions",
    "$listSessions",
];

/// Refuses stages that do not go with how the command is called.
pub(super) fn check(call: &Call<'_>, pipeline: &[Value]) -> Result<()> {
    for stage in pipeline {
        let Value::Document(stage) = stage else { continue };
        for (name, value) in stage.iter() {
            if call.generic.api_strict && is_unstable(name, value) {
                return Err(CommandError::new(
                    Code::API_STRICT_ERROR,
                    format!("stage {name} is not allowed with 'apiStrict: true' in API Version 1"),
                ));
            }
            check_read_concern(call, name)?;
        }
    }
    Ok(())
}

fn is_unstable(name: &str, value: &Value) -> bool {
    match (name, value) {
        // Only the count belongs to it.
        ("$collStats", Value::Document(options)) => options.iter().any(|(option, _)| option != "count"),
        _ => UNSTABLE.contains(&name),
    }
}

fn check_read_concern(call: &Call<'_>, stage: &str) -> Result<()> {
    let level = call
        .generic
        .read_concern
        .as_ref()
        .and_then(|read_concern| read_concern.name.as_deref());
    let refused = match (stage, level) {
        (_, None | Some("local")) => false,
        ("$out" | "$merge", Some("linearizable")) => true,
        (stage, Some(_)) => LOCAL_ONLY.contains(&stage),
    };
    match (refused, level) {
        (true, Some(level)) => Err(CommandError::invalid_options(format!(
            "Aggregation stage {stage} cannot run with a readConcern other than 'local', or in a multi-document transaction. \
             Current readConcern: {level}"
        ))),
        _ => Ok(()),
    }
}

/// Refuses a client that may not read what the pipeline begins with.
pub(super) fn check_source(call: &Call<'_>, source: &AggregateSource, pipeline: &[Value]) -> Result<()> {
    let first = pipeline.first().and_then(Value::as_document);
    let name = first.and_then(|stage| stage.iter().next()).map(|(name, _)| name);
    if name.is_some_and(|name| WITHOUT_DOCUMENTS.contains(&name)) {
        return Ok(());
    }
    let (database, collection) = match source {
        AggregateSource::Database(database) => (database, ""),
        AggregateSource::Collection(namespace) => (&namespace.database, &*namespace.collection),
    };
    call.require(Action::Find, Resource::Collection(database, collection))
}

/// A pipeline may read and write collections that the command does not name first.
pub(super) fn check_access(call: &Call<'_>, pipeline: &[Value]) -> Result<()> {
    if !call.server.engine.needs_login() {
        return Ok(());
    }
    for stage in pipeline {
        let Value::Document(stage) = stage else { continue };
        for (name, value) in stage.iter() {
            check_stage(call, name, value)?;
        }
    }
    Ok(())
}

fn check_stage(call: &Call<'_>, name: &str, value: &Value) -> Result<()> {
    let (database, collection) = target(&call.database, value);
    match name {
        "$lookup" | "$graphLookup" | "$unionWith" => {
            if let Some(collection) = collection {
                call.require(Action::Find, Resource::Collection(&database, &collection))?;
            }
        }
        "$out" | "$merge" => {
            let collection = collection.unwrap_or_default();
            let resource = Resource::Collection(&database, &collection);
            call.require(Action::Insert, resource)?;
            call.require(
                if name == "$out" {
                    Action::Remove
                } else {
                    Action::Update
                },
                resource,
            )?;
        }
        "$listSearchIndexes" => {
            let name = call.namespace()?.collection;
            call.require(
                Action::ListSearchIndexes,
                Resource::Collection(&call.database, &name),
            )?;
        }
        "$currentOp" | "$listLocalSessions" | "$listSessions" if tells_of_others(name, value) => {
            call.require(Action::Inprog, Resource::Cluster)?;
        }
        "$listClusterCatalog" => call.require(Action::ListDatabases, Resource::Cluster)?,
        _ => {}
    }
    if let Value::Document(inner) = value {
        let nested = |value: &Value| match value {
            Value::Array(stages) => check_access(call, stages),
            _ => Ok(()),
        };
        match name {
            "$facet" => inner.iter().try_for_each(|(_, stages)| nested(stages))?,
            _ => inner.get("pipeline").map_or(Ok(()), nested)?,
        }
    }
    Ok(())
}

/// Whether a stage asks for the operations or sessions of others too; one's own anybody may see.
fn tells_of_others(stage: &str, value: &Value) -> bool {
    let Value::Document(options) = value else {
        return false;
    };
    match stage {
        "$currentOp" => options.get("allUsers") == Some(&Value::Bool(true)),
        _ => !options.is_empty(),
    }
}

/// The collection that a stage names, in whichever of its forms.
fn target(database: &str, value: &Value) -> (String, Option<String>) {
    let text = |document: &Document, name: &str| match document.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    match value {
        Value::String(name) => (database.to_owned(), Some(name.clone())),
        Value::Document(document) => {
            let into = match document.get("into").or_else(|| document.get("from")) {
                Some(Value::Document(into)) => into,
                Some(Value::String(name)) => return (database.to_owned(), Some(name.clone())),
                _ => document,
            };
            (
                text(into, "db").unwrap_or_else(|| database.to_owned()),
                text(into, "coll"),
            )
        }
        _ => (database.to_owned(), None),
    }
}
