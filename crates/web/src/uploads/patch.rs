//! PATCH: further bytes of an upload.

use super::checksum::Checksum;
use super::{UPLOAD_CHECKSUM, UPLOAD_OFFSET, expires, length};
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::limits::{CHECKED_UPLOAD_BYTES_MAX, UPLOADS_KEPT_MS};
use crate::respond;
use auth::Action;
use engine::files::{Digests, FileError, FileWriter, Files};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use std::sync::atomic::Ordering;
use value::{ObjectId, Value};

const OFFSET_OCTETS: &str = "application/offset+octet-stream";

pub(super) async fn patch(call: &mut Call, files: &Files, id: ObjectId) -> Result<Option<Response>> {
    call.may(Action::Insert, files.bucket()).await?;
    if !has_bytes(call) {
        let reason = format!("send the bytes as Content-Type: {OFFSET_OCTETS}");
        return Err(WebError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media_type",
            reason,
        ));
    }
    let offset = call
        .request
        .header(UPLOAD_OFFSET.as_str())
        .and_then(|offset| offset.parse().ok());
    let offset = offset.ok_or_else(|| WebError::bad_request("Upload-Offset: say where the bytes begin"))?;
    match take(call, files, id, offset).await? {
        None => add_to_file(call, files, id, offset).await,
        answered => Ok(answered),
    }
}

/// The answer to bytes for an upload that has become a file: a client that did not hear of its last bytes sends them again.
async fn add_to_file(call: &mut Call, files: &Files, id: ObjectId, offset: u64) -> Result<Option<Response>> {
    let Some(file) = files.find_id(&Value::ObjectId(id)).await? else {
        return Ok(None);
    };
    if offset != file.length {
        return Err(elsewhere(file.length, offset));
    }
    match call.request.body.chunk().await? {
        Some(bytes) if !bytes.is_empty() => Err(WebError::from(FileError::TooLong {
            declared: file.length,
            received: file.length + bytes.len() as u64,
        })),
        _ => Ok(Some(answer(file.length, None))),
    }
}

/// The bytes do not begin at the end of those that are there.
fn elsewhere(length: u64, offset: u64) -> WebError {
    let reason = format!("the upload has {length} bytes, not {offset}; go on there (HEAD tells where)");
    WebError::new(StatusCode::CONFLICT, "offset", reason)
}

/// Whether the request's body is of an upload.
pub(super) fn has_bytes(call: &Call) -> bool {
    let kind = call.request.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case(OFFSET_OCTETS)
}

/// Writes a request's body at an offset. If the connection ends early, what came is kept, unless it has a checksum. Once nothing
/// is missing, the upload becomes a file.
pub(super) async fn take(
    call: &mut Call,
    files: &Files,
    id: ObjectId,
    offset: u64,
) -> Result<Option<Response>> {
    let Some(mut writer) = files.resume_upload(id).await? else {
        return Ok(None);
    };
    if writer.length() != offset {
        return Err(elsewhere(writer.length(), offset));
    }
    if let Some(length) = length(call)? {
        writer.declare_length(length)?;
    }
    let outcome = write(call, &mut writer).await;
    let received = writer.length() - offset;
    call.server
        .counters
        .file_bytes_in
        .fetch_add(received, Ordering::Relaxed);
    if writer.can_finish() {
        let length = writer.length();
        files.finish_upload(writer, &Digests::default(), None).await?;
        outcome?;
        return Ok(Some(answer(length, None)));
    }
    let (length, expires_ms) = writer.pause(UPLOADS_KEPT_MS).await?;
    outcome?;
    Ok(Some(answer(length, Some(expires_ms))))
}

async fn write(call: &mut Call, writer: &mut FileWriter) -> Result<()> {
    if let Some(header) = call.request.header(UPLOAD_CHECKSUM.as_str()) {
        let checksum = Checksum::parse(header)?;
        let bytes = call.request.body.read_all(CHECKED_UPLOAD_BYTES_MAX).await?;
        checksum.check(&bytes)?;
        return Ok(writer.write(&bytes).await?);
    }
    while let Some(bytes) = call.request.body.chunk().await? {
        writer.write(&bytes).await?;
    }
    Ok(())
}

fn answer(offset: u64, expires_ms: Option<i64>) -> Response {
    let mut response = respond::empty(StatusCode::NO_CONTENT);
    response
        .headers_mut()
        .insert(UPLOAD_OFFSET, HeaderValue::from(offset));
    if let Some(expires_ms) = expires_ms {
        expires(&mut response, expires_ms);
    }
    response
}
