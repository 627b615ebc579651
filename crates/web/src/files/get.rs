//! Reading a file: whole, in part, or not at all because the client has it.

use super::headers;
use super::multipart::Multipart;
use crate::call::{Call, ids};
use crate::error::{Result, WebError};
use crate::limits::READ_AHEAD_BYTES_MAX;
use crate::respond;
use auth::Action;
use bytes::Bytes;
use engine::files::{FileEntry, FileError, Files};
use futures::stream;
use http::header::{CONTENT_LENGTH, CONTENT_RANGE, RANGE};
use http::{
    Body, BodyError, HeaderValue, Method, Precondition, Ranges, Response, StatusCode, if_range, ranges,
    read_precondition,
};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How often a name is looked up again when its file is replaced before it can be read.
const ATTEMPTS_MAX: usize = 10;

/// GET and HEAD of a version of a name; the newest by default.
pub(crate) async fn get_name(call: &Call, bucket: &str, name: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Find, files.bucket()).await?;
    let version = call.number("version")?;
    for _ in 0..ATTEMPTS_MAX {
        let Some(entry) = files.find(name, version.unwrap_or(-1)).await? else {
            break;
        };
        // If it was replaced meanwhile, there is another file of the name.
        if let Some(response) = serve(call, &files, &entry).await? {
            return Ok(response);
        }
    }
    Err(missing(&files, name, version))
}

/// GET and HEAD of a file by its id.
pub(crate) async fn get_id(call: &Call, bucket: &str, id: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Find, files.bucket()).await?;
    for id in ids(id) {
        if let Some(entry) = files.find_id(&id).await?
            && let Some(response) = serve(call, &files, &entry).await?
        {
            return Ok(response);
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

/// The answer; `None` if the file was deleted before it could be read.
async fn serve(call: &Call, files: &Files, entry: &Arc<FileEntry>) -> Result<Option<Response>> {
    let request = &call.request;
    let tag = headers::entity_tag(entry);
    let changed = headers::changed(entry);
    match read_precondition(&request.headers, &tag, changed) {
        Precondition::Holds => {}
        Precondition::Failed => return Err(WebError::precondition_failed()),
        Precondition::NotModified => {
            let mut response = respond::empty(StatusCode::NOT_MODIFIED);
            headers::validators(response.headers_mut(), entry, &tag);
            return Ok(Some(response));
        }
    }
    // Only GET has ranges (RFC 9110, section 14.2).
    let asked = request
        .header(RANGE.as_str())
        .filter(|_| request.method == Method::GET);
    let asked = asked.filter(|_| if_range(&request.headers, &tag, changed));
    let asked = asked.map_or(Ranges::Whole, |asked| ranges(asked, entry.length));
    let response = match asked {
        Ranges::Whole if request.method == Method::HEAD => Some(head(entry)),
        Ranges::Whole => whole(call, files, entry).await?,
        Ranges::Parts(parts) => match parts.as_slice() {
            [part] => one_part(call, files, entry, part.clone()).await?,
            _ => Some(many_parts(call, files, entry, parts)),
        },
        Ranges::Unsatisfiable => return Err(unsatisfiable(entry)),
    };
    let is_download = call.parameter("download")?.is_some();
    Ok(response.map(|mut response| {
        headers::describe(response.headers_mut(), entry, &tag, is_download);
        response
    }))
}

fn head(entry: &FileEntry) -> Response {
    let mut response = respond::empty(StatusCode::OK);
    headers::typed(response.headers_mut(), headers::content_type(entry));
    response
        .headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(entry.length));
    response
}

async fn whole(call: &Call, files: &Files, entry: &Arc<FileEntry>) -> Result<Option<Response>> {
    let Some(body) = body(call, files, entry, 0..entry.length).await? else {
        return Ok(None);
    };
    let mut response = Response::new(body);
    headers::typed(response.headers_mut(), headers::content_type(entry));
    Ok(Some(response))
}

async fn one_part(
    call: &Call,
    files: &Files,
    entry: &Arc<FileEntry>,
    part: Range<u64>,
) -> Result<Option<Response>> {
    let Some(body) = body(call, files, entry, part.clone()).await? else {
        return Ok(None);
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    headers::typed(response.headers_mut(), headers::content_type(entry));
    if let Ok(range) = HeaderValue::from_str(&headers::content_range(&part, entry.length)) {
        response.headers_mut().insert(CONTENT_RANGE, range);
    }
    Ok(Some(response))
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

/// The bytes of a file as a body: at once if they are few or in memory, otherwise as fast as the client takes them. `None` if the
/// file was deleted before the first of them.
async fn body(call: &Call, files: &Files, entry: &Arc<FileEntry>, part: Range<u64>) -> Result<Option<Body>> {
    let mut reader = match files.open(entry, part) {
        Err(FileError::Deleted(_)) => return Ok(None),
        opened => opened?,
    };
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
        loop {
            match reader.next().await {
                Ok(Some(piece)) => pieces.push(piece),
                Ok(None) => break,
                Err(FileError::Deleted(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
    if reader.remaining() == 0 {
        return Ok(Some(match <[Bytes; 1]>::try_from(pieces) {
            Ok([piece]) => Body::from(piece),
            Err(pieces) => Body::pieces(pieces),
        }));
    }
    let rest = stream::unfold(reader, |mut reader| async move {
        match reader.next().await {
            Ok(piece) => piece.map(|piece| (Ok(piece), reader)),
            // The reader has logged why.
            Err(_) => Some((Err(BodyError::GivenUp), reader)),
        }
    });
    let at_hand = stream::iter(pieces.into_iter().map(Ok));
    Ok(Some(Body::stream(
        stream::StreamExt::chain(at_hand, rest),
        Some(length),
    )))
}
