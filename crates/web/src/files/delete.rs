//! Deleting files.

use super::headers;
use crate::call::{Call, ids};
use crate::error::{Result, WebError};
use crate::respond;
use auth::Action;
use engine::files::FileEntry;
use http::{Response, StatusCode, write_precondition};

/// DELETE of a name: all its versions, or the one that the query names.
pub(crate) async fn delete_name(call: &Call, bucket: &str, name: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Remove, files.bucket()).await?;
    let version = call.number("version")?;
    let entry = files.find(name, version.unwrap_or(-1)).await?;
    let deleted = match (entry, version) {
        (None, _) => false,
        (Some(entry), Some(_)) => {
            check(call, &entry)?;
            files.delete(&entry.id).await?
        }
        (Some(newest), None) => {
            check(call, &newest)?;
            files.delete_name(name, &newest).await? > 0
        }
    };
    answer(deleted, || {
        format!("no file '{name}' is in the bucket {}", files.bucket())
    })
}

/// DELETE of a file by its id.
pub(crate) async fn delete_id(call: &Call, bucket: &str, id: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Remove, files.bucket()).await?;
    let mut deleted = false;
    for id in ids(id) {
        if !deleted && let Some(entry) = files.find_id(&id).await? {
            check(call, &entry)?;
            deleted = files.delete(&id).await?;
        }
    }
    answer(deleted, || {
        format!("no file with the id {id} is in the bucket {}", files.bucket())
    })
}

/// Refuses if the conditions mean another file than the one that is there.
fn check(call: &Call, entry: &FileEntry) -> Result<()> {
    let tag = headers::entity_tag(entry);
    match write_precondition(&call.request.headers, &tag, headers::changed(entry)) {
        true => Ok(()),
        false => Err(WebError::precondition_failed()),
    }
}

fn answer(deleted: bool, missing: impl FnOnce() -> String) -> Result<Response> {
    match deleted {
        true => Ok(respond::empty(StatusCode::NO_CONTENT)),
        false => Err(WebError::not_found(missing())),
    }
}
