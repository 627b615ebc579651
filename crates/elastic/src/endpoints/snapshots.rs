//! `_snapshot`: repositories of snapshots, of which there are none.

use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::respond::{Answer, acknowledged, ok};
use serde_json::json;

/// `GET /_snapshot/{repositories}`.
pub(crate) fn repositories(call: &mut Call, names: Option<&str>) -> Result<Answer> {
    call.parameters.end_without(&["local", "master_timeout"])?;
    check(names)?;
    Ok(ok(json!({})))
}

/// `DELETE /_snapshot/*`: what is forgotten is nothing.
pub(crate) fn forget(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::DELETE])?;
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    Ok(acknowledged())
}

/// `GET /_snapshot/{repository}/_status`: which snapshots are being taken. A repository that is not there takes none.
pub(crate) fn status(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.flag("ignore_unavailable")?;
    call.parameters.end_without(&["master_timeout"])?;
    Ok(ok(json!({"snapshots": []})))
}

/// The refusal of a request for a repository or its snapshots; `None` if the path means nothing, or would make a repository.
pub(crate) fn refusal(call: &Call, path: &[&str]) -> Option<ElasticError> {
    match path {
        ["_snapshot", name] if call.method == Method::DELETE => Some(missing(name)),
        ["_snapshot", name, _]
        | ["_snapshot", name, _, "_restore" | "_status"]
        | ["_snapshot", name, _, "_clone", _] => Some(missing(name)),
        _ => None,
    }
}

/// Refuses names: no repository has one.
pub(super) fn check(names: Option<&str>) -> Result<()> {
    let mut names = names.into_iter().flat_map(|names| names.split(','));
    match names.find(|name| *name != "_all" && !name.contains('*')) {
        None => Ok(()),
        Some(name) => Err(missing(name)),
    }
}

fn missing(name: &str) -> ElasticError {
    ElasticError::new(
        StatusCode::NOT_FOUND,
        "repository_missing_exception",
        format!("[{name}] missing"),
    )
}
