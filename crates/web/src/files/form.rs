//! POST of a form (`multipart/form-data`, RFC 7578): every part that has a file name becomes a file.

use super::describe;
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::limits::{FORM_FILES_MAX, NAME_BYTES_MAX};
use crate::respond;
use auth::Action;
use engine::files::{Digests, Files, NewFile};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{MultipartError, MultipartReader, PartHead, RequestBody, Response, StatusCode, parameter};
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};

const FORM: &str = "multipart/form-data";

/// Takes the files of a form; 201 with their descriptions, once all are on the disk. Fields without file name are skipped.
pub(crate) async fn post(call: &mut Call, bucket: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Insert, files.bucket()).await?;
    let server = call.server.clone();
    let mut form = read(call)?;
    let mut taken = Vec::new();
    while let Some(head) = form.next_part().await.map_err(broken)? {
        let Some(name) = file_name(&head) else {
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
        if name.len() > NAME_BYTES_MAX {
            let reason = format!(
                "a file's name has from 1 to {NAME_BYTES_MAX} bytes, not {}",
                name.len()
            );
            return Err(WebError::bad_request(reason));
        }
        let file = NewFile {
            name,
            content_type: head.get(CONTENT_TYPE.as_str()).map(str::to_owned),
            ..NewFile::default()
        };
        taken.push(take(&files, &mut form, file, &server.counters.file_bytes_in).await?);
    }
    if taken.is_empty() {
        return Err(WebError::bad_request("the form has no part with a file name"));
    }
    Ok(respond::json(StatusCode::CREATED, &json!({"files": taken})))
}

/// The parts of a request that is a form.
fn read(call: &mut Call) -> Result<MultipartReader<&mut RequestBody>> {
    let kind = call.request.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let kind = kind.to_owned();
    let essence = kind.split(';').next().unwrap_or_default();
    let is_form = essence.trim().eq_ignore_ascii_case(FORM);
    let form = MultipartReader::new(&mut call.request.body, &kind).ok();
    form.filter(|_| is_form).ok_or_else(|| {
        let reason = "POST takes a form: send multipart/form-data with a boundary, or PUT /files/BUCKET/NAME";
        WebError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_a_form", reason)
    })
}

/// The name of the file that a part is; `None` for other fields of the form.
fn file_name(head: &PartHead) -> Option<String> {
    let disposition = head.get(CONTENT_DISPOSITION.as_str())?;
    parameter(disposition, "filename").filter(|name| !name.is_empty())
}

async fn take(
    files: &Files,
    form: &mut MultipartReader<&mut RequestBody>,
    file: NewFile,
    counter: &AtomicU64,
) -> Result<serde_json::Value> {
    let mut writer = files.create(file).await?;
    while let Some(bytes) = form.data().await.map_err(broken)? {
        writer.write(&bytes).await?;
        counter.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
    let entry = writer.finish(&Digests::default(), None).await?;
    Ok(describe(&entry))
}

fn broken(error: MultipartError) -> WebError {
    match error {
        MultipartError::Body(error) => error.into(),
        error => WebError::bad_request(format!("the form cannot be read: {error}")),
    }
}
