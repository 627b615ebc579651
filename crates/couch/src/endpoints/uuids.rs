//! `/_uuids`: ids for documents to come (`src/couch/src/couch_uuids.erl`). Besides CouchDB's `count`, `algorithm` and `prefix` may be
//! asked for.

use crate::call::Call;
use crate::generators::Form;
use crate::limits::UUIDS_MAX;
use crate::respond;
use access::error::{CouchError, Result};
use http::{HeaderValue, Response, header};
use json::write_string;
use sha2::{Digest, Sha256};
use value::hex;

/// A date that has passed, so that nobody takes the ids for fresh ones again.
const EXPIRES: HeaderValue = HeaderValue::from_static("Mon, 01 Jan 1990 00:00:00 GMT");

/// `GET /_uuids`.
pub(crate) fn run(call: &Call) -> Result<Response> {
    call.require_read("GET")?;
    let config = &call.server.config;
    let count = count(call)?;
    let configured = config.get("uuids", "algorithm");
    let form = Form::configured(config);
    let algorithm = call.query.get("algorithm").or(configured.as_deref());
    let algorithm = algorithm.unwrap_or("sequential");
    let prefix = call.query.get("prefix").unwrap_or_default();
    let mut text = String::from(r#"{"uuids":["#);
    for position in 0..count {
        let id = call.server.ids.next(algorithm, &form).ok_or_else(|| {
            CouchError::bad_request(
                "the algorithm must be sequential, monotonic, random, utc_random, utc_id, uuid_v4 or uuid_v7, \
                 and the setting `format` of UUIDs base_16, base_36 or rfc9562",
            )
        })?;
        text.push_str(if position > 0 { "," } else { "" });
        write_string(&format!("{prefix}{id}"), &mut text);
    }
    text.push_str("]}");
    let tag = hex(&Sha256::digest(&text)[..16]);
    let mut response = respond::ok(text);
    respond::tag(&mut response, &format!("\"{tag}\""));
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::EXPIRES, EXPIRES);
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// How many are wanted, up to the setting `max_count`.
fn count(call: &Call) -> Result<usize> {
    let max = call
        .server
        .config
        .number("uuids", "max_count")
        .unwrap_or(UUIDS_MAX);
    let text = call.query.get("count").unwrap_or("1");
    let invalid = |_| CouchError::bad_request("count must be a positive integer");
    let count: usize = text.parse().map_err(invalid)?;
    match count > max.min(UUIDS_MAX) {
        true => Err(CouchError::bad_request("count parameter too large")),
        false => Ok(count),
    }
}
