//! Which rows of `_all_docs` are asked for.

use crate::attachments::Wanted;
use crate::call::Call;
use crate::database::Database;
use crate::error::{CouchError, Result};
use crate::query::{self, Query};
use crate::{ids, row_limit};
use engine::Order;
use http::Method;
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
    /// Only ids of this partition.
    pub(crate) partition: Option<String>,
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
            partition: None,
        }
    }
}

impl RowOptions {
    /// Those of a body and of a query, which wins.
    pub(crate) fn parse(query: &Query, body: Option<&Document>) -> Result<RowOptions> {
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
            "partition" => self.set_value(name, &Value::from(text)),
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
            ("partition", Value::String(partition)) => {
                ids::check_partition(partition)?;
                self.partition = Some(partition.clone());
            }
            ("partition", _) => return Err(CouchError::illegal_partition("Partition must be a string")),
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
    pub(crate) async fn of(call: &mut Call) -> Result<RowOptions> {
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
    pub(crate) fn in_order<'k>(&self, keys: &'k [Value]) -> Vec<&'k Value> {
        match self.order {
            Order::Forward => keys.iter().collect(),
            Order::Backward => keys.iter().rev().collect(),
        }
    }

    /// The ids between start and end, in ascending order.
    pub(crate) fn range(&self) -> (Bound<Value>, Bound<Value>) {
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
        let (low, high) = self.within_prefix((low, high));
        match &self.partition {
            Some(partition) => ids::within((low, high), ids::of_partition(partition)),
            None => (low, high),
        }
    }

    pub(super) fn within_prefix(&self, range: (Bound<Value>, Bound<Value>)) -> (Bound<Value>, Bound<Value>) {
        if self.prefix.is_empty() {
            return range;
        }
        // The slash at the end of the prefix, and what comes next in ASCII.
        let behind = format!("{}0", self.prefix.trim_end_matches('/'));
        ids::within(range, Value::from(self.prefix)..Value::from(behind))
    }

    /// Checks what depends on the database, and takes the limit that its settings set.
    pub(super) fn checked(mut self, call: &Call, database: &Database) -> Result<RowOptions> {
        if self.partition.is_some() && !database.collection.is_partitioned() {
            return Err(CouchError::query_parse(
                "`partition` parameter is not supported on this db",
            ));
        }
        let own = (self.limit < u64::MAX).then_some(self.limit);
        let limit = row_limit::apply(&call.server.config, self.partition.is_some(), own)?;
        self.limit = limit.unwrap_or(u64::MAX);
        Ok(self)
    }
}
