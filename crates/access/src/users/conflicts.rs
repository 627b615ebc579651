//! Documents of users in conflict, which nobody may use (`src/chttpd/src/chttpd_auth_cache.erl`, `maybe_validate_user_creds`).

use super::stored;
use crate::config::Config;
use crate::error::{CouchError, Result};
use crate::ids;
use engine::{Engine, Record};
use value::Value;

/// Refuses a user whose document has conflicts, unless the setting `[chttpd_auth] allow_conflicted_user_docs` says that it may.
/// Returns the document, where there is one.
pub(crate) async fn check_usable(engine: &Engine, config: &Config, name: &str) -> Result<Option<Record>> {
    let Some(users) = stored(engine, config)? else {
        return Ok(None);
    };
    let snapshot = users.snapshot().await?;
    let id = Value::from(format!("{}{name}", ids::USER));
    let Some(record) = snapshot.document(id.as_ref()).await? else {
        return Ok(None);
    };
    if !record.has_tree() || config.is_on("chttpd_auth", "allow_conflicted_user_docs") {
        return Ok(Some(record));
    }
    let history = snapshot.history_of(&record).await?;
    let nodes = history.tree.nodes();
    let live = history
        .tree
        .leaves()
        .into_iter()
        .filter(|&leaf| !nodes[leaf].deleted);
    match live.count() {
        0 | 1 => Ok(Some(record)),
        _ => Err(CouchError::unauthorized(
            "User document conflicts must be resolved before the document is used for authentication purposes.",
        )),
    }
}
