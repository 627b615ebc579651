//! Data streams: `_data_stream`.

use auth::Action;
use http::{Method, StatusCode};
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use indices::streams::TIME_FIELD;
use rest::call::Call;
use rest::listed::is_listed;
use rest::respond::{Answer, acknowledged, ok};
use serde_json::{Value, json};

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
