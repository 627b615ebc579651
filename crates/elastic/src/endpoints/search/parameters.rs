//! What the query string of a search says.

use indices::error::{ElasticError, Result};
use rest::parameters::{Parameters, number_of};
use rest::source::SourceFilter;
use search::{Query, parse_query_string};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A search as a client asks it: its body, with what the query string says besides.
pub(crate) struct AskedSearch {
    pub(crate) body: Map<String, Value>,
    pub(crate) query: Option<Query>,
    pub(crate) shown_source: Option<SourceFilter>,
    pub(crate) typed_keys: bool,
    pub(crate) total_as_number: bool,
    pub(crate) version: bool,
    pub(crate) sequence: bool,
    /// How long a scroll is kept until its next page.
    pub(crate) keep_alive: Option<Duration>,
    /// Shards whose results Elasticsearch would put together at once.
    pub(crate) batch: u64,
    /// Whether its answer may be of a cache, of which there is none.
    pub(crate) is_cached: bool,
    /// Whether the first page of its scroll has no hits, as clients of earlier versions ask for all documents in any order.
    pub(crate) is_scan: bool,
    /// From how many shards on it is found out first which of them can have anything.
    pub(crate) filtered_from: Option<u64>,
}

/// The shards of one batch by default.
const BATCH_DEFAULT: u64 = 512;

impl AskedSearch {
    /// A search without parameters.
    pub(crate) fn of(body: Map<String, Value>) -> AskedSearch {
        AskedSearch {
            body,
            query: None,
            shown_source: None,
            typed_keys: false,
            total_as_number: false,
            version: false,
            sequence: false,
            keep_alive: None,
            batch: BATCH_DEFAULT,
            is_cached: false,
            is_scan: false,
            filtered_from: None,
        }
    }

    pub(crate) fn take(parameters: &mut Parameters, mut body: Map<String, Value>) -> Result<AskedSearch> {
        from_parameters(parameters, &mut body)?;
        let keep_alive = parameters
            .take("scroll")
            .map(|text| search::parse_time(&text, "scroll"))
            .transpose()?;
        let is_cached = parameters.flag("request_cache")?.unwrap_or(false);
        let batch = match parameters.integer("batched_reduce_size")? {
            None => BATCH_DEFAULT,
            Some(size) => u64::try_from(size)
                .ok()
                .filter(|size| *size >= 2)
                .ok_or_else(|| ElasticError::illegal("batchedReduceSize must be >= 2"))?,
        };
        parameters.without_effect(&[
            "preference",
            "routing",
            "ccs_minimize_roundtrips",
            "max_concurrent_shard_requests",
            "allow_partial_search_results",
            "ignore_throttled",
        ]);
        let filtered_from = parameters.integer("pre_filter_shard_size")?;
        let filtered_from = filtered_from.and_then(|size| u64::try_from(size).ok());
        let is_scan = match parameters.take("search_type").as_deref() {
            // Scores are those of the whole collection in both.
            None | Some("query_then_fetch" | "dfs_query_then_fetch") => false,
            Some("scan") if keep_alive.is_some() => {
                body.insert("sort".to_owned(), json!(["_doc"]));
                true
            }
            Some(other) => return Err(no_search_type(other)),
        };
        Ok(AskedSearch {
            body,
            query: query_of(parameters)?,
            shown_source: rest::source::taken(parameters),
            typed_keys: parameters.flag("typed_keys")?.unwrap_or(false),
            total_as_number: parameters.flag("rest_total_hits_as_int")?.unwrap_or(false),
            version: parameters.flag("version")?.unwrap_or(false),
            sequence: parameters.flag("seq_no_primary_term")?.unwrap_or(false),
            keep_alive,
            batch,
            is_cached,
            is_scan,
            filtered_from,
        })
    }
}

/// Refuses a way to search that there is not.
pub(super) fn no_search_type(name: &str) -> ElasticError {
    ElasticError::illegal(match name {
        "query_and_fetch" | "dfs_query_and_fetch" => format!("Unsupported search type [{name}]"),
        _ => format!("No search type for [{name}]"),
    })
}

/// What the query string asks, as members of the body.
fn from_parameters(parameters: &mut Parameters, body: &mut Map<String, Value>) -> Result<()> {
    for name in ["from", "size", "terminate_after"] {
        if let Some(number) = parameters.integer(name)? {
            if name == "terminate_after" && number < 0 {
                return Err(ElasticError::illegal("terminateAfter must be > 0"));
            }
            body.insert(name.to_owned(), json!(number));
        }
    }
    if let Some(sort) = parameters.list("sort") {
        body.insert("sort".to_owned(), json!(sort));
    }
    if let Some(track) = parameters.take("track_total_hits") {
        let value = match track.as_str() {
            "true" | "false" => json!(track == "true"),
            number => json!(number_of::<i32>("track_total_hits", number, "int")?),
        };
        body.insert("track_total_hits".to_owned(), value);
    }
    for name in ["track_scores", "explain"] {
        if let Some(flag) = parameters.flag(name)? {
            body.insert(name.to_owned(), json!(flag));
        }
    }
    for name in ["stored_fields", "docvalue_fields"] {
        if let Some(names) = parameters.list(name) {
            body.insert(name.to_owned(), json!(names));
        }
    }
    if let Some(timeout) = parameters.take("timeout") {
        body.insert("timeout".to_owned(), json!(timeout));
    }
    if let Some(groups) = parameters.list("stats") {
        body.insert("stats".to_owned(), json!(groups));
    }
    suggest_from_parameters(parameters, body)
}

/// Words that may have been meant, which are asked for beside what is searched: one `term` suggestion of a field, by its name.
fn suggest_from_parameters(parameters: &mut Parameters, body: &mut Map<String, Value>) -> Result<()> {
    let text = parameters.take("suggest_text");
    let mode = parameters.take("suggest_mode");
    let size = parameters.integer("suggest_size")?;
    let Some(field) = parameters.take("suggest_field") else {
        return Ok(());
    };
    let text = text.or_else(|| parameters.peek("q").map(str::to_owned));
    let mut suggestion = json!({"term": {
        "field": field, "size": size.unwrap_or(5), "suggest_mode": mode.as_deref().unwrap_or("missing"),
    }});
    if let Some(text) = text {
        suggestion["text"] = json!(text);
    }
    let all = body.entry("suggest").or_insert_with(|| json!({}));
    if let Value::Object(all) = all {
        all.insert(field, suggestion);
    }
    Ok(())
}

/// The query of the parameter `q`, in Lucene's language.
pub(crate) fn query_of(parameters: &mut Parameters) -> Result<Option<Query>> {
    let field = parameters.take("df");
    let operator = parameters.take("default_operator");
    let and = match operator.map(|name| name.to_uppercase()).as_deref() {
        None | Some("OR") => false,
        Some("AND") => true,
        Some(other) => {
            return Err(ElasticError::illegal(format!(
                "No enum constant org.elasticsearch.index.query.Operator.{other}"
            )));
        }
    };
    let lenient = parameters.flag("lenient")?.unwrap_or(false);
    // Wildcards are always normalized.
    parameters.flag("analyze_wildcard")?;
    let analyzer = parameters.take("analyzer");
    let Some(text) = parameters.take("q") else {
        return Ok(None);
    };
    let Some(analyzer) = analyzer else {
        return Ok(Some(parse_query_string(&text, field.as_deref(), and, lenient)?));
    };
    let operator = if and { "and" } else { "or" };
    let mut options =
        json!({"query": text, "analyzer": analyzer, "default_operator": operator, "lenient": lenient});
    if let Some(field) = field {
        options["default_field"] = json!(field);
    }
    Ok(Some(search::parse_query(&json!({"query_string": options}))?))
}
