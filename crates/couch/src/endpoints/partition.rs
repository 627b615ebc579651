//! `/{db}/_partition/…`: what a partition holds, and queries of one partition (`src/chttpd/src/chttpd_db.erl`,
//! `handle_partition_req`).
//!
//! A query of a partition is the same query of the database with the parameter `partition`, by which the endpoints read only the
//! range of that partition.

use super::{all_docs, couchapp, mango, text_search, view};
use crate::call::Call;
use crate::respond;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use http::{Method, Response};
use json::write_string;
use std::fmt::Write as _;

/// `/{db}/_partition…`; `path` is what stands after it.
pub(crate) async fn run(call: &mut Call, path: &[&str]) -> Result<Response> {
    match (path, &call.method) {
        ([], _) => Err(CouchError::bad_request("invalid_partition_req")),
        ([name], &Method::GET | &Method::HEAD) => info(call, name).await,
        ([name], &Method::POST) if name.starts_with('_') => {
            ids::check_partition(name).and(Err(CouchError::method_not_allowed("GET")))
        }
        ([_], _) => Err(CouchError::method_not_allowed("GET")),
        ([name, query @ ..], _) => within(call, name, query).await,
    }
}

/// `GET /{db}/_partition/{name}`.
async fn info(call: &mut Call, name: &str) -> Result<Response> {
    ids::check_partition(name)?;
    let database = call.database()?;
    require_partitioned(&database)?;
    let stats = database.snapshot().await?.partition(name).await?;
    let mut text = String::from(r#"{"db_name":"#);
    write_string(&database.name, &mut text);
    // Writing to a String cannot fail. Documents are stored as they are counted, so both sizes are one.
    let _ = write!(
        text,
        r#","sizes":{{"active":{0},"external":{0}}},"partition":"#,
        stats.data_bytes
    );
    write_string(name, &mut text);
    let _ = write!(
        text,
        r#","doc_count":{},"doc_del_count":{}}}"#,
        stats.count, stats.deleted
    );
    Ok(respond::ok(text))
}

/// Hands a query of one partition on to its endpoint.
async fn within(call: &mut Call, name: &str, query: &[&str]) -> Result<Response> {
    require_partitioned(&call.database()?)?;
    ids::check_partition(name)?;
    match call.query.get("partition") {
        None => call.query.push("partition", name),
        Some(same) if same == name => {}
        Some(_) => {
            return Err(CouchError::bad_request(
                "Conflicting value for `partition` in query string",
            ));
        }
    }
    match query {
        ["_all_docs"] => all_docs::run(call, "").await,
        ["_all_docs", "queries"] => all_docs::queries(call, "").await,
        ["_find"] => mango::find(call).await,
        ["_explain"] => mango::explain(call).await,
        ["_index", rest @ ..] => mango::index(call, rest).await,
        ["_design", design, "_info"] => view::design_info(call, design).await,
        ["_design", design, "_view", view] => view::run(call, design, view).await,
        ["_design", design, "_view", view, "queries"] => view::queries(call, design, view).await,
        ["_design", design, "_nouveau", index] => text_search::nouveau(call, design, index).await,
        ["_design", design, "_search", index] => text_search::search(call, design, index).await,
        ["_design", design, "_list", rest @ ..] => couchapp::list(call, design, rest).await,
        _ => Err(CouchError::missing()),
    }
}

fn require_partitioned(database: &Database) -> Result<()> {
    match database.collection.is_partitioned() {
        true => Ok(()),
        false => Err(CouchError::bad_request("database is not partitioned")),
    }
}
