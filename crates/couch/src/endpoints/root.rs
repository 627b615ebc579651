//! `/`, `/_up`, `/_all_dbs` (`src/chttpd/src/chttpd_misc.erl`).

use super::database::write_info;
use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::limits::DBS_INFO_MAX;
use crate::security::require_server_admin;
use crate::{names, query, respond};
use http::{Body, Method, Response};
use json::write_string;
use value::{Document, Value};

/// The version of CouchDB whose behaviour this is.
const VERSION: &str = "3.5.0";

/// A picture of one transparent point (ICO: a directory of one entry, a bitmap with its mask).
const ICON: &[u8] = b"\0\0\x01\0\x01\0\
    \x01\x01\0\0\x01\0\x20\0\x30\0\0\0\x16\0\0\0\
    \x28\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\x20\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \0\0\0\0\0\0\0\0";

/// `GET /`.
pub(crate) fn welcome(call: &Call) -> Result<Response> {
    call.require_get()?;
    let uuid = call.server.uuid();
    let larder = env!("CARGO_PKG_VERSION");
    Ok(respond::ok(format!(
        r#"{{"couchdb":"Welcome","version":"{VERSION}","git_sha":"","uuid":"{uuid}","features":["nouveau","partitioned","quickjs","search"],"vendor":{{"name":"Larder","version":"{larder}"}}}}"#
    )))
}

/// `GET /_up`.
pub(crate) fn up(call: &Call) -> Result<Response> {
    call.require_get()?;
    Ok(respond::ok(r#"{"status":"ok","seeds":{}}"#.to_owned()))
}

/// `GET /favicon.ico`, which browsers ask for by themselves: an empty picture.
pub(crate) fn icon(call: &Call) -> Result<Response> {
    call.require_get()?;
    Ok(respond::with_type(Body::from(ICON), "image/x-icon"))
}

/// `GET /_all_dbs`, in whole or from one name to another; for administrators, unless the setting `admin_only_all_dbs` says otherwise.
pub(crate) fn all_dbs(call: &Call) -> Result<Response> {
    require_lister(call)?;
    call.require_get()?;
    let key = |names: [&str; 2]| -> Result<Option<String>> {
        let text = names.into_iter().find_map(|name| call.query.get(name));
        match text.map(query::json).transpose()? {
            None => Ok(None),
            Some(Value::String(name)) => Ok(Some(name)),
            Some(_) => Err(CouchError::query_parse("keys of databases are strings")),
        }
    };
    let (mut low, mut high) = (key(["startkey", "start_key"])?, key(["endkey", "end_key"])?);
    let is_descending = call.query.is_true("descending");
    let mut names = names::all(&call.server.engine);
    if is_descending {
        names.reverse();
        std::mem::swap(&mut low, &mut high);
    }
    names.retain(|name| {
        low.as_ref().is_none_or(|low| name >= low) && high.as_ref().is_none_or(|high| name <= high)
    });
    let number = |name: &str, default: usize| -> Result<usize> {
        Ok(call
            .query
            .number(name)?
            .map_or(default, |number| usize::try_from(number).unwrap_or(default)))
    };
    let (skip, limit) = (number("skip", 0)?, number("limit", usize::MAX)?);
    let mut text = String::from("[");
    for name in names.iter().skip(skip).take(limit) {
        text.push_str(if text.len() > 1 { "," } else { "" });
        write_string(name, &mut text);
    }
    text.push(']');
    Ok(respond::ok(text))
}

/// Refuses to name all databases to others than administrators, unless the setting `admin_only_all_dbs` says otherwise.
fn require_lister(call: &Call) -> Result<()> {
    match call.server.config.is_off("chttpd", "admin_only_all_dbs") {
        true => Ok(()),
        false => require_server_admin(&call.user),
    }
}

/// `/_dbs_info`: what each database is and holds.
pub(crate) async fn dbs_info(call: &mut Call) -> Result<Response> {
    require_lister(call)?;
    let names = match call.method {
        Method::GET | Method::HEAD => names::all(&call.server.engine),
        Method::POST => {
            call.check_is_json()?;
            named(&call.json_object().await?)?
        }
        _ => return Err(CouchError::method_not_allowed("GET,HEAD,POST")),
    };
    let mut text = String::from("[");
    for name in names {
        let database = call.database_named(&name);
        if database.is_err() && call.method != Method::POST {
            continue;
        }
        text.push_str(if text.len() > 1 { "," } else { "" });
        text.push_str(r#"{"key":"#);
        write_string(&name, &mut text);
        match database {
            Ok(database) => {
                text.push_str(r#","info":"#);
                write_info(&call.server, &database, &mut text).await?;
            }
            Err(_) => text.push_str(r#","error":"not_found""#),
        }
        text.push('}');
    }
    text.push(']');
    Ok(respond::ok(text))
}

fn named(body: &Document) -> Result<Vec<String>> {
    let Some(Value::Array(keys)) = body.get("keys") else {
        return Err(CouchError::bad_request("`keys` member must exist."));
    };
    if keys.len() > DBS_INFO_MAX {
        return Err(CouchError::bad_request("too_many_keys"));
    }
    let name = |key: &Value| match key {
        Value::String(name) => Ok(name.clone()),
        _ => Err(CouchError::bad_request("`keys` must be an array of strings.")),
    };
    keys.iter().map(name).collect()
}
