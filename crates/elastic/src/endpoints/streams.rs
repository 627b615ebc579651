//! Data streams: `_data_stream`.

use auth::Action;
use http::{Method, StatusCode};
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::scan;
use indices::shape::{Shape, shards_of};
use indices::streams::TIME_FIELD;
use rest::call::Call;
use rest::listed::is_listed;
use rest::respond::{Answer, acknowledged, ok};
use search::Request;
use serde_json::{Map, Value, json};
use std::pin::pin;

/// `/_data_stream/{name}`.
pub(crate) async fn run(call: &mut Call, name: Option<&str>) -> Result<Answer> {
    match (call.method.clone(), name) {
        (Method::GET, name) => get(call, name).await,
        (Method::PUT, Some(name)) => put(call, name).await,
        (Method::DELETE, Some(name)) => delete(call, name).await,
        _ => Err(call.not_allowed("DELETE, GET, PUT")),
    }
}

fn wanted(call: &Call, names: Option<&str>) -> Result<Vec<(String, Vec<Index>)>> {
    let names = names.unwrap_or("*");
    let found: Vec<_> = call
        .streams()
        .into_iter()
        .filter(|(name, _)| is_listed(names, name))
        .collect();
    match found.is_empty() && !names.contains('*') {
        true => Err(ElasticError::no_index(names)),
        false => Ok(found),
    }
}

async fn get(call: &mut Call, names: Option<&str>) -> Result<Answer> {
    call.parameters
        .end_without(&["expand_wildcards", "master_timeout"])?;
    let mut listed = Vec::new();
    for (name, indices) in wanted(call, names)? {
        let shown: Vec<Value> = indices
            .iter()
            .map(|index| json!({"index_name": index.name, "index_uuid": index.uuid()}))
            .collect();
        let last = indices
            .last()
            .and_then(|index| index.name.rsplit('-').next()?.parse::<u64>().ok());
        let is_yellow = indices.iter().any(|index| Shape::of(index).unassigned() > 0);
        let mut one = json!({
            "name": name, "timestamp_field": {"name": TIME_FIELD}, "indices": shown, "generation": last.unwrap_or(1),
            "status": if is_yellow { "YELLOW" } else { "GREEN" },
        });
        if let Some((template, _)) = call.index_template_of(&name).await? {
            one["template"] = json!(template);
        }
        let policy = indices
            .last()
            .and_then(|index| crate::lifecycle::policy_name(&index.given_settings()));
        if let Some(policy) = policy {
            one["ilm_policy"] = json!(policy);
        }
        listed.push(one);
    }
    Ok(ok(json!({"data_streams": listed})))
}

/// `/_data_stream/{names}/_stats`: how large streams are, and how late their last documents.
pub(crate) async fn stats(call: &mut Call, names: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters
        .end_without(&["expand_wildcards", "master_timeout"])?;
    let (mut all, mut shown, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (name, indices) in wanted(call, names)? {
        let mut own_bytes = 0;
        for index in &indices {
            own_bytes += index.collection.report().await?.storage_bytes;
        }
        bytes += own_bytes;
        let latest = latest_ms(call, &indices).await?;
        let one = json!({"data_stream": name, "backing_indices": indices.len(), "store_size_bytes": own_bytes,
            "maximum_timestamp": latest});
        call.held.add_shown(&one)?;
        shown.push(one);
        all.extend(indices);
    }
    Ok(ok(json!({
        "_shards": shards_of(&all), "data_stream_count": shown.len(), "backing_indices": all.len(),
        "total_store_size_bytes": bytes, "data_streams": shown,
    })))
}

/// The latest time of documents, in milliseconds since 1970; 0 where there is none.
async fn latest_ms(call: &Call, indices: &[Index]) -> Result<i64> {
    let open: Vec<_> = indices
        .iter()
        .filter(|index| !index.is_closed())
        .map(|index| (index.clone(), 1.0_f32))
        .collect();
    let latest = json!({"size": 0, "aggs": {"latest": {"max": {"field": TIME_FIELD}}}});
    let (request, _) = Request::parse(&latest.as_object().cloned().unwrap_or_default())?;
    let places = scan::places(&open).await?;
    let show = |_: &search::Hit, _: &[search::SortKey], _: &Map<String, Value>| Ok(Value::Null);
    let found = scan::run(&request, false, &places, None, &call.held, &show);
    let aggregations = call.read(pin!(found)).await?.outcome.aggregations;
    let latest = aggregations.and_then(|found| found.get("latest")?.get("value")?.as_f64());
    Ok(latest.unwrap_or(0.0) as i64)
}

async fn put(call: &mut Call, name: &str) -> Result<Answer> {
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    call.create_stream(name).await?;
    Ok(acknowledged())
}

async fn delete(call: &mut Call, names: &str) -> Result<Answer> {
    call.parameters
        .end_without(&["expand_wildcards", "master_timeout"])?;
    for (_, indices) in wanted(call, Some(names))? {
        for index in indices {
            let index = call.index(&index.name, Action::DropCollection)?;
            call.drop_index(&index).await?;
        }
    }
    Ok(acknowledged())
}

/// Refuses to drop the index that a data stream writes to.
pub(crate) fn check_drop(index: &Index) -> Result<()> {
    let aliases = index.aliases();
    match indices::streams::stream_of(&aliases).filter(|_| index.is_written_by_stream()) {
        None => Ok(()),
        Some(stream) => Err(ElasticError::new(
            StatusCode::BAD_REQUEST,
            "illegal_argument_exception",
            format!(
                "index [{}] is the write index for data stream [{stream}] and cannot be deleted",
                index.name
            ),
        )),
    }
}
