//! What the commands that write have in common.

use super::cursor;
use super::rename_collection::check_uuid;
use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use auth::{Action, Resource};
use code::Code;
use engine::{Namespace, WriteFailure, WriteOptions};
use value::{ArrayRef, Document, DocumentRef, Value, ValueRef};

/// An update or a delete, read whole before anything is done.
pub(super) struct WriteCommand<S> {
    pub(super) namespace: Namespace,
    pub(super) statements: Vec<S>,
    pub(super) options: WriteOptions,
    /// The collection that the client means.
    uuid: Option<[u8; 16]>,
}

impl<S> WriteCommand<S> {
    /// Refuses a client that means another collection.
    pub(super) fn check_uuid(&self, call: &Call<'_>) -> Result<()> {
        check_uuid(call, &self.namespace, self.uuid)
    }

    /// The `writeErrors` where the client means another collection.
    pub(super) fn mismatch(&self, call: &Call<'_>) -> Option<Value> {
        refusals(self.check_uuid(call), self.statements.len(), self.options.ordered)
    }
}

/// The `writeErrors` of a command none of whose statements may be done; none where they may.
pub(super) fn refusals(checked: Result<()>, count: usize, ordered: bool) -> Option<Value> {
    let error = checked.err()?;
    let tried = if ordered { 1 } else { count };
    let errors = (0..tried).map(|index| Value::Document(error.to_write_error(index)));
    Some(errors.collect())
}

/// Reads an update or a delete.
pub(super) fn parse<S>(
    call: &Call<'_>,
    statements: fn(&Arguments<'_>) -> Result<Vec<S>>,
) -> Result<WriteCommand<S>> {
    parse_on(call, call.namespace()?, &call.arguments(), statements)
}

/// As [`parse`], of a command within the call's.
pub(super) fn parse_on<S>(
    call: &Call<'_>,
    namespace: Namespace,
    arguments: &Arguments<'_>,
    statements: fn(&Arguments<'_>) -> Result<Vec<S>>,
) -> Result<WriteCommand<S>> {
    let statements = statements(arguments)?;
    let options = options(call, arguments)?;
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.ignore(&["runtimeConstants", "legacyRuntimeConstants"]);
    arguments.finish()?;
    check_batch(statements.len())?;
    Ok(WriteCommand {
        namespace,
        statements,
        options,
        uuid,
    })
}

/// `ordered`, `bypassDocumentValidation`, `stmtId`, and what the write concern says of durability.
pub(super) fn options(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<WriteOptions> {
    let ordered = arguments.bool("ordered")?.unwrap_or(true);
    let bypass_validation = arguments.flag("bypassDocumentValidation")?.unwrap_or(false);
    let keeps_empty_timestamps = arguments.flag("bypassEmptyTsReplacement")?.unwrap_or(false);
    let first_statement = first_statement(arguments)?;
    Ok(WriteOptions {
        ordered,
        journaled: is_journaled(call),
        bypass_validation,
        keeps_empty_timestamps,
        first_statement,
    })
}

/// The number of the first statement, from which the others are counted.
fn first_statement(arguments: &Arguments<'_>) -> Result<i32> {
    let first = match arguments.present("stmtId") {
        None => None,
        Some(ValueRef::Int32(first)) => Some(first),
        Some(other) => return Err(arguments.wrong_type("stmtId", other, "'int'").into()),
    };
    let mut ids = Vec::new();
    let listed = arguments.array("stmtIds")?;
    for (at, id) in listed.into_iter().flat_map(ArrayRef::iter).enumerate() {
        match id {
            ValueRef::Int32(id) => ids.push(id),
            other => {
                return Err(arguments
                    .wrong_type(&format!("stmtIds.{at}"), other, "'int'")
                    .into());
            }
        }
    }
    match (first, ids.first()) {
        (Some(_), Some(_)) => Err(CommandError::invalid_options(
            "May not specify both stmtId and stmtIds in write command",
        )),
        (None, Some(_)) if ids.windows(2).any(|two| two[0].checked_add(1) != Some(two[1])) => {
            Err(CommandError::new(
                Code::NOT_IMPLEMENTED,
                "stmtIds that leave some out are not supported: statements are numbered in order",
            ))
        }
        (first, listed) => Ok(first.or(listed.copied()).unwrap_or(0)),
    }
}

/// Refuses a client that may not do all of this to a collection, and a collection that may not be made by it.
pub(super) fn check_access(
    call: &Call<'_>,
    namespace: &Namespace,
    actions: &[Action],
    options: &WriteOptions,
) -> Result<()> {
    let resource = Resource::Collection(&namespace.database, &namespace.collection);
    check_actions(call, resource, actions, options.bypass_validation)?;
    call.check_makeable(namespace)
}

/// Refuses a client that may not do all of this. To pass a validator by is an action of its own.
pub(super) fn check_actions(
    call: &Call<'_>,
    resource: Resource<'_>,
    actions: &[Action],
    bypasses_validation: bool,
) -> Result<()> {
    let bypass = bypasses_validation.then_some(Action::BypassDocumentValidation);
    actions
        .iter()
        .copied()
        .chain(bypass)
        .try_for_each(|action| call.require(action, resource))
}

/// Whether the answer waits for the flush: unless the client said `j: false`, or wants no answer.
pub(super) fn is_journaled(call: &Call<'_>) -> bool {
    match call.generic.write_concern {
        Some(concern) => concern.journaled.unwrap_or(!concern.unacknowledged),
        None => true,
    }
}

/// Whether the client does not want to know what became of its statements (`w: 0`). Where it waits for an answer all the same,
/// that tells of nothing done and nothing wrong, as in MongoDB.
pub(super) fn is_unacknowledged(call: &Call<'_>) -> bool {
    let concern = call.generic.write_concern;
    concern.is_some_and(|concern| concern.unacknowledged)
}

/// The statements of a command, each read with the command's variables.
pub(super) fn statements<T>(
    arguments: &Arguments<'_>,
    name: &'static str,
    parse: fn(DocumentRef<'_>, &Document) -> Result<T>,
) -> Result<Vec<T>> {
    let statements = arguments
        .documents(name)?
        .ok_or_else(|| arguments.missing(name))?;
    let variables = cursor::variables(arguments)?;
    statements
        .iter()
        .map(|statement| parse(statement.as_ref(), &variables))
        .collect()
}

/// MongoDB's limit on statements of one command.
pub(super) fn check_batch(count: usize) -> Result<()> {
    let most = engine::limits::WRITE_BATCH_MAX;
    match (1..=most).contains(&count) {
        true => Ok(()),
        false => Err(CommandError::new(
            Code::INVALID_LENGTH,
            format!("Write batch sizes must be between 1 and {most}. Got {count} operations."),
        )),
    }
}

/// Adds `writeErrors`, where there are any. A command that was ended from outside fails as a whole, as in MongoDB.
pub(super) fn push_failures(reply: &mut Document, failures: Vec<WriteFailure>) -> Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    if let Some(ended) = failures
        .iter()
        .position(|failure| failure.error.code.is_interruption())
    {
        let mut failures = failures;
        return Err(failures.swap_remove(ended).error.into());
    }
    let errors: Value = failures
        .into_iter()
        .map(|failure| Value::Document(CommandError::from(failure.error).to_write_error(failure.index)))
        .collect();
    reply.push("writeErrors", errors);
    Ok(())
}

/// An update: operators or a replacement (a document), or a pipeline (an array of documents).
pub(super) fn update_of(path: &str, value: ValueRef<'_>) -> Result<Value> {
    match value {
        ValueRef::Document(_) => Ok(value.to_value()),
        ValueRef::Array(stages) => match stages.iter().find(|stage| stage.as_document().is_none()) {
            Some(other) => Err(CommandError::type_mismatch(format!(
                "Each element of the '{path}' array must be an object, not {}",
                other.type_of().alias()
            ))),
            None => Ok(value.to_value()),
        },
        _ => Err(CommandError::failed_to_parse(
            "Update argument must be either an object or an array",
        )),
    }
}

/// `arrayFilters`, decoded.
pub(super) fn array_filters(arguments: &Fields<'_>) -> Result<Vec<Document>> {
    let filters = arguments.document_list("arrayFilters")?.unwrap_or_default();
    Ok(filters.into_iter().map(DocumentRef::to_document).collect())
}
