//! `bulkWrite`: writes of all kinds, to several collections, in one command.
//!
//! Inserts into one collection that follow each other are one commit; each other operation is one of its own.

mod operation;
mod result;

use super::{cursor, rename_collection::full_name, writes};
use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
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
    let namespaces = namespaces(&arguments)?;
    let variables = cursor::variables(&arguments)?;
    let options = writes::options(call, &arguments)?;
    let errors_only = arguments.bool("errorsOnly")?.unwrap_or(false);
    let batch_size = cursor::batch_size(&arguments)?;
    arguments.finish()?;
    writes::check_batch(operations.len())?;
    let operations = operations
        .iter()
        .map(|operation| Operation::parse(operation, &variables, namespaces.len()))
        .collect::<Result<Vec<_>>>()?;
    check_access(call, &operations, &namespaces, options)?;

    let results = write(call, operations, &namespaces, options).await?;
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

fn namespaces(arguments: &Arguments<'_>) -> Result<Vec<Namespace>> {
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
            info.ignore(&["shardVersion", "databaseVersion", "isTimeseriesNamespace"]);
            info.any("collectionUUID");
            info.finish()?;
            full_name("bulkWrite.nsInfo.ns", name)
        })
        .collect()
}

fn check_access(
    call: &Call<'_>,
    operations: &[Operation],
    namespaces: &[Namespace],
    options: WriteOptions,
) -> Result<()> {
    for operation in operations {
        let Some(namespace) = namespaces.get(operation.namespace) else {
            continue;
        };
        let resource = Resource::Collection(&namespace.database, &namespace.collection);
        for action in operation.actions() {
            call.require(*action, resource)?;
        }
        if options.bypass_validation {
            call.require(Action::BypassDocumentValidation, resource)?;
        }
    }
    Ok(())
}

async fn write(
    call: &Call<'_>,
    operations: Vec<Operation>,
    namespaces: &[Namespace],
    options: WriteOptions,
) -> Result<Results> {
    let mut results = Results::default();
    let mut rest = operations.into_iter().enumerate().peekable();
    while let Some((index, operation)) = rest.next() {
        if options.ordered && results.has_errors() {
            break;
        }
        let Some(namespace) = namespaces.get(operation.namespace) else {
            return Err(CommandError::bad_value(
                "BulkWrite ops entry has an invalid nsInfo index",
            ));
        };
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
                let done = call
                    .server
                    .engine
                    .insert(&call.context, namespace, documents, &options)
                    .await?;
                results.add_inserts(index, count, options.ordered, done);
            }
            Change::Update(statement) => {
                let done = call
                    .server
                    .engine
                    .update(&call.context, namespace, vec![*statement], &options)
                    .await?;
                results.add_update(index, done);
            }
            Change::Delete(statement) => {
                let done = call
                    .server
                    .engine
                    .delete(&call.context, namespace, vec![statement], &options)
                    .await?;
                results.add_delete(index, done);
            }
        }
    }
    Ok(results)
}
