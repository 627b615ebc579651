//! `explain`, and `aggregate` with `explain: true`.

use super::rename_collection::check_uuid;
use super::table::find as find_command;
use super::writes::{self, WriteCommand};
use super::{
    aggregate, aggregate_rules, build_info, count, delete, distinct, find, find_and_modify, map_reduce,
    pipeline_access, update,
};
use crate::arguments::{self, Arguments};
use crate::call::{Call, namespace_of};
use crate::error::{CommandError, Result};
use crate::wire::{Reply, Request};
use code::Code;
use engine::{Explained, Namespace, Verbosity};
use value::{Document, DocumentBuf, Value, ValueRef, doc};

/// The bytes that one stage may hold.
const STAGE_BYTES_MAX: i32 = 100 * 1024 * 1024;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let inner = arguments
        .document("explain")?
        .ok_or_else(|| arguments.missing("explain"))?
        .to_document();
    let verbosity = match arguments.string("verbosity")? {
        None | Some("allPlansExecution") => Verbosity::AllPlansExecution,
        Some("executionStats") => Verbosity::ExecutionStats,
        Some("queryPlanner") => Verbosity::QueryPlanner,
        Some(other) => return Err(arguments.bad_enumeration("verbosity", other).into()),
    };
    arguments.finish()?;
    check_database(call, &inner)?;
    check_access(call, &inner)?;
    check_explained_once(&inner)?;
    explain(call, &inner, verbosity).await
}

/// Refuses a command of another database than the one that is asked to explain it.
fn check_database(call: &Call<'_>, inner: &Document) -> Result<()> {
    match inner.get("$db") {
        None => Ok(()),
        Some(Value::String(named)) if *named == call.database => Ok(()),
        Some(Value::String(named)) => Err(CommandError::invalid_namespace(format!(
            "Mismatched $db in explain command. Expected {} but got {named}",
            call.database
        ))),
        Some(other) => Err(arguments::wrong_type("explain.$db", other.type_of(), "'string'").into()),
    }
}

/// Refuses a pipeline that itself asks to be explained, for it would say with which verbosity a second time.
fn check_explained_once(inner: &Document) -> Result<()> {
    let is_pipeline = inner.iter().next().is_some_and(|(name, _)| name == "aggregate");
    match is_pipeline && inner.contains("explain") {
        true => Err(CommandError::failed_to_parse(
            "The 'explain' option is illegal when a explain verbosity is also provided",
        )),
        false => Ok(()),
    }
}

/// Refuses a client that may not run what it wants to have explained: a plan tells of the documents, and of their indexes.
fn check_access(call: &mut Call<'_>, inner: &Document) -> Result<()> {
    let Some((name, first)) = inner.iter().next() else {
        return Ok(());
    };
    let Some((command, called)) = find_command(name) else {
        return Ok(());
    };
    let collection = first.as_str().unwrap_or("");
    let engine = &call.server.engine;
    command
        .access
        .check(engine, call.connection, called, &call.database, collection)
}

/// Explains a command given as a document.
pub(super) async fn explain(call: &Call<'_>, inner: &Document, verbosity: Verbosity) -> Result<Reply> {
    let name = inner.iter().next().map_or("", |(name, _)| name).to_owned();
    let request = Request {
        body: DocumentBuf::from(inner),
        sequences: Vec::new(),
    };
    let what = parse(call, &name, &request)?;
    let described = call
        .server
        .engine
        .explain(&call.context, &what, verbosity)
        .await?;
    let mut reply = Document::new();
    reply.push("explainVersion", "1");
    for (name, value) in described {
        reply.set(name, value);
    }
    reply.set("command", inner.clone());
    reply.set(
        "serverInfo",
        doc! {
            "host": "localhost",
            "port": i32::from(call.server.listening_port()),
            "version": build_info::VERSION,
            "gitVersion": concat!("larder-", env!("CARGO_PKG_VERSION")),
        },
    );
    reply.set(
        "serverParameters",
        doc! {
            "internalDocumentSourceGroupMaxMemoryBytes": STAGE_BYTES_MAX,
            "internalDocumentSourceSetWindowFieldsMaxMemoryBytes": STAGE_BYTES_MAX,
            "internalQueryFrameworkControl": "forceClassicEngine",
            "internalQueryMaxAddToSetBytes": STAGE_BYTES_MAX,
            "internalQueryMaxBlockingSortMemoryUsageBytes": STAGE_BYTES_MAX,
            "internalQueryMaxScansToExplode": 200,
        },
    );
    Ok(reply.into())
}

/// The command that is explained: its collection and its arguments.
fn parse(call: &Call<'_>, name: &str, request: &Request) -> Result<Explained> {
    let Some((command, called)) = find_command(name) else {
        return Err(CommandError::new(
            Code::COMMAND_NOT_FOUND,
            format!("Explain failed due to unknown command: {name}"),
        ));
    };
    let arguments = Arguments::new(called, request);
    let first = request.body.as_raw().get(called).unwrap_or(ValueRef::Null);
    let namespace = || namespace_of(&call.database, first);
    match command.name {
        "find" => {
            let (namespace, request) = (namespace()?, find::parse(&arguments)?);
            check_uuid(call, &namespace, arguments.uuid("collectionUUID")?)?;
            Ok(Explained::Find(namespace, request))
        }
        "count" => Ok(Explained::Count(namespace()?, count::parse(&arguments)?)),
        "distinct" => Ok(Explained::Distinct(namespace()?, distinct::parse(&arguments)?)),
        "aggregate" => {
            let (source, request) = aggregate::parse(&call.database, &arguments, true)?;
            arguments.finish()?;
            aggregate_rules::check(call, &request.pipeline)?;
            pipeline_access::check(call, &source, &request)?;
            check_uuid(call, &source.namespace(), arguments.uuid("collectionUUID")?)?;
            Ok(Explained::Aggregate(source, request))
        }
        "mapReduce" => {
            let (source, request) = map_reduce::explained(call, namespace()?, &arguments)?;
            Ok(Explained::Aggregate(source, request))
        }
        "update" => {
            let write = writes::parse_on(call, namespace()?, &arguments, update::parse)?;
            update::check_access(call, &write.namespace, &write.statements, &write.options)?;
            let (namespace, statement) = only(call, write)?;
            Ok(Explained::Update(namespace, statement))
        }
        "delete" => {
            let write = writes::parse_on(call, namespace()?, &arguments, delete::parse)?;
            let (namespace, statement) = only(call, write)?;
            Ok(Explained::Delete(namespace, statement))
        }
        "findAndModify" => {
            let request = find_and_modify::parse(&arguments, called)?;
            let options = find_and_modify::options(call, &arguments)?;
            arguments.finish()?;
            let namespace = namespace()?;
            find_and_modify::check_access(call, &namespace, &request, &options)?;
            Ok(Explained::FindAndModify(namespace, request))
        }
        other => Err(CommandError::new(
            Code::ILLEGAL_OPERATION,
            format!("Cannot explain cmd: {other}"),
        )),
    }
}

/// The collection of a write, and its only statement.
fn only<S>(call: &Call<'_>, write: WriteCommand<S>) -> Result<(Namespace, S)> {
    write.check_uuid(call)?;
    let mut statements = write.statements.into_iter();
    match (statements.next(), statements.next()) {
        (Some(only), None) => Ok((write.namespace, only)),
        _ => Err(CommandError::new(
            Code::INVALID_LENGTH,
            "explained write batches must be of size 1",
        )),
    }
}
