//! Listing a bucket.

use super::describe;
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::limits::LIST_FILES_MAX;
use crate::respond;
use auth::Action;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use engine::files::ListRequest;
use http::{Response, StatusCode};
use serde_json::json;

/// `{"files": […], "next": …}`: by name, versions of one name by date. `prefix` narrows, `limit` ends a page, and `after` goes
/// on with the page before's `next`.
pub(crate) async fn list(call: &Call, bucket: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Find, files.bucket()).await?;
    let limit = call.number("limit")?.unwrap_or(LIST_FILES_MAX as i64);
    let limit = usize::try_from(limit)
        .ok()
        .filter(|limit| (1..=LIST_FILES_MAX).contains(limit));
    let limit = limit
        .ok_or_else(|| WebError::bad_request(format!("limit: give a number from 1 to {LIST_FILES_MAX}")))?;
    let after = call
        .parameter("after")?
        .map(|after| BASE64_URL_SAFE_NO_PAD.decode(after));
    let after = after.transpose();
    let request = ListRequest {
        prefix: call.parameter("prefix")?.unwrap_or_default(),
        after: after
            .map_err(|_| WebError::bad_request("after: give the value of next of the page before"))?,
        limit,
    };
    let page = files.list(&request).await?;
    let next = page.next.map(|next| BASE64_URL_SAFE_NO_PAD.encode(next));
    let described: Vec<_> = page.files.iter().map(describe).collect();
    Ok(respond::json(
        StatusCode::OK,
        &json!({"files": described, "next": next}),
    ))
}
