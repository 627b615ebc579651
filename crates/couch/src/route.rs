//! From a path to its endpoint.

use crate::call::Call;
use crate::endpoints::{all_docs, bulk_docs, bulk_get, changes, database, document, local, revisions, root};
use crate::error::{CouchError, Result};
use crate::login;
use http::Response;

/// Answers a request.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    login::authenticate(call).await?;
    let path: Vec<String> = call.path.clone();
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        [] => root::welcome(call),
        ["_up"] => root::up(call),
        ["_all_dbs"] => root::all_dbs(call),
        [name] if name.starts_with('_') && !crate::names::is_system(name) => Err(CouchError::missing()),
        [_] => database::run(call).await,
        [_, "_bulk_docs"] => bulk_docs::run(call).await,
        [_, "_all_docs"] => all_docs::run(call, "").await,
        [_, "_design_docs"] => all_docs::run(call, "_design/").await,
        [_, "_all_docs", "queries"] => all_docs::queries(call, "").await,
        [_, "_design_docs", "queries"] => all_docs::queries(call, "_design/").await,
        [_, "_bulk_get"] => bulk_get::run(call).await,
        [_, "_revs_diff"] => revisions::diff(call).await,
        [_, "_missing_revs"] => revisions::missing_revs(call).await,
        [_, "_purge"] => revisions::purge(call).await,
        [_, "_revs_limit"] => revisions::limit(call).await,
        [_, "_local_docs"] => local::list(call).await,
        [_, "_local", name] => local::run(call, name).await,
        [_, "_local"] => Err(CouchError::bad_request("Invalid _local document id.")),
        [_, "_local", ..] => Err(CouchError::bad_request(
            "_local documents do not accept attachments.",
        )),
        [_, "_changes"] => changes::run(call).await,
        [_, "_ensure_full_commit"] => database::ensure_full_commit(call).await,
        [_, "_design", name] => document::run(call, &format!("_design/{name}")).await,
        [_, id] => document::run(call, id).await,
        _ => Err(CouchError::missing()),
    }
}
