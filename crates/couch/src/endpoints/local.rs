//! `_local/…`: documents that are not replicated, such as checkpoints, one by one and listed.

use crate::call::Call;
use crate::endpoints::all_docs::RowOptions;
use crate::endpoints::document::{Put, destination, named_revision};
use crate::incoming::Incoming;
use crate::local_documents::{COUNT, present, write, write_row};
use crate::respond;
use crate::stream::{self, Output};
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::{RevisionedCollection, RevisionedSnapshot};
use http::Response;
use std::fmt::Write as _;
use value::Value;

/// `/{db}/_local/{name}`.
pub(crate) async fn run(call: &mut Call, name: &str) -> Result<Response> {
    let database = call.database()?;
    if name.is_empty() {
        return Err(CouchError::bad_request("Invalid _local document id."));
    }
    let id = format!("{}{name}", ids::LOCAL);
    match call.method.as_str() {
        "GET" | "HEAD" => {
            let mut text = String::new();
            write(name, present(&database, name).await?.as_raw(), &mut text);
            // Counts do not tell a document from one that was there before it.
            Ok(respond::by_content(&call.headers, text))
        }
        "PUT" => {
            let bytes = call.given_bytes().await?;
            let mut document = Incoming::whole(&bytes)?;
            document.revision = named_revision(call, document.revision.as_ref())?;
            Box::pin(Put::new(call, &database, &id).answer_whole(document)).await
        }
        "DELETE" => {
            present(&database, name).await?;
            put(call, &database, &id, Incoming::deletion(None)).await
        }
        "COPY" => {
            let mut copy = Incoming::of_body(present(&database, name).await?.as_raw(), COUNT);
            let (target, revision) = destination(call)?;
            copy.revision = revision;
            database.check_id(&target)?;
            put(call, &database, &target, copy).await
        }
        _ => Err(CouchError::method_not_allowed("DELETE,GET,HEAD,PUT,COPY")),
    }
}

async fn put(call: &Call, database: &Database, id: &str, document: Incoming) -> Result<Response> {
    // Boxed, since reading a local document needs no such state.
    Box::pin(Put::new(call, database, id).answer(document)).await
}

/// `/{db}/_local_docs`.
pub(crate) async fn list(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    let options = RowOptions::of(call).await?.checked(call, &database)?;
    let options = options.listing(ids::LOCAL)?;
    stream::respond_with(&call.operation, |mut output| async move {
        let written = write_list(&database, &options, &mut output).await;
        (output, written)
    })
    .await
}

/// `/{db}/_local_docs/queries`: several in one.
pub(crate) async fn queries(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    let queries = RowOptions::of_queries(call, &database, ids::LOCAL).await?;
    stream::respond_with(&call.operation, |mut output| async move {
        let written = write_all(&database, &queries, &mut output).await;
        (output, written)
    })
    .await
}

async fn write_all(database: &Database, queries: &[RowOptions], output: &mut Output) -> Result<()> {
    for (before, options) in queries.iter().enumerate() {
        output.begin_result(before);
        write_list(database, options, output).await?;
    }
    output.end_results(queries.len());
    Ok(())
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
        collection: &database.collection,
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
    collection: &'a RevisionedCollection,
    options: &'a RowOptions,
    output: &'a mut Output,
    skip: u64,
    written: u64,
}

impl Rows<'_> {
    /// Rows in the order of the keys, those that lead to nothing too.
    async fn of_keys(mut self, snapshot: &RevisionedSnapshot, keys: &[Value]) -> Result<()> {
        for key in self.options.keys_of_rows(keys) {
            self.output.begin_read(self.collection).await?;
            let name = key.as_ref().as_str().and_then(|id| id.strip_prefix(ids::LOCAL));
            let found = match name {
                Some(name) => snapshot.local(name).await?.map(|document| (name, document)),
                None => None,
            };
            self.separate();
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
            if !self.output.end_row().await {
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
            self.output.begin_read(self.collection).await?;
            let (page, exhausted) = snapshot.locals(after.as_deref(), self.options.order).await?;
            for (name, document) in &page {
                let id = Value::from(format!("{}{name}", ids::LOCAL));
                if value::is_within(&range, id.as_ref()) && self.begin() {
                    write_row(name, document, self.options.include_docs, &mut self.output.text);
                }
            }
            after = page.last().map(|(name, _)| name.clone());
            let is_enough = exhausted || self.written >= self.options.limit;
            if !self.output.end_row().await || is_enough {
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
        self.separate();
        true
    }

    fn separate(&mut self) {
        self.output
            .text
            .push_str(if self.written > 0 { ",\r\n" } else { "\r\n" });
        self.written += 1;
    }
}
