//! `_explain`: whether a document matches a query, and how well.

use super::document::{put_stored, stored_fields};
use super::search::parameters_query;
use super::search::shown::number;
use crate::lookups;
use auth::Action;
use engine::Record;
use fetch::WantedField;
use http::{Method, StatusCode};
use indexing::id_of;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::scan;
use rest::call::Call;
use rest::respond::{Answer, json, ok};
use rest::routed::{find, of_request};
use rest::source::SourceFilter;
use search::{Query, Request};
use serde_json::{Value, json};

/// `/{index}/_explain/{id}`.
pub(crate) async fn run(call: &mut Call, name: &str, id: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let shown = rest::source::taken(&mut call.parameters);
    let names = call.parameters.list("stored_fields");
    let is_shown = names.is_some() || shown.as_ref().is_some_and(|filter| !filter.hidden);
    let mut filter = shown.unwrap_or_default();
    let stored = names.map_or(Ok(Vec::new()), |names| stored_fields(names, &mut filter))?;
    call.parameters.without_effect(&["preference"]);
    let routing = call.parameters.take("routing");
    let routing = of_request(call, name, routing)?;
    let by_parameter = parameters_query(&mut call.parameters)?;
    call.parameters.end()?;
    let mut body = call.object()?;
    if let Some(other) = body.keys().find(|member| *member != "query") {
        return Err(ElasticError::parsing(format!(
            "request does not support [{other}]"
        )));
    }
    lookups::fill(call, name, &mut body).await?;
    let query = match (by_parameter, body.get("query")) {
        (Some(query), _) => query,
        (None, Some(query)) => search::parse_query(query)?,
        (None, None) => return Err(ElasticError::validation(&["query is missing".to_owned()])),
    };
    let index = call.open_index(name, Action::Find)?;
    let snapshot = index.collection.snapshot().await?;
    let mut answer = json!({"_index": index.name, "_type": "_doc", "_id": id, "matched": false});
    let Some(record) = find(&index, &snapshot, id, routing.as_deref()).await? else {
        return Ok(json(StatusCode::NOT_FOUND, answer));
    };
    // The whole collection says how rare terms are; of it only this document is wanted.
    let only = search::parse_query(&json!({"ids": {"values": [id_of(&record)]}}))?;
    let request = Request {
        query: Some(Query::filtered(Some(query), only)),
        size: 1,
        ..Request::default()
    };
    let places = scan::places(&[(index.clone(), 1.0)]).await?;
    let show = |_: &search::Hit, _: &[search::SortKey], _: &serde_json::Map<String, Value>| Ok(Value::Null);
    let outcome = scan::run(&request, false, &places, None, &call.held, &show)
        .await?
        .outcome;
    let hit = outcome.hits.first();
    answer["matched"] = json!(hit.is_some());
    answer["explanation"] = match hit {
        Some(hit) => {
            json!({"value": number(hit.score.unwrap_or(0.0)), "description": "the score of the whole query, by BM25",
            "details": []})
        }
        None => json!({"value": 0.0, "description": "the document does not match the query", "details": []}),
    };
    if is_shown {
        answer["get"] = got(&index, &record, &filter, &stored)?;
    }
    Ok(ok(answer))
}

/// The document, as far as it is wanted.
fn got(index: &Index, record: &Record, filter: &SourceFilter, stored: &[WantedField]) -> Result<Value> {
    let mapping = index.known_mapping();
    let filter = filter.of_mapping(&mapping);
    let mut got = json!({"_seq_no": indexing::sequence_number(record), "_primary_term": 1, "found": true});
    if !filter.hidden {
        got["_source"] = filter.shown(&record.document);
    }
    put_stored(&mut got, &mapping, record, stored)?;
    Ok(got)
}
