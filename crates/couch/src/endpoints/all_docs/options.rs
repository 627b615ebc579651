//! Which rows of `_all_docs` are asked for.

use crate::attachments::Wanted;
use crate::call::Call;
use crate::endpoints::view::ViewParameters;
use crate::query::{self, Query};
use crate::row_limit;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::Order;
use http::Method;
use serde_json::Value as Json;
use std::ops::Bound;
use value::Value;

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

impl RowOptions {
    /// Those of a query.
    pub(crate) fn of_query(query: &Query) -> Result<RowOptions> {
        RowOptions::of_parameters(parameters().with_query(query)?)
    }

    /// What a request asks for, in its query and in a body; the query wins.
    pub(crate) async fn of(call: &mut Call) -> Result<RowOptions> {
        match call.method {
            Method::GET | Method::HEAD => RowOptions::of_query(&call.query),
            Method::POST => {
                call.check_is_json()?;
                let body = call.json_map().await?;
                if body.get("keys").is_some_and(|keys| !keys.is_array()) {
                    return Err(CouchError::bad_request("`keys` body member must be an array."));
                }
                RowOptions::of_parameters(parameters().with_body(&body)?.with_query(&call.query)?)
            }
            _ => Err(CouchError::method_not_allowed("GET,HEAD,POST")),
        }
    }

    /// What each of the queries of a body asks for, which win over the query of the URL; of documents whose ids begin so. Here one key in
    /// `keys` is that key alone, as of a view (`src/chttpd/src/chttpd_db.erl`, `multi_all_docs_view`).
    pub(crate) async fn of_queries(
        call: &mut Call,
        database: &Database,
        prefix: &'static str,
    ) -> Result<Vec<RowOptions>> {
        if call.method != Method::POST {
            return Err(CouchError::method_not_allowed("POST"));
        }
        // Other than at views, no type of the body is asked for.
        let body = call.json_map().await?;
        let queries = ViewParameters::of_query(&call.query)?.of_queries(&body)?;
        let queries = queries.into_iter().map(RowOptions::of_parameters);
        let queries: Vec<RowOptions> = queries.collect::<Result<_>>()?;
        let checked = queries
            .into_iter()
            .map(|query| query.checked(call, database)?.listing(prefix));
        checked.collect()
    }

    fn of_parameters(parameters: ViewParameters) -> Result<RowOptions> {
        let query = parameters.query;
        // As of a view without reduce function, which a partition may be asked for or not.
        query.check(false, query.partition.is_some())?;
        let keys = |keys: Vec<Json>| keys.into_iter().map(id).collect::<Result<Vec<_>>>();
        // Where the ids are the keys, that of the document to begin or end with is one (`src/couch_mrview/src/couch_mrview_util.erl`,
        // `ad_skey_opts`).
        let start = query.start_key.or(query.start_id.map(Json::String));
        let end = query.end_key.or(query.end_id.map(Json::String));
        Ok(RowOptions {
            keys: query.keys.map(keys).transpose()?,
            start: start.map(id).transpose()?,
            end: end.map(id).transpose()?,
            inclusive_end: query.inclusive_end,
            order: query.order,
            skip: query.skip,
            limit: query.limit.unwrap_or(u64::MAX),
            include_docs: query.include_docs,
            conflicts: query.conflicts == Some(true),
            update_seq: parameters.update_sequence,
            attachments: Wanted {
                since: parameters.attachments.then_some(0),
                encoding: parameters.encoding,
            },
            prefix: "",
            partition: query.partition,
        })
    }

    /// Keys in the order of the rows.
    pub(crate) fn in_order<'k>(&self, keys: &'k [Value]) -> Vec<&'k Value> {
        match self.order {
            Order::Forward => keys.iter().collect(),
            Order::Backward => keys.iter().rev().collect(),
        }
    }

    /// The keys that have rows, in their order. Those that can name none of the documents listed have none, though they are counted
    /// (`src/fabric/src/fabric_view_all_docs.erl`, `filter_keys_by_namespace`).
    pub(crate) fn keys_of_rows<'k>(&self, keys: &'k [Value]) -> Vec<&'k Value> {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let keys = self.in_order(keys).into_iter();
        let asked = keys.skip(number(self.skip)).take(number(self.limit));
        let is_listed = |key: &&Value| {
            self.prefix.is_empty() || matches!(key, Value::String(id) if id.starts_with(self.prefix))
        };
        asked.filter(is_listed).collect()
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

    /// The same of documents whose ids begin so. Keys that can be no ids are refused where rows of them are asked for.
    pub(crate) fn listing(mut self, prefix: &'static str) -> Result<RowOptions> {
        self.prefix = prefix;
        let asked = self.keys.as_deref().map(|keys| self.keys_of_rows(keys));
        let asked = asked.unwrap_or_default();
        let wrong = asked.into_iter().find(|key| !matches!(key, Value::String(_)));
        if let Some(key) = wrong {
            let mut shown = String::new();
            json::write(key.as_ref(), &mut shown);
            return Err(CouchError::illegal_docid(shown));
        }
        Ok(self)
    }

    /// Checks what depends on the database, and takes the limit that its settings set.
    pub(crate) fn checked(mut self, call: &Call, database: &Database) -> Result<RowOptions> {
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

/// Those of a list of documents before anything is asked.
fn parameters() -> ViewParameters {
    ViewParameters {
        keeps_keys: true,
        ..ViewParameters::default()
    }
}

/// A key as an id may be.
fn id(key: Json) -> Result<Value> {
    query::json(&key.to_string())
}
