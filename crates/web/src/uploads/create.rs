//! POST: an upload begins (tus' extension creation), perhaps with its first bytes (creation-with-upload), or is made of parts
//! (concatenation).

use super::concat::Concat;
use super::metadata::Metadata;
use super::{UPLOAD_DEFER_LENGTH, UPLOAD_LENGTH, UPLOAD_METADATA, expires, length, patch};
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::limits::{NAME_BYTES_MAX, UPLOADS_KEPT_MS};
use crate::respond;
use auth::Action;
use engine::files::{NewFile, NewJoint, NewUpload, UploadKind};
use http::header::LOCATION;
use http::{HeaderValue, Response, StatusCode};
use value::ObjectId;

pub(super) async fn create(call: &mut Call, bucket: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Insert, files.bucket()).await?;
    let description = call.request.header(UPLOAD_METADATA.as_str()).map(str::to_owned);
    let metadata = Metadata::parse(description.as_deref().unwrap_or_default())?;
    let kind = match Concat::of(call, files.bucket())? {
        Some(Concat::Final { parts, header }) => {
            refuse_bytes_of_its_own(call)?;
            let joined = files.join_uploads(NewJoint {
                file: new_file(metadata, &UploadKind::Whole)?,
                parts,
                named: header,
                kept_ms: UPLOADS_KEPT_MS,
                description,
            });
            return Ok(created(
                bucket,
                joined.await?,
                respond::empty(StatusCode::CREATED),
            ));
        }
        Some(Concat::Partial) => UploadKind::Part,
        None => UploadKind::Whole,
    };
    let length = declared_length(call)?;
    let upload = files
        .begin_upload(NewUpload {
            file: new_file(metadata, &kind)?,
            length,
            kept_ms: UPLOADS_KEPT_MS,
            kind,
            description,
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
    Ok(created(bucket, upload.id, response))
}

/// The answer, with the address of the upload.
fn created(bucket: &str, id: ObjectId, mut response: Response) -> Response {
    if let Ok(location) = HeaderValue::from_str(&format!("/uploads/{bucket}/{id}")) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// The file that the client describes. A part needs no description: the file gets its name when the parts are joined.
fn new_file(metadata: Metadata, kind: &UploadKind) -> Result<NewFile> {
    let is_part = *kind == UploadKind::Part;
    let name = metadata
        .name
        .filter(|name| (1..=NAME_BYTES_MAX).contains(&name.len()))
        .or(is_part.then(String::new));
    let name = name.ok_or_else(|| {
        let reason =
            format!("Upload-Metadata: give the file's name, from 1 to {NAME_BYTES_MAX} bytes, as filename");
        WebError::bad_request(reason)
    })?;
    Ok(NewFile {
        name,
        content_type: metadata.content_type,
        metadata: metadata.rest,
        ..NewFile::default()
    })
}

/// An upload that is made of parts has no bytes besides theirs.
fn refuse_bytes_of_its_own(call: &Call) -> Result<()> {
    let headers = &call.request.headers;
    let has_length = [UPLOAD_LENGTH, UPLOAD_DEFER_LENGTH]
        .iter()
        .any(|name| headers.contains_key(name));
    if has_length || patch::has_bytes(call) {
        return Err(WebError::bad_request(
            "Upload-Concat: what is made of parts is as long as they are; leave out Upload-Length and the body",
        ));
    }
    Ok(())
}

/// How many bytes the file will have; `None` if the client says it later (creation-defer-length).
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
