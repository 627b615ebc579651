//! `_local/…`: documents that are not replicated, such as checkpoints.
//!
//! Their revision is a count, `0-1`, `0-2`, …, and nobody checks it (`src/couch/src/couch_db.erl`, `increment_local_doc_revs`).

use crate::call::Call;
use crate::database::Database;
use crate::endpoints::all_docs::RowOptions;
use crate::endpoints::document::{Put, destination};
use crate::error::{CouchError, Result};
use crate::incoming::Incoming;
use crate::stream::{self, Output};
use crate::{ids, respond};
use engine::{RevisionHash, RevisionedSnapshot};
use http::{Response, StatusCode, if_none_match};
use json::{write_fields, write_string};
use md5::{Digest, Md5};
use std::fmt::Write as _;
use value::{DocumentBuf, RawDocument, Value, ValueRef, hex};

/// The field that holds the count.
const COUNT: &str = "_rev";

/// `/{db}/_local/{name}`.
pub(crate) async fn run(call: &mut Call, name: &str) -> Result<Response> {
    let database = call.database()?;
    if name.is_empty() {
        return Err(CouchError::bad_request("Invalid _local document id."));
    }
    match call.method.as_str() {
        "GET" | "HEAD" => {
            let mut text = String::new();
            write(name, present(&database, name).await?.as_raw(), &mut text);
            // Counts do not tell a document from one that was there before it.
            let tag = format!("\"{}\"", hex(&Md5::digest(&text)));
            if if_none_match(&call.headers, &tag) {
                return Ok(respond::not_modified(&tag));
            }
            let mut response = respond::ok(text);
            respond::tag(&mut response, &tag);
            Ok(response)
        }
        "PUT" => {
            let bytes = call.bytes().await?;
            let document = Incoming::whole(&bytes)?;
            put(call, &database, name, &document).await
        }
        "DELETE" => {
            present(&database, name).await?;
            put(call, &database, name, &Incoming::deletion(None)).await
        }
        "COPY" => {
            let mut copy = Incoming::of_body(present(&database, name).await?.as_raw(), COUNT);
            let (target, revision) = destination(call)?;
            copy.revision = revision;
            if let Some(name) = target.strip_prefix(ids::LOCAL) {
                return put(call, &database, name, &copy).await;
            }
            database.check_id(&target)?;
            Box::pin(Put::new(call, &database, &target).answer(copy)).await
        }
        _ => Err(CouchError::method_not_allowed("DELETE,GET,HEAD,PUT,COPY")),
    }
}

async fn present(database: &Database, name: &str) -> Result<DocumentBuf> {
    let document = database.snapshot().await?.local(name).await?;
    document.ok_or_else(CouchError::missing)
}

async fn put(call: &Call, database: &Database, name: &str, document: &Incoming) -> Result<Response> {
    let count = put_local(call, database, name, document).await?;
    let mut text = String::from(r#"{"ok":true,"id":"#);
    write_string(&format!("{}{name}", ids::LOCAL), &mut text);
    text.push_str(&format!(r#","rev":"0-{count}"}}"#));
    let status = match document.deleted {
        true => StatusCode::OK,
        false => StatusCode::CREATED,
    };
    let mut response = respond::json(status, text);
    respond::tag(&mut response, &format!("\"0-{count}\""));
    Ok(response)
}

/// Puts a local document and gives its count.
pub(crate) async fn put_local(
    call: &Call,
    database: &Database,
    name: &str,
    document: &Incoming,
) -> Result<u64> {
    database.require_write(name)?;
    let journaled = call.is_journaled();
    if document.deleted {
        database.collection.put_local(name, None, journaled).await?;
        return Ok(0);
    }
    let count = next_count(document)?;
    let mut kept = document.document(ValueRef::String(name)).to_document();
    // In place of what a client may have sent as `$_rev`.
    kept.set(COUNT, Value::Int64(i64::try_from(count).unwrap_or(i64::MAX)));
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

/// `/{db}/_local_docs`.
pub(crate) async fn list(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    let options = RowOptions::of(call).await?;
    stream::respond_with(&call.operation, |mut output| async move {
        let written = write_list(&database, &options, &mut output).await;
        (output, written)
    })
    .await
}

async fn write_list(database: &Database, options: &RowOptions, output: &mut Output) -> Result<()> {
    output.text.push_str(r#"{"total_rows":null,"offset":null,"#);
    let snapshot = database.snapshot_for(options.update_seq).await?;
    if options.update_seq {
        let sequence = database.sequences.text(&snapshot.head());
        // Writing to a String cannot fail.
        let _ = write!(output.text, r#""update_seq":"{sequence}","#);
    }
    output.text.push_str(r#""rows":["#);
    let rows = Rows {
        options,
        output,
        skip: options.skip,
        written: 0,
    };
    match &options.keys {
        Some(keys) => rows.of_keys(&snapshot, keys).await?,
        None => rows.of_range(&snapshot).await?,
    }
    output.text.push_str("\r\n]}");
    Ok(())
}

struct Rows<'a> {
    options: &'a RowOptions,
    output: &'a mut Output,
    skip: u64,
    written: u64,
}

impl Rows<'_> {
    /// Rows in the order of the keys, those that lead to nothing too.
    async fn of_keys(mut self, snapshot: &RevisionedSnapshot, keys: &[Value]) -> Result<()> {
        for key in self.options.in_order(keys) {
            let name = key.as_ref().as_str().and_then(|id| id.strip_prefix(ids::LOCAL));
            let found = match name {
                Some(name) => snapshot.local(name).await?.map(|document| (name, document)),
                None => None,
            };
            if !self.begin() {
                continue;
            }
            match found {
                Some((name, document)) => {
                    write_row(name, &document, self.options.include_docs, &mut self.output.text);
                }
                None => {
                    let out = &mut self.output.text;
                    out.push_str(r#"{"key":"#);
                    json::write(key.as_ref(), out);
                    out.push_str(r#","error":"not_found"}"#);
                }
            }
            if !self.output.flush_if_large().await {
                break;
            }
        }
        Ok(())
    }

    /// Rows in the order of the ids.
    async fn of_range(mut self, snapshot: &RevisionedSnapshot) -> Result<()> {
        let range = self.options.range();
        let mut after: Option<String> = None;
        loop {
            let (page, exhausted) = snapshot.locals(after.as_deref(), self.options.order).await?;
            for (name, document) in &page {
                let id = Value::from(format!("{}{name}", ids::LOCAL));
                if value::is_within(&range, id.as_ref()) && self.begin() {
                    write_row(name, document, self.options.include_docs, &mut self.output.text);
                }
            }
            after = page.last().map(|(name, _)| name.clone());
            let is_enough = exhausted || self.written >= self.options.limit;
            if !self.output.flush_if_large().await || is_enough {
                return Ok(());
            }
        }
    }

    /// Makes room for a row; false where it is skipped or too many.
    fn begin(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        if self.written >= self.options.limit {
            return false;
        }
        self.output
            .text
            .push_str(if self.written > 0 { ",\r\n" } else { "\r\n" });
        self.written += 1;
        true
    }
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
