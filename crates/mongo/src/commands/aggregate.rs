//! `aggregate`.

use super::{collation, cursor};
use crate::arguments::{Arguments, decoded_array};
use crate::dispatch::{Call, namespace_of};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::{AggregateRequest, AggregateSource};
use value::{Document, Value, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let (source, request) = parse(&call.database, &arguments, false)?;
    arguments.finish()?;
    if wants_explain(call) {
        let command = call.request.body.to_document();
        return super::explain::explain(call, &command, engine::Verbosity::QueryPlanner).await;
    }
    check_access(call, &request.pipeline)?;
    let reply = call
        .server
        .engine
        .aggregate(&call.context, &source, &request)
        .await?;
    Ok(cursor::first_batch(reply))
}

/// Reads the arguments; `explain` reads them too.
pub(super) fn parse(
    database: &str,
    arguments: &Arguments<'_>,
    explains: bool,
) -> Result<(AggregateSource, AggregateRequest)> {
    let source = match arguments.any("aggregate").unwrap_or(ValueRef::Null) {
        number if number.is_number() && crate::arguments::number_as_f64(number) == Some(1.0) => {
            AggregateSource::Database(database.to_owned())
        }
        number if number.is_number() => {
            return Err(CommandError::failed_to_parse(
                "Invalid command format: the 'aggregate' field must specify a collection name or 1",
            ));
        }
        ValueRef::String(name) if name.starts_with("$cmd.aggregate") => {
            AggregateSource::Database(database.to_owned())
        }
        name => AggregateSource::Collection(namespace_of(database, name)?),
    };
    let stages = match arguments.any("pipeline") {
        None => return Err(arguments.missing("pipeline")),
        Some(ValueRef::Array(stages)) => decoded_array(stages),
        Some(_) => {
            return Err(CommandError::type_mismatch(
                "'pipeline' option must be specified as an array",
            ));
        }
    };
    if stages.iter().any(|stage| !matches!(stage, Value::Document(_))) {
        return Err(CommandError::type_mismatch(
            "Each element of the 'pipeline' array must be an object",
        ));
    }
    let wants_explain = arguments.flag("explain")?.unwrap_or(false);
    let has_cursor = arguments.any("cursor").is_some();
    let batch_size = cursor::batch_size(arguments)?;
    if !has_cursor && !wants_explain && !explains {
        return Err(CommandError::failed_to_parse(
            "The 'cursor' option is required, except for aggregate with the explain argument",
        ));
    }
    let request = AggregateRequest {
        pipeline: stages,
        batch_size,
        hint: cursor::hint(arguments)?,
        variables: cursor::variables(arguments)?,
        allow_disk_use: arguments.flag("allowDiskUse")?.unwrap_or(true),
        bypass_validation: arguments.flag("bypassDocumentValidation")?.unwrap_or(false),
    };
    collation::check(arguments)?;
    arguments.ignore(&[
        "fromMongos",
        "needsMerge",
        "exchange",
        "runtimeConstants",
        "isMapReduceCommand",
    ]);
    Ok((source, request))
}

/// Whether `explain: true` stands in the command itself.
fn wants_explain(call: &Call<'_>) -> bool {
    matches!(call.body().get("explain"), Some(ValueRef::Bool(true)))
}

/// A pipeline may read and write collections that the command does not name first.
pub(super) fn check_access(call: &Call<'_>, pipeline: &[Value]) -> Result<()> {
    if !call.server.engine.has_users() {
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
        "$currentOp" => call.require(Action::Inprog, Resource::Cluster)?,
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
