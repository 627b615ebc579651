//! What collections there are, from their heads: nothing is read of their documents.

use crate::call::Call;
use crate::error::Result;
use crate::respond;
use auth::{Action, Resource};
use engine::Namespace;
use http::{Response, StatusCode};
use serde_json::{Value, json};

/// `GET /api/collections`: those that the user may read, by name.
pub(crate) async fn collections(call: &Call) -> Result<Response> {
    call.only_reads()?;
    let engine = &call.server.engine;
    let user = call.user().await?;
    let privileges = user.map(|user| engine.privileges(&user));
    let mut found = Vec::new();
    for database in engine.databases() {
        for entry in engine.collections(&database) {
            let resource = Resource::Collection(&database, &entry.name);
            let is_seen = privileges
                .as_ref()
                .is_none_or(|privileges| privileges.allows(Action::Find, resource));
            if !is_seen {
                continue;
            }
            let namespace = Namespace::new(&database, &entry.name);
            let report = engine.collection_report(&namespace).await?;
            let indexes: Vec<Value> = report
                .indexes
                .iter()
                .map(|(name, bytes)| json!({"name": name, "bytes": bytes}))
                .collect();
            found.push(json!({
                "name": namespace.to_string(),
                "database": database,
                "collection": entry.name,
                "view": entry.is_view,
                "time_series": entry.options.contains("timeseries"),
                "capped": report.capped.is_some(),
                "documents": report.documents,
                "bytes": report.data_bytes,
                "storage_bytes": report.storage_bytes,
                "indexes": indexes,
            }));
        }
    }
    Ok(respond::json(StatusCode::OK, &json!({"collections": found})))
}
