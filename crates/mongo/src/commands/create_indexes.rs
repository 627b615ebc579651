//! `createIndexes`.

use super::rename_collection::check_uuid;
use super::set_index_commit_quorum::commit_quorum;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::{Document, DocumentBuf, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let specs = arguments
        .documents("indexes")?
        .ok_or_else(|| arguments.missing("indexes"))?;
    let drops_unknown = arguments.flag("ignoreUnknownIndexOptions")?.unwrap_or(false);
    // These change nothing: each index has its own version.
    arguments.integer("v")?;
    arguments.bool("returnOnStart")?;
    let has_quorum = commit_quorum(&arguments)?.is_some();
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    call.check_makeable(&namespace)?;
    if specs.is_empty() {
        return Err(CommandError::bad_value(
            "Must specify at least one index to create",
        ));
    }
    if has_quorum {
        return Err(CommandError::bad_value("Standalones can't specify commitQuorum"));
    }
    check_uuid(call, &namespace, uuid)?;
    let mut specs: Vec<Document> = specs.iter().map(DocumentBuf::to_document).collect();
    if drops_unknown {
        specs = specs.into_iter().map(engine::without_unknown_options).collect();
    }
    let created = call.server.engine.create_indexes(&namespace, &specs).await?;
    let mut reply = doc! {
        "numIndexesBefore": created.before as i32,
        "numIndexesAfter": created.after as i32,
    };
    let all_existed = created.before == created.after;
    if created.created_collection || !all_existed {
        reply.push("createdCollectionAutomatically", created.created_collection);
    }
    if all_existed {
        reply.push("note", "all indexes already exist");
    } else if created.after < created.before + specs.len() {
        reply.push("note", "index already exists");
    }
    Ok(reply.into())
}
