//! `_termvectors` and `_mtermvectors`: the terms of documents.

use super::document::{check_version, read_version};
use crate::limits::MGET_DOCUMENTS_MAX;
use auth::Action;
use fetch::{TermFilter, TermVectors};
use http::Method;
use indices::error::{ElasticError, Result};
use indices::scan;
use rest::call::Call;
use rest::respond::{Answer, ok};
use rest::routed::{find, of_request};
use search::Mapping;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::time::Instant;

/// What is asked of one document.
#[derive(Clone)]
struct Wanted {
    index: String,
    id: Option<String>,
    routing: Option<String>,
    /// A document that comes with the request.
    given: Option<Value>,
    /// The version that it must have.
    version: Option<i64>,
    /// The names of analyzers, by fields.
    analyzers: HashMap<String, String>,
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
    let body = call.object()?;
    // What is said of all documents counts for those that are named by their ids alone.
    let mut of_all = default.clone();
    if let Some(parameters) = body.get("parameters") {
        let members = parameters
            .as_object()
            .ok_or_else(|| ElasticError::malformed("[parameters] must be an object"))?;
        of_all.read(members)?;
    }
    let with_id = |id: String| Wanted {
        id: Some(id),
        ..of_all.clone()
    };
    let mut all: Vec<Wanted> = ids.into_iter().map(with_id).collect();
    for (name, value) in body.iter().filter(|(name, _)| *name != "parameters") {
        let unknown =
            |kind: &str| ElasticError::malformed(format!("no parameter named [{name}] and type {kind}"));
        let list = value.as_array().ok_or_else(|| unknown("VALUE"))?;
        for one in list {
            match (name.as_str(), one) {
                ("ids", id) => all.push(with_id(text(id))),
                ("docs", Value::Object(members)) => {
                    let mut wanted = default.clone();
                    wanted.read(members)?;
                    all.push(wanted);
                }
                _ => return Err(unknown("ARRAY")),
            }
        }
        if !["ids", "docs"].contains(&name.as_str()) {
            return Err(unknown("ARRAY"));
        }
    }
    check(&all)?;
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

/// Refuses to look for no documents, for too many, and for some that are not named.
fn check(all: &[Wanted]) -> Result<()> {
    if all.is_empty() {
        return Err(ElasticError::validation(&[
            "multi term vectors: no documents requested".to_owned(),
        ]));
    }
    if all.len() > MGET_DOCUMENTS_MAX {
        return Err(ElasticError::illegal(format!(
            "[_mtermvectors] takes at most {MGET_DOCUMENTS_MAX} documents, not {}",
            all.len()
        )));
    }
    let without = all.iter().enumerate().filter(|(_, one)| one.index.is_empty());
    let faults: Vec<String> = without
        .flat_map(|(at, _)| {
            [
                "index is missing".to_owned(),
                format!("at multi term vectors for doc {at}"),
            ]
        })
        .collect();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(ElasticError::validation(&faults)),
    }
}

fn begin(call: &mut Call) -> Result<Wanted> {
    call.only(&[Method::GET, Method::POST])?;
    let parameters = &mut call.parameters;
    parameters.without_effect(&["realtime", "preference"]);
    let kind = parameters.take("version_type");
    let version = read_version(kind.as_deref(), parameters.long("version")?)?;
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
        analyzers: HashMap::new(),
        is_given: false,
        filter: None,
    };
    Ok(Wanted {
        index: String::new(),
        id: None,
        routing,
        given: None,
        version,
        analyzers: HashMap::new(),
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
            let flag = || {
                value.as_bool().ok_or_else(|| {
                    ElasticError::parsing(format!("[{name}] must be [true] or [false], not [{value}]"))
                })
            };
            match name.as_str() {
                "_index" => self.index = text(value),
                "_id" => self.id = Some(text(value)),
                "routing" | "_routing" => self.routing = Some(text(value)),
                "_type" | "version_type" => {}
                "payloads" => drop(flag()?),
                "version" => self.version = value.as_i64(),
                "doc" => {
                    self.given = Some(value.clone());
                    self.vectors.is_given = true;
                }
                "fields" => {
                    let list = value
                        .as_array()
                        .ok_or_else(|| malformed("field [fields] must be an array"))?;
                    self.vectors.fields = Some(list.iter().map(text).collect());
                }
                "offsets" => self.vectors.offsets = flag()?,
                "positions" => self.vectors.positions = flag()?,
                "field_statistics" | "fieldStatistics" => self.vectors.field_statistics = flag()?,
                "term_statistics" | "termStatistics" => self.vectors.term_statistics = flag()?,
                "filter" => self.vectors.filter = Some(filter(value)?),
                "per_field_analyzer" => {
                    let names = value
                        .as_object()
                        .ok_or_else(|| malformed("field [per_field_analyzer] must be an object"))?;
                    self.analyzers = names
                        .iter()
                        .map(|(field, name)| (field.clone(), text(name)))
                        .collect();
                }
                "dfs" => {
                    return Err(ElasticError::illegal(
                        "distributed frequencies is not supported anymore for term vectors",
                    ));
                }
                other => return Err(malformed(&format!("unknown field [{other}]"))),
            }
        }
        Ok(())
    }

    /// What is wanted, with the analyzers of an index.
    fn vectors(&self, mapping: &Mapping) -> Result<TermVectors> {
        let analyzers = self.analyzers.iter().map(|(field, name)| {
            let missing = || ElasticError::illegal(format!("No analyzer found for [{name}]"));
            Ok((
                field.clone(),
                mapping.analysis().analyzer(name).ok_or_else(missing)?,
            ))
        });
        Ok(TermVectors {
            analyzers: analyzers.collect::<Result<_>>()?,
            ..self.vectors.clone()
        })
    }
}

fn malformed(what: &str) -> ElasticError {
    ElasticError::malformed(format!("failed to parse term vectors request. {what}"))
}

fn filter(given: &Value) -> Result<TermFilter> {
    let members = given
        .as_object()
        .ok_or_else(|| malformed("field [filter] must be an object"))?;
    let mut filter = TermFilter::default();
    for (name, value) in members {
        let number = value
            .as_u64()
            .ok_or_else(|| ElasticError::illegal(format!("For input string: \"{}\"", text(value))))?;
        match name.as_str() {
            "max_num_terms" => filter.terms_max = usize::try_from(number).unwrap_or(usize::MAX),
            "min_term_freq" => filter.times.0 = number,
            "max_term_freq" => filter.times.1 = number,
            "min_doc_freq" => filter.documents.0 = number,
            "max_doc_freq" => filter.documents.1 = number,
            "min_word_length" => filter.chars.0 = number,
            // None at all is no bound.
            "max_word_length" => filter.chars.1 = if number == 0 { u64::MAX } else { number },
            other => {
                return Err(malformed(&format!(
                    "the field [{other}] is not valid for filter parameter for term vector request"
                )));
            }
        }
    }
    Ok(filter)
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
            Some(indices::documents::document_of(given.to_string().as_bytes())?)
        }
        (None, Some(id)) => {
            answer["_id"] = json!(id);
            let routing = of_request(call, &wanted.index, wanted.routing.clone())?;
            let record = find(&index, &snapshot, id, routing.as_deref()).await?;
            if let Some(record) = &record {
                check_version(id, record, wanted.version)?;
            }
            answer["_version"] = json!(record.as_ref().map_or(0, engine::Record::generation));
            record.map(|record| record.document)
        }
        (None, None) => return Err(ElasticError::validation(&["id or doc is missing".to_owned()])),
    };
    answer["found"] = json!(document.is_some());
    if let Some(document) = document {
        let vectors = wanted.vectors(&mapping)?;
        let mut counts = vectors.counts(&mapping, document.as_ref());
        if vectors.needs_counts() {
            scan::each(&snapshot, |record| {
                vectors.count(&mapping, record.document.as_ref(), &mut counts);
                Ok(())
            })
            .await?;
        }
        answer["term_vectors"] = Value::Object(vectors.of(&mapping, document.as_ref(), &counts));
    }
    answer["took"] = json!(begun.elapsed().as_millis() as u64);
    Ok(answer)
}
