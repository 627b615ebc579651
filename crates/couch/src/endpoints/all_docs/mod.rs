//! `_all_docs`: the documents in the order of their ids.

mod options;

pub(crate) use options::RowOptions;

use crate::attachments;
use crate::call::Call;
use crate::limits::{OFFSET_COUNTED_MAX, PAGE_ROWS};
use crate::outgoing::{self, Shown, ShownHistory};
use crate::respond;
use crate::stream::{self, Output};
use access::database::Database;
use access::error::Result;
use access::ids;
use engine::{DocumentPosition, Order, PageLimit, Record, RevisionedSnapshot};
use http::{Method, Response, if_none_match};
use json::write_string;
use std::fmt::Write as _;
use std::ops::Bound;
use value::Value;

/// `/{db}/_all_docs`, `_design_docs`.
pub(crate) async fn run(call: &mut Call, prefix: &'static str) -> Result<Response> {
    let database = call.database()?;
    let options = RowOptions::of(call).await?.checked(call, &database)?;
    let options = options.listing(prefix)?;
    // From before the snapshot is taken, so that no rows have the tag of later ones.
    let tag = format!("\"{}\"", database.sequences.text(&database.collection.head()));
    if call.method != Method::POST && if_none_match(&call.headers, &tag) {
        return Ok(respond::not_modified(&tag));
    }
    let mut response = stream::respond_with(&call.operation, |mut output| async move {
        let written = write(&database, &options, &mut output).await;
        (output, written)
    })
    .await?;
    respond::tag(&mut response, &tag);
    Ok(response)
}

/// `/{db}/_all_docs/queries`: several in one.
pub(crate) async fn queries(call: &mut Call, prefix: &'static str) -> Result<Response> {
    let database = call.database()?;
    let queries = RowOptions::of_queries(call, &database, prefix).await?;
    stream::respond_with(&call.operation, |mut output| async move {
        let written = write_all(&database, &queries, &mut output).await;
        (output, written)
    })
    .await
}

async fn write_all(database: &Database, queries: &[RowOptions], output: &mut Output) -> Result<()> {
    for (before, options) in queries.iter().enumerate() {
        output.begin_result(before);
        write(database, options, output).await?;
    }
    output.end_results(queries.len());
    Ok(())
}

/// Appends one answer.
async fn write(database: &Database, options: &RowOptions, output: &mut Output) -> Result<()> {
    let snapshot = database.snapshot_for(options.update_seq).await?;
    let mut rows = Rows {
        database,
        snapshot: &snapshot,
        options,
        output,
        written: 0,
    };
    let total = match options.prefix {
        "" => snapshot.count(),
        // Design documents are few.
        _ => count(
            &snapshot,
            options.within_prefix((Bound::Unbounded, Bound::Unbounded)),
            u64::MAX,
        )
        .await?
        .unwrap_or_default(),
    };
    // Writing to a String cannot fail.
    let _ = write!(rows.output.text, r#"{{"total_rows":{total},"#);
    match &options.keys {
        Some(keys) => {
            rows.head(database, "null".to_owned());
            rows.of_keys(keys).await?;
        }
        None => {
            let offset = offset(&snapshot, options, total).await?;
            rows.head(database, offset);
            rows.of_range().await?;
        }
    }
    output.text.push_str("\r\n]}");
    Ok(())
}

/// How many documents stand before the first row; `null` where it would take long to count them.
async fn offset(snapshot: &RevisionedSnapshot, options: &RowOptions, total: u64) -> Result<String> {
    if options.start.is_none() && options.partition.is_none() {
        return Ok(options.skip.min(total).to_string());
    }
    let (low, high) = options.range();
    let before = match options.order {
        Order::Forward => (Bound::Unbounded, complement(low)),
        Order::Backward => (complement(high), Bound::Unbounded),
    };
    let before = count(snapshot, options.within_prefix(before), OFFSET_COUNTED_MAX).await?;
    let offset = before.map(|before| before.saturating_add(options.skip).min(total));
    Ok(offset.map_or_else(|| "null".to_owned(), |offset| offset.to_string()))
}

/// The other side of a bound.
fn complement(bound: Bound<Value>) -> Bound<Value> {
    match bound {
        Bound::Included(id) => Bound::Excluded(id),
        Bound::Excluded(id) => Bound::Included(id),
        Bound::Unbounded => Bound::Unbounded,
    }
}

/// How many documents are in a range; `None` if there are more than `counted_max`.
async fn count(
    snapshot: &RevisionedSnapshot,
    range: (Bound<Value>, Bound<Value>),
    counted_max: u64,
) -> Result<Option<u64>> {
    let (mut counted, mut after) = (0, None);
    loop {
        let limit = PageLimit::default();
        let page = snapshot.documents(range.clone(), after.as_ref(), Order::Forward, limit);
        let (records, next) = page.await?;
        counted += records.len() as u64;
        if counted > counted_max {
            return Ok(None);
        }
        if next.is_none() {
            return Ok(Some(counted));
        }
        after = next;
    }
}

struct Rows<'a> {
    database: &'a Database,
    snapshot: &'a RevisionedSnapshot,
    options: &'a RowOptions,
    output: &'a mut Output,
    written: u64,
}

impl Rows<'_> {
    fn head(&mut self, database: &Database, offset: String) {
        let text = &mut self.output.text;
        let _ = write!(text, r#""offset":{offset},"#);
        if self.options.update_seq {
            let sequence = database.sequences.text(&self.snapshot.head());
            let _ = write!(text, r#""update_seq":"{sequence}","#);
        }
        text.push_str(r#""rows":["#);
    }

    /// Rows in the order of the ids.
    async fn of_range(&mut self) -> Result<()> {
        let mut skip = self.options.skip;
        let mut after = None;
        while self.written < self.options.limit {
            let wanted = (self.options.limit - self.written).saturating_add(skip);
            let limit = usize::try_from(wanted).unwrap_or(PAGE_ROWS).min(PAGE_ROWS);
            self.output.begin_read(&self.database.collection).await?;
            let (range, limit) = (self.options.range(), self.output.page(limit));
            let page = self
                .snapshot
                .documents(range, after.as_ref(), self.options.order, limit);
            let (records, mut next) = page.await?;
            for record in records {
                engine::steps(1)?;
                if skip > 0 {
                    skip -= 1;
                } else if self.written < self.options.limit {
                    self.live(&record, None).await?;
                }
                if self.output.must_wait() {
                    let id = record
                        .document
                        .as_raw()
                        .get("_id")
                        .unwrap_or(value::ValueRef::Null);
                    next = Some(DocumentPosition::of_id(id));
                    break;
                }
                if !self.output.flush_if_large().await {
                    return Ok(());
                }
            }
            if !self.output.end_page().await || next.is_none() {
                break;
            }
            after = next;
        }
        Ok(())
    }

    /// Rows in the order of the keys, those that lead to nothing too.
    async fn of_keys(&mut self, keys: &[Value]) -> Result<()> {
        for key in self.options.keys_of_rows(keys) {
            self.output.begin_read(&self.database.collection).await?;
            self.of_key(key).await?;
            if !self.output.end_row().await {
                break;
            }
        }
        Ok(())
    }

    async fn of_key(&mut self, key: &Value) -> Result<()> {
        let Value::String(text) = key else {
            self.not_found(key);
            return Ok(());
        };
        let id = ids::resolve(self.snapshot, text).await?;
        if let Some(record) = self.snapshot.document(id.as_ref()).await? {
            return self.live(&record, Some(text)).await;
        }
        let Some((revision, _)) = self.snapshot.deletion(id.as_ref()).await? else {
            self.not_found(key);
            return Ok(());
        };
        self.separate();
        let out = &mut self.output.text;
        out.push_str(r#"{"id":"#);
        write_string(text, out);
        out.push_str(r#","key":"#);
        write_string(text, out);
        let _ = write!(out, r#","value":{{"rev":"{revision}","deleted":true}}"#);
        out.push_str(if self.options.include_docs {
            r#","doc":null}"#
        } else {
            "}"
        });
        Ok(())
    }

    fn not_found(&mut self, key: &Value) {
        self.separate();
        let out = &mut self.output.text;
        out.push_str(r#"{"key":"#);
        json::write(key.as_ref(), out);
        out.push_str(r#","error":"not_found"}"#);
    }

    fn separate(&mut self) {
        self.output
            .text
            .push_str(if self.written > 0 { ",\r\n" } else { "\r\n" });
        self.written += 1;
    }

    async fn live(&mut self, record: &Record, key: Option<&str>) -> Result<()> {
        self.separate();
        let raw = record.document.as_raw();
        let revision = record.revision();
        let own = ids::text(raw.get("_id").unwrap_or(value::ValueRef::Null));
        let out = &mut self.output.text;
        out.push_str(r#"{"id":"#);
        write_string(&own, out);
        out.push_str(r#","key":"#);
        write_string(key.unwrap_or(&own), out);
        let _ = write!(out, r#","value":{{"rev":"{revision}"}}"#);
        if self.options.include_docs {
            let shown = Shown {
                conflicts: self.options.conflicts,
                ..Shown::default()
            };
            let loaded = attachments::load(&self.database.files(), raw, self.options.attachments).await?;
            let history = match shown.needs_history() && record.has_tree() {
                true => Some(self.snapshot.history_of(record).await?),
                false => None,
            };
            let out = &mut self.output.text;
            out.push_str(r#","doc":"#);
            let more = history
                .as_ref()
                .map(|history| ShownHistory::of_winner(history, shown));
            outgoing::write_loaded(raw, &revision, false, more, &loaded, out);
        }
        self.output.text.push('}');
        Ok(())
    }
}
