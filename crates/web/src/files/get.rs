//! Reading a file: whole, in part, or not at all because the client has it.

use super::headers;
use super::multipart::Multipart;
use crate::call::{Call, ids};
use crate::error::{Result, WebError};
use crate::limits::READ_AHEAD_BYTES_MAX;
use crate::respond;
use auth::Action;
use bytes::Bytes;
use engine::files::{FileEntry, FileReader, Files};
use futures::stream;
use http::header::{CONTENT_LENGTH, CONTENT_RANGE, RANGE};
use http::{
    Body, BodyError, HeaderValue, Method, Precondition, Ranges, Response, StatusCode, if_range, ranges,
    read_precondition,
};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// GET and HEAD of a version of a name; the newest where the query does not say.
pub(crate) async fn get_name(call: &Call, bucket: &str, name: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Find, files.bucket()).await?;
    let version = call.number("version")?;
    match files.find(name, version.unwrap_or(-1)).await? {
        Some(entry) => serve(call, &files, &entry).await,
        None => Err(missing(&files, name, version)),
    }
}

/// GET and HEAD of a file by its id.
pub(crate) async fn get_id(call: &Call, bucket: &str, id: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Find, files.bucket()).await?;
    for id in ids(id) {
        if let Some(entry) = files.find_id(&id).await? {
            return serve(call, &files, &entry).await;
        }
    }
    Err(WebError::not_found(format!(
        "no file with the id {id} is in the bucket {}; GET /files/{bucket} lists those that are",
        files.bucket()
    )))
}

fn missing(files: &Files, name: &str, version: Option<i64>) -> WebError {
    let version = version.map_or(String::new(), |version| format!(" in version {version}"));
    WebError::not_found(format!(
        "no file '{name}'{version} is in the bucket {}; PUT makes one",
        files.bucket()
    ))
}

async fn serve(call: &Call, files: &Files, entry: &Arc<FileEntry>) -> Result<Response> {
    let request = &call.request;
    let tag = headers::entity_tag(entry);
    let changed = headers::changed(entry);
    match read_precondition(&request.headers, &tag, changed) {
        Precondition::Holds => {}
        Precondition::Failed => return Err(WebError::precondition_failed()),
        Precondition::NotModified => {
            let mut response = respond::empty(StatusCode::NOT_MODIFIED);
            headers::validators(response.headers_mut(), entry, &tag);
            return Ok(response);
        }
    }
    // Only GET has ranges (RFC 9110, section 14.2).
    let asked = request
        .header(RANGE.as_str())
        .filter(|_| request.method == Method::GET);
    let asked = asked.filter(|_| if_range(&request.headers, &tag, changed));
    let asked = asked.map_or(Ranges::Whole, |asked| ranges(asked, entry.length));
    let mut response = match asked {
        Ranges::Whole if request.method == Method::HEAD => head(entry),
        Ranges::Whole => whole(call, files, entry).await?,
        Ranges::Parts(parts) => match parts.as_slice() {
            [part] => one_part(call, files, entry, part.clone()).await?,
            _ => many_parts(call, files, entry, parts),
        },
        Ranges::Unsatisfiable => return Err(unsatisfiable(entry)),
    };
    let is_download = call.parameter("download")?.is_some();
    headers::describe(response.headers_mut(), entry, &tag, is_download);
    Ok(response)
}

fn head(entry: &FileEntry) -> Response {
    let mut response = respond::empty(StatusCode::OK);
    headers::typed(response.headers_mut(), headers::content_type(entry));
    response
        .headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(entry.length));
    response
}

async fn whole(call: &Call, files: &Files, entry: &Arc<FileEntry>) -> Result<Response> {
    let reader = files.open(entry, 0..entry.length)?;
    let mut response = Response::new(body(call, reader).await?);
    headers::typed(response.headers_mut(), headers::content_type(entry));
    Ok(response)
}

async fn one_part(call: &Call, files: &Files, entry: &Arc<FileEntry>, part: Range<u64>) -> Result<Response> {
    let reader = files.open(entry, part.clone())?;
    let mut response = Response::new(body(call, reader).await?);
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    headers::typed(response.headers_mut(), headers::content_type(entry));
    if let Ok(range) = HeaderValue::from_str(&headers::content_range(&part, entry.length)) {
        response.headers_mut().insert(CONTENT_RANGE, range);
    }
    Ok(response)
}

fn many_parts(call: &Call, files: &Files, entry: &Arc<FileEntry>, parts: Vec<Range<u64>>) -> Response {
    let multipart = Multipart::new(files.clone(), entry.clone(), headers::content_type(entry), parts);
    let (kind, length) = (multipart.content_type(), multipart.length());
    call.server
        .counters
        .file_bytes_out
        .fetch_add(length, Ordering::Relaxed);
    let mut response = Response::new(Body::stream(multipart.into_stream(), Some(length)));
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    headers::typed(response.headers_mut(), kind);
    response
}

fn unsatisfiable(entry: &FileEntry) -> WebError {
    let reason = format!(
        "the range lies behind the end; the file has {} bytes",
        entry.length
    );
    let error = WebError::new(StatusCode::RANGE_NOT_SATISFIABLE, "range_not_satisfiable", reason);
    match HeaderValue::from_str(&format!("bytes */{}", entry.length)) {
        Ok(range) => error.with_header(CONTENT_RANGE, range),
        Err(_) => error,
    }
}

/// What a reader gives as a body: at once where it is short or in memory, else as fast as the client takes it.
async fn body(call: &Call, mut reader: FileReader) -> Result<Body> {
    let length = reader.remaining();
    call.server
        .counters
        .file_bytes_out
        .fetch_add(length, Ordering::Relaxed);
    let mut pieces = Vec::with_capacity(4);
    while let Some(piece) = reader.next_in_memory() {
        pieces.push(piece);
    }
    if length <= READ_AHEAD_BYTES_MAX {
        while let Some(piece) = reader.next().await? {
            pieces.push(piece);
        }
    }
    if reader.remaining() == 0 {
        return Ok(match <[Bytes; 1]>::try_from(pieces) {
            Ok([piece]) => Body::from(piece),
            Err(pieces) => Body::pieces(pieces),
        });
    }
    let rest = stream::unfold(reader, |mut reader| async move {
        match reader.next().await {
            Ok(piece) => piece.map(|piece| (Ok(piece), reader)),
            // The reader has logged why.
            Err(_) => Some((Err(BodyError::GivenUp), reader)),
        }
    });
    let at_hand = stream::iter(pieces.into_iter().map(Ok));
    Ok(Body::stream(
        stream::StreamExt::chain(at_hand, rest),
        Some(length),
    ))
}
