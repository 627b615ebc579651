//! Cursors in arguments and replies.

use crate::arguments::{Arguments, Fields};
use crate::error::{CommandError, Result};
use crate::wire::{CursorBatch, Reply};
use engine::CursorReply;
use value::{Document, Value, ValueRef};

/// The reply with a cursor's first documents.
pub(super) fn first_batch(reply: CursorReply) -> Reply {
    batch("firstBatch", reply)
}

/// The reply with a cursor's next documents.
pub(super) fn next_batch(reply: CursorReply) -> Reply {
    batch("nextBatch", reply)
}

fn batch(name: &'static str, reply: CursorReply) -> Reply {
    let cursor = CursorBatch {
        name,
        documents: reply.batch,
        id: reply.id,
        namespace: reply.namespace.to_string(),
        at_cluster_time: None,
        _held: reply.held,
    };
    Reply {
        cursor: Some(cursor),
        ..Reply::default()
    }
}

/// `cursor: {batchSize}`.
pub(super) fn batch_size(arguments: &Arguments<'_>) -> Result<Option<u64>> {
    let Some(cursor) = arguments.document("cursor")? else {
        return Ok(None);
    };
    let cursor = Fields::new("cursor", cursor);
    let size = cursor.count("batchSize")?;
    cursor.finish()?;
    Ok(size)
}

/// `hint`: an index's name, its key, or `{$natural: ±1}`; null is none of them.
pub(super) fn hint(arguments: &Fields<'_>) -> Result<Option<Value>> {
    match arguments.any("hint") {
        None => Ok(None),
        Some(ValueRef::Document(key)) if key.is_empty() => Ok(None),
        Some(ValueRef::String(name)) => Ok(Some(Value::from(name))),
        Some(ValueRef::Document(key)) => Ok(Some(Value::Document(key.to_document()))),
        Some(_) => Err(CommandError::failed_to_parse(
            "Hint must be a string or an object",
        )),
    }
}

/// `let`: variables, each evaluated without a document.
pub(super) fn variables(arguments: &Arguments<'_>) -> Result<Document> {
    Ok(arguments.decoded("let")?)
}
