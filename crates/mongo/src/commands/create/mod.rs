//! `create`.

mod clustered_index;
mod encrypted_fields;
pub(super) mod expiry;
mod id_index;
pub(super) mod time_series;

use super::{collation, pipeline_access};
use crate::arguments::{Arguments, Fields};
use crate::call::{Call, check_collection_name};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::{CappedOptions, CreateRequest, Namespace};
use value::{Document, DocumentRef, Value, doc};

/// The largest capped collection: MongoDB's limit.
const CAPPED_BYTES_MAX: i64 = 1 << 50;
/// The smallest room of a capped collection; sizes are rounded up to a multiple of this.
const CAPPED_BYTES_STEP: i64 = 256;
const CAPPED_DOCUMENTS_MAX: i64 = i32::MAX as i64;

/// What MongoDB answers to a client that says whether there is an index on `_id`. Here there always is one.
const AUTO_INDEX_ID_NOTE: &str =
    "The autoIndexId option is deprecated and will be removed in a future release";

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let now_ms = call.server.engine.now_ms();
    let arguments = call.arguments();
    let request = parse(&call.database, &arguments, now_ms)?;
    let mut reply = Document::new();
    if arguments.flag("autoIndexId")?.is_some() {
        reply.push("note", AUTO_INDEX_ID_NOTE);
    }
    check_access(call, &namespace, &request)?;
    call.check_makeable(&namespace)?;
    call.server.engine.create_collection(&namespace, request).await?;
    Ok(reply.into())
}

/// Refuses a client that may not make this: a plain collection whoever inserts may make, since an insert makes it too.
fn check_access(call: &Call<'_>, namespace: &Namespace, request: &CreateRequest) -> Result<()> {
    let require = |action| {
        let resource = Resource::Collection(&namespace.database, &namespace.collection);
        call.require(action, resource)
    };
    if request.capped.is_some() {
        require(Action::ConvertToCapped)?;
    }
    let Some(Value::String(source)) = request.options.get("viewOn") else {
        return require(Action::CreateCollection)
            .or_else(|refusal| require(Action::Insert).map_err(|_| refusal));
    };
    require(Action::CreateCollection)?;
    let stages = match request.options.get("pipeline") {
        Some(Value::Array(stages)) => stages.as_slice(),
        _ => &[],
    };
    pipeline_access::check_view(call, &namespace.collection, source, stages)
}

fn parse(database: &str, arguments: &Arguments<'_>, now_ms: u64) -> Result<CreateRequest> {
    let mut options = Document::new();
    let clustered = clustered_index::parse(arguments)?;
    let capped = capped(arguments)?;
    validation(arguments, &mut options)?;
    if options.get("validator") == Some(&Value::Null) {
        options.remove("validator");
    }
    view(database, arguments, &mut options)?;
    kept(arguments, &mut options)?;
    if let Some(clustered) = clustered {
        options.push("clusteredIndex", clustered);
    }
    if let Some(series) = time_series::parse(arguments)? {
        options.push("timeseries", series);
    }
    if let Some(seconds) = arguments.present("expireAfterSeconds") {
        let seconds = expiry::seconds(seconds, now_ms)?;
        if !options.contains("timeseries") && !options.contains("clusteredIndex") {
            return Err(CommandError::invalid_options(
                "'expireAfterSeconds' is only for time series and collections clustered by _id: use a TTL index",
            ));
        }
        options.push("expireAfterSeconds", seconds);
    }
    let collation = collation::completed(arguments)?;
    id_index::check(arguments, collation.as_ref())?;
    if let Some(collation) = collation {
        options.push("collation", collation.description().clone());
    }
    encrypted_fields::check(arguments, &options, capped.is_some())?;
    // It changes nothing here: there are no replicas.
    arguments.flag("recordIdsReplicated")?;
    arguments.finish()?;
    if capped.is_some() && options.contains("viewOn") {
        return Err(CommandError::invalid_options("A view cannot be capped"));
    }
    Ok(CreateRequest { capped, options })
}

fn capped(arguments: &Arguments<'_>) -> Result<Option<CappedOptions>> {
    let capped = arguments.flag("capped")?.unwrap_or(false);
    let size = arguments.integer("size")?.map(capped_bytes).transpose()?;
    let max = arguments.integer("max")?;
    let documents_max = capped_documents(max)?;
    if !capped {
        if size.is_some() || max.is_some() {
            return Err(CommandError::invalid_options(
                "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
            ));
        }
        return Ok(None);
    }
    let Some(size_bytes) = size else {
        return Err(CommandError::invalid_options(
            "the 'size' field is required when 'capped' is true",
        ));
    };
    Ok(Some(CappedOptions {
        size_bytes,
        documents_max,
    }))
}

/// A capped collection's size, checked and rounded.
pub(super) fn capped_bytes(size: i64) -> Result<u64> {
    if !(1..=CAPPED_BYTES_MAX).contains(&size) {
        let message =
            format!("BSON field 'size' value must be >= 1 and <= {CAPPED_BYTES_MAX}, actual value '{size}'");
        return Err(CommandError::bad_value(message));
    }
    Ok((size as u64).next_multiple_of(CAPPED_BYTES_STEP as u64))
}

/// A capped collection's limit on documents; 0 or less means none.
pub(super) fn capped_documents(max: Option<i64>) -> Result<Option<u64>> {
    match max {
        Some(max) if max > CAPPED_DOCUMENTS_MAX => Err(CommandError::bad_value(
            "max in a capped collection has to be < 2^31 or not set",
        )),
        Some(max) if max > 0 => Ok(Some(max as u64)),
        _ => Ok(None),
    }
}

/// `validator`, `validationLevel`, `validationAction`. An empty validator is none.
pub(super) fn validation(arguments: &Arguments<'_>, options: &mut Document) -> Result<()> {
    match arguments.document("validator")? {
        // Null takes away the one that there is.
        Some(validator) if validator.is_empty() => options.push("validator", Value::Null),
        Some(validator) => options.push("validator", validator.to_document()),
        None => {}
    }
    let enumerations: [(&'static str, &[&str]); 2] = [
        ("validationLevel", &["off", "strict", "moderate"]),
        ("validationAction", &["error", "warn", "errorAndLog"]),
    ];
    for (name, allowed) in enumerations {
        let Some(value) = arguments.string(name)? else {
            continue;
        };
        if !allowed.contains(&value) {
            return Err(arguments.bad_enumeration(name, value).into());
        }
        options.push(name, value);
    }
    Ok(())
}

fn view(database: &str, arguments: &Arguments<'_>, options: &mut Document) -> Result<()> {
    let pipeline = arguments.document_list("pipeline")?;
    let Some(source) = arguments.string("viewOn")? else {
        return match pipeline {
            Some(_) => Err(CommandError::invalid_options(
                "'pipeline' requires 'viewOn' to also be specified",
            )),
            None => Ok(()),
        };
    };
    check_source(database, source)?;
    // What else collections have is checked, and then means nothing.
    *options = doc! {"viewOn": source, "pipeline": stages(pipeline.unwrap_or_default())};
    Ok(())
}

/// Refuses what no collection below a view can be called, whether there is one or not.
pub(super) fn check_source(database: &str, source: &str) -> Result<()> {
    if source.is_empty() {
        return Err(CommandError::bad_value("'viewOn' cannot be empty"));
    }
    match source.contains('$') {
        true => Err(CommandError::invalid_namespace(format!(
            "invalid name for 'viewOn': {source}"
        ))),
        false => check_collection_name(database, source),
    }
}

/// The stages of a view as they are kept.
pub(super) fn stages(stages: Vec<DocumentRef<'_>>) -> Value {
    let stages = stages
        .into_iter()
        .map(|stage| Value::Document(stage.to_document()));
    stages.collect()
}

/// `indexOptionDefaults`: options of MongoDB's own engine, and no others.
fn check_index_defaults(defaults: DocumentRef<'_>) -> Result<()> {
    let fields = Fields::new("create.indexOptionDefaults", defaults);
    let engines = fields.decoded("storageEngine")?;
    fields.finish()?;
    Ok(engine::check_storage_engine(&engines)?)
}

/// Options that are kept for whoever lists them, and change nothing.
fn kept(arguments: &Arguments<'_>, options: &mut Document) -> Result<()> {
    let of_view = options.contains("viewOn");
    for name in ["storageEngine", "indexOptionDefaults"] {
        let Some(document) = arguments.document(name)?.filter(|document| !document.is_empty()) else {
            continue;
        };
        match name {
            "storageEngine" => engine::check_storage_engine(&document.to_document())?,
            _ => check_index_defaults(document)?,
        }
        if !of_view {
            options.push(name, document.to_document());
        }
    }
    if let Some(images) = arguments.document("changeStreamPreAndPostImages")? {
        let inner = Fields::new("create.changeStreamPreAndPostImages", images);
        let enabled = inner.bool("enabled")?;
        inner.finish()?;
        let enabled = enabled.ok_or_else(|| inner.missing("enabled"))?;
        if enabled {
            options.push("changeStreamPreAndPostImages", images.to_document());
        }
    }
    arguments.flag("autoIndexId")?;
    arguments.flag("temp")?;
    arguments.integer("flags")?;
    Ok(())
}
