//! `bulkWrite`: writes of all kinds, to several collections, in one command.
//!
//! Inserts into one collection that follow each other are one commit; each other operation is one of its own.

mod operation;
mod result;

use super::rename_collection::{check_uuid, full_name};
use super::{cursor, writes};
use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::{Namespace, WriteOptions};
use operation::{Change, Operation};
use result::Results;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.any("bulkWrite");
    let operations = arguments
        .documents("ops")?
        .ok_or_else(|| arguments.missing("ops"))?;
    let targets = targets(&arguments)?;
    let variables = cursor::variables(&arguments)?;
    let options = writes::options(call, &arguments)?;
    let errors_only = arguments.bool("errorsOnly")?.unwrap_or(false);
    let batch_size = cursor::batch_size(&arguments)?;
    arguments.finish()?;
    writes::check_batch(operations.len())?;
    let operations = operations
        .iter()
        .map(|operation| Operation::parse(operation, &variables, targets.len()))
        .collect::<Result<Vec<_>>>()?;
    check_access(call, &operations, &targets, options)?;

    let results = write(call, operations, &targets, options).await?;
    let documents = results.documents(errors_only);
    let namespace = Namespace::new("admin", "$cmd.bulkWrite");
    let listed = call
        .server
        .engine
        .open_listing(&call.context, namespace, documents, batch_size)?;
    let mut reply = cursor::first_batch(listed);
    results.push_totals(&mut reply.body);
    Ok(reply)
}

/// A collection that operations write into.
struct Target {
    namespace: Namespace,
    /// Which collection the client means by the name.
    uuid: Option<[u8; 16]>,
}

fn targets(arguments: &Arguments<'_>) -> Result<Vec<Target>> {
    let infos = arguments
        .documents("nsInfo")?
        .ok_or_else(|| arguments.missing("nsInfo"))?;
    infos
        .iter()
        .map(|info| {
            let info = Fields::new("bulkWrite.nsInfo", info.as_ref());
            let name = info.required_string("ns")?;
            if info.present("encryptionInformation").is_some() {
                return Err(CommandError::new(
                    Code::NOT_IMPLEMENTED,
                    "encrypted collections are not supported yet",
                ));
            }
            info.ignore(&["shardVersion", "databaseVersion"]);
            info.bool("isTimeseriesNamespace")?;
            let uuid = info.uuid("collectionUUID")?;
            info.finish()?;
            let namespace = full_name("bulkWrite.nsInfo.ns", name)?;
            Ok(Target { namespace, uuid })
        })
        .collect()
}

fn check_access(
    call: &Call<'_>,
    operations: &[Operation],
    targets: &[Target],
    options: WriteOptions,
) -> Result<()> {
    for operation in operations {
        let Some(Target { namespace, .. }) = targets.get(operation.namespace) else {
            continue;
        };
        writes::check_access(call, namespace, operation.actions(), &options)?;
    }
    Ok(())
}

async fn write(
    call: &Call<'_>,
    operations: Vec<Operation>,
    targets: &[Target],
    options: WriteOptions,
) -> Result<Results> {
    let engine = &call.server.engine;
    let mut results = Results::default();
    let mut rest = operations.into_iter().enumerate().peekable();
    while let Some((index, operation)) = rest.next() {
        if options.ordered && results.has_errors() {
            break;
        }
        let Some(Target { namespace, uuid }) = targets.get(operation.namespace) else {
            return Err(CommandError::bad_value(
                "BulkWrite ops entry has an invalid nsInfo index",
            ));
        };
        if let Err(mismatch) = check_uuid(call, namespace, *uuid) {
            results.refuse(index, mismatch);
            continue;
        }
        let first_statement = options
            .first_statement
            .saturating_add(i32::try_from(index).unwrap_or(i32::MAX));
        let options = WriteOptions {
            first_statement,
            ..options
        };
        match operation.change {
            Change::Insert(document) => {
                let mut documents = vec![document];
                while let Some((_, next)) = rest.next_if(|(_, next)| {
                    next.namespace == operation.namespace && matches!(next.change, Change::Insert(_))
                }) {
                    if let Change::Insert(document) = next.change {
                        documents.push(document);
                    }
                }
                let count = documents.len();
                let done = engine.insert(&call.context, namespace, documents, &options).await;
                results.add_inserts(index, count, options.ordered, done)?;
            }
            Change::Update(statement) => {
                let done = engine
                    .update(&call.context, namespace, vec![*statement], &options)
                    .await;
                results.add_update(index, done)?;
            }
            Change::Delete(statement) => {
                let done = engine
                    .delete(&call.context, namespace, vec![statement], &options)
                    .await;
                results.add_delete(index, done)?;
            }
        }
    }
    Ok(results)
}
