//! POST: an upload begins (tus' extension creation), perhaps with its first bytes (creation-with-upload).

use super::metadata::Metadata;
use super::{KEPT_MS, UPLOAD_DEFER_LENGTH, UPLOAD_METADATA, expires, length, patch};
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::limits::NAME_BYTES_MAX;
use crate::respond;
use auth::Action;
use engine::files::{NewFile, NewUpload};
use http::header::LOCATION;
use http::{HeaderValue, Response, StatusCode};

pub(super) async fn create(call: &mut Call, bucket: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Insert, files.bucket()).await?;
    refuse_concatenation(call)?;
    let length = declared_length(call)?;
    let metadata = Metadata::parse(call.request.header(UPLOAD_METADATA.as_str()).unwrap_or_default())?;
    let name = metadata
        .name
        .filter(|name| (1..=NAME_BYTES_MAX).contains(&name.len()));
    let name = name.ok_or_else(|| {
        let reason =
            format!("Upload-Metadata: give the file's name, from 1 to {NAME_BYTES_MAX} bytes, as filename");
        WebError::bad_request(reason)
    })?;
    let upload = files
        .begin_upload(NewUpload {
            file: NewFile {
                name,
                content_type: metadata.content_type,
                metadata: metadata.rest,
                ..NewFile::default()
            },
            length,
            kept_ms: KEPT_MS,
        })
        .await?;
    let mut response = respond::empty(StatusCode::CREATED);
    if length == Some(0) || patch::has_bytes(call) {
        let taken = patch::take(call, &files, upload.id, 0).await?;
        if let Some(taken) = taken {
            response = taken;
            *response.status_mut() = StatusCode::CREATED;
        }
    } else {
        expires(&mut response, upload.expires_ms);
    }
    if let Ok(location) = HeaderValue::from_str(&format!("/uploads/{bucket}/{}", upload.id)) {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

/// How many bytes the file will have; none where the client says it later (creation-defer-length).
fn declared_length(call: &Call) -> Result<Option<u64>> {
    let deferred = call.request.header(UPLOAD_DEFER_LENGTH.as_str());
    match (length(call)?, deferred) {
        (Some(length), None) => Ok(Some(length)),
        (None, Some("1")) => Ok(None),
        (None, Some(_)) => Err(WebError::bad_request("Upload-Defer-Length: the only value is 1")),
        (Some(_), Some(_)) => Err(WebError::bad_request(
            "Upload-Defer-Length: leave it out where Upload-Length says how many bytes the file has",
        )),
        (None, None) => Err(WebError::bad_request(
            "Upload-Length: say how many bytes the file has, or that you say it later by Upload-Defer-Length: 1",
        )),
    }
}

/// Refuses an extension that OPTIONS does not name: an upload begun as if it were not there would be another one than the
/// client means.
fn refuse_concatenation(call: &Call) -> Result<()> {
    if !call.request.headers.contains_key("upload-concat") {
        return Ok(());
    }
    let reason = "the extension concatenation is not spoken here; send the file's parts one after the other to one upload";
    Err(WebError::new(StatusCode::NOT_IMPLEMENTED, "extension", reason))
}
