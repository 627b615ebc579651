//! `/mapred`: results as one list, or with `chunked=true` in parts as they come.

use super::call::Call;
use super::index::part;
use super::multipart::boundary;
use super::respond::{json, not_allowed, text, typed};
use crate::error::Result;
use crate::mapreduce::{Failure, Job, Run};
use crate::operation::Operation;
use http::{Body, BodySender, HeaderValue, Method, Response, StatusCode};
use memory::Share;
use serde_json::{Value, json};
use std::pin::pin;

const USAGE: &str = "This resource accepts POSTs with bodies containing JSON of the form:\n{\n \"inputs\":[...list of inputs...],\n \"query\":[...list of map/reduce phases...]\n}\n";

pub(crate) async fn run(call: &Call) -> Result<Response> {
    match call.method {
        Method::POST => {}
        Method::GET | Method::HEAD => return Ok(text(StatusCode::BAD_REQUEST, USAGE)),
        _ => return Ok(not_allowed("GET, HEAD, POST")),
    }
    let kind = call.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    // Nothing else, so that a form of another site cannot ask.
    if kind != "application/json" {
        let message = format!("\"{kind}\" is not the content type of a job; application/json is\n");
        return Ok(text(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    let is_chunked = call.is_true("chunked");
    let room = call.server.room_to_decode(&call.body)?;
    let job = Job::read(&call.body)?;
    let has_lists = job.keeps() > 1;
    call.server.engine.let_answers_go().await;
    let mut run = match Run::start(call.server.clone(), call.access.clone(), job).await {
        Ok(run) => run,
        Err(failure) => return failed(failure),
    };
    if is_chunked {
        return stream(call.operation.clone(), run, room);
    }
    match run.all().await {
        Ok(kept) => {
            let lists = kept.into_iter().map(|(_, values)| values);
            let results = match has_lists {
                true => lists.map(Value::Array).collect(),
                false => lists.flatten().collect(),
            };
            Ok(json(&Value::Array(results)))
        }
        Err(failure) => failed(failure),
    }
}

fn failed(failure: Failure) -> Result<Response> {
    let body = Body::from(failure.told()?.to_string());
    Ok(typed(StatusCode::INTERNAL_SERVER_ERROR, "application/json", body))
}

fn stream(operation: Operation, mut run: Run, room: Share) -> Result<Response> {
    let boundary = boundary()?;
    let (sender, body) = Body::channel(None);
    let kind = HeaderValue::try_from(format!("multipart/mixed; boundary={boundary}"));
    tokio::spawn(async move {
        let _room = room;
        let sending = pin!(async {
            send(&mut run, &sender, &boundary).await;
            Ok(())
        });
        let sent = tokio::select! {
            sent = operation.run_for(&sender, sending) => sent,
            // A job that nobody reads ends, and so do its scripts.
            () = sender.closed() => return,
        };
        if let Err(error) = sent {
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

async fn send(run: &mut Run, sender: &BodySender, boundary: &str) {
    loop {
        let kept = match run.next().await {
            Ok(Some(kept)) => kept,
            Ok(None) => return,
            Err(failure) => {
                let told = failure.told();
                let told = told.unwrap_or_else(|error| json!({"error": error.message}));
                part(sender, boundary, &told).await;
                return;
            }
        };
        for (phase, data) in kept {
            if !part(sender, boundary, &json!({"phase": phase, "data": data})).await {
                return;
            }
        }
    }
}
