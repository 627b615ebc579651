//! Requests that a page of another site made a browser send.
//!
//! Such a page can send forms and simple requests with the browser's cookies, but not choose their `Origin`,
//! `Sec-Fetch-Site` or, without being asked first, a media type of JSON.

use crate::call::Call;
use crate::error::{Result, WebError};
use http::{Method, StatusCode, other_site};

/// The media types that no form can send.
const MEDIA_TYPES: [&str; 3] = [
    "application/json",
    "application/x-ndjson",
    "application/octet-stream",
];

/// Refuses what this server's own page would not have sent.
pub(crate) fn guard(call: &Call) -> Result<()> {
    let request = &call.request;
    if let Some(site) = other_site(&request.headers) {
        let reason = format!("pages of {site} may ask nothing below /api");
        return Err(WebError::forbidden(reason));
    }
    let may_have_body = [Method::POST, Method::PUT, Method::PATCH].contains(&request.method);
    let kind = request.header("content-type");
    if !may_have_body && kind.is_none() {
        return Ok(());
    }
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default();
    match MEDIA_TYPES.contains(&kind.trim().to_ascii_lowercase().as_str()) {
        true => Ok(()),
        false => Err(WebError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            format!(
                "below /api a body is one of {}: say which by Content-Type",
                MEDIA_TYPES.join(", ")
            ),
        )),
    }
}
