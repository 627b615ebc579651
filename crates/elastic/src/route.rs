//! Which path and method is answered by what.

use crate::endpoints::resize::Resize;
use crate::endpoints::search::multi::SearchKind;
use crate::endpoints::{
    aliases, allocation, analyze, bulk, by_query, cat, cluster, document, explain, field_caps, health, index,
    lifecycle, mapping, mget, nodes, painless_execute, pipelines, rank_eval, recovery, reroute, resize,
    resolved, rollover, root, search, search_shards, security, settings, shards, snapshots, stats,
    stored_scripts, streams, tasks, template, term_vectors, upgrade, validate, voting,
};
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::kept::Family;
use rest::respond::Answer;

pub(crate) async fn run(call: &mut Call) -> Result<Answer> {
    let path = call.path.clone();
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path.first() {
        Some(&"_cat") => Box::pin(tables(call, &path[1..])).await,
        Some(&("_cluster" | "_nodes" | "_tasks")) => Box::pin(of_cluster(call, &path)).await,
        Some(&("_template" | "_index_template" | "_component_template")) => {
            Box::pin(templates(call, &path)).await
        }
        Some(&"_snapshot") => of_repositories(call, &path),
        Some(first) if first.starts_with('_') && *first != "_all" => Box::pin(global(call, &path)).await,
        _ => Box::pin(of_index(call, &path)).await,
    }
}

/// What belongs to no index.
async fn global(call: &mut Call, path: &[&str]) -> Result<Answer> {
    match path {
        ["_bulk"] => bulk::run(call, None).await,
        ["_mget"] => mget::run(call, None).await,
        ["_search"] => search::run(call, "_all").await,
        ["_msearch"] => search::multi::run(call, None, SearchKind::Bodies).await,
        ["_msearch", "template"] => search::templates::several(call, None).await,
        ["_search", "template"] => search::templates::search(call, "_all").await,
        ["_render", "template"] => search::templates::render(call, None).await,
        ["_render", "template", id] => search::templates::render(call, Some(id)).await,
        ["_scripts", "painless", "_execute"] => painless_execute::run(call).await,
        ["_scripts", id] => stored_scripts::run(call, id, None).await,
        ["_scripts", id, context] => stored_scripts::run(call, id, Some(context)).await,
        ["_search", "scroll"] => search::contexts::scroll(call, None).await,
        ["_search", "scroll", id] => search::contexts::scroll(call, Some(id)).await,
        ["_search", "point_in_time"] => search::contexts::close_point(call, "pit_id"),
        ["_pit"] => search::contexts::close_point(call, "id"),
        ["_count"] => search::count::run(call, "_all").await,
        ["_validate", "query"] => validate::run(call, "_all").await,
        ["_analyze"] => analyze::run(call, None).await,
        ["_refresh"] => index::refresh(call, "_all").await,
        ["_flush"] => index::flush(call, "_all").await,
        ["_flush", "synced"] => index::flush_synced(call, "_all").await,
        ["_forcemerge"] => index::forcemerge(call, "_all").await,
        ["_mapping" | "_mappings"] => mapping::run(call, "_all").await,
        ["_mapping" | "_mappings", kind] => mapping::of_type(call, "_all", kind).await,
        ["_mapping", "field", fields] => mapping::fields(call, "_all", fields).await,
        ["_settings"] => settings::run(call, "_all", None).await,
        ["_settings", names] => settings::run(call, "_all", Some(names)).await,
        ["_alias"] => aliases::run(call, None, None).await,
        ["_alias", names] => aliases::run(call, None, Some(names)).await,
        ["_aliases"] => aliases::change(call).await,
        ["_data_stream"] => streams::run(call, None).await,
        ["_data_stream", "_stats"] => streams::stats(call, None).await,
        ["_data_stream", name] => streams::run(call, Some(name)).await,
        ["_data_stream", name, "_stats"] => streams::stats(call, Some(name)).await,
        ["_ingest", "pipeline"] => pipelines::run(call, None).await,
        ["_ingest", "pipeline", "_simulate"] => pipelines::simulate(call, None).await,
        ["_ingest", "pipeline", name] => pipelines::run(call, Some(name)).await,
        ["_ingest", "pipeline", name, "_simulate"] => pipelines::simulate(call, Some(name)).await,
        ["_ingest", "processor", "grok"] => pipelines::grok(call),
        ["_reindex"] => by_query::reindex(call).await,
        ["_field_caps"] => field_caps::run(call, "_all").await,
        ["_search_shards"] => search_shards::run(call, "_all").await,
        ["_rank_eval"] => rank_eval::run(call, "_all").await,
        ["_mtermvectors"] => term_vectors::several(call, None).await,
        ["_stats"] => stats::run(call, "_all", None).await,
        ["_stats", metrics] => stats::run(call, "_all", Some(metrics)).await,
        ["_recovery"] => recovery::run(call, "_all").await,
        ["_cache", "clear"] => index::clear_cache(call, "_all").await,
        ["_resolve", "index", name] => resolved::run(call, name).await,
        ["_segments"] => shards::segments(call, "_all").await,
        ["_shard_stores"] => shards::stores(call, "_all").await,
        ["_upgrade"] => upgrade::run(call, "_all").await,
        _ => of_server(call, path).await,
    }
}

/// What the server is and does by itself: policies, changes under way, who asks, licence, features.
async fn of_server(call: &mut Call, path: &[&str]) -> Result<Answer> {
    match path {
        ["_ilm", "policy"] => lifecycle::run(call, None).await,
        ["_ilm", "policy", name] => lifecycle::run(call, Some(name)).await,
        ["_ilm", "status"] => lifecycle::status(call).await,
        ["_ilm", "start"] => lifecycle::set_mode(call, false).await,
        ["_ilm", "stop"] => lifecycle::set_mode(call, true).await,
        ["_security", "_authenticate"] => security::authenticate(call),
        ["_security", "api_key"] => security::api_key(call).await,
        ["_license"] => root::license(call),
        ["_remote", "info"] => root::remotes(call),
        ["_dangling"] => cluster::dangling(call),
        ["_xpack"] => root::features(call, false),
        ["_xpack", "usage"] => root::features(call, true),
        ["_script_language"] => root::script_languages(call),
        [
            "_reindex" | "_update_by_query" | "_delete_by_query",
            id,
            "_rethrottle",
        ] => by_query::rethrottle(call, id),
        ["_script_context"] => root::script_contexts(call),
        _ => Err(no_handler(call)),
    }
}

/// The server as a cluster of one node: `/_cluster`, `/_nodes`.
async fn of_cluster(call: &mut Call, path: &[&str]) -> Result<Answer> {
    match path {
        ["_cluster", "health"] => health::run(call, "_all").await,
        ["_cluster", "health", index] => health::run(call, index).await,
        ["_cluster", "settings"] => settings::cluster(call).await,
        ["_cluster", "state"] => cluster::state(call, None, None).await,
        ["_cluster", "state", metrics] => cluster::state(call, Some(metrics), None).await,
        ["_cluster", "state", metrics, index] => cluster::state(call, Some(metrics), Some(index)).await,
        ["_cluster", "stats"] => cluster::stats(call, None).await,
        ["_cluster", "stats", "nodes", nodes] => cluster::stats(call, Some(nodes)).await,
        ["_cluster", "pending_tasks"] => cluster::pending_tasks(call).await,
        ["_cluster", "allocation", "explain"] => allocation::run(call),
        ["_cluster", "reroute"] => reroute::run(call).await,
        ["_cluster", "voting_config_exclusions"] => voting::run(call).await,
        ["_nodes", "stats"] => nodes::stats(call, "_all", None, None).await,
        ["_nodes", "stats", metrics] => nodes::stats(call, "_all", Some(metrics), None).await,
        ["_nodes", "stats", metrics, of] => nodes::stats(call, "_all", Some(metrics), Some(of)).await,
        ["_nodes", nodes, "stats"] => nodes::stats(call, nodes, None, None).await,
        ["_nodes", nodes, "stats", metrics] => nodes::stats(call, nodes, Some(metrics), None).await,
        ["_nodes", nodes, "stats", metrics, of] => nodes::stats(call, nodes, Some(metrics), Some(of)).await,
        ["_nodes", "usage"] => nodes::usage(call, "_all").await,
        ["_nodes", nodes, "usage"] => nodes::usage(call, nodes).await,
        ["_nodes", "reload_secure_settings"] => nodes::reload(call, "_all"),
        ["_nodes", nodes, "reload_secure_settings"] => nodes::reload(call, nodes),
        ["_nodes"] => nodes::info(call, &[]).await,
        ["_nodes", nodes] if !is_other(nodes) => nodes::info(call, &[nodes]).await,
        ["_nodes", nodes, metrics] if !is_other(metrics) => nodes::info(call, &[nodes, metrics]).await,
        ["_nodes", nodes, "info", metrics] => nodes::info(call, &[nodes, metrics]).await,
        ["_tasks"] => tasks::list(call).await,
        ["_tasks", "_cancel"] => tasks::cancel(call, None).await,
        ["_tasks", id] => tasks::get(call, id).await,
        ["_tasks", id, "_cancel"] => tasks::cancel(call, Some(id)).await,
        _ => Err(no_handler(call)),
    }
}

/// What else is asked of nodes, and is not here.
fn is_other(name: &str) -> bool {
    matches!(name, "hot_threads" | "hotthreads")
}

/// Snapshots in repositories, of which there are none.
fn of_repositories(call: &mut Call, path: &[&str]) -> Result<Answer> {
    match path {
        ["_snapshot"] if call.method == Method::GET => snapshots::repositories(call, None),
        ["_snapshot", "_status"] => snapshots::status(call),
        ["_snapshot", names] if call.method == Method::GET => snapshots::repositories(call, Some(names)),
        ["_snapshot", "*"] => snapshots::forget(call),
        ["_snapshot", _, "_status"] => snapshots::status(call),
        _ => Err(snapshots::refusal(call, path).unwrap_or_else(|| no_handler(call))),
    }
}

/// Templates of indices.
async fn templates(call: &mut Call, path: &[&str]) -> Result<Answer> {
    match path {
        ["_template"] => template::run(call, Family::Template, None).await,
        ["_template", name] => template::run(call, Family::Template, Some(name)).await,
        ["_index_template"] => template::run(call, Family::IndexTemplate, None).await,
        ["_index_template", "_simulate"] => template::simulate(call, None).await,
        ["_index_template", "_simulate", name] => template::simulate(call, Some(name)).await,
        ["_index_template", "_simulate_index", name] => template::simulate_index(call, name).await,
        ["_index_template", name] => template::run(call, Family::IndexTemplate, Some(name)).await,
        ["_component_template"] => template::run(call, Family::ComponentTemplate, None).await,
        ["_component_template", name] => template::run(call, Family::ComponentTemplate, Some(name)).await,
        _ => Err(no_handler(call)),
    }
}

/// Lists for people, below `/_cat`.
async fn tables(call: &mut Call, path: &[&str]) -> Result<Answer> {
    match path {
        ["indices"] => cat::indices(call, "_all").await,
        ["indices", index] => cat::indices(call, index).await,
        ["count"] => cat::count(call, "_all").await,
        ["count", index] => cat::count(call, index).await,
        ["health"] => cat::health(call).await,
        ["aliases"] => cat::aliases(call, None).await,
        ["aliases", names] => cat::aliases(call, Some(names)).await,
        [] => cat::shards::lists(call),
        ["allocation"] => cat::nodes::allocation(call, None).await,
        ["allocation", nodes] => cat::nodes::allocation(call, Some(nodes)).await,
        ["fielddata"] => cat::shards::fielddata(call, None).await,
        ["fielddata", fields] => cat::shards::fielddata(call, Some(fields)).await,
        ["master"] => cat::nodes::master(call).await,
        ["nodeattrs"] => cat::nodes::attributes(call).await,
        ["nodes"] => cat::nodes::nodes(call).await,
        ["pending_tasks"] => cat::shards::pending_tasks(call).await,
        ["plugins"] => cat::nodes::plugins(call).await,
        ["recovery"] => cat::shards::recovery(call, "_all").await,
        ["recovery", index] => cat::shards::recovery(call, index).await,
        ["repositories"] => cat::repositories(call),
        ["snapshots"] => cat::snapshots(call, None),
        ["snapshots", names] => cat::snapshots(call, Some(names)),
        ["segments"] => cat::shards::segments(call, "_all").await,
        ["segments", index] => cat::shards::segments(call, index).await,
        ["shards"] => cat::shards::shards(call, "_all").await,
        ["shards", index] => cat::shards::shards(call, index).await,
        ["tasks"] => cat::shards::tasks(call).await,
        ["thread_pool"] => cat::nodes::thread_pools(call, None).await,
        ["thread_pool", names] => cat::nodes::thread_pools(call, Some(names)).await,
        ["templates"] => cat::templates(call, None).await,
        ["templates", names] => cat::templates(call, Some(names)).await,
        _ => Err(no_handler(call)),
    }
}

/// What belongs to an index, or to several.
async fn of_index(call: &mut Call, path: &[&str]) -> Result<Answer> {
    let untyped = untyped(call, path);
    let path = untyped.as_deref().unwrap_or(path);
    match path {
        [] => root::info(call),
        [index] => index::run(call, index).await,
        [index, "_bulk"] => bulk::run(call, Some(index)).await,
        [index, "_mget"] => mget::run(call, Some(index)).await,
        [index, "_search"] => search::run(call, index).await,
        [index, "_knn_search"] => search::knn::search(call, index).await,
        [index, "_msearch"] => search::multi::run(call, Some(index), SearchKind::Bodies).await,
        [index, "_search", "template"] => search::templates::search(call, index).await,
        [index, "_msearch", "template"] => search::templates::several(call, Some(index)).await,
        [index, "_search", "point_in_time"] => search::contexts::open_point(call, index).await,
        [index, "_pit"] => search::contexts::open_point(call, index).await,
        [index, "_count"] => search::count::run(call, index).await,
        [index, "_analyze"] => analyze::run(call, Some(index)).await,
        [index, "_mapping" | "_mappings"] => mapping::run(call, index).await,
        [index, "_mapping" | "_mappings", kind] => mapping::of_type(call, index, kind).await,
        [index, kind, "_mapping" | "_mappings"] if !kind.starts_with('_') => {
            mapping::of_type(call, index, kind).await
        }
        [index, "_mapping", "field", fields] => mapping::fields(call, index, fields).await,
        [index, "_settings"] => settings::run(call, index, None).await,
        [index, "_settings", names] => settings::run(call, index, Some(names)).await,
        [index, "_alias"] => aliases::run(call, Some(index), None).await,
        [index, "_alias" | "_aliases", names] => aliases::run(call, Some(index), Some(names)).await,
        [index, "_delete_by_query"] => by_query::change(call, index, true).await,
        [index, "_update_by_query"] => by_query::change(call, index, false).await,
        [index, "_field_caps"] => field_caps::run(call, index).await,
        [index, "_terms_enum"] => search::terms_enum::run(call, index).await,
        [index, "_search_shards"] => search_shards::run(call, index).await,
        [index, "_rank_eval"] => rank_eval::run(call, index).await,
        [index, "_validate", "query"] => validate::run(call, index).await,
        [index, "_explain", id] => explain::run(call, index, id).await,
        [index, "_termvectors"] => term_vectors::one(call, index, None).await,
        [index, "_termvectors", id] => term_vectors::one(call, index, Some(id)).await,
        [index, "_mtermvectors"] => term_vectors::several(call, Some(index)).await,
        [index, "_ilm", "explain"] => lifecycle::explain(call, index).await,
        [index, "_ilm", "remove"] => lifecycle::remove(call, index).await,
        [alias, "_rollover"] => rollover::run(call, alias, None).await,
        [alias, "_rollover", new] => rollover::run(call, alias, Some(new)).await,
        [index, "_doc"] => document::post(call, index).await,
        [index, "_doc", id] => document::run(call, index, id).await,
        [index, "_create", id] => document::create(call, index, id).await,
        [index, "_update", id] => document::update(call, index, id).await,
        [index, "_source", id] => document::source(call, index, id).await,
        // Shippers of logs still name a type.
        [index, name] if !name.starts_with('_') => document::post(call, index).await,
        [index, name, id] if !name.starts_with('_') && !id.starts_with('_') => {
            document::run(call, index, id).await
        }
        _ => of_whole_index(call, path).await,
    }
}

/// What is done to an index as a whole, and what its shards are like.
async fn of_whole_index(call: &mut Call, path: &[&str]) -> Result<Answer> {
    match path {
        [index, "_clone", target] => resize::run(call, index, Resize::Clone, target).await,
        [index, "_shrink", target] => resize::run(call, index, Resize::Shrink, target).await,
        [index, "_split", target] => resize::run(call, index, Resize::Split, target).await,
        [index, "_refresh"] => index::refresh(call, index).await,
        [index, "_flush"] => index::flush(call, index).await,
        [index, "_flush", "synced"] => index::flush_synced(call, index).await,
        [index, "_forcemerge"] => index::forcemerge(call, index).await,
        [index, "_close"] => index::set_state(call, index, true).await,
        [index, "_open"] => index::set_state(call, index, false).await,
        [index, "_stats"] => stats::run(call, index, None).await,
        [index, "_stats", metrics] => stats::run(call, index, Some(metrics)).await,
        [index, "_recovery"] => recovery::run(call, index).await,
        [index, "_segments"] => shards::segments(call, index).await,
        [index, "_shard_stores"] => shards::stores(call, index).await,
        [index, "_upgrade"] => upgrade::run(call, index).await,
        [index, "_cache", "clear"] => index::clear_cache(call, index).await,
        [index, "_reload_search_analyzers"] => index::reload_analyzers(call, index).await,
        [index, "_block", block] => index::block(call, index, block).await,
        _ => Err(no_handler(call)),
    }
}

/// The path without the type that clients of earlier versions name: it is always the same one.
fn untyped<'p>(call: &Call, path: &[&'p str]) -> Option<Vec<&'p str>> {
    match path {
        [
            index,
            kind,
            what @ ("_bulk" | "_mget" | "_search" | "_msearch" | "_count" | "_delete_by_query"
            | "_update_by_query"),
        ] if *kind == "_doc" || !kind.starts_with('_') => Some(vec![index, what]),
        [
            index,
            kind,
            id,
            what @ ("_update" | "_create" | "_source" | "_explain" | "_termvectors"),
        ] if *kind == "_doc" || !kind.starts_with('_') => Some(vec![index, what, id]),
        [index, "_all", id] if [Method::GET, Method::HEAD].contains(&call.method) => {
            Some(vec![index, "_doc", id])
        }
        _ => None,
    }
}

/// Parts of Elasticsearch that are not here, by how their paths begin or end.
const NOT_HERE: &[(&str, &str)] = &[
    (
        "_snapshot",
        "snapshots to repositories: take backups with Larder's own commands",
    ),
    ("_freeze", "frozen indices"),
    ("_ccr", "cross-cluster replication"),
    ("_remote", "remote clusters"),
    ("_slm", "snapshot lifecycles"),
    ("_ilm", "this part of index lifecycles"),
    ("_data_stream", "this part of data streams"),
    ("_ingest", "this part of ingesting"),
    ("_sql", "SQL"),
    ("_eql", "EQL"),
    ("_query", "ES|QL"),
    ("_async_search", "asynchronous searches"),
    (
        "_security",
        "this part of the security API: users and roles are those of the MongoDB protocol",
    ),
    ("_reindex", "reindexing"),
    ("_delete_by_query", "deleting by a query"),
    ("_update_by_query", "updating by a query"),
    ("_ml", "machine learning"),
    ("_watcher", "watches"),
    ("_transform", "transforms"),
];

/// Nothing of Elasticsearch, or nothing of it that is here.
fn no_handler(call: &Call) -> ElasticError {
    let known = call
        .path
        .iter()
        .find_map(|part| NOT_HERE.iter().find(|(name, _)| name == part));
    let is_named = |names: &[&str]| names.iter().any(|name| call.path.iter().any(|part| part == name));
    if let Some((name, what)) = known {
        return ElasticError::unsupported(format!("{what} [{name}]"));
    }
    if is_named(&["_cluster", "_cat", "_nodes", "_tasks"]) {
        return ElasticError::unsupported(format!("[/{}]", call.path.join("/")));
    }
    let path = format!("/{}", call.path.join("/"));
    let reason = format!(
        "no handler found for uri [{path}] and method [{}]: it is not one of Elasticsearch's, or not supported",
        call.method
    );
    ElasticError::new(StatusCode::BAD_REQUEST, "illegal_argument_exception", reason)
}
