//! From a request's body into a file.

use crate::call::Call;
use crate::error::{Result, WebError};
use engine::files::FileWriter;
use http::header::{CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE};
use http::{RequestBody, StatusCode};
use std::sync::atomic::Ordering;

/// Writes all of a body; the client is read no faster than the disk takes it.
pub(super) async fn receive(call: &mut Call, writer: &mut FileWriter) -> Result<()> {
    let before = writer.length();
    let outcome = copy(&mut call.request.body, writer).await;
    let received = writer.length() - before;
    call.server
        .counters
        .file_bytes_in
        .fetch_add(received, Ordering::Relaxed);
    outcome
}

async fn copy(body: &mut RequestBody, writer: &mut FileWriter) -> Result<()> {
    while let Some(bytes) = body.chunk().await? {
        writer.write(&bytes).await?;
    }
    Ok(())
}

/// Refuses what a body may be declared to be, but would not be served as again.
pub(super) fn refuse_encoding(call: &Call) -> Result<()> {
    if call.request.headers.contains_key(CONTENT_RANGE) {
        return Err(WebError::bad_request(
            "a part of a file cannot be put (Content-Range); upload in parts by POST /uploads/BUCKET (tus)",
        ));
    }
    match call.request.header(CONTENT_ENCODING.as_str()) {
        None | Some("identity") => Ok(()),
        Some(encoding) => Err(WebError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_encoding",
            format!("the Content-Encoding {encoding} would be lost; send the file as it is"),
        )),
    }
}

/// The media type that a request gives.
pub(super) fn content_type(call: &Call) -> Option<String> {
    call.request.header(CONTENT_TYPE.as_str()).map(str::to_owned)
}
