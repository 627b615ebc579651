//! `_validate/query`: whether a query could be run, without running it.

use super::search::parameters_query;
use crate::lookups;
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use search::{Held, Query, Request, Run};
use serde_json::{Map, Value, json};

/// `/{index}/_validate/query`. What is wrong with the query is part of the answer.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let mut explains = false;
    // What Elasticsearch would make of the query, and what each of its shards says, is one explanation here.
    for name in ["explain", "rewrite", "all_shards"] {
        explains |= call.parameters.flag(name)?.unwrap_or(false);
    }
    let by_parameter = parameters_query(&mut call.parameters);
    call.parameters.end()?;
    let names = resolve(call, expression, options)?;
    let indices: Vec<Index> = names
        .iter()
        .map(|name| call.open_index(name, Action::Find))
        .collect::<Result<_>>()?;
    let parsed = match by_parameter {
        Ok(query) => request(call, expression)
            .await
            .map(|(request, shown)| match query {
                Some(query) => (
                    Request {
                        query: Some(query),
                        ..request
                    },
                    shown,
                ),
                None => (request, shown),
            }),
        Err(error) => Err(error),
    };
    let (request, shown) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return Ok(ok(unparsed(&error, explains))),
    };
    let mut explanations = Vec::new();
    let mut is_valid = true;
    for index in &indices {
        let wrong = check(call, index, &request).await.err();
        is_valid &= wrong.is_none();
        explanations.push(match wrong {
            None => json!({"index": index.name, "valid": true, "explanation": shown}),
            Some(error) => json!({"index": index.name, "valid": false, "error": said(&error)}),
        });
    }
    let mut answer = json!({
        "_shards": {"total": names.len(), "successful": names.len(), "failed": 0},
        "valid": is_valid,
    });
    if explains {
        answer["explanations"] = explanations.into();
    }
    Ok(ok(answer))
}

/// The query of the body, and how it is shown.
async fn request(call: &Call, expression: &str) -> Result<(Request, String)> {
    let mut body = call.object()?;
    if let Some(other) = body.keys().find(|name| *name != "query") {
        return Err(ElasticError::parsing(format!(
            "request does not support [{other}]"
        )));
    }
    let shown = match body.get("query") {
        Some(Value::Object(query)) if !query.contains_key("match_all") => {
            Value::Object(query.clone()).to_string()
        }
        _ => "*:*".to_owned(),
    };
    lookups::fill(call, expression, &mut body).await?;
    let (mut request, _) = Request::parse(&body)?;
    for place in request.query.iter_mut().flat_map(Query::unfound) {
        // Of the nearest documents, it is said of all whether they could be.
        if let Query::Knn(knn) = place {
            *place = knn.query();
        }
    }
    Ok((request, shown))
}

/// Fails where the fields of an index do not have what the query asks.
async fn check(call: &Call, index: &Index, request: &Request) -> Result<()> {
    let of = search::Index {
        name: index.name.clone(),
        mapping: index.mapping().await?,
        boost: 1.0,
    };
    let held = Held::within(call.server.engine.memory());
    Run::new(request, vec![of], value::date::now_ms(), held)?.begin(0)?;
    Ok(())
}

fn unparsed(error: &ElasticError, explains: bool) -> Value {
    let mut answer = Map::from_iter([("valid".to_owned(), json!(false))]);
    if explains {
        answer.insert("error".to_owned(), json!(said(error)));
    }
    answer.into()
}

/// An error as Java writes it.
fn said(error: &ElasticError) -> String {
    let class = match error.kind {
        "parsing_exception" => "org.elasticsearch.common.ParsingException",
        "illegal_argument_exception" => "java.lang.IllegalArgumentException",
        other => other,
    };
    format!("{class}: {}", error.reason)
}
