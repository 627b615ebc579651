//! What full-text indexes hold, and taking those away that no design document defines.

use super::opened;
use crate::call::Call;
use crate::endpoints::database::maintained;
use crate::respond;
use access::error::Result;
use access::ids;
use clouseau::Form;
use engine::Sequence;
use http::{Response, StatusCode};
use serde_json::json;

/// `GET /{db}/_design/{name}/_nouveau_info/{index}`, and `_search_info`.
pub(crate) async fn info(call: &mut Call, design: &str, form: Form, name: &str) -> Result<Response> {
    call.require_read("GET")?;
    let database = call.database()?;
    let index = opened(call, &database, (design, form, name), true).await?;
    let info = index.group.info().await?;
    let reached = info.sequence.changes_since(&Sequence::START);
    let said = match form {
        Form::Nouveau => json!({
            "update_seq": reached,
            "purge_seq": database.collection.report().await?.purge_sequence.changes_since(&Sequence::START),
            "num_docs": info.rows,
            "disk_size": info.disk_bytes,
            "signature": info.signature,
        }),
        Form::Search => json!({
            "pending_seq": reached + info.pending,
            "committed_seq": reached,
            "doc_del_count": 0,
            "doc_count": info.rows,
            "disk_size": info.disk_bytes,
            "signature": info.signature,
        }),
    };
    let name = format!("{}{design}/{name}", ids::DESIGN);
    Ok(respond::ok(
        json!({"name": name, "search_index": said}).to_string(),
    ))
}

/// `POST /{db}/_nouveau_cleanup`, and `_search_cleanup`.
pub(crate) async fn clean_up(call: &mut Call) -> Result<Response> {
    let database = maintained(call)?;
    call.server.designs.clean_up(&database).await?;
    Ok(respond::ok_true(StatusCode::ACCEPTED))
}
