//! The parameters of a query of a view, and of lists that are asked as views are: of documents, of databases
//! (`src/couch_mrview/src/couch_mrview_http.erl`, `parse_param`).

use crate::query::{self, Query as UrlQuery};
use access::error::{CouchError, Result};
use access::ids;
use engine::Order;
use serde_json::{Map, Value as Json};
use view::{Query, Update};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewParameters {
    pub(crate) query: Query,
    /// Whether the answer names the last change that is in it.
    pub(crate) update_sequence: bool,
    /// Whether documents come with their attachments in full.
    pub(crate) attachments: bool,
    /// Whether they say how attachments are stored.
    pub(crate) encoding: bool,
    /// Whether one key in `keys` is asked for as several are: with an answer where it leads to nothing.
    pub(crate) keeps_keys: bool,
}

impl ViewParameters {
    /// Those of a URL.
    pub(crate) fn of_query(query: &UrlQuery) -> Result<ViewParameters> {
        ViewParameters::default().with_query(query)
    }

    /// Those of a body.
    pub(crate) fn of_body(body: &Map<String, Json>) -> Result<ViewParameters> {
        ViewParameters::default().with_body(body)
    }

    /// These with those of a URL, which come last and win.
    pub(crate) fn with_query(mut self, query: &UrlQuery) -> Result<ViewParameters> {
        for (name, text) in query.iter() {
            let value: Json = match name {
                "key" | "keys" | "startkey" | "start_key" | "endkey" | "end_key" => {
                    let invalid = |_| CouchError::bad_request("invalid UTF-8 JSON");
                    serde_json::from_str(text).map_err(invalid)?
                }
                _ => Json::from(text),
            };
            if name == "keys" && !value.is_array() {
                return Err(CouchError::bad_request("`keys` parameter must be an array."));
            }
            self.set(name, value)?;
        }
        Ok(self)
    }

    /// These with those of a body.
    pub(crate) fn with_body(mut self, body: &Map<String, Json>) -> Result<ViewParameters> {
        for (name, value) in body {
            self.set(name, value.clone())?;
        }
        Ok(self)
    }

    /// These with those of each query of a body.
    pub(crate) fn of_queries(&self, body: &Map<String, Json>) -> Result<Vec<ViewParameters>> {
        let queries = match body.get("queries") {
            Some(Json::Array(queries)) => queries,
            Some(_) => return Err(CouchError::bad_request("`queries` member must be an array.")),
            None => {
                return Err(CouchError::bad_request(
                    "POST body must include `queries` parameter.",
                ));
            }
        };
        let parse = |query: &Json| match query {
            Json::Object(query) => self.clone().with_body(query),
            _ => Err(CouchError::bad_request("each query must be a JSON object")),
        };
        queries.iter().map(parse).collect()
    }

    fn set(&mut self, name: &str, value: Json) -> Result<()> {
        let query = &mut self.query;
        match name {
            "key" => {
                query.start_key = Some(value.clone());
                query.end_key = Some(value);
            }
            "keys" => set_keys(query, value, self.keeps_keys)?,
            "startkey" | "start_key" => query.start_key = Some(value),
            "endkey" | "end_key" => query.end_key = Some(value),
            "startkey_docid" | "start_key_doc_id" => query.start_id = Some(text(&value)),
            "endkey_docid" | "end_key_doc_id" => query.end_id = Some(text(&value)),
            "limit" => query.limit = Some(number(&value)?),
            "skip" => query.skip = number(&value)?,
            "descending" => {
                query.order = match flag(&value)? {
                    true => Order::Backward,
                    false => Order::Forward,
                };
            }
            "inclusive_end" => query.inclusive_end = flag(&value)?,
            "reduce" => query.reduce = Some(flag(&value)?),
            "group" => query.group = Some(flag(&value)?),
            "group_level" => query.group_level = Some(number(&value)?),
            "include_docs" => query.include_docs = flag(&value)?,
            "conflicts" => query.conflicts = Some(flag(&value)?),
            "attachments" => self.attachments = flag(&value)?,
            "update_seq" => self.update_sequence = flag(&value)?,
            // Where rows come from is one place, and they come sorted.
            "sorted" => drop(flag(&value)?),
            "att_encoding_info" => self.encoding = flag(&value)?,
            "stable" => match text(&value).as_str() {
                "true" | "false" => {}
                _ => return Err(invalid(name)),
            },
            "update" => query.update = update(name, &text(&value))?,
            "stale" => {
                query.update = match text(&value).as_str() {
                    "ok" => Update::No,
                    "update_after" => Update::After,
                    _ => return Err(invalid(name)),
                };
            }
            "partition" => {
                let Json::String(partition) = value else {
                    return Err(CouchError::illegal_partition("Partition must be a string"));
                };
                ids::check_partition(&partition)?;
                query.partition = Some(partition);
            }
            // CouchDB hands others on to functions that are not run here.
            _ => {}
        }
        Ok(())
    }
}

/// One key alone is a key, unless it is kept as it is.
fn set_keys(query: &mut Query, value: Json, is_kept: bool) -> Result<()> {
    match value {
        Json::Array(mut keys) if keys.len() == 1 && !is_kept => {
            query.start_key = keys.pop();
            query.end_key = query.start_key.clone();
        }
        Json::Array(keys) => query.keys = Some(keys),
        _ => return Err(CouchError::bad_request("`keys` member must be an array.")),
    }
    Ok(())
}

fn update(name: &str, text: &str) -> Result<Update> {
    match text {
        "true" => Ok(Update::Before),
        "false" => Ok(Update::No),
        "lazy" => Ok(Update::After),
        _ => Err(invalid(name)),
    }
}

fn invalid(name: &str) -> CouchError {
    CouchError::query_parse(format!("Invalid value for `{name}`."))
}

/// A text as it is, any other value as JSON.
fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn flag(value: &Json) -> Result<bool> {
    let text = text(value);
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(CouchError::query_parse(format!(
            "Invalid boolean parameter: {text:?}"
        ))),
    }
}

fn number(value: &Json) -> Result<u64> {
    query::number(&text(value))
}
