//! `_revs_diff`, `_missing_revs`: which revisions a replica lacks; `_purge`; `_revs_limit`, `_purged_infos_limit`.

use crate::call::Call;
use crate::endpoints::document::revisions;
use crate::respond;
use access::config::Config;
use access::error::{CouchError, Result};
use access::{ids, users};
use engine::{DocumentHistory, Revision};
use http::{Method, Response, StatusCode};
use json::write_string;
use std::collections::HashSet;
use std::fmt::Write as _;
use value::Value;

/// `POST /{db}/_revs_diff`: of each document the revisions that are missing, and which of their ancestors may be there.
pub(crate) async fn diff(call: &mut Call) -> Result<Response> {
    let missing = missing(call).await?;
    let mut text = String::from("{");
    for (id, lacking) in missing.iter().filter(|(_, lacking)| !lacking.missing.is_empty()) {
        text.push_str(if text.len() > 1 { "," } else { "" });
        write_string(id, &mut text);
        text.push_str(r#":{"missing":"#);
        write_revisions(&lacking.missing, &mut text);
        if !lacking.possible_ancestors.is_empty() {
            text.push_str(r#","possible_ancestors":"#);
            write_revisions(&lacking.possible_ancestors, &mut text);
        }
        text.push('}');
    }
    text.push('}');
    Ok(respond::ok(text))
}

/// `POST /{db}/_missing_revs`: the same in an older form.
pub(crate) async fn missing_revs(call: &mut Call) -> Result<Response> {
    let missing = missing(call).await?;
    let mut text = String::from(r#"{"missing_revs":{"#);
    let mut first = true;
    for (id, lacking) in missing.iter().filter(|(_, lacking)| !lacking.missing.is_empty()) {
        text.push_str(if first { "" } else { "," });
        first = false;
        write_string(id, &mut text);
        text.push(':');
        write_revisions(&lacking.missing, &mut text);
    }
    text.push_str("}}");
    Ok(respond::ok(text))
}

struct Lacking {
    missing: Vec<Revision>,
    possible_ancestors: Vec<Revision>,
}

async fn missing(call: &mut Call) -> Result<Vec<(String, Lacking)>> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    call.check_is_json()?;
    let asked = call.json_object().await?;
    let snapshot = database.snapshot().await?;
    let mut all = Vec::with_capacity(asked.len());
    for (id, asked) in asked.iter() {
        database.check_placed(id)?;
        let asked = revisions(asked)?;
        let key = ids::resolve(&snapshot, id).await?;
        let history = snapshot.history(key.as_ref()).await?;
        all.push((id.to_owned(), lacking(history.as_ref(), asked)));
    }
    Ok(all)
}

/// As `src/couch/src/couch_db.erl` (`find_missing`): leaves older than a missing revision may be its ancestors.
fn lacking(history: Option<&DocumentHistory>, asked: Vec<Revision>) -> Lacking {
    let Some(history) = history else {
        return Lacking {
            missing: asked,
            possible_ancestors: Vec::new(),
        };
    };
    // Both the asked and the known may be many.
    let known: HashSet<&Revision> = history.tree.nodes().iter().map(|node| &node.revision).collect();
    let is_missing = |revision: &Revision| !known.contains(revision);
    let missing: Vec<Revision> = asked.into_iter().filter(is_missing).collect();
    let newest = missing.iter().map(|revision| revision.generation).max();
    let leaves = history.tree.leaves().into_iter();
    let possible_ancestors = leaves
        .map(|leaf| &history.tree.nodes()[leaf].revision)
        .filter(|leaf| newest.is_some_and(|newest| leaf.generation < newest))
        .cloned()
        .collect();
    Lacking {
        missing,
        possible_ancestors,
    }
}

fn write_revisions(revisions: &[Revision], out: &mut String) {
    out.push('[');
    for (position, revision) in revisions.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        // Writing to a String cannot fail.
        let _ = write!(out, "\"{revision}\"");
    }
    out.push(']');
}

/// `POST /{db}/_purge`: revisions that were never there.
pub(crate) async fn purge(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    call.check_is_json()?;
    let asked = call.json_object().await?;
    let mut purges = Vec::with_capacity(asked.len());
    let mut changes = Vec::new();
    for (id, asked) in asked.iter() {
        database.check_placed(id)?;
        let id = database.id(id).await?;
        changes.extend(users::purging(&call.server.engine, &database, &id).await?);
        purges.push((id, revisions(asked)?));
    }
    check_purges(&call.server.config, &purges)?;
    let purged = users::purge(&call.server.engine, &database, purges, changes).await?;
    let mut text = String::from(r#"{"purge_seq":null,"purged":{"#);
    for (position, ((id, _), purged)) in asked.iter().zip(purged).enumerate() {
        text.push_str(if position > 0 { "," } else { "" });
        write_string(id, &mut text);
        text.push(':');
        write_revisions(&purged, &mut text);
    }
    text.push_str("}}");
    Ok(respond::json(StatusCode::CREATED, text))
}

/// Refuses more revisions than the settings allow; by default there is no limit.
fn check_purges(config: &Config, purges: &[(Value, Vec<Revision>)]) -> Result<()> {
    let revisions: usize = purges.iter().map(|(_, revisions)| revisions.len()).sum();
    match config.number::<usize>("purge", "max_revisions_number") {
        Some(most) if revisions > most => {
            Err(CouchError::bad_request("Exceeded maximum number of revisions."))
        }
        _ => Ok(()),
    }
}

/// `/{db}/_revs_limit`.
pub(crate) async fn limit(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    match call.method {
        Method::GET | Method::HEAD => Ok(respond::ok(database.collection.revisions_kept().to_string())),
        Method::PUT => {
            database.require_admin()?;
            let kept = positive(call, "`revs_limit` must be a positive integer").await?;
            database.collection.set_revisions_kept(kept).await?;
            Ok(respond::ok_true(StatusCode::OK))
        }
        _ => Err(CouchError::method_not_allowed("PUT,GET")),
    }
}

/// `GET /{db}/_purged_infos`: the newest purges, as many as `_purged_infos_limit` says.
pub(crate) async fn purges(call: &mut Call) -> Result<Response> {
    call.require_read("GET")?;
    let database = call.database()?;
    let snapshot = database.snapshot().await?;
    let mut text = String::from(r#"{"purged_infos":["#);
    let newest = snapshot.newest_purges(database.collection.purges_kept()).await?;
    for (position, purge) in newest.iter().rev().enumerate() {
        text.push_str(if position > 0 { "," } else { "" });
        text.push_str(r#"{"id":"#);
        write_string(&ids::text(purge.id.as_ref()), &mut text);
        text.push_str(r#","revs":"#);
        write_revisions(&purge.revisions, &mut text);
        text.push('}');
    }
    text.push_str("]}");
    Ok(respond::ok(text))
}

/// `/{db}/_purged_infos_limit`: how many purges are shown. Views learn of all.
pub(crate) async fn purges_limit(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    match call.method {
        Method::GET | Method::HEAD => Ok(respond::ok(database.collection.purges_kept().to_string())),
        Method::PUT => {
            let kept = positive(call, "`purged_infos_limit` must be positive integer").await?;
            database.collection.set_purges_kept(kept).await?;
            Ok(respond::ok_true(StatusCode::OK))
        }
        _ => Err(CouchError::method_not_allowed("GET,PUT")),
    }
}

/// The positive number that the body is.
async fn positive(call: &mut Call, refusal: &'static str) -> Result<u32> {
    match call.json().await? {
        Value::Int32(number) if number > 0 => Ok(number as u32),
        _ => Err(CouchError::bad_request(refusal)),
    }
}
