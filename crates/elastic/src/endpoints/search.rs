//! `_search` and `_count`.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::index::Index;
use crate::parameters::Parameters;
use crate::resolve::{Options, alias_filter, resolve};
use crate::respond::{Answer, ok};
use crate::scan;
use crate::source::SourceFilter;
use auth::Action;
use http::Method;
use search::{Hit, Outcome, Query, Request, parse_query_string};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// How hits are shown.
#[derive(Default)]
struct Shown {
    source: SourceFilter,
    version: bool,
    sequence: bool,
    total_as_number: bool,
}

pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    if ![Method::GET, Method::POST].contains(&call.method) {
        return Err(call.not_allowed("GET, POST"));
    }
    let begun = Instant::now();
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let mut body = call.object()?;
    from_parameters(call, &mut body)?;
    let (mut request, rest) = Request::parse(&body)?;
    if let Some(query) = query_of(&mut call.parameters)? {
        request.query = Some(query);
    }
    let mut shown = presentation(&rest)?;
    let parameters = &mut call.parameters;
    if let Some(filter) = SourceFilter::take(parameters) {
        shown.source = filter;
    }
    shown.version |= parameters.flag("version")?.unwrap_or(false);
    shown.sequence |= parameters.flag("seq_no_primary_term")?.unwrap_or(false);
    shown.total_as_number = parameters.flag("rest_total_hits_as_int")?.unwrap_or(false);
    if shown.total_as_number
        && request.track_total_hits.is_some_and(|most| most != u64::MAX)
        && body.contains_key("track_total_hits")
    {
        return Err(ElasticError::illegal(
            "[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate",
        ));
    }
    parameters.without_effect(&[
        "preference",
        "routing",
        "batched_reduce_size",
        "ccs_minimize_roundtrips",
        "max_concurrent_shard_requests",
        "pre_filter_shard_size",
        "request_cache",
        "allow_partial_search_results",
        "timeout",
        "ignore_throttled",
    ]);
    match parameters.take("search_type").as_deref() {
        // Scores are those of the whole collection in both.
        None | Some("query_then_fetch" | "dfs_query_then_fetch") => {}
        Some(other) => return Err(ElasticError::illegal(format!("No search type for [{other}]"))),
    }
    let typed_keys = parameters.flag("typed_keys")?.unwrap_or(false);
    parameters.end()?;
    let indices = opened(call, expression, options, &mut request)?;
    let outcome = scan::run(&request, typed_keys, &indices).await?;
    Ok(ok(answer(&request, &indices, &outcome, &shown, begun)))
}

/// What the query string asks, as members of the body.
fn from_parameters(call: &mut Call, body: &mut Map<String, Value>) -> Result<()> {
    let parameters = &mut call.parameters;
    for name in ["from", "size", "terminate_after"] {
        if let Some(number) = parameters.integer(name)? {
            body.insert(name.to_owned(), json!(number));
        }
    }
    if let Some(sort) = parameters.list("sort") {
        body.insert("sort".to_owned(), json!(sort));
    }
    if let Some(track) = parameters.take("track_total_hits") {
        let value = serde_json::from_str(&track).unwrap_or(Value::String(track));
        body.insert("track_total_hits".to_owned(), value);
    }
    if let Some(track) = parameters.flag("track_scores")? {
        body.insert("track_scores".to_owned(), json!(track));
    }
    for name in [
        "scroll",
        "stored_fields",
        "docvalue_fields",
        "suggest_field",
        "explain",
        "stats",
    ] {
        if parameters.take(name).is_some_and(|value| value != "false") {
            return Err(ElasticError::unsupported(format!(
                "the parameter [{name}] of a search"
            )));
        }
    }
    Ok(())
}

/// The query of the parameter `q`, in Lucene's language.
fn query_of(parameters: &mut Parameters) -> Result<Option<Query>> {
    let field = parameters.take("df");
    let and = match parameters.take("default_operator").as_deref() {
        None | Some("or" | "OR") => false,
        Some("and" | "AND") => true,
        Some(other) => {
            return Err(ElasticError::illegal(format!(
                "[default_operator] cannot be [{other}]"
            )));
        }
    };
    let lenient = parameters.flag("lenient")?.unwrap_or(false);
    // Wildcards are always normalized.
    parameters.flag("analyze_wildcard")?;
    let query = parameters
        .take("q")
        .map(|q| parse_query_string(&q, field.as_deref(), and, lenient));
    Ok(query.transpose()?)
}

/// What the body says of how hits are shown; whatever else it says is refused.
fn presentation(body: &Map<String, Value>) -> Result<Shown> {
    let mut shown = Shown::default();
    for (name, value) in body {
        match name.as_str() {
            "_source" => shown.source = SourceFilter::parse(value)?,
            "version" => shown.version = value.as_bool() == Some(true),
            "seq_no_primary_term" => shown.sequence = value.as_bool() == Some(true),
            // A search here has no time limit of its own, and always an answer that is whole.
            "timeout" | "profile" | "explain" | "stats" if value.as_bool() != Some(true) => {}
            "highlight" | "suggest" | "fields" | "docvalue_fields" | "stored_fields" | "script_fields"
            | "collapse" | "rescore" | "indices_boost" | "knn" | "pit" | "runtime_mappings" | "slice"
            | "profile" | "explain" | "ext" | "rank" | "retriever" => {
                return Err(ElasticError::unsupported(format!("[{name}] of a search")));
            }
            other => {
                let kind = match value {
                    Value::Object(_) => "START_OBJECT",
                    Value::Array(_) => "START_ARRAY",
                    Value::String(_) => "VALUE_STRING",
                    Value::Number(_) => "VALUE_NUMBER",
                    Value::Bool(_) => "VALUE_BOOLEAN",
                    Value::Null => "VALUE_NULL",
                };
                return Err(ElasticError::parsing(format!(
                    "Unknown key for a {kind} in [{other}]."
                )));
            }
        }
    }
    Ok(shown)
}

/// The indices that are searched; where aliases leave a part of them, the query is for that.
fn opened(
    call: &Call,
    expression: &str,
    options: Options,
    request: &mut Request,
) -> Result<Vec<(Index, f32)>> {
    let names = resolve(call, expression, options)?;
    let mut filters = Vec::new();
    let mut is_filtered = false;
    for name in &names {
        let of_index = json!({"term": {"_index": name}});
        let filter = alias_filter(call, expression, name)?;
        is_filtered |= filter.is_some();
        let both: Vec<Value> = [of_index].into_iter().chain(filter).collect();
        filters.push(json!({"bool": {"filter": both}}));
    }
    if is_filtered {
        let filter = search::parse_query(&json!({"bool": {"should": filters}}))?;
        request.query = Some(Query::filtered(request.query.take(), filter));
    }
    names
        .iter()
        .map(|name| Ok((call.open_index(name, Action::Find)?, 1.0)))
        .collect()
}

fn answer(
    request: &Request,
    indices: &[(Index, f32)],
    outcome: &Outcome,
    shown: &Shown,
    begun: Instant,
) -> Value {
    let hits: Vec<Value> = outcome
        .hits
        .iter()
        .map(|hit| shown_hit(request, indices, hit, shown))
        .collect();
    let mut found = Map::new();
    let total = match (request.track_total_hits, shown.total_as_number) {
        (None, true) => Some(json!(-1)),
        (None, false) => None,
        (Some(_), true) => Some(json!(outcome.total)),
        (Some(most), false) if outcome.total > most => Some(json!({"value": most, "relation": "gte"})),
        (Some(_), false) => Some(json!({"value": outcome.total, "relation": "eq"})),
    };
    found.extend(total.map(|total| ("total".to_owned(), total)));
    found.insert(
        "max_score".to_owned(),
        outcome
            .max_score
            .filter(|_| request.size > 0)
            .map_or(Value::Null, score),
    );
    found.insert("hits".to_owned(), Value::Array(hits));
    let count = indices.len();
    let mut answer = json!({
        "took": begun.elapsed().as_millis() as u64,
        "timed_out": false,
        "_shards": {"total": count, "successful": count, "skipped": 0, "failed": 0},
        "hits": found,
    });
    if let Some(aggregations) = &outcome.aggregations {
        answer["aggregations"] = json!(aggregations);
    }
    if request.terminate_after.is_some() {
        answer["terminated_early"] = json!(outcome.terminated_early);
    }
    answer
}

fn score(score: f32) -> Value {
    // With the digits that it has, not those of the double next to it.
    serde_json::from_str(&format!("{score:?}")).unwrap_or_else(|_| json!(score))
}

fn shown_hit(request: &Request, indices: &[(Index, f32)], hit: &Hit, shown: &Shown) -> Value {
    let mut body = Map::new();
    let name = indices.get(hit.index).map(|(index, _)| index.name.as_str());
    body.insert("_index".to_owned(), json!(name));
    body.insert("_type".to_owned(), json!("_doc"));
    body.insert("_id".to_owned(), json!(hit.id));
    if shown.version {
        body.insert("_version".to_owned(), json!(hit.version));
    }
    if shown.sequence {
        body.insert("_seq_no".to_owned(), json!(hit.sequence));
        body.insert("_primary_term".to_owned(), json!(1));
    }
    let is_scored = request.is_by_score() || request.track_scores;
    body.insert(
        "_score".to_owned(),
        hit.score.filter(|_| is_scored).map_or(Value::Null, score),
    );
    if !shown.source.hidden {
        body.insert("_source".to_owned(), shown.source.shown(&hit.document));
    }
    if !request.sort.is_empty() {
        body.insert("sort".to_owned(), Value::Array(hit.sort_values()));
    }
    Value::Object(body)
}

/// `_count`.
pub(crate) async fn count(call: &mut Call, expression: &str) -> Result<Answer> {
    if ![Method::GET, Method::POST].contains(&call.method) {
        return Err(call.not_allowed("GET, POST"));
    }
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let body = call.object()?;
    if let Some(other) = body.keys().find(|name| *name != "query") {
        return Err(ElasticError::parsing(format!(
            "request does not support [{other}]"
        )));
    }
    let (mut request, _) = Request::parse(&body)?;
    if let Some(query) = query_of(&mut call.parameters)? {
        request.query = Some(query);
    }
    request.size = 0;
    request.terminate_after = call
        .parameters
        .integer("terminate_after")?
        .filter(|most| *most > 0)
        .map(|most| most as u64);
    request.min_score = call
        .parameters
        .take("min_score")
        .and_then(|least| least.parse().ok());
    call.parameters
        .without_effect(&["preference", "routing", "ignore_throttled"]);
    call.parameters.end()?;
    let indices = opened(call, expression, options, &mut request)?;
    let outcome = scan::run(&request, false, &indices).await?;
    let count = indices.len();
    Ok(ok(json!({
        "count": outcome.total,
        "_shards": {"total": count, "successful": count, "skipped": 0, "failed": 0},
    })))
}
