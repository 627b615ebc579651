//! `mapReduce`: a pipeline whose functions are JavaScript.
//!
//! Documents become what the map function emits for them, those are grouped by their keys, and each group becomes what the
//! reduce function makes of its values. Where the results go is what `$out` and `$merge` do.

use super::{collation, pipeline_access};
use crate::arguments::{Arguments, Fields, is_null};
use crate::call::{Call, check_collection_name};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::{AggregateRequest, AggregateSource, Namespace};
use value::{Document, Value, ValueRef, array, doc};

/// What becomes of the results.
enum Output {
    Inline,
    /// Into a collection of a database.
    Collection(Action, String, String),
}

enum Action {
    Replace,
    Merge,
    Reduce,
}

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let source = AggregateSource::Collection(namespace);
    let (output, request) = checked(call, &source, &arguments)?;
    let engine = &call.server.engine;
    let answer = engine.aggregate(&call.context, &source, &request).await?;
    match output {
        Output::Collection(_, database, name) if database == call.database => {
            Ok(doc! {"result": name}.into())
        }
        Output::Collection(_, database, name) => {
            Ok(doc! {"result": doc! {"db": database, "collection": name}}.into())
        }
        Output::Inline if answer.id != 0 => {
            engine.close_cursor(answer.id);
            Err(CommandError::new(
                Code::BSON_OBJECT_TOO_LARGE,
                "the results do not fit into one answer: write them to a collection with 'out'",
            ))
        }
        Output::Inline => {
            let results = answer.batch.iter().map(|result| result.as_ref().to_document());
            Ok(doc! {"results": results.collect::<Vec<_>>()}.into())
        }
    }
}

/// The pipeline that is explained.
pub(super) fn explained(
    call: &Call<'_>,
    namespace: Namespace,
    arguments: &Arguments<'_>,
) -> Result<(AggregateSource, AggregateRequest)> {
    let source = AggregateSource::Collection(namespace);
    let (_, request) = checked(call, &source, arguments)?;
    Ok((source, request))
}

/// The pipeline, of a client who may run it, on a collection: as in MongoDB, views and time series have none.
fn checked(
    call: &Call<'_>,
    source: &AggregateSource,
    arguments: &Arguments<'_>,
) -> Result<(Output, AggregateRequest)> {
    let (output, request) = parse(&call.database, arguments)?;
    pipeline_access::check(call, source, &request)?;
    let namespace = source.namespace();
    let entry = call.server.engine.collection_entry(&namespace);
    match entry.is_some_and(|entry| entry.is_view || entry.options.contains("timeseries")) {
        true => Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            format!("mapReduce is for collections: {namespace} is a view or a time series"),
        )),
        false => Ok((output, request)),
    }
}

fn parse(database: &str, arguments: &Arguments<'_>) -> Result<(Output, AggregateRequest)> {
    arguments.ignore(&["mapReduce", "mapreduce"]);
    let scope = arguments.decoded("scope")?;
    let map = function(arguments, "map", &scope)?.ok_or_else(|| arguments.missing("map"))?;
    let reduce = function(arguments, "reduce", &scope)?.ok_or_else(|| arguments.missing("reduce"))?;
    // Only for this one null stands for none.
    let finalize = match arguments.any("finalize") {
        Some(null) if is_null(null) => None,
        _ => function(arguments, "finalize", &scope)?,
    };
    let output = output(database, arguments)?;
    let mut pipeline = Vec::new();
    for (name, stage) in [("query", "$match"), ("sort", "$sort")] {
        let operand = arguments.decoded(name)?;
        if !operand.is_empty() {
            pipeline.push(Document::new().with(stage, operand));
        }
    }
    if let Some(limit) = arguments.count("limit")?.filter(|limit| *limit > 0) {
        pipeline.push(doc! {"$limit": (Value::count(limit))});
    }
    // How the functions are run has no effect here, as in MongoDB since 4.4.
    let _ = (arguments.bool("jsMode")?, arguments.bool("verbose")?);
    let request = AggregateRequest {
        collation: collation::parse(arguments)?,
        bypass_validation: arguments.bool("bypassDocumentValidation")?.unwrap_or(false),
        allow_disk_use: true,
        batch_size: Some(u64::MAX),
        ..AggregateRequest::default()
    };
    arguments.finish()?;
    pipeline.extend([
        doc! {"$project": doc! {"_id": 0, "emits": doc! {"$_internalJsEmit": doc! {"eval": map, "this": "$$ROOT"}}}},
        doc! {"$unwind": "$emits"},
        doc! {"$group": doc! {"_id": "$emits.k", "value": doc! {"$push": "$emits.v"}}},
        // MongoDB gives the values of a key to the function from the last to the first.
        set_value(&reduce, doc! {"$reverseArray": "$value"}.into()),
    ]);
    pipeline.extend(
        finalize
            .iter()
            .map(|finalize| set_value(finalize, "$value".into())),
    );
    pipeline.extend(write_stage(&output, &reduce, finalize.as_ref()));
    let pipeline = pipeline.into_iter().map(Value::Document).collect();
    Ok((output, AggregateRequest { pipeline, ..request }))
}

/// The stage that sets the value to what a function makes of the key and this.
fn set_value(function: &Value, operand: Value) -> Document {
    let call = doc! {"eval": function.clone(), "args": array!["$_id", operand]};
    doc! {"$set": doc! {"value": doc! {"$_internalJsCall": call}}}
}

fn write_stage(output: &Output, reduce: &Value, finalize: Option<&Value>) -> Option<Document> {
    let Output::Collection(action, database, name) = output else {
        return None;
    };
    let into = doc! {"db": database, "coll": name};
    let when_matched: Value = match action {
        Action::Replace => return Some(doc! {"$out": into}),
        Action::Merge => "replace".into(),
        Action::Reduce => {
            let both = array!["$value", "$$new.value"];
            let stages = [
                Some(set_value(reduce, both.into())),
                finalize.map(|f| set_value(f, "$value".into())),
            ];
            stages.into_iter().flatten().map(Value::Document).collect()
        }
    };
    let merge = doc! {"into": into, "on": "_id", "whenMatched": when_matched, "whenNotMatched": "insert"};
    Some(doc! {"$merge": merge})
}

/// A function, with the global variables that it sees; as in MongoDB, none of its own.
fn function(arguments: &Arguments<'_>, name: &'static str, scope: &Document) -> Result<Option<Value>> {
    match arguments.any(name) {
        None => Ok(None),
        Some(ValueRef::String(source) | ValueRef::JavaScript(source)) => {
            Ok(Some(Value::JavaScriptWithScope(source.to_owned(), scope.clone())))
        }
        Some(_) => Err(CommandError::bad_value(format!(
            "'{name}' must be of string or code type"
        ))),
    }
}

fn output(database: &str, arguments: &Arguments<'_>) -> Result<Output> {
    let into = |action, database: &str, name: &str| {
        check_collection_name(database, name)?;
        if ["admin", "config", "local"].contains(&database) {
            let message = format!("Can not output mapReduce results to internal DB {database}");
            return Err(CommandError::new(Code::COMMAND_NOT_SUPPORTED, message));
        }
        Ok(Output::Collection(action, database.to_owned(), name.to_owned()))
    };
    let options = match arguments.any("out") {
        None => return Err(arguments.missing("out").into()),
        Some(ValueRef::String(name)) => return into(Action::Replace, database, name),
        Some(ValueRef::Document(options)) => Fields::new("out", options),
        Some(_) => {
            return Err(CommandError::new(
                Code::location(13_606),
                "'out' has to be a string or an object",
            ));
        }
    };
    let database = options.string("db")?.unwrap_or(database);
    for (name, refused) in [("nonAtomic", false), ("sharded", true)] {
        if options.flag(name)? == Some(refused) {
            let message = format!("'out.{name}: {refused}' is not supported");
            return Err(CommandError::new(Code::location(15_949), message));
        }
    }
    let inline = options.number("inline")?;
    let targets = [
        (options.string("replace")?, Action::Replace),
        (options.string("merge")?, Action::Merge),
        (options.string("reduce")?, Action::Reduce),
    ];
    options.finish()?;
    let mut chosen = targets
        .into_iter()
        .filter_map(|(name, action)| Some((name?, action)));
    match (inline, chosen.next(), chosen.next()) {
        (Some(one), None, None) if one.to_f64() == 1.0 => Ok(Output::Inline),
        (Some(_), None, None) => Err(CommandError::bad_value("'inline' takes only numeric '1'")),
        (None, Some((name, action)), None) => into(action, database, name),
        _ => Err(CommandError::new(
            Code::location(13_522),
            "'out' needs exactly one of 'inline', 'replace', 'merge' and 'reduce'",
        )),
    }
}
