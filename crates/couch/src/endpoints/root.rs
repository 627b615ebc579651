//! `/`, `/_up`, `/_all_dbs` (`src/chttpd/src/chttpd_misc.erl`).

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::json::write_string;
use crate::{names, respond};
use http::{Method, Response};

/// The version of CouchDB whose behaviour this is.
const VERSION: &str = "3.5.0";

/// `GET /`.
pub(crate) fn welcome(call: &Call) -> Result<Response> {
    only_get(call)?;
    let uuid = call.server.uuid();
    let larder = env!("CARGO_PKG_VERSION");
    Ok(respond::ok(format!(
        r#"{{"couchdb":"Welcome","version":"{VERSION}","git_sha":"","uuid":"{uuid}","features":["quickjs"],"vendor":{{"name":"Larder","version":"{larder}"}}}}"#
    )))
}

/// `GET /_up`.
pub(crate) fn up(call: &Call) -> Result<Response> {
    only_get(call)?;
    Ok(respond::ok(r#"{"status":"ok","seeds":{}}"#.to_owned()))
}

/// `GET /_all_dbs`.
pub(crate) fn all_dbs(call: &Call) -> Result<Response> {
    only_get(call)?;
    let mut text = String::from("[");
    for (position, name) in names::all(&call.server.engine).iter().enumerate() {
        text.push_str(if position > 0 { "," } else { "" });
        write_string(name, &mut text);
    }
    text.push(']');
    Ok(respond::ok(text))
}

/// Refuses all methods but GET and HEAD.
pub(crate) fn only_get(call: &Call) -> Result<()> {
    match call.method {
        Method::GET | Method::HEAD => Ok(()),
        _ => Err(CouchError::method_not_allowed("GET,HEAD")),
    }
}
