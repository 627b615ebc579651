//! `_termvectors` and `_mtermvectors`: the terms of documents.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::limits::MGET_DOCUMENTS_MAX;
use crate::respond::{Answer, ok};
use crate::routed::{find, of_request};
use crate::scan;
use auth::Action;
use http::Method;
use search::{TermCounts, TermVectors};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// What is asked of one document.
#[derive(Clone)]
struct Wanted {
    index: String,
    id: Option<String>,
    routing: Option<String>,
    /// A document that comes with the request.
    given: Option<Value>,
    vectors: TermVectors,
}

/// `/{index}/_termvectors/{id}`.
pub(crate) async fn one(call: &mut Call, index: &str, id: Option<&str>) -> Result<Answer> {
    let mut wanted = begin(call)?;
    index.clone_into(&mut wanted.index);
    wanted.id = id.map(str::to_owned);
    call.parameters.end()?;
    wanted.read(&call.object()?)?;
    Ok(ok(shown(call, &wanted).await?))
}

/// `/{index}/_mtermvectors`.
pub(crate) async fn several(call: &mut Call, index: Option<&str>) -> Result<Answer> {
    let mut default = begin(call)?;
    index.unwrap_or_default().clone_into(&mut default.index);
    let ids = call.parameters.list("ids").unwrap_or_default();
    call.parameters.end()?;
    let with_id = |id: String| Wanted {
        id: Some(id),
        ..default.clone()
    };
    let mut all: Vec<Wanted> = ids.into_iter().map(with_id).collect();
    for (name, value) in &call.object()? {
        let list = value
            .as_array()
            .ok_or_else(|| ElasticError::parsing(format!("[{name}] must be an array")))?;
        for one in list {
            match (name.as_str(), one) {
                ("ids", id) => all.push(with_id(text(id))),
                ("docs", Value::Object(members)) => {
                    let mut wanted = default.clone();
                    wanted.read(members)?;
                    all.push(wanted);
                }
                (other, _) => return Err(ElasticError::parsing(format!("unknown member [{other}]"))),
            }
        }
    }
    if all.is_empty() || all.len() > MGET_DOCUMENTS_MAX {
        return Err(ElasticError::validation(&[format!(
            "between 1 and {MGET_DOCUMENTS_MAX} documents must be asked for"
        )]));
    }
    let mut documents = Vec::with_capacity(all.len());
    for wanted in &all {
        documents.push(match shown(call, wanted).await {
            Ok(document) => document,
            Err(error) => {
                json!({"_index": wanted.index, "_type": "_doc", "_id": wanted.id, "error": error.to_answer()["error"]})
            }
        });
    }
    Ok(ok(json!({"docs": documents})))
}

fn begin(call: &mut Call) -> Result<Wanted> {
    call.only(&[Method::GET, Method::POST])?;
    let parameters = &mut call.parameters;
    parameters.without_effect(&["realtime", "preference", "version", "version_type"]);
    let routing = parameters.take("routing");
    parameters.flag("payloads")?;
    let mut flag =
        |name: &str, default: bool| -> Result<bool> { Ok(parameters.flag(name)?.unwrap_or(default)) };
    let vectors = TermVectors {
        offsets: flag("offsets", true)?,
        positions: flag("positions", true)?,
        field_statistics: flag("field_statistics", true)?,
        term_statistics: flag("term_statistics", false)?,
        fields: None,
    };
    Ok(Wanted {
        index: String::new(),
        id: None,
        routing,
        given: None,
        vectors: TermVectors {
            fields: call.parameters.list("fields"),
            ..vectors
        },
    })
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Wanted {
    fn read(&mut self, members: &Map<String, Value>) -> Result<()> {
        for (name, value) in members {
            let flag = value.as_bool() == Some(true);
            match name.as_str() {
                "_index" => self.index = text(value),
                "_id" => self.id = Some(text(value)),
                "routing" | "_routing" => self.routing = Some(text(value)),
                "_type" | "version" | "version_type" | "payloads" => {}
                "doc" => self.given = Some(value.clone()),
                "fields" => {
                    let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                    self.vectors.fields = Some(list.iter().map(text).collect());
                }
                "offsets" => self.vectors.offsets = flag,
                "positions" => self.vectors.positions = flag,
                "field_statistics" => self.vectors.field_statistics = flag,
                "term_statistics" => self.vectors.term_statistics = flag,
                "filter" | "per_field_analyzer" => {
                    return Err(ElasticError::unsupported(format!("[{name}] of term vectors")));
                }
                other => {
                    return Err(ElasticError::parsing(format!(
                        "unknown member [{other}] of term vectors"
                    )));
                }
            }
        }
        Ok(())
    }
}

async fn shown(call: &Call, wanted: &Wanted) -> Result<Value> {
    let begun = Instant::now();
    let index = call.open_index(&wanted.index, Action::Find)?;
    let mapping = index.mapping().await?;
    let snapshot = index.collection.snapshot().await?;
    let mut answer = json!({"_index": index.name, "_type": "_doc"});
    let document = match (&wanted.given, &wanted.id) {
        (Some(given), _) => {
            answer["_version"] = json!(0);
            Some(crate::documents::document_of(given.to_string().as_bytes())?)
        }
        (None, Some(id)) => {
            answer["_id"] = json!(id);
            let routing = of_request(call, &wanted.index, wanted.routing.clone())?;
            let record = find(&index, &snapshot, id, routing.as_deref()).await?;
            answer["_version"] = json!(record.as_ref().map_or(0, engine::Record::generation));
            record.map(|record| record.document)
        }
        (None, None) => return Err(ElasticError::validation(&["id or doc is missing".to_owned()])),
    };
    answer["found"] = json!(document.is_some());
    if let Some(document) = document {
        let mut counts = TermCounts::default();
        if wanted.vectors.field_statistics || wanted.vectors.term_statistics {
            scan::each(&snapshot, |record| {
                wanted
                    .vectors
                    .count(&mapping, record.document.as_ref(), &mut counts);
                Ok(())
            })
            .await?;
        }
        answer["term_vectors"] = Value::Object(wanted.vectors.of(&mapping, document.as_ref(), &counts));
    }
    answer["took"] = json!(begun.elapsed().as_millis() as u64);
    Ok(answer)
}
