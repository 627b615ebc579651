//! JSONP: answers of JSON as calls of a function of the page that asks (`src/couch/src/couch_httpd.erl`, `initialize_jsonp`).
//!
//! Only where the setting `[chttpd] allow_jsonp` is `true`; attachments stay what they are.

use crate::call::Call;
use crate::respond::IsJson;
use access::error::{CouchError, Result};
use http::{Body, HeaderValue, Response, header};

const SCRIPT: HeaderValue = HeaderValue::from_static("application/javascript");

/// The function that the request names, if it may.
pub(crate) fn callback(call: &Call) -> Result<Option<String>> {
    let named = call.query.get("callback").filter(|name| !name.is_empty());
    match named.filter(|_| call.server.config.is_on("chttpd", "allow_jsonp")) {
        None => Ok(None),
        Some(name) if is_valid(name) => Ok(Some(name.to_owned())),
        Some(_) => Err(CouchError::bad_request("invalid_callback")),
    }
}

/// Whether the name can be that of a function or of a member, and nothing more.
fn is_valid(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '[' | ']'))
}

/// Makes an answer of JSON a call of the function.
pub(crate) fn wrap(callback: &str, response: Response) -> Response {
    if response.extensions().get::<IsJson>().is_none() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.insert(header::CONTENT_TYPE, SCRIPT);
    let before = format!("/* CouchDB */{callback}(");
    Response::from_parts(parts, Body::between(body, before, ");\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_are_names_of_functions() {
        for right in ["f", "jQuery.call_1", "a[0]"] {
            assert!(is_valid(right), "{right}");
        }
        for wrong in ["f\"", "alert(1);f", "f'", "a b"] {
            assert!(!is_valid(wrong), "{wrong}");
        }
    }
}
