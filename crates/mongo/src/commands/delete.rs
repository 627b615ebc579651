//! `delete`.

use super::{collation, cursor, writes};
use crate::arguments::{Arguments, Fields, Number};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::DeleteStatement;
use value::{Document, DocumentRef, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let write = writes::parse(call, parse)?;
    if let Some(errors) = write.mismatch(call) {
        return Ok(doc! {"n": 0, "writeErrors": errors}.into());
    }
    let done = call
        .server
        .engine
        .delete(&call.context, &write.namespace, write.statements, &write.options)
        .await?;
    if writes::is_unacknowledged(call) {
        return Ok(doc! {"n": 0}.into());
    }
    let mut reply = doc! {"n": Value::count(done.deleted)};
    writes::push_failures(&mut reply, done.failures)?;
    Ok(reply.into())
}

/// Reads the statements; `explain` reads them too.
pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Vec<DeleteStatement>> {
    arguments.ignore(&["delete"]);
    writes::statements(arguments, "deletes", parse_statement)
}

fn parse_statement(statement: DocumentRef<'_>, variables: &Document) -> Result<DeleteStatement> {
    let arguments = Fields::new("delete.deletes", statement);
    let filter = arguments.document("q")?.ok_or_else(|| arguments.missing("q"))?;
    let limit = arguments
        .present("limit")
        .ok_or_else(|| arguments.missing("limit"))?;
    if !limit.is_number() {
        return Err(arguments
            .wrong_type("limit", limit, "'[long, int, decimal, double]'")
            .into());
    }
    let only_first = match Number::of(limit).and_then(Number::to_i64) {
        Some(0) => false,
        Some(1) => true,
        _ => {
            return Err(CommandError::failed_to_parse(
                "The limit field in delete objects must be 0 or 1. Got something else",
            ));
        }
    };
    let hint = cursor::hint(&arguments)?;
    let collation = collation::parse(&arguments)?;
    arguments.ignore(&["sampleId"]);
    arguments.finish()?;
    Ok(DeleteStatement {
        filter: filter.to_document(),
        only_first,
        hint,
        variables: variables.clone(),
        collation,
    })
}
