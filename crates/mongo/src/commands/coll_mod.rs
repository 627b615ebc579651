//! `collMod`.

use super::rename_collection::check_uuid;
use super::{create, pipeline_access};
use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::{IndexChange, ModifyRequest, Namespace, TimeSeriesChange};
use value::{Document, DocumentRef, Value, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let dry_run = arguments.flag("dryRun")?.unwrap_or(false);
    let index = arguments
        .document("index")?
        .map(|index| parse_index(index, dry_run))
        .transpose()?;
    let request = parse(&call.database, &arguments, call.server.engine.now_ms())?;
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    check_uuid(call, &namespace, uuid)?;
    if dry_run
        && index
            .as_ref()
            .is_none_or(|(_, change)| change.unique != Some(true))
    {
        return Err(CommandError::invalid_options(
            "dry run mode is only for an index that is made unique",
        ));
    }
    check_access(call, &namespace, &request)?;
    let is_virtual = call
        .server
        .engine
        .collection_entry(&namespace)
        .is_some_and(|entry| entry.is_view || entry.options.contains("timeseries"));
    if is_virtual && request.options.contains("changeStreamPreAndPostImages") {
        return Err(CommandError::invalid_options(
            "option not supported on a view or a time series: changeStreamPreAndPostImages",
        ));
    }
    let mut reply = Document::new();
    if let Some((which, mut change)) = index {
        change.beside_others = changes_something(&request);
        // All of it is done, or nothing.
        call.server.engine.check_modification(&namespace, &request)?;
        modify_index(call, &namespace, &which, change, &mut reply).await?;
    }
    call.server.engine.modify_collection(&namespace, request).await?;
    Ok(reply.into())
}

/// Whether a request changes something of a collection besides an index.
fn changes_something(request: &ModifyRequest) -> bool {
    !request.options.is_empty()
        || request.capped_size_bytes.is_some()
        || request.capped_documents_max.is_some()
        || request.time_series.is_some()
}

/// Refuses a client that would show itself what it may not read. Where somebody has to log in, a view's source and its stages are
/// changed together: each shows what it does with the other.
fn check_access(call: &Call<'_>, namespace: &Namespace, request: &ModifyRequest) -> Result<()> {
    if !call.server.engine.needs_login() {
        return Ok(());
    }
    match (request.options.get("viewOn"), request.options.get("pipeline")) {
        (None, None) => Ok(()),
        (Some(Value::String(source)), Some(Value::Array(stages))) => {
            pipeline_access::check_view(call, &namespace.collection, source, stages)
        }
        _ => Err(CommandError::invalid_options(
            "Must specify both 'viewOn' and 'pipeline' when modifying a view and auth is enabled",
        )),
    }
}

fn parse(database: &str, arguments: &Arguments<'_>, now_ms: u64) -> Result<ModifyRequest> {
    let mut options = Document::new();
    create::validation(arguments, &mut options)?;
    if let Some(source) = arguments.string("viewOn")? {
        create::check_source(database, source)?;
        options.push("viewOn", source);
    }
    if let Some(stages) = arguments.document_list("pipeline")? {
        options.push("pipeline", create::stages(stages));
    }
    if let Some(images) = arguments.document("changeStreamPreAndPostImages")? {
        let inner = Fields::new("collMod.changeStreamPreAndPostImages", images);
        let enabled = inner.bool("enabled")?;
        inner.finish()?;
        let enabled = enabled.ok_or_else(|| inner.missing("enabled"))?;
        let kept = if enabled {
            Value::Document(images.to_document())
        } else {
            Value::Null
        };
        options.push("changeStreamPreAndPostImages", kept);
    }
    let time_series = arguments.document("timeseries")?.map(time_series).transpose()?;
    if arguments
        .flag("timeseriesBucketsMayHaveMixedSchemaData")?
        .is_some()
    {
        return Err(CommandError::invalid_options(
            "collMod with 'timeseriesBucketsMayHaveMixedSchemaData' is not supported yet",
        ));
    }
    match arguments.any("expireAfterSeconds") {
        None => {}
        Some(ValueRef::String("off")) => options.push("expireAfterSeconds", Value::Null),
        Some(ValueRef::String(_)) => {
            return Err(CommandError::invalid_options(
                "'expireAfterSeconds' must be a number of seconds or 'off'",
            ));
        }
        Some(seconds) => options.push("expireAfterSeconds", create::expiry::seconds(seconds, now_ms)?),
    }
    // Beside a change of a time series they mean nothing, as in MongoDB.
    let resizes = time_series.is_none();
    let size = arguments.integer("cappedSize")?.filter(|_| resizes);
    let max = arguments.integer("cappedMax")?.filter(|_| resizes);
    Ok(ModifyRequest {
        options,
        capped_size_bytes: size.map(create::capped_bytes).transpose()?,
        capped_documents_max: match max {
            Some(max) => Some(create::capped_documents(Some(max))?.unwrap_or(0)),
            None => None,
        },
        time_series,
    })
}

fn time_series(document: DocumentRef<'_>) -> Result<TimeSeriesChange> {
    let arguments = Fields::new("collMod.timeseries", document);
    let change = TimeSeriesChange {
        granularity: arguments.string("granularity")?.map(str::to_owned),
        bucket_max_span_seconds: create::time_series::seconds(&arguments, "bucketMaxSpanSeconds")?,
        bucket_rounding_seconds: create::time_series::seconds(&arguments, "bucketRoundingSeconds")?,
    };
    arguments.finish()?;
    Ok(change)
}

/// Which index is meant, and what changes of it.
fn parse_index(document: DocumentRef<'_>, dry_run: bool) -> Result<(Value, IndexChange)> {
    let arguments = Fields::new("collMod.index", document);
    let name = arguments.string("name")?;
    let key = arguments.document("keyPattern")?;
    let hidden = arguments.flag("hidden")?;
    let expire = arguments
        .integer("expireAfterSeconds")?
        .map(seconds)
        .transpose()?;
    let unique = arguments.flag("unique")?;
    let prepare_unique = arguments.flag("prepareUnique")?;
    arguments.finish()?;
    let which = match (name, key) {
        (Some(_), Some(_)) => {
            return Err(CommandError::invalid_options(
                "Cannot specify both key pattern and name.",
            ));
        }
        (None, None) => {
            return Err(CommandError::invalid_options(
                "Must specify either index name or key pattern.",
            ));
        }
        (Some(name), None) => Value::from(name),
        (None, Some(key)) => Value::Document(key.to_document()),
    };
    if hidden.is_none() && expire.is_none() && unique.is_none() && prepare_unique.is_none() {
        return Err(CommandError::invalid_options(
            "no expireAfterSeconds, hidden, unique, or prepareUnique field",
        ));
    }
    let change = IndexChange {
        hidden,
        expire_after_seconds: expire,
        prepare_unique,
        unique,
        dry_run,
        beside_others: false,
    };
    Ok((which, change))
}

/// More than 32 bits hold is taken as the most that they do.
fn seconds(seconds: i64) -> Result<i64> {
    match seconds {
        0.. => Ok(seconds.min(i64::from(i32::MAX))),
        _ => Err(CommandError::invalid_options(
            "TTL index 'expireAfterSeconds' option cannot be less than 0",
        )),
    }
}

async fn modify_index(
    call: &Call<'_>,
    namespace: &Namespace,
    which: &Value,
    change: IndexChange,
    reply: &mut Document,
) -> Result<()> {
    let expires = change.expire_after_seconds;
    let (before, after) = call.server.engine.modify_index(namespace, which, change).await?;
    if let Some(seconds) = expires {
        if let Some(before) = before.expire_after_seconds {
            reply.push("expireAfterSeconds_old", before);
        }
        reply.push("expireAfterSeconds_new", seconds);
    }
    // What is as it was asked to be is not told.
    if before.hidden != after.hidden {
        reply.push("hidden_old", before.hidden);
        reply.push("hidden_new", after.hidden);
    }
    if after.unique != before.unique {
        reply.push("unique_new", after.unique);
    } else if after.prepare_unique != before.prepare_unique {
        reply.push("prepareUnique_old", before.prepare_unique);
        reply.push("prepareUnique_new", after.prepare_unique);
    }
    Ok(())
}
