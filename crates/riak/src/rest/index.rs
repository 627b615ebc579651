//! `/buckets/B/index/I/T` and `/buckets/B/index/I/T/T`; of all keys also `/buckets/B/index/$bucket` and `/buckets/B/index/$key`.

use super::call::Call;
use super::multipart::boundary;
use super::respond::{json, not_allowed, typed};
use crate::buckets::existing;
use crate::deadline::Deadline;
use crate::error::{Result, RiakError};
use crate::index::{FoundKey, Query};
use crate::names::Bucket;
use crate::operation::Operation;
use auth::Action;
use engine::RevisionedCollection;
use http::{Body, BodySender, HeaderValue, Method, Response, StatusCode};
use serde_json::{Map, Value, json};
use std::pin::pin;

/// Answers what the path asks for as the parameters say.
pub(crate) async fn query(call: &Call, bucket: &Bucket, asked: Query) -> Result<Response> {
    if !call.is(&[Method::GET, Method::HEAD]) {
        return Ok(not_allowed("GET, HEAD"));
    }
    // Results are in order in any case.
    flag(call, "pagination_sort")?;
    let query = Query {
        returns_terms: flag(call, "return_terms")?,
        max_results: max_results(call)?,
        continuation: call
            .parameter("continuation")
            .map(|text| text.as_bytes().to_vec()),
        pattern: call.parameter("term_regex").map(str::to_owned),
        ..asked
    };
    query.check()?;
    let deadline = call.read_deadline().map_err(|_| late(call))?;
    let collection = existing(&call.server, &call.access, bucket, Action::Find)?;
    match call.is_true("stream") {
        true => stream(call.operation.clone(), collection, query, deadline),
        false => deadline.run(pin!(all(collection, query))).await,
    }
}

/// The answer in one.
async fn all(collection: Option<RevisionedCollection>, query: Query) -> Result<Response> {
    let mut all = Vec::new();
    let (mut has_terms, mut continuation) = (query.tells_terms(), None);
    if let Some(collection) = collection {
        let mut run = query.run(&collection).await?;
        has_terms = run.tells_terms;
        loop {
            let found = run.next().await?;
            if found.is_empty() {
                break;
            }
            all.extend(found);
        }
        continuation = run.continuation();
    }
    let mut answer = page(all, has_terms);
    if let Some(continuation) = continuation {
        answer.insert("continuation".to_owned(), json!(continuation));
    }
    Ok(json(&Value::Object(answer)))
}

fn flag(call: &Call, name: &str) -> Result<bool> {
    match call.parameter(name) {
        None => Ok(false),
        Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Some(other) => Err(RiakError::bad(format!(
            "Invalid \"{name}\". \"{other}\" is not a boolean"
        ))),
    }
}

fn max_results(call: &Call) -> Result<Option<usize>> {
    let Some(text) = call.parameter("max_results") else {
        return Ok(None);
    };
    let invalid = || {
        let shown = shown(text);
        RiakError::bad(format!(
            "Invalid \"max_results\". {shown} is not a positive integer"
        ))
    };
    text.parse().map(Some).map_err(|_| invalid())
}

/// What is wrong with the time that the client waits.
fn late(call: &Call) -> RiakError {
    let shown = shown(call.parameter("timeout").unwrap_or_default());
    RiakError::bad(format!(
        "Bad timeout value {shown}. Must be a non-negative integer"
    ))
}

/// A value of a parameter as Erlang shows it: a number, or a text in quotes.
fn shown(text: &str) -> String {
    match text.parse::<i64>() {
        Ok(number) => number.to_string(),
        Err(_) => format!("\"{text}\""),
    }
}

fn page(found: Vec<FoundKey>, has_terms: bool) -> Map<String, Value> {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (name, results): (&str, Vec<Value>) = match has_terms {
        true => (
            "results",
            found
                .iter()
                .map(|(term, key)| json!({shown(term): shown(key)}))
                .collect(),
        ),
        false => ("keys", found.iter().map(|(_, key)| json!(shown(key))).collect()),
    };
    Map::from_iter([(name.to_owned(), Value::Array(results))])
}

/// The answer in parts, each an object of JSON.
fn stream(
    operation: Operation,
    collection: Option<RevisionedCollection>,
    query: Query,
    deadline: Deadline,
) -> Result<Response> {
    let boundary = boundary()?;
    let (sender, body) = Body::channel(None);
    let kind = HeaderValue::try_from(format!("multipart/mixed; boundary={boundary}"));
    tokio::spawn(async move {
        let sending = pin!(send(collection, &query, &sender, &boundary));
        let sending = pin!(deadline.run(sending));
        if let Err(error) = operation.run_for(&sender, sending).await {
            part(&sender, &boundary, &json!({"error": error.message})).await;
        }
        sender.send(format!("\r\n--{boundary}--\r\n")).await;
    });
    let mut response = typed(StatusCode::OK, "multipart/mixed", body);
    if let Ok(kind) = kind {
        response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    }
    Ok(response)
}

async fn send(
    collection: Option<RevisionedCollection>,
    query: &Query,
    sender: &BodySender,
    boundary: &str,
) -> Result<()> {
    let Some(collection) = collection else {
        return Ok(());
    };
    let mut run = query.run(&collection).await?;
    loop {
        let found = run.next().await?;
        let is_ended = found.is_empty();
        if is_ended || !part(sender, boundary, &Value::Object(page(found, run.tells_terms))).await {
            break;
        }
    }
    if let Some(continuation) = run.continuation() {
        part(sender, boundary, &json!({"continuation": continuation})).await;
    }
    Ok(())
}

/// Sends one part; false if nobody takes it.
pub(crate) async fn part(sender: &BodySender, boundary: &str, body: &Value) -> bool {
    sender
        .send(format!(
            "\r\n--{boundary}\r\nContent-Type: application/json\r\n\r\n{body}"
        ))
        .await
}
