//! MongoDB's commands for clients that speak HTTP.

use super::trim::trimmed;
use crate::call::{Call, decoded};
use crate::error::{Result, WebError};
use crate::limits::COMMAND_BYTES_MAX;
use auth::User;
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use http::header::CONTENT_TYPE;
use http::{Body, BodyError, HeaderValue, Response, StatusCode};
use memory::{Holder, Share, WAIT_MAX};
use std::io::Write;
use std::sync::Arc;
use value::json::{Mode, parse_document, to_string};
use value::{Document, DocumentBuf, Value};

/// `POST /api/command/DB`: a command in Extended JSON, plain or compressed, and its reply in canonical Extended JSON. With
/// `trim`, texts and binaries of more bytes are cut.
pub(crate) async fn command(call: &mut Call, database: &str) -> Result<Response> {
    if call.request.method != "POST" {
        return Err(WebError::not_allowed("POST"));
    }
    let database = decoded(database)?;
    let trim = call.number("trim")?.map(usize::try_from).transpose();
    let trim = trim.map_err(|_| WebError::bad_request("trim: give a number of bytes"))?;
    // Nothing is decompressed or parsed for a client who may not ask anything.
    let user = call.user().await?;
    let body = call.request.body.read_all(COMMAND_BYTES_MAX).await?;
    let mut memory = call.server.engine.memory().share(Holder::Ingest);
    let body = match call.request.header("content-encoding") {
        None | Some("" | "identity") => body,
        Some("gzip") => gunzip(&body, &mut memory)?,
        Some(other) => {
            let reason = format!("a body may be compressed by gzip, not by {other}");
            return Err(WebError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                reason,
            ));
        }
    };
    let body = std::str::from_utf8(&body).map_err(|_| WebError::bad_request("the body is not UTF-8"))?;
    let bytes = body.len().saturating_mul(TREE_FACTOR);
    memory.wait(bytes, WAIT_MAX).await.map_err(BodyError::from)?;
    let command = parse_document(body).map_err(|error| WebError::bad_request(error.to_string()))?;
    let reply = call.run(user, database, command).await?;
    // The command is gone. Who waited with its memory in hand would wait for others who do the same.
    memory.charge(0);
    // The reply is there already: commands that come later wait for it before they read.
    let budget = call.server.engine.memory();
    let _held = budget.charged(Holder::Answers, reply.bytes().len());
    let bytes = reply.bytes().len().saturating_mul(TEXT_FACTOR);
    // Never all of it: commands that wait for this reply to be sent keep a little.
    let bytes = bytes.min(memory.limit() / 2);
    memory.wait(bytes, WAIT_MAX).await.map_err(BodyError::from)?;
    let status = match is_ok(&reply) {
        true => StatusCode::OK,
        false => StatusCode::BAD_REQUEST,
    };
    let mut text = match trim {
        Some(bytes_max) => to_string((&trimmed(reply.as_ref(), bytes_max)).into(), Mode::Canonical),
        None => to_string(reply.as_ref(), Mode::Canonical),
    };
    text.push('\n');
    drop(memory);
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

/// The memory that a command takes as a tree, as a multiple of its text.
const TREE_FACTOR: usize = 8;

/// The text that a reply becomes at most, about, as a multiple of its BSON.
const TEXT_FACTOR: usize = 4;

/// Compressed bytes that are decoded at once: deflate makes at most 1,032 bytes of one, so this is what bounds memory.
const DECODED_AT_ONCE_BYTES: usize = 1024;

/// Decompresses a command, and has what it takes counted.
fn gunzip(body: &[u8], memory: &mut Share) -> Result<Bytes> {
    let failed =
        |error: std::io::Error| WebError::bad_request(format!("the body cannot be decompressed: {error}"));
    let mut decoder = MultiGzDecoder::new(Vec::new());
    for part in body.chunks(DECODED_AT_ONCE_BYTES) {
        decoder.write_all(part).map_err(failed)?;
        let room = memory.set(decoder.get_ref().capacity());
        room.map_err(BodyError::from)?;
        if decoder.get_ref().len() > COMMAND_BYTES_MAX {
            let reason = format!("a command has at most {COMMAND_BYTES_MAX} bytes");
            return Err(WebError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", reason));
        }
    }
    Ok(decoder.finish().map_err(failed)?.into())
}

impl Call {
    /// Runs a command with the rights of the user who asks.
    pub(crate) async fn run(
        &self,
        user: Option<Arc<User>>,
        database: String,
        command: Document,
    ) -> Result<DocumentBuf> {
        let Some(commands) = &self.server.mounts.commands else {
            return Err(WebError::not_found("this server runs no commands"));
        };
        Ok(commands.run(user, self.request.peer, database, command).await)
    }
}

/// Whether a reply is one of success.
pub(super) fn is_ok(reply: &DocumentBuf) -> bool {
    let ok = reply.as_raw().get("ok").map(value::ValueRef::to_value);
    matches!(ok, Some(Value::Double(1.0) | Value::Int32(1)))
}
