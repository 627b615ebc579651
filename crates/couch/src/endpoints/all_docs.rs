//! `_all_docs`: the documents in the order of their ids.

use crate::attachments::{self, Wanted};
use crate::call::Call;
use crate::database::Database;
use crate::error::{CouchError, Result};
use crate::ids;
use crate::json::write_string;
use crate::limits::{OFFSET_COUNTED_MAX, PAGE_ROWS};
use crate::outgoing::{self, Shown};
use crate::query::{self, Query};
use crate::respond;
use crate::stream::{self, Output};
use engine::{Order, Record, RevisionedSnapshot};
use http::{Method, Response, if_none_match};
use std::fmt::Write as _;
use std::ops::Bound;
use value::{Document, Value};

/// What rows are asked for.
#[derive(Clone, Debug)]
pub(crate) struct RowOptions {
    pub(crate) keys: Option<Vec<Value>>,
    pub(crate) start: Option<Value>,
    pub(crate) end: Option<Value>,
    pub(crate) inclusive_end: bool,
    pub(crate) order: Order,
    pub(crate) skip: u64,
    pub(crate) limit: u64,
    pub(crate) include_docs: bool,
    pub(crate) conflicts: bool,
    pub(crate) update_seq: bool,
    pub(crate) attachments: Wanted,
    /// Only ids that begin so.
    pub(crate) prefix: &'static str,
}

impl Default for RowOptions {
    fn default() -> RowOptions {
        RowOptions {
            keys: None,
            start: None,
            end: None,
            inclusive_end: true,
            order: Order::Forward,
            skip: 0,
            limit: u64::MAX,
            include_docs: false,
            conflicts: false,
            update_seq: false,
            attachments: Wanted::default(),
            prefix: "",
        }
    }
}

impl RowOptions {
    /// Those of a body and of a query, which wins.
    pub(super) fn parse(query: &Query, body: Option<&Document>) -> Result<RowOptions> {
        let mut options = RowOptions::default();
        for (name, value) in body.into_iter().flat_map(Document::iter) {
            if name == "keys" && !matches!(value, Value::Array(_)) {
                return Err(CouchError::bad_request("`keys` body member must be an array."));
            }
            options.set_value(name, value)?;
        }
        for (name, text) in query.iter() {
            options.set_text(name, text)?;
        }
        if options.keys.is_some() && (options.start.is_some() || options.end.is_some()) {
            return Err(CouchError::query_parse(
                "`keys` is incompatible with `key`, `start_key` and `end_key`",
            ));
        }
        Ok(options)
    }

    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        match name {
            "key" | "keys" | "startkey" | "start_key" | "endkey" | "end_key" => {
                self.set_value(name, &query::json(text)?)
            }
            "descending" | "include_docs" | "inclusive_end" | "conflicts" | "update_seq" | "attachments"
            | "att_encoding_info" => self.set_value(name, &Value::Bool(query::flag(name, text)?)),
            "skip" => {
                self.skip = query::number(name, text)?;
                Ok(())
            }
            "limit" => {
                self.limit = query::number(name, text)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn set_value(&mut self, name: &str, value: &Value) -> Result<()> {
        match (name, value) {
            ("key", key) => {
                self.start = Some(key.clone());
                self.end = Some(key.clone());
            }
            ("keys", Value::Array(keys)) => self.keys = Some(keys.clone()),
            ("keys", _) => {
                return Err(CouchError::bad_request("`keys` parameter must be an array."));
            }
            ("startkey" | "start_key", key) => self.start = Some(key.clone()),
            ("endkey" | "end_key", key) => self.end = Some(key.clone()),
            ("descending", Value::Bool(true)) => self.order = Order::Backward,
            ("include_docs", Value::Bool(flag)) => self.include_docs = *flag,
            ("inclusive_end", Value::Bool(flag)) => self.inclusive_end = *flag,
            ("conflicts", Value::Bool(flag)) => self.conflicts = *flag,
            ("update_seq", Value::Bool(flag)) => self.update_seq = *flag,
            ("attachments", Value::Bool(true)) => self.attachments.since = Some(0),
            ("att_encoding_info", Value::Bool(true)) => self.attachments.encoding = true,
            ("skip", Value::Int32(number)) if *number >= 0 => self.skip = *number as u64,
            ("limit", Value::Int32(number)) if *number >= 0 => self.limit = *number as u64,
            _ => {}
        }
        Ok(())
    }

    /// What a request asks for, in its query and in a body.
    pub(super) async fn of(call: &mut Call) -> Result<RowOptions> {
        let body = match call.method {
            Method::GET | Method::HEAD => None,
            Method::POST => {
                call.check_is_json()?;
                Some(call.json_object().await?)
            }
            _ => return Err(CouchError::method_not_allowed("GET,HEAD,POST")),
        };
        RowOptions::parse(&call.query, body.as_ref())
    }

    /// Keys in the order of the rows.
    pub(super) fn in_order<'k>(&self, keys: &'k [Value]) -> Vec<&'k Value> {
        match self.order {
            Order::Forward => keys.iter().collect(),
            Order::Backward => keys.iter().rev().collect(),
        }
    }

    /// The ids between start and end, in ascending order.
    pub(super) fn range(&self) -> (Bound<Value>, Bound<Value>) {
        let included = |key: &Option<Value>| key.clone().map_or(Bound::Unbounded, Bound::Included);
        let start = included(&self.start);
        let end = match &self.end {
            Some(end) if !self.inclusive_end => Bound::Excluded(end.clone()),
            end => included(end),
        };
        let (low, high) = match self.order {
            Order::Forward => (start, end),
            Order::Backward => (end, start),
        };
        self.within_prefix(low, high)
    }

    fn within_prefix(&self, low: Bound<Value>, high: Bound<Value>) -> (Bound<Value>, Bound<Value>) {
        if self.prefix.is_empty() {
            return (low, high);
        }
        let first = Value::from(self.prefix);
        // The slash at the end of the prefix, and what comes next in ASCII.
        let behind = Value::from(format!("{}0", self.prefix.trim_end_matches('/')));
        let is_before = |a: &Value, b: &Value| value::compare(a.as_ref(), b.as_ref()).is_lt();
        let low = match low {
            Bound::Included(low) if !is_before(&low, &first) => Bound::Included(low),
            Bound::Excluded(low) if !is_before(&low, &first) => Bound::Excluded(low),
            _ => Bound::Included(first),
        };
        let high = match high {
            Bound::Included(high) if is_before(&high, &behind) => Bound::Included(high),
            Bound::Excluded(high) if is_before(&high, &behind) => Bound::Excluded(high),
            _ => Bound::Excluded(behind),
        };
        (low, high)
    }
}

/// `/{db}/_all_docs`, `_design_docs`.
pub(crate) async fn run(call: &mut Call, prefix: &'static str) -> Result<Response> {
    let database = Database::of(call)?;
    let mut options = RowOptions::of(call).await?;
    options.prefix = prefix;
    // From before the snapshot is taken, so that no rows have the tag of later ones.
    let tag = format!("\"{}\"", database.sequences.text(database.collection.head()));
    if call.method != Method::POST && if_none_match(&call.headers, &tag) {
        return Ok(respond::not_modified(&tag));
    }
    let mut response = stream::respond_with(|mut output| async move {
        let written = write(&database, &options, &mut output).await;
        (output, written)
    })
    .await?;
    respond::tag(&mut response, &tag);
    Ok(response)
}

/// `/{db}/_all_docs/queries`: several in one.
pub(crate) async fn queries(call: &mut Call, prefix: &'static str) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = Database::of(call)?;
    call.check_is_json()?;
    let body = call.json_object().await?;
    let Some(Value::Array(queries)) = body.get("queries") else {
        return Err(CouchError::bad_request(
            "POST body must include `queries` parameter.",
        ));
    };
    let parse = |query: &Value| match query {
        Value::Document(query) => {
            let mut options = RowOptions::parse(&call.query, Some(query))?;
            options.prefix = prefix;
            Ok(options)
        }
        _ => Err(CouchError::bad_request("each query must be a JSON object")),
    };
    let queries: Vec<RowOptions> = queries.iter().map(parse).collect::<Result<_>>()?;
    stream::respond_with(|mut output| async move {
        let written = write_all(&database, &queries, &mut output).await;
        (output, written)
    })
    .await
}

async fn write_all(database: &Database, queries: &[RowOptions], output: &mut Output) -> Result<()> {
    output.text.push_str(r#"{"results":["#);
    for (position, options) in queries.iter().enumerate() {
        output.text.push_str(if position > 0 { ",\r\n" } else { "\r\n" });
        write(database, options, output).await?;
    }
    output.text.push_str("\r\n]}");
    Ok(())
}

/// Appends one answer.
async fn write(database: &Database, options: &RowOptions, output: &mut Output) -> Result<()> {
    let snapshot = database.snapshot().await?;
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
            options.within_prefix(Bound::Unbounded, Bound::Unbounded),
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
    let Some(start) = options.start.clone() else {
        return Ok(options.skip.min(total).to_string());
    };
    let before = match options.order {
        Order::Forward => options.within_prefix(Bound::Unbounded, Bound::Excluded(start)),
        Order::Backward => options.within_prefix(Bound::Excluded(start), Bound::Unbounded),
    };
    let before = count(snapshot, before, OFFSET_COUNTED_MAX).await?;
    let offset = before.map(|before| before.saturating_add(options.skip).min(total));
    Ok(offset.map_or_else(|| "null".to_owned(), |offset| offset.to_string()))
}

/// How many documents are in a range; none where there are more than `counted_max`.
async fn count(
    snapshot: &RevisionedSnapshot,
    range: (Bound<Value>, Bound<Value>),
    counted_max: u64,
) -> Result<Option<u64>> {
    let (mut counted, mut after) = (0, None);
    loop {
        let page = snapshot.documents(range.clone(), after.as_ref(), Order::Forward, PAGE_ROWS);
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
            let sequence = database.sequences.text(self.snapshot.head());
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
            let range = self.options.range();
            let (records, next) = self
                .snapshot
                .documents(range, after.as_ref(), self.options.order, limit)
                .await?;
            for record in records {
                if skip > 0 {
                    skip -= 1;
                } else if self.written < self.options.limit {
                    self.live(&record, None).await?;
                }
            }
            if !self.output.flush_if_large().await || next.is_none() {
                break;
            }
            after = next;
        }
        Ok(())
    }

    /// Rows in the order of the keys, those that lead to nothing too.
    async fn of_keys(&mut self, keys: &[Value]) -> Result<()> {
        let limit = usize::try_from(self.options.limit).unwrap_or(usize::MAX);
        let skip = usize::try_from(self.options.skip).unwrap_or(usize::MAX);
        for key in self.options.in_order(keys).into_iter().skip(skip).take(limit) {
            self.of_key(key).await?;
            if !self.output.flush_if_large().await {
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
        crate::json::write(key.as_ref(), out);
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
            let more = history.as_ref().map(|history| (history, history.winner, shown));
            outgoing::write_loaded(raw, &revision, false, more, &loaded, out);
        }
        self.output.text.push('}');
        Ok(())
    }
}
