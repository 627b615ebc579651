//! `update`.

use super::{collation, cursor, writes};
use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::Action;
use code::Code;
use engine::{Namespace, UpdateStatement, WriteOptions};
use value::{Document, DocumentRef, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let write = writes::parse(call, parse)?;
    check_access(call, &write.namespace, &write.statements, &write.options)?;
    if let Some(errors) = write.mismatch(call) {
        return Ok(doc! {"n": 0, "nModified": 0, "writeErrors": errors}.into());
    }
    let done = call
        .server
        .engine
        .update(&call.context, &write.namespace, write.statements, &write.options)
        .await?;
    if writes::is_unacknowledged(call) {
        return Ok(doc! {"n": 0, "nModified": 0}.into());
    }
    let mut reply = doc! {"n": Value::count(done.matched), "nModified": Value::count(done.modified)};
    if !done.upserted.is_empty() {
        let upserted: Value = done
            .upserted
            .into_iter()
            .map(|(index, id)| Value::Document(doc! {"index": index as i32, "_id": id}))
            .collect();
        reply.push("upserted", upserted);
    }
    writes::push_failures(&mut reply, done.failures)?;
    Ok(reply.into())
}

/// Refuses a client that may update and not do what the statements do besides; `explain` refuses it too.
pub(super) fn check_access(
    call: &Call<'_>,
    namespace: &Namespace,
    statements: &[UpdateStatement],
    options: &WriteOptions,
) -> Result<()> {
    let upserts = statements.iter().any(|statement| statement.upsert);
    let actions: &[Action] = if upserts { &[Action::Insert] } else { &[] };
    writes::check_access(call, namespace, actions, options)
}

/// Reads the statements; `explain` reads them too.
pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Vec<UpdateStatement>> {
    arguments.ignore(&["update"]);
    writes::statements(arguments, "updates", parse_statement)
}

fn parse_statement(statement: DocumentRef<'_>, variables: &Document) -> Result<UpdateStatement> {
    let arguments = Fields::new("update.updates", statement);
    let filter = arguments.document("q")?.ok_or_else(|| arguments.missing("q"))?;
    let update = arguments.any("u").ok_or_else(|| arguments.missing("u"))?;
    let parsed = UpdateStatement {
        filter: filter.to_document(),
        update: Some(writes::update_of("u", update)?),
        multi: arguments.bool("multi")?.unwrap_or(false),
        upsert: arguments.bool("upsert")?.unwrap_or(false),
        array_filters: writes::array_filters(&arguments)?,
        hint: cursor::hint(&arguments)?,
        sort: arguments.decoded("sort")?,
        variables: variables.clone(),
        constants: arguments.decoded("c")?,
        collation: collation::parse(&arguments)?,
    };
    if !parsed.constants.is_empty() && !matches!(parsed.update, Some(Value::Array(_))) {
        return Err(CommandError::new(
            Code::location(51_198),
            "Constant values may only be specified for pipeline updates",
        ));
    }
    if parsed.multi && !parsed.sort.is_empty() {
        return Err(CommandError::failed_to_parse(
            "Cannot specify sort with multi=true",
        ));
    }
    arguments.ignore(&[
        "upsertSupplied",
        "sampleId",
        "allowShardKeyUpdatesWithoutFullShardKeyInQuery",
    ]);
    arguments.finish()?;
    Ok(parsed)
}
