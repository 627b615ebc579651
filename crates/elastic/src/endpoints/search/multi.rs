//! `_msearch`: several searches in one request.

use super::parameters::{AskedSearch, no_search_type};
use super::{perform, templates};
use crate::limits::SEARCHES_MAX;
use http::Method;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::resolve::Options;
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// What the searches of a request are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchKind {
    Bodies,
    Templates,
}

pub(crate) async fn run(call: &mut Call, expression: Option<&str>, kind: SearchKind) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let begun = Instant::now();
    let typed_keys = call.parameters.flag("typed_keys")?.unwrap_or(false);
    let total_as_number = call.parameters.flag("rest_total_hits_as_int")?.unwrap_or(false);
    if let Some(name) = call.parameters.take("search_type") {
        check_search_type(&name)?;
    }
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let filtered_from = call.parameters.integer("pre_filter_shard_size")?;
    call.parameters.end_without(&[
        "max_concurrent_searches",
        "max_concurrent_shard_requests",
        "ccs_minimize_roundtrips",
    ])?;
    if call.body.is_empty() {
        return Err(ElasticError::malformed(
            "request body or source parameter is required",
        ));
    }
    let bytes = call.body.clone();
    let searches = searches(&bytes)?;
    if total_as_number && kind == SearchKind::Bodies {
        for (_, body) in &searches {
            check_total(&object(body)?)?;
        }
    }
    let common = Common {
        kind,
        expression,
        options,
        typed_keys,
        total_as_number,
        filtered_from: filtered_from.and_then(|size| u64::try_from(size).ok()),
    };
    let mut responses = Vec::with_capacity(searches.len());
    for (head, body) in searches {
        responses.push(common.response(call, head, body).await?);
    }
    Ok(ok(
        json!({"took": begun.elapsed().as_millis() as u64, "responses": responses}),
    ))
}

/// The lines of each search: its head, and its body.
fn searches(bytes: &[u8]) -> Result<Vec<(&str, &str)>> {
    let text = std::str::from_utf8(bytes).map_err(|_| ElasticError::parsing("the body is no UTF-8"))?;
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(ElasticError::illegal(
            "The msearch request must be terminated by a newline [\\n]",
        ));
    }
    let lines: Vec<&str> = text.split('\n').collect();
    let lines = &lines[..lines.len().saturating_sub(1)];
    if lines.len() < 2 {
        return Err(ElasticError::validation(&["no requests added".to_owned()]));
    }
    if lines.len() / 2 > SEARCHES_MAX {
        return Err(ElasticError::illegal(format!(
            "[_msearch] takes at most {SEARCHES_MAX} searches"
        )));
    }
    let pairs = lines.chunks(2);
    Ok(pairs
        .map(|pair| (pair[0], pair.get(1).copied().unwrap_or_default()))
        .collect())
}

/// What a request says of all its searches.
struct Common<'e> {
    kind: SearchKind,
    expression: Option<&'e str>,
    options: Options,
    typed_keys: bool,
    total_as_number: bool,
    filtered_from: Option<u64>,
}

impl Common<'_> {
    /// What is answered of one search, which may be its error; other errors are those of the whole request.
    async fn response(&self, call: &Call, head: &str, body: &str) -> Result<Value> {
        let (head, body) = (object(head)?, object(body)?);
        let body = match self.kind {
            SearchKind::Bodies => Ok(body),
            SearchKind::Templates => templates::body_of(call, &body, None).await,
        };
        let (indices, options) = headed(&head, self.expression, self.options)?;
        let answer = match body {
            Ok(body) => {
                let asked = AskedSearch {
                    typed_keys: self.typed_keys,
                    total_as_number: self.total_as_number,
                    filtered_from: self.filtered_from,
                    ..AskedSearch::of(body)
                };
                Box::pin(perform(call, &indices, options, asked)).await
            }
            Err(error) => Err(error),
        };
        match answer {
            Ok(mut answer) => {
                answer["status"] = json!(200);
                Ok(answer)
            }
            // What cannot be read is refused whole, since Elasticsearch reads all searches before it begins.
            Err(error) if error.kind == "parsing_exception" => Err(error),
            Err(error) => Ok(error.to_answer()),
        }
    }
}

/// Refuses all searches where one counts its hits in part and is to give a plain number.
fn check_total(body: &Map<String, Value>) -> Result<()> {
    match body.get("track_total_hits").and_then(Value::as_i64) {
        Some(most) if most >= 0 => Err(ElasticError::illegal(format!(
            "[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got {most}"
        ))),
        _ => Ok(()),
    }
}

fn object(line: &str) -> Result<Map<String, Value>> {
    match line.trim().is_empty() {
        true => Ok(Map::new()),
        false => match serde_json::from_str(line)? {
            Value::Object(object) => Ok(object),
            _ => Err(ElasticError::parsing("a line of [_msearch] must be an object")),
        },
    }
}

/// Refuses a way to search that there is not.
pub(crate) fn check_search_type(name: &str) -> Result<()> {
    match name {
        "query_then_fetch" | "dfs_query_then_fetch" => Ok(()),
        other => Err(no_search_type(other)),
    }
}

/// Which indices a search is of.
fn headed(
    head: &Map<String, Value>,
    default: Option<&str>,
    mut options: Options,
) -> Result<(String, Options)> {
    let mut indices = default.unwrap_or("_all").to_owned();
    for (name, value) in head {
        match name.as_str() {
            "index" | "indices" => {
                indices = match value {
                    Value::Array(names) => names
                        .iter()
                        .filter_map(Value::as_str)
                        .collect::<Vec<_>>()
                        .join(","),
                    Value::String(names) => names.clone(),
                    _ => return Err(ElasticError::illegal("[index] must be a name, or several")),
                };
                if indices.is_empty() {
                    indices = "_all".to_owned();
                }
            }
            "ignore_unavailable" => options.ignore_unavailable = value.as_bool() == Some(true),
            "allow_no_indices" => options.allow_no_indices = value.as_bool() != Some(false),
            "expand_wildcards" => match value {
                Value::Array(states) => options.expand(states.iter().filter_map(Value::as_str))?,
                other => options.expand(other.as_str().unwrap_or_default().split(','))?,
            },
            // Scores are those of the whole collection, and copies are never chosen.
            "search_type" => check_search_type(value.as_str().unwrap_or_default())?,
            "preference"
            | "routing"
            | "request_cache"
            | "type"
            | "types"
            | "ignore_throttled"
            | "ccs_minimize_roundtrips"
            | "allow_partial_search_results" => {}
            other => {
                return Err(ElasticError::illegal(format!(
                    "key [{other}] is not supported in the metadata section"
                )));
            }
        }
    }
    Ok((indices, options))
}
