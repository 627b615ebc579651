//! `aggregate`.

use super::rename_collection::check_uuid;
use super::{aggregate_rules, collation, cursor, pipeline_access};
use crate::arguments::{Arguments, Number, decoded_array};
use crate::call::{Call, namespace_of};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::{AggregateRequest, AggregateSource};
use value::{Value, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let (source, request) = parse(&call.database, &arguments, false)?;
    arguments.finish()?;
    aggregate_rules::check(call, &request.pipeline)?;
    if wants_explain(call) {
        if call.generic.is_api_strict() {
            let message = "explain is not allowed with 'apiStrict: true' in API Version 1";
            return Err(CommandError::new(Code::API_STRICT_ERROR, message));
        }
        let command = call.request.body.to_document();
        return super::explain::explain(call, &command, engine::Verbosity::QueryPlanner).await;
    }
    pipeline_access::check(call, &source, &request)?;
    check_uuid(call, &source.namespace(), arguments.uuid("collectionUUID")?)?;
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
        number if number.is_number() && Number::of(number).map(Number::to_f64) == Some(1.0) => {
            AggregateSource::Database(database.to_owned())
        }
        number if number.is_number() => {
            return Err(CommandError::bad_value(
                "Invalid command format: the 'aggregate' field must specify a collection name or 1",
            ));
        }
        ValueRef::String(name) if name.starts_with("$cmd.aggregate") => {
            AggregateSource::Database(database.to_owned())
        }
        name => AggregateSource::Collection(namespace_of(database, name)?),
    };
    let stages = match arguments.any("pipeline") {
        None => return Err(arguments.missing("pipeline").into()),
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
    let wants_explain = match arguments.any("explain") {
        None => false,
        Some(ValueRef::Bool(explain)) => explain,
        Some(other) => return Err(arguments.wrong_type("explain", other, "'bool'").into()),
    };
    let has_cursor = arguments.strict_document("cursor")?.is_some();
    let batch_size = cursor::batch_size(arguments)?;
    if !has_cursor && !wants_explain && !explains {
        return Err(CommandError::failed_to_parse(
            "The 'cursor' option is required, except for aggregate with the explain argument",
        ));
    }
    if (wants_explain || explains) && arguments.present("writeConcern").is_some() {
        return Err(CommandError::failed_to_parse(
            "Aggregation explain does not support the 'writeConcern' option",
        ));
    }
    let request = AggregateRequest {
        pipeline: stages,
        batch_size,
        hint: cursor::hint(arguments)?,
        variables: cursor::variables(arguments)?,
        allow_disk_use: arguments.strict_bool("allowDiskUse")?.unwrap_or(true),
        bypass_validation: arguments.flag("bypassDocumentValidation")?.unwrap_or(false),
        collation: collation::parse(arguments)?,
    };
    arguments.uuid("collectionUUID")?;
    check_internal(arguments)?;
    Ok((source, request))
}

/// Checks the options that MongoDB's own servers set for each other. There are no shards here whose results would be merged.
fn check_internal(arguments: &Arguments<'_>) -> Result<()> {
    let is_of_router = arguments.bool("fromMongos")?.is_some();
    if arguments.bool("needsMerge")?.is_some() && !is_of_router {
        return Err(CommandError::failed_to_parse(
            "Cannot specify 'needsMerge' without 'fromMongos'",
        ));
    }
    arguments.bool("isMapReduceCommand")?;
    arguments.document("exchange")?;
    arguments.document("runtimeConstants")?;
    Ok(())
}

/// Whether `explain: true` stands in the command itself.
fn wants_explain(call: &Call<'_>) -> bool {
    matches!(call.body().get("explain"), Some(ValueRef::Bool(true)))
}
