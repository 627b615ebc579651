//! `collMod`.

use super::create;
use crate::arguments::{Arguments, number_as_f64};
use crate::dispatch::{Call, check_collection_name};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::{ModifyRequest, Namespace};
use value::{Document, DocumentRef, Value, ValueRef};

/// What changes of an index.
struct IndexChange {
    which: Value,
    hidden: Option<bool>,
    expire_after_seconds: Option<i64>,
}

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let dry_run = arguments.flag("dryRun")?.unwrap_or(false);
    let index = arguments.document("index")?.map(parse_index).transpose()?;
    let request = parse(&call.database, &arguments)?;
    arguments.finish()?;
    if dry_run {
        return Err(CommandError::invalid_options(
            "dryRun is only for index.unique, which cannot be changed yet",
        ));
    }
    let is_view = call
        .server
        .engine
        .collection_entry(&namespace)
        .is_some_and(|entry| entry.is_view);
    if is_view && request.options.contains("changeStreamPreAndPostImages") {
        return Err(CommandError::invalid_options(
            "option not supported on a view: changeStreamPreAndPostImages",
        ));
    }
    let mut reply = Document::new();
    if let Some(index) = index {
        modify_index(call, &namespace, index, &mut reply).await?;
    }
    call.server.engine.modify_collection(&namespace, request).await?;
    Ok(reply.into())
}

fn parse(database: &str, arguments: &Arguments<'_>) -> Result<ModifyRequest> {
    let mut options = Document::new();
    create::validation(arguments, &mut options)?;
    let pipeline = arguments.array("pipeline")?;
    match (arguments.string("viewOn")?, pipeline) {
        (Some(source), Some(stages)) => {
            check_collection_name(database, source)?;
            options.push("viewOn", source);
            options.push("pipeline", Value::Array(crate::arguments::decoded_array(stages)));
        }
        (None, None) => {}
        (None, Some(_)) => {
            return Err(CommandError::invalid_options(
                "Must specify 'viewOn' together with 'pipeline'",
            ));
        }
        (Some(_), None) => {
            return Err(CommandError::invalid_options(
                "Must specify 'pipeline' together with 'viewOn'",
            ));
        }
    }
    if let Some(images) = arguments.document("changeStreamPreAndPostImages")? {
        let inner = Arguments::of_document("collMod.changeStreamPreAndPostImages", images);
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
    for name in [
        "timeseries",
        "timeseriesBucketsMayHaveMixedSchemaData",
        "recordPreImages",
    ] {
        if arguments.present(name).is_some() {
            return Err(CommandError::invalid_options(format!(
                "collMod with '{name}' is not supported yet"
            )));
        }
    }
    if arguments.present("expireAfterSeconds").is_some() {
        return Err(CommandError::invalid_options(
            "collMod.expireAfterSeconds is for time-series and clustered collections, which are not supported yet",
        ));
    }
    let size = arguments.integer("cappedSize")?;
    let max = arguments.integer("cappedMax")?;
    Ok(ModifyRequest {
        options,
        capped_size_bytes: size.map(create::capped_bytes).transpose()?,
        capped_documents_max: match max {
            Some(max) => Some(create::capped_documents(Some(max))?.unwrap_or(0)),
            None => None,
        },
    })
}

fn parse_index(document: DocumentRef<'_>) -> Result<IndexChange> {
    let arguments = Arguments::of_document("collMod.index", document);
    let name = arguments.string("name")?;
    let key = arguments.document("keyPattern")?;
    let hidden = arguments.flag("hidden")?;
    let expire = match arguments.present("expireAfterSeconds") {
        None => None,
        Some(value) if value.is_number() => Some(seconds(value)?),
        Some(other) => {
            return Err(arguments.wrong_type("expireAfterSeconds", other, "'[long, int, decimal, double]'"));
        }
    };
    for name in ["unique", "prepareUnique"] {
        if arguments.flag(name)?.is_some() {
            return Err(CommandError::invalid_options(format!(
                "collMod cannot change '{name}' of an index yet: make a new index"
            )));
        }
    }
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
    if hidden.is_none() && expire.is_none() {
        return Err(CommandError::invalid_options(
            "no expireAfterSeconds, hidden, unique, or prepareUnique field",
        ));
    }
    Ok(IndexChange {
        which,
        hidden,
        expire_after_seconds: expire,
    })
}

fn seconds(value: ValueRef<'_>) -> Result<i64> {
    number_as_f64(value)
        .map(f64::trunc)
        .filter(|seconds| (0.0..=f64::from(i32::MAX)).contains(seconds))
        .map(|seconds| seconds as i64)
        .ok_or_else(|| CommandError::invalid_options("'expireAfterSeconds' must be within 0 and 2147483647"))
}

async fn modify_index(
    call: &Call<'_>,
    namespace: &Namespace,
    index: IndexChange,
    reply: &mut Document,
) -> Result<()> {
    let IndexChange {
        which,
        hidden,
        expire_after_seconds,
    } = index;
    if hidden == Some(true) && is_id_index(&which) {
        return Err(CommandError::bad_value("can't hide _id index"));
    }
    let old = call
        .server
        .engine
        .modify_index(namespace, &which, move |spec| {
            spec.hidden = hidden.unwrap_or(spec.hidden);
            spec.expire_after_seconds = expire_after_seconds.or(spec.expire_after_seconds);
        })
        .await?;
    if let Some(seconds) = expire_after_seconds {
        if let Some(before) = old.expire_after_seconds {
            reply.push("expireAfterSeconds_old", before);
        }
        reply.push("expireAfterSeconds_new", seconds);
    }
    if let Some(hidden) = hidden {
        reply.push("hidden_old", old.hidden);
        reply.push("hidden_new", hidden);
    }
    Ok(())
}

fn is_id_index(which: &Value) -> bool {
    match which {
        Value::String(name) => name == "_id_",
        Value::Document(key) => key.len() == 1 && key.contains("_id"),
        _ => false,
    }
}
