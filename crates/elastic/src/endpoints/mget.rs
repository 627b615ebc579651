//! Several documents by their ids: `_mget`.

use super::document::{check_version, found, put_stored, read_version, stored_fields, turn_to_answer};
use crate::limits::MGET_DOCUMENTS_MAX;
use auth::Action;
use fetch::WantedField;
use http::Method;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::respond::{Answer, ok};
use rest::routed::{find, of_request};
use rest::source::SourceFilter;
use search::token_of;
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
    call.parameters.flag("refresh")?;
    call.parameters.without_effect(&["realtime", "preference"]);
    if call.parameters.has("fields") {
        return Err(ElasticError::illegal(
            "The parameter [fields] is no longer supported, please use [stored_fields] to retrieve stored fields or _source filtering \
             if the field is not stored",
        ));
    }
    let routing = call.parameters.take("routing");
    let names = call.parameters.list("stored_fields");
    let mut filter = rest::source::taken(&mut call.parameters).unwrap_or_default();
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
    let wanted = parse(&call.source_object()?, &default)?;
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
    let _turn = turn_to_answer(&index).await?;
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

fn number(value: &Value) -> Result<i64> {
    value
        .as_i64()
        .or_else(|| value.as_str()?.parse().ok())
        .ok_or_else(|| ElasticError::illegal(format!("For input string: \"{}\"", text(value))))
}

fn unexpected(value: &Value) -> ElasticError {
    ElasticError::parsing(format!(
        "unexpected token [{}], expected [FIELD_NAME] or [START_ARRAY]",
        token_of(value)
    ))
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
        let list = value.as_array().ok_or_else(|| unexpected(value))?;
        if !["docs", "ids"].contains(&name.as_str()) {
            return Err(ElasticError::parsing(format!(
                "unknown key [{name}] for a START_ARRAY, expected [docs] or [ids]"
            )));
        }
        if list.len() > MGET_DOCUMENTS_MAX {
            return Err(ElasticError::illegal(format!(
                "[_mget] takes at most {MGET_DOCUMENTS_MAX} documents, not {}",
                list.len()
            )));
        }
        for (at, one) in list.iter().enumerate() {
            let item = default.with(name, one)?;
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
    /// This one with what an element of a list says.
    fn with(&self, list: &str, given: &Value) -> Result<Wanted> {
        let mut item = self.clone();
        match (list, given) {
            ("ids", Value::String(_) | Value::Number(_)) => item.id = text(given),
            ("docs", Value::Object(members)) => {
                // What is null is not said.
                for (member, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                    item.set(member, value)?;
                }
                let kind = members.get("version_type").and_then(Value::as_str);
                item.version = read_version(kind, item.version)?;
            }
            ("ids", _) => {
                return Err(ElasticError::illegal("ids array element should only contain ids"));
            }
            _ => {
                return Err(ElasticError::illegal(
                    "docs array element should include an object",
                ));
            }
        }
        Ok(item)
    }

    fn set(&mut self, member: &str, value: &Value) -> Result<()> {
        match member {
            "_index" => self.index = text(value),
            "_id" => self.id = text(value),
            "_source" => self.filter = SourceFilter::parse(value)?.into(),
            "routing" => self.routing = Some(text(value)),
            "_type" => {}
            "version" => self.version = Some(number(value)?),
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
            "fields" => {
                return Err(ElasticError::parsing(
                    "Unsupported field [fields] used, expected [stored_fields] instead",
                ));
            }
            other => {
                return Err(ElasticError::malformed(format!(
                    "failed to parse multi get request. unknown field [{other}]"
                )));
            }
        }
        Ok(())
    }
}
