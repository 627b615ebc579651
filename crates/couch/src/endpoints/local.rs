//! `_local/…`: documents that are not replicated, such as checkpoints.
//!
//! Their revision is a count, `0-1`, `0-2`, …, and nobody checks it (`src/couch/src/couch_db.erl`, `increment_local_doc_revs`).

use crate::call::Call;
use crate::database::Database;
use crate::error::{CouchError, Result};
use crate::incoming::Incoming;
use crate::json::{write_fields, write_string};
use crate::stream::{self, Output};
use crate::{ids, respond};
use engine::{Order, RevisionHash};
use http::{Method, Response, StatusCode};
use std::fmt::Write as _;
use value::{DocumentBuf, RawDocument, Value, ValueRef};

/// The field that holds the count.
const COUNT: &str = "_rev";

/// `/{db}/_local/{name}`.
pub(crate) async fn run(call: &mut Call, name: &str) -> Result<Response> {
    let database = Database::of(call)?;
    match call.method.as_str() {
        "GET" | "HEAD" => {
            let document = database.snapshot().await?.local(name).await?;
            let document = document.ok_or_else(CouchError::missing)?;
            let mut text = String::new();
            write(name, document.as_raw(), &mut text);
            Ok(respond::ok(text))
        }
        "PUT" => {
            let bytes = call.bytes().await?;
            let document = Incoming::whole(&bytes)?;
            put(call, &database, name, &document).await
        }
        "DELETE" => {
            let present = database.snapshot().await?.local(name).await?;
            present.ok_or_else(CouchError::missing)?;
            put(call, &database, name, &Incoming::deletion(None)).await
        }
        "COPY" => Err(CouchError::not_implemented("local documents are not copied")),
        _ => Err(CouchError::method_not_allowed("DELETE,GET,HEAD,PUT")),
    }
}

async fn put(call: &Call, database: &Database, name: &str, document: &Incoming) -> Result<Response> {
    let count = put_local(call, database, name, document).await?;
    let mut text = String::from(r#"{"ok":true,"id":"#);
    write_string(&format!("{}{name}", ids::LOCAL), &mut text);
    // Writing to a String cannot fail.
    let _ = write!(text, r#","rev":"0-{count}"}}"#);
    let status = match document.deleted {
        true => StatusCode::OK,
        false => StatusCode::CREATED,
    };
    Ok(respond::json(status, text))
}

/// Puts a local document and gives its count.
pub(crate) async fn put_local(
    call: &Call,
    database: &Database,
    name: &str,
    document: &Incoming,
) -> Result<u64> {
    database.require_write(call, name)?;
    let journaled = call.is_journaled();
    if document.deleted {
        database.collection.put_local(name, None, journaled).await?;
        return Ok(0);
    }
    let count = next_count(document)?;
    let mut kept = document.document(ValueRef::String(name)).to_document();
    kept.push(COUNT, Value::Int64(i64::try_from(count).unwrap_or(i64::MAX)));
    let kept = DocumentBuf::from(&kept);
    database.collection.put_local(name, Some(kept), journaled).await?;
    Ok(count)
}

fn next_count(document: &Incoming) -> Result<u64> {
    let Some(revision) = &document.revision else {
        return Ok(1);
    };
    let count = match &revision.hash {
        RevisionHash::Text(text) => text.parse::<u64>().ok(),
        RevisionHash::Digest(_) => None,
    };
    count
        .map(|count| count.saturating_add(1))
        .ok_or_else(|| CouchError::bad_request("Invalid rev format"))
}

fn count(document: RawDocument<'_>) -> i64 {
    match document.get(COUNT) {
        Some(ValueRef::Int64(count)) => count,
        _ => 1,
    }
}

fn write(name: &str, document: RawDocument<'_>, out: &mut String) {
    out.push_str(r#"{"_id":"#);
    write_string(&format!("{}{name}", ids::LOCAL), out);
    let _ = write!(out, r#","_rev":"0-{}""#, count(document));
    write_fields(document, |field| field != "_id" && field != COUNT, out);
    out.push('}');
}

/// `GET /{db}/_local_docs`.
pub(crate) async fn list(call: &mut Call) -> Result<Response> {
    let database = Database::of(call)?;
    if !matches!(call.method, Method::GET | Method::HEAD) {
        return Err(CouchError::not_implemented("_local_docs is listed by GET alone"));
    }
    for refused in [
        "key",
        "keys",
        "startkey",
        "start_key",
        "endkey",
        "end_key",
        "skip",
        "limit",
    ] {
        if call.query.get(refused).is_some() {
            let reason = format!("_local_docs with {refused} is not supported");
            return Err(CouchError::not_implemented(reason));
        }
    }
    let order = match call.query.is_true("descending") {
        true => Order::Backward,
        false => Order::Forward,
    };
    let include_docs = call.query.is_true("include_docs");
    stream::respond_with(|mut output| async move {
        let written = write_list(&database, order, include_docs, &mut output).await;
        (output, written)
    })
    .await
}

async fn write_list(
    database: &Database,
    order: Order,
    include_docs: bool,
    output: &mut Output,
) -> Result<()> {
    output
        .text
        .push_str(r#"{"total_rows":null,"offset":null,"rows":["#);
    let snapshot = database.snapshot().await?;
    let mut after: Option<String> = None;
    loop {
        let (page, exhausted) = snapshot.locals(after.as_deref(), order).await?;
        for (name, document) in &page {
            let out = &mut output.text;
            out.push_str(if after.is_some() { ",\r\n" } else { "\r\n" });
            write_row(name, document, include_docs, out);
            after = Some(name.clone());
        }
        if !output.flush_if_large().await || exhausted {
            break;
        }
    }
    output.text.push_str("\r\n]}");
    Ok(())
}

fn write_row(name: &str, document: &DocumentBuf, include_docs: bool, out: &mut String) {
    let id = format!("{}{name}", ids::LOCAL);
    out.push_str(r#"{"id":"#);
    write_string(&id, out);
    out.push_str(r#","key":"#);
    write_string(&id, out);
    let _ = write!(out, r#","value":{{"rev":"0-{}"}}"#, count(document.as_raw()));
    if include_docs {
        out.push_str(r#","doc":"#);
        write(name, document.as_raw(), out);
    }
    out.push('}');
}
