//! What full-text indexes hold, and taking those away that no design document defines.

use super::opened;
use crate::call::Call;
use crate::endpoints::database::{maintained, posted_to};
use crate::respond;
use access::error::Result;
use access::ids;
use clouseau::Form;
use engine::Sequence;
use http::{Response, StatusCode};
use serde_json::{Value, json};

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
    Ok(answer(design, name, &said))
}

/// `GET /{db}/_design/{name}/_search_disk_size/{index}`.
pub(crate) async fn disk_size(call: &mut Call, design: &str, name: &str) -> Result<Response> {
    call.require_read("GET")?;
    let database = call.database()?;
    let index = opened(call, &database, (design, Form::Search, name), true).await?;
    let said = json!({"disk_size": index.group.info().await?.disk_bytes});
    Ok(answer(design, name, &said))
}

fn answer(design: &str, name: &str, said: &Value) -> Response {
    let name = format!("{}{design}/{name}", ids::DESIGN);
    respond::ok(json!({"name": name, "search_index": said}).to_string())
}

/// `POST /{db}/_nouveau_cleanup`, and `_search_cleanup`, which wants no type of its body.
pub(crate) async fn clean_up(call: &mut Call, form: Form) -> Result<Response> {
    let database = match form {
        Form::Nouveau => maintained(call)?,
        Form::Search => posted_to(call)?,
    };
    call.server.designs.clean_up(&database).await?;
    Ok(respond::ok_true(StatusCode::ACCEPTED))
}
