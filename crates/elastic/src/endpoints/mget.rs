//! Several documents by their ids: `_mget`.

use super::document::{found, put_stored, stored_fields};
use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::limits::MGET_DOCUMENTS_MAX;
use crate::respond::{Answer, ok};
use crate::routed::{find, of_request};
use crate::source::SourceFilter;
use auth::Action;
use http::Method;
use search::WantedField;
use serde_json::{Map, Value, json};

/// One document that is asked for.
struct Wanted {
    index: String,
    id: String,
    routing: Option<String>,
    filter: SourceFilter,
    stored: Vec<WantedField>,
}

pub(crate) async fn run(call: &mut Call, index: Option<&str>) -> Result<Answer> {
    if ![Method::GET, Method::POST].contains(&call.method) {
        return Err(call.not_allowed("GET, POST"));
    }
    call.parameters
        .without_effect(&["realtime", "refresh", "preference"]);
    let routing = call.parameters.take("routing");
    let names = call.parameters.list("stored_fields");
    let mut default = SourceFilter::take(&mut call.parameters).unwrap_or_default();
    let stored = names.map_or(Ok(Vec::new()), |names| stored_fields(names, &mut default))?;
    call.parameters.end()?;
    let wanted = parse(
        &call.required_object()?,
        index,
        routing.as_deref(),
        &default,
        &stored,
    )?;
    let mut documents = Vec::with_capacity(wanted.len());
    for one in wanted {
        let document = match read(call, &one).await {
            Ok(document) => document,
            Err(error) => {
                json!({"_index": one.index, "_type": "_doc", "_id": one.id, "error": error.to_answer()["error"]})
            }
        };
        call.held.add_shown(&document)?;
        documents.push(document);
    }
    Ok(ok(Value::Object(Map::from_iter([(
        "docs".to_owned(),
        Value::Array(documents),
    )]))))
}

async fn read(call: &Call, one: &Wanted) -> Result<Value> {
    let index = call.open_index(&one.index, Action::Find)?;
    call.server.engine.let_answers_go().await;
    let routing = of_request(call, &one.index, one.routing.clone())?;
    let snapshot = index.collection.snapshot().await?;
    Ok(
        match find(&index, &snapshot, &one.id, routing.as_deref()).await? {
            Some(record) => {
                let mapping = index.known_mapping();
                let filter = one.filter.of_mapping(&mapping);
                let mut answer = found(&index.name, &one.id, &record, &filter);
                put_stored(&mut answer, &mapping, &record, &one.stored)?;
                answer
            }
            None => {
                // An index without fields has no type yet.
                let is_empty = index.known_mapping().source().is_empty();
                let kind = if is_empty { Value::Null } else { json!("_doc") };
                json!({"_index": index.name, "_type": kind, "_id": one.id, "found": false})
            }
        },
    )
}

fn parse(
    body: &Map<String, Value>,
    index: Option<&str>,
    routing: Option<&str>,
    default: &SourceFilter,
    stored: &[WantedField],
) -> Result<Vec<Wanted>> {
    let mut wanted = Vec::new();
    let mut faults = Vec::new();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    for (name, value) in body {
        let list = value
            .as_array()
            .ok_or_else(|| ElasticError::parsing(format!("[{name}] must be an array")))?;
        if list.len() > MGET_DOCUMENTS_MAX {
            return Err(ElasticError::illegal(format!(
                "[_mget] takes at most {MGET_DOCUMENTS_MAX} documents, not {}",
                list.len()
            )));
        }
        for (at, one) in list.iter().enumerate() {
            let mut item = Wanted {
                index: index.unwrap_or_default().to_owned(),
                id: String::new(),
                routing: routing.map(str::to_owned),
                filter: default.clone(),
                stored: stored.to_vec(),
            };
            match (name.as_str(), one) {
                ("ids", Value::String(_) | Value::Number(_)) => item.id = text(one),
                ("docs", Value::Object(members)) => {
                    for (member, value) in members {
                        match member.as_str() {
                            "_index" => item.index = text(value),
                            "_id" => item.id = text(value),
                            "_source" => item.filter = SourceFilter::parse(value)?,
                            "routing" => item.routing = Some(text(value)),
                            "_type" => {}
                            "stored_fields" => {
                                let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                                item.filter = SourceFilter::default();
                                item.stored =
                                    stored_fields(list.iter().map(text).collect(), &mut item.filter)?;
                            }
                            other => {
                                let reason = format!(
                                    "Action/metadata line [{at}] contains an unknown parameter [{other}]"
                                );
                                return Err(ElasticError::parsing(reason));
                            }
                        }
                    }
                }
                ("ids" | "docs", _) => {
                    return Err(ElasticError::illegal(
                        "docs array element should include an object",
                    ));
                }
                (other, _) => {
                    return Err(ElasticError::parsing(format!(
                        "unexpected token [START_ARRAY], expected [FIELD_NAME] of [{other}]"
                    )));
                }
            }
            if item.index.is_empty() {
                faults.push(format!("index is missing for doc {at}"));
            }
            if item.id.is_empty() {
                faults.push(format!("id is missing for doc {at}"));
            }
            wanted.push(item);
        }
    }
    if wanted.is_empty() {
        faults.push("no documents to get".to_owned());
    }
    match faults.is_empty() {
        true => Ok(wanted),
        false => Err(ElasticError::validation(&faults)),
    }
}
