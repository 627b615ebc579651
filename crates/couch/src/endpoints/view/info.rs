//! What views hold, and looking after them.

use crate::call::Call;
use crate::endpoints::database::{maintained, posted_to};
use crate::endpoints::mango;
use crate::endpoints::node::NODE;
use crate::respond;
use access::error::Result;
use access::names;
use engine::{Namespace, Sequence};
use http::{Response, StatusCode};
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

/// `GET /{db}/_design/{name}/_info`.
pub(crate) async fn design_info(call: &mut Call, name: &str) -> Result<Response> {
    call.require_read("GET")?;
    let database = call.database()?;
    let design = call.server.designs.named(&database, name).await?;
    if design.body.get("language").and_then(|language| language.as_str()) == Some("query") {
        return mango::design_info(&database, name);
    }
    let info = call
        .server
        .designs
        .group(&database, &design)
        .await?
        .info()
        .await?;
    let text = json!({
        "name": name,
        "view_index": {
            "updates_pending": {"minimum": info.pending, "preferred": info.pending, "total": info.pending},
            "waiting_commit": false,
            "waiting_clients": 0,
            "updater_running": info.is_updating,
            "update_seq": info.sequence.changes_since(&Sequence::START),
            "sizes": {"file": info.disk_bytes, "external": info.external_bytes, "active": info.disk_bytes},
            "signature": info.signature,
            "purge_seq": 0,
            "language": info.language,
            "compact_running": false,
            "collator_versions": ["CLDR root"],
        },
    });
    Ok(respond::ok(text.to_string()))
}

/// `POST /{db}/_view_cleanup`.
pub(crate) async fn clean_up(call: &mut Call) -> Result<Response> {
    let database = posted_to(call)?;
    call.server.designs.clean_up(&database).await?;
    Ok(respond::ok_true(StatusCode::ACCEPTED))
}

/// `POST /{db}/_compact/{design document}`.
pub(crate) async fn compact(call: &mut Call, name: &str) -> Result<Response> {
    let database = maintained(call)?;
    let design = call.server.designs.named(&database, name).await?;
    let group = call.server.designs.group(&database, &design).await?;
    // CouchDB answers at once too, and compacts afterwards.
    tokio::spawn(async move {
        if let Err(error) = group.compact().await {
            tracing::warn!(%error, "a view could not be compacted");
        }
    });
    Ok(respond::ok_true(StatusCode::ACCEPTED))
}

/// The views that are being built, as `_active_tasks` shows them.
pub(crate) fn tasks(call: &Call) -> Vec<serde_json::Value> {
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let tasks = call.server.designs.views().tasks().into_iter().map(|task| {
        let database = Namespace::parse(&task.namespace).map(|namespace| names::name(&namespace));
        json!({
            "node": NODE,
            "pid": "<0.0.0>",
            "type": "indexer",
            "database": database,
            "design_document": task.design,
            "indexer_pid": "<0.0.0>",
            "changes_done": task.done,
            "total_changes": task.total,
            "progress": task.done * 100 / task.total.max(1),
            "started_on": seconds(task.started),
            "updated_on": seconds(task.updated),
        })
    });
    tasks.collect()
}
