//! `_snapshot`: repositories of snapshots, of which there are none.

use http::StatusCode;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::respond::{Answer, ok};
use serde_json::json;

/// `GET /_snapshot/{repositories}`.
pub(crate) fn repositories(call: &mut Call, names: Option<&str>) -> Result<Answer> {
    call.parameters.end_without(&["local", "master_timeout"])?;
    check(names)?;
    Ok(ok(json!({})))
}

/// Refuses names: no repository has one.
pub(super) fn check(names: Option<&str>) -> Result<()> {
    let mut names = names.into_iter().flat_map(|names| names.split(','));
    match names.find(|name| *name != "_all" && !name.contains('*')) {
        None => Ok(()),
        Some(name) => Err(ElasticError::new(
            StatusCode::NOT_FOUND,
            "repository_missing_exception",
            format!("[{name}] missing"),
        )),
    }
}
