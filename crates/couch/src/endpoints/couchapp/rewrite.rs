//! `_rewrite`: leading requests to other paths, by rules or by a function (`src/chttpd/src/chttpd_rewrite.erl`).

use super::answer::{Answer, read_headers};
use super::rules;
use crate::call::Call;
use crate::design::Design;
use crate::script_request::{self, BodySeen};
use access::database::Database;
use access::error::{CouchError, Result};
use http::{
    Asker, Body, HeaderMap, Method, Request, RequestBody, Response, StatusCode, Uri, header, percent_encode,
};
use serde_json::{Map, Value as Json};

/// How often a request may be led to another path (`[chttpd] rewrite_limit`).
const REWRITES_MAX: usize = 100;

/// `/{db}/_design/{design}/_rewrite/…`.
pub(crate) async fn run(call: &mut Call, design: &str, rest: &[&str]) -> Result<Response> {
    let configured = call.server.config.number("chttpd", "rewrite_limit");
    if call.times_rewritten() >= configured.unwrap_or(REWRITES_MAX) {
        return Err(CouchError::bad_request("Exceeded rewrite recursion limit"));
    }
    let database = call.database()?;
    let name = design;
    let design = call.server.designs.named(&database, design).await?;
    let prefix = format!(
        "/{}/_design/{}",
        percent_encode(&database.name),
        percent_encode(name)
    );
    let request = match design.body.get("rewrites") {
        Some(Json::Array(rules)) => {
            let secure = !call.server.config.is_off("chttpd", "secure_rewrites");
            let query: Vec<(&str, &str)> = call.query.iter().collect();
            let led = rules::rewritten(rules, &call.method, rest, &query, secure)?;
            let led = led.ok_or_else(CouchError::missing)?;
            let method = call.method.clone();
            let target = target(&prefix, &led.path, &led.query);
            request(call, method, &target, HeaderMap::new())?
        }
        Some(Json::String(_)) => match by_function(call, &database, &design, &prefix).await? {
            Led::There(request) => *request,
            Led::Answered(response) => return Ok(response),
        },
        _ => return Err(nowhere()),
    };
    call.answer_instead(request).await
}

fn nowhere() -> CouchError {
    CouchError::new(StatusCode::NOT_FOUND, "rewrite_error", "Invalid path.")
}

fn wrong(reason: &'static str) -> CouchError {
    CouchError::new(StatusCode::INTERNAL_SERVER_ERROR, "rewrite_error", reason)
}

/// What a function makes of a request.
enum Led {
    There(Box<Request>),
    Answered(Response),
}

async fn by_function(call: &mut Call, database: &Database, design: &Design, prefix: &str) -> Result<Led> {
    let body = call.bytes().await?;
    // Read whole, and decompressed, it goes on as it is.
    call.headers.remove(header::CONTENT_ENCODING);
    call.body = RequestBody::from(Body::from(body.clone()));
    let asked = script_request::object_to_rewrite(call, database, BodySeen::Bytes(body))?;
    let rewritten = design.functions()?.rewrite(&asked).await?;
    let mut rewritten = match serde_json::from_str(&rewritten) {
        Ok(Json::Object(rewritten)) => rewritten,
        Ok(Json::Null) => return Err(nowhere()),
        _ => return Err(wrong("bad rewrite")),
    };
    check(&rewritten)?;
    if rewritten.contains_key("code") {
        rewritten.retain(|name, _| ["code", "headers", "body"].contains(&name.as_str()));
        // Without a media type of its own it has none.
        let answer = Answer::read(&Json::Object(rewritten), StatusCode::OK)?;
        return Ok(Led::Answered(answer.respond(&call.server.config)));
    }
    let text = |name: &str| rewritten.get(name).and_then(Json::as_str);
    let path = text("path").ok_or_else(|| wrong("Rewrite result must produce a new path."))?;
    let (path, asked) = path.split_once('?').unwrap_or((path, ""));
    let mut query = vec![asked.to_owned()];
    let pair = |name: &str, value: &str| format!("{}={}", percent_encode(name), percent_encode(value));
    match rewritten.get("query").and_then(Json::as_object) {
        Some(given) => query.extend(
            given
                .iter()
                .map(|(name, value)| pair(name, value.as_str().unwrap_or_default())),
        ),
        None => query.extend(call.query.iter().map(|(name, value)| pair(name, value))),
    }
    query.retain(|part| !part.is_empty());
    let method = match text("method") {
        Some(method) => Method::from_bytes(method.as_bytes()).map_err(|_| wrong("bad method"))?,
        None => call.method.clone(),
    };
    let headers = rewritten.get("headers").and_then(Json::as_object);
    let headers = headers.map(read_headers).transpose()?.unwrap_or_default();
    if let Some(body) = text("body") {
        call.body = RequestBody::from(Body::from(body.to_owned()));
    }
    let target = target(prefix, path, &query.join("&"));
    Ok(Led::There(Box::new(request(call, method, &target, headers)?)))
}

/// Refuses a rewrite whose members are of the wrong kind.
fn check(rewritten: &Map<String, Json>) -> Result<()> {
    let are_strings =
        |value: &Json| matches!(value, Json::Object(members) if members.values().all(Json::is_string));
    for (name, value) in rewritten {
        let is_right = match name.as_str() {
            "method" | "path" | "body" => value.is_string(),
            "headers" | "query" => are_strings(value),
            "code" => value.as_u64().is_some_and(|code| (200..600).contains(&code)),
            _ => true,
        };
        if !is_right {
            return Err(wrong(match name.as_str() {
                "method" => "bad method",
                "path" => "bad path",
                "body" => "bad body",
                "headers" => "bad headers",
                "query" => "bad query",
                _ => "bad code",
            }));
        }
    }
    Ok(())
}

/// The request with another method, target and body, and with these headers besides its own.
fn request(call: &mut Call, method: Method, target: &str, headers: HeaderMap) -> Result<Request> {
    let uri = Uri::try_from(target);
    let mut all = std::mem::take(&mut call.headers);
    for (name, value) in &headers {
        all.insert(name, value.clone());
    }
    // The method is the one that is meant.
    all.remove("x-http-method-override");
    Ok(Request {
        method,
        uri: uri.map_err(|_| wrong("bad path"))?,
        headers: all,
        body: std::mem::replace(&mut call.body, RequestBody::from(Body::empty())),
        peer: call.peer,
        asker: Asker::default(),
        certified: None,
    })
}

/// The target that a path relative to the design document means.
fn target(prefix: &str, path: &str, query: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in prefix.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let mark = if query.is_empty() { "" } else { "?" };
    let target = format!("/{}{mark}{query}", parts.join("/"));
    // What no target can have is encoded; what is encoded already stays.
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte);
    let encoded = target.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    encoded.collect()
}
