//! Deleting files.

use crate::call::{Call, ids};
use crate::error::{Result, WebError};
use crate::respond;
use auth::Action;
use http::{Response, StatusCode};

/// DELETE of a name: all its versions, or the one that the query names.
pub(crate) async fn delete_name(call: &Call, bucket: &str, name: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Remove, files.bucket()).await?;
    let deleted = match call.number("version")? {
        None => files.delete_name(name).await? > 0,
        Some(version) => match files.find(name, version).await? {
            Some(entry) => files.delete(&entry.id).await?,
            None => false,
        },
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
        deleted = deleted || files.delete(&id).await?;
    }
    answer(deleted, || {
        format!("no file with the id {id} is in the bucket {}", files.bucket())
    })
}

fn answer(deleted: bool, missing: impl FnOnce() -> String) -> Result<Response> {
    match deleted {
        true => Ok(respond::empty(StatusCode::NO_CONTENT)),
        false => Err(WebError::not_found(missing())),
    }
}
