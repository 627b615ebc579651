//! From a path to its endpoint.

use crate::call::Call;
use crate::endpoints::{
    active_tasks, all_docs, bulk_docs, bulk_get, changes, cluster_setup, couchapp, database, document, local,
    mango, node, partition, replicate, reshard, revisions, root, scheduler, session, text_search, uuids,
    view,
};
use crate::escaped_design;
use crate::rights;
use access::error::{CouchError, Result};
use access::security::require_server_admin;
use access::{ids, login, names};
use clouseau::Form;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use http::{Method, Response};

/// Answers a request.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    call.user = login::authenticate(&call.visitor()).await?;
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
    rights::check(call, &path)?;
    endpoint(call, &path).await
}

/// What an endpoint does. In a box, because a request that could hold the state of any endpoint is a hundred kilobytes large,
/// and a replication within the server has one request run inside of another.
type Answering<'a> = BoxFuture<'a, Result<Response>>;

fn endpoint<'a>(call: &'a mut Call, path: &'a [&'a str]) -> Answering<'a> {
    match path {
        [] => at_once(root::welcome(call)),
        ["favicon.ico"] => at_once(root::icon(call)),
        [first, ..] if first.starts_with('_') && !names::is_system(first) => global(call, path),
        [_] => database::run(call).boxed(),
        [_, "_design", ..] if escaped_design::is_led_on(call) => at_once(escaped_design::lead_on(call)),
        [_, second, ..] if second.starts_with('_') => special(call, path),
        [_, id] => document::run(call, id).boxed(),
        [_, id, name @ ..] => attachment(call, (*id).to_owned(), name),
    }
}

fn at_once<'a>(answer: Result<Response>) -> Answering<'a> {
    ready(answer).boxed()
}

fn attachment<'a>(call: &'a mut Call, id: String, name: &[&str]) -> Answering<'a> {
    let name = name.join("/");
    async move { document::attachment::run(call, &id, &name).await }.boxed()
}

fn design_document<'a>(call: &'a mut Call, name: &str) -> Answering<'a> {
    let id = format!("{}{name}", ids::DESIGN);
    async move { document::run(call, &id).await }.boxed()
}

/// What belongs to no database.
fn global<'a>(call: &'a mut Call, path: &'a [&'a str]) -> Answering<'a> {
    match path {
        ["_up"] => at_once(root::up(call)),
        ["_all_dbs"] => at_once(root::all_dbs(call)),
        ["_dbs_info"] => root::dbs_info(call).boxed(),
        ["_db_updates"] => changes::databases(call).boxed(),
        ["_cluster_setup"] => cluster_setup::run(call).boxed(),
        ["_uuids"] => at_once(uuids::run(call)),
        ["_session"] => session::run(call).boxed(),
        ["_membership"] => at_once(node::membership(call)),
        ["_active_tasks"] => at_once(active_tasks::run(call)),
        ["_node"] => at_once(Err(CouchError::bad_request("Incomplete path to _node request"))),
        ["_node", name, rest @ ..] => node::run(call, name, rest).boxed(),
        ["_nouveau_analyze"] => text_search::nouveau_analyze(call).boxed(),
        ["_search_analyze"] => text_search::search_analyze(call).boxed(),
        ["_reload_query_servers"] => at_once(node::reload_query_servers(call)),
        ["_replicate"] => replicate::run(call).boxed(),
        ["_reshard", rest @ ..] => reshard::run(call, rest).boxed(),
        ["_scheduler", rest @ ..] => scheduler::run(call, rest).boxed(),
        ["_utils", ..] => at_once(Err(CouchError::not_found("there is no administration page here"))),
        _ => at_once(require_server_admin(&call.user).and(Err(CouchError::missing()))),
    }
}

/// What belongs to a database but is no document with a plain id.
fn special<'a>(call: &'a mut Call, path: &'a [&'a str]) -> Answering<'a> {
    match &path[1..] {
        ["_all_docs"] => all_docs::run(call, "").boxed(),
        ["_design_docs"] => all_docs::run(call, ids::DESIGN).boxed(),
        ["_all_docs", "queries"] => all_docs::queries(call, "").boxed(),
        ["_design_docs", "queries"] => all_docs::queries(call, ids::DESIGN).boxed(),
        ["_bulk_docs"] => bulk_docs::run(call).boxed(),
        ["_bulk_get"] => bulk_get::run(call).boxed(),
        ["_changes"] => changes::run(call).boxed(),
        ["_compact", name] => view::compact(call, name).boxed(),
        ["_compact", ..] => database::compact(call).boxed(),
        ["_ensure_full_commit"] => database::ensure_full_commit(call).boxed(),
        ["_missing_revs"] => revisions::missing_revs(call).boxed(),
        ["_purged_infos"] => revisions::purges(call).boxed(),
        ["_purged_infos_limit"] => revisions::purges_limit(call).boxed(),
        ["_purge"] => revisions::purge(call).boxed(),
        ["_revs_diff"] => revisions::diff(call).boxed(),
        ["_revs_limit"] => revisions::limit(call).boxed(),
        ["_security"] => database::security(call).boxed(),
        ["_view_cleanup"] => view::clean_up(call).boxed(),
        ["_nouveau_cleanup"] => text_search::clean_up(call, Form::Nouveau).boxed(),
        ["_search_cleanup"] => text_search::clean_up(call, Form::Search).boxed(),
        ["_local_docs"] => local::list(call).boxed(),
        ["_local_docs", "queries"] => local::queries(call).boxed(),
        ["_local"] => at_once(Err(CouchError::bad_request("Invalid _local document id."))),
        ["_local", name] => local::run(call, name).boxed(),
        ["_local", ..] => at_once(Err(CouchError::bad_request(
            "_local documents do not accept attachments.",
        ))),
        ["_shards"] => at_once(node::shards(call, None)),
        ["_shards", document] => at_once(node::shards(call, Some(document))),
        ["_sync_shards"] => at_once(node::sync_shards(call)),
        ["_temp_view"] => at_once(view::temporary()),
        ["_design", name, "_info"] => view::design_info(call, name).boxed(),
        ["_design", name, "_view", view] => view::run(call, name, view).boxed(),
        ["_design", name, "_view", view, "queries"] => view::queries(call, name, view).boxed(),
        ["_design", name, "_nouveau", index] => text_search::nouveau(call, name, index).boxed(),
        ["_design", name, "_nouveau_info", index] => {
            text_search::info(call, name, Form::Nouveau, index).boxed()
        }
        ["_design", name, "_search", index] => text_search::search(call, name, index).boxed(),
        ["_design", name, "_search_info", index] => {
            text_search::info(call, name, Form::Search, index).boxed()
        }
        ["_design", name, "_search_disk_size", index] => text_search::disk_size(call, name, index).boxed(),
        ["_design", name, "_show", rest @ ..] => couchapp::show(call, name, rest).boxed(),
        ["_design", name, "_list", rest @ ..] => couchapp::list(call, name, rest).boxed(),
        ["_design", name, "_update", rest @ ..] => couchapp::update(call, name, rest).boxed(),
        ["_design", name, "_rewrite", rest @ ..] => couchapp::rewrite(call, name, rest).boxed(),
        ["_design", name] => design_document(call, name),
        ["_find"] => mango::find(call).boxed(),
        ["_explain"] => mango::explain(call).boxed(),
        ["_index", rest @ ..] => mango::index(call, rest).boxed(),
        ["_partition", rest @ ..] => partition::run(call, rest).boxed(),
        ["_design", name, second, ..] if !second.starts_with('_') => {
            attachment(call, format!("{}{name}", ids::DESIGN), &path[3..])
        }
        ["_design", _, ..] => at_once(Err(CouchError::missing())),
        // A slash of a design or local document's id may be encoded.
        [id] => match id.strip_prefix(ids::LOCAL) {
            Some(name) => local::run(call, name).boxed(),
            None => document::run(call, id).boxed(),
        },
        [id, ..] if call.method == Method::PUT => {
            let checked = call.database().and_then(|_| ids::check(id));
            at_once(checked.and(Err(CouchError::missing())))
        }
        _ => at_once(call.database().and(Err(CouchError::missing()))),
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::call::Call;

    fn state_bytes<F: Future>(_answer: impl FnOnce(&'static mut Call) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn a_request_holds_the_state_of_its_endpoint_alone() {
        let bytes = state_bytes(run);
        assert!(bytes < 16 * 1024, "{bytes} bytes");
    }
}
