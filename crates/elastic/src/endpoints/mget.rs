//! Several documents by their ids: `_mget`.

use super::document::{check_version, found, put_stored, read_version, stored_fields};
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
use std::sync::Arc;

/// One document that is asked for. What is said for all of them is not copied for each.
#[derive(Clone)]
struct Wanted {
    index: String,
    id: String,
    routing: Option<String>,
    /// The version that it must have.
    version: Option<i64>,
    filter: Arc<SourceFilter>,
    stored: Arc<[WantedField]>,
}

pub(crate) async fn run(call: &mut Call, index: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    call.parameters
        .without_effect(&["realtime", "refresh", "preference"]);
    let routing = call.parameters.take("routing");
    let names = call.parameters.list("stored_fields");
    let mut filter = SourceFilter::take(&mut call.parameters).unwrap_or_default();
    let stored = names.map_or(Ok(Vec::new()), |names| stored_fields(names, &mut filter))?;
    call.parameters.end()?;
    let default = Wanted {
        index: index.unwrap_or_default().to_owned(),
        id: String::new(),
        routing,
        version: None,
        filter: filter.into(),
        stored: stored.into(),
    };
    let wanted = parse(&call.required_object()?, &default)?;
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
                check_version(&one.id, &record, one.version)?;
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

fn number(member: &str, value: &Value) -> Result<i64> {
    value
        .as_i64()
        .or_else(|| value.as_str()?.parse().ok())
        .ok_or_else(|| ElasticError::parsing(format!("[{member}] must be a number, not [{value}]")))
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The documents that a body names; `default` is what one is that says nothing else.
fn parse(body: &Map<String, Value>, default: &Wanted) -> Result<Vec<Wanted>> {
    let mut wanted = Vec::new();
    let mut faults = Vec::new();
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
            let item = default.with(name, one, at)?;
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

impl Wanted {
    /// This one with what the n-th element of a list says.
    fn with(&self, list: &str, given: &Value, at: usize) -> Result<Wanted> {
        let mut item = self.clone();
        match (list, given) {
            ("ids", Value::String(_) | Value::Number(_)) => item.id = text(given),
            ("docs", Value::Object(members)) => {
                // What is null is not said.
                for (member, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                    item.set(member, value, at)?;
                }
                let kind = members.get("version_type").and_then(Value::as_str);
                item.version = read_version(kind, item.version)?;
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
        Ok(item)
    }

    fn set(&mut self, member: &str, value: &Value, at: usize) -> Result<()> {
        match member {
            "_index" => self.index = text(value),
            "_id" => self.id = text(value),
            "_source" => self.filter = SourceFilter::parse(value)?.into(),
            "routing" => self.routing = Some(text(value)),
            "_type" => {}
            "version" => self.version = Some(number(member, value)?),
            "version_type" => {}
            "stored_fields" => {
                let names = value
                    .as_array()
                    .map_or(std::slice::from_ref(value), Vec::as_slice);
                let names = names.iter().map(text).collect();
                let mut filter = SourceFilter::default();
                self.stored = stored_fields(names, &mut filter)?.into();
                self.filter = filter.into();
            }
            other => {
                let reason = format!("Action/metadata line [{at}] contains an unknown parameter [{other}]");
                return Err(ElasticError::parsing(reason));
            }
        }
        Ok(())
    }
}
