//! POST of a form (`multipart/form-data`, RFC 7578): every part that has a file name becomes a file.

use super::describe;
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::limits::{FORM_FILES_MAX, NAME_BYTES_MAX};
use crate::respond;
use auth::Action;
use engine::files::{Digests, Files, NewFile};
use futures::stream;
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use multer::{Field, Multipart};
use serde_json::json;
use std::sync::atomic::Ordering;

/// Takes the files of a form; 201 with their descriptions, once all are on the disk. Fields without file name are skipped.
pub(crate) async fn post(call: &mut Call, bucket: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Insert, files.bucket()).await?;
    let kind = call.request.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let boundary = multer::parse_boundary(kind).map_err(|_| {
        let reason = "POST takes a form: send multipart/form-data with a boundary, or PUT /files/BUCKET/NAME";
        WebError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_a_form", reason)
    })?;
    let body = stream::unfold(&mut call.request.body, |body| async move {
        let chunk = body.chunk().await.transpose()?;
        Some((chunk, body))
    });
    // Whoever reads a form from a stream reads it through the one borrow of the body.
    let mut form = Multipart::new(body, boundary);
    let mut taken = Vec::new();
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let Some(name) = field
            .file_name()
            .map(str::to_owned)
            .filter(|name| !name.is_empty())
        else {
            continue;
        };
        if taken.len() == FORM_FILES_MAX {
            let reason =
                format!("a form may have {FORM_FILES_MAX} files; the first {FORM_FILES_MAX} were taken");
            return Err(WebError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_many_files",
                reason,
            ));
        }
        taken.push(take(&files, field, name, &call.server.counters.file_bytes_in).await?);
    }
    if taken.is_empty() {
        return Err(WebError::bad_request("the form has no part with a file name"));
    }
    Ok(respond::json(StatusCode::CREATED, &json!({"files": taken})))
}

async fn take(
    files: &Files,
    mut field: Field<'_>,
    name: String,
    counter: &std::sync::atomic::AtomicU64,
) -> Result<serde_json::Value> {
    if name.len() > NAME_BYTES_MAX {
        let reason = format!(
            "a file's name has from 1 to {NAME_BYTES_MAX} bytes, not {}",
            name.len()
        );
        return Err(WebError::bad_request(reason));
    }
    let mut writer = files
        .create(NewFile {
            name,
            content_type: field.content_type().map(ToString::to_string),
            ..NewFile::default()
        })
        .await?;
    while let Some(bytes) = field.chunk().await.map_err(broken)? {
        writer.write(&bytes).await?;
        counter.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
    let entry = writer.finish(&Digests::default(), None).await?;
    Ok(describe(&entry))
}

fn broken(error: multer::Error) -> WebError {
    WebError::bad_request(format!("the form cannot be read: {error}"))
}
