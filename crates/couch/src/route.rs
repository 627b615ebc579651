//! From a path to its endpoint.

use crate::call::Call;
use crate::endpoints::{
    active_tasks, all_docs, bulk_docs, bulk_get, changes, cluster_setup, couchapp, database, document, local,
    mango, node, partition, replicate, revisions, root, scheduler, session, uuids, view,
};
use crate::error::{CouchError, Result};
use crate::{ids, login, names};
use http::{Method, Response};

/// Answers a request.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    login::authenticate(call).await?;
    dispatch(call).await
}

/// Answers a request of a user who is known.
pub(crate) async fn dispatch(call: &mut Call) -> Result<Response> {
    let operation = call.operation.clone();
    operation.run(chosen(call)).await
}

/// Has the endpoint of the path answer.
async fn chosen(call: &mut Call) -> Result<Response> {
    let path = call.path.clone();
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match &path[..] {
        [] => root::welcome(call),
        ["favicon.ico"] => root::icon(call),
        [first, ..] if first.starts_with('_') && !names::is_system(first) => global(call, &path).await,
        [_] => database::run(call).await,
        [_, second, ..] if second.starts_with('_') => special(call, &path).await,
        [_, id] => document::run(call, id).await,
        [_, id, name @ ..] => document::attachment::run(call, id, &name.join("/")).await,
    }
}

/// What belongs to no database.
async fn global(call: &mut Call, path: &[&str]) -> Result<Response> {
    match path {
        ["_up"] => root::up(call),
        ["_all_dbs"] => root::all_dbs(call),
        ["_dbs_info"] => root::dbs_info(call).await,
        ["_db_updates"] => changes::databases(call).await,
        ["_cluster_setup"] => cluster_setup::run(call).await,
        ["_uuids"] => uuids::run(call),
        ["_session"] => session::run(call).await,
        ["_membership"] => node::membership(call),
        ["_active_tasks"] => active_tasks::run(call),
        ["_node", name, rest @ ..] => node::run(call, name, rest).await,
        ["_replicate"] => replicate::run(call).await,
        ["_scheduler", rest @ ..] => scheduler::run(call, rest).await,
        ["_utils", ..] => Err(CouchError::not_found("there is no administration page here")),
        _ => Err(CouchError::missing()),
    }
}

/// What belongs to a database but is no document with a plain id.
async fn special(call: &mut Call, path: &[&str]) -> Result<Response> {
    match &path[1..] {
        ["_all_docs"] => all_docs::run(call, "").await,
        ["_design_docs"] => all_docs::run(call, ids::DESIGN).await,
        ["_all_docs", "queries"] => all_docs::queries(call, "").await,
        ["_design_docs", "queries"] => all_docs::queries(call, ids::DESIGN).await,
        ["_bulk_docs"] => bulk_docs::run(call).await,
        ["_bulk_get"] => bulk_get::run(call).await,
        ["_changes"] => changes::run(call).await,
        ["_compact", name] => view::compact(call, name).await,
        ["_compact", ..] => database::compact(call).await,
        ["_ensure_full_commit"] => database::ensure_full_commit(call).await,
        ["_missing_revs"] => revisions::missing_revs(call).await,
        ["_purged_infos"] => revisions::purges(call).await,
        ["_purged_infos_limit"] => revisions::purges_limit(call).await,
        ["_purge"] => revisions::purge(call).await,
        ["_revs_diff"] => revisions::diff(call).await,
        ["_revs_limit"] => revisions::limit(call).await,
        ["_security"] => database::security(call).await,
        ["_view_cleanup"] => view::clean_up(call).await,
        ["_local_docs"] => local::list(call).await,
        ["_local"] => Err(CouchError::bad_request("Invalid _local document id.")),
        ["_local", name] => local::run(call, name).await,
        ["_local", ..] => Err(CouchError::bad_request(
            "_local documents do not accept attachments.",
        )),
        ["_shards"] => node::shards(call, None),
        ["_shards", document] => node::shards(call, Some(document)),
        ["_sync_shards"] => node::sync_shards(call),
        ["_temp_view"] => view::temporary(),
        ["_design", name, "_info"] => view::design_info(call, name).await,
        ["_design", name, "_view", view] => view::run(call, name, view).await,
        ["_design", name, "_view", view, "queries"] => view::queries(call, name, view).await,
        ["_design", name, "_show", rest @ ..] => couchapp::show(call, name, rest).await,
        ["_design", name, "_list", rest @ ..] => couchapp::list(call, name, rest).await,
        ["_design", name, "_update", rest @ ..] => couchapp::update(call, name, rest).await,
        ["_design", name, "_rewrite", rest @ ..] => couchapp::rewrite(call, name, rest).await,
        ["_design", name] => document::run(call, &format!("{}{name}", ids::DESIGN)).await,
        ["_find"] => mango::find(call).await,
        ["_explain"] => mango::explain(call).await,
        ["_index", rest @ ..] => mango::index(call, rest).await,
        ["_partition", rest @ ..] => partition::run(call, rest).await,
        ["_design", name, second, rest @ ..] if !second.starts_with('_') => {
            let attachment = std::iter::once(second)
                .chain(rest)
                .copied()
                .collect::<Vec<_>>()
                .join("/");
            document::attachment::run(call, &format!("{}{name}", ids::DESIGN), &attachment).await
        }
        ["_design", _, ..] => Err(CouchError::missing()),
        // A slash of a design or local document's id may be encoded.
        [id] => match id.strip_prefix(ids::LOCAL) {
            Some(name) => local::run(call, name).await,
            None => document::run(call, id).await,
        },
        [id, ..] if call.method == Method::PUT => ids::check(id).and(Err(CouchError::missing())),
        _ => Err(CouchError::missing()),
    }
}
