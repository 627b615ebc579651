//! `/`, `/_up`, `/_all_dbs` (`src/chttpd/src/chttpd_misc.erl`).

use super::all_docs::RowOptions;
use super::database::write_info;
use crate::call::Call;
use crate::limits::DBS_INFO_MAX;
use crate::respond;
use access::error::{CouchError, Result};
use access::names;
use access::security::require_server_admin;
use engine::Order;
use http::{Body, HeaderValue, Method, Response, StatusCode, header, http_date};
use json::write_string;
use std::time::{Duration, SystemTime};
use value::{Document, Value, ValueRef};

/// The version of CouchDB whose behaviour this is.
const VERSION: &str = "3.5.0";

/// A picture of one transparent point (ICO: a directory of one entry, a bitmap with its mask).
const ICON: &[u8] = b"\0\0\x01\0\x01\0\
    \x01\x01\0\0\x01\0\x20\0\x30\0\0\0\x16\0\0\0\
    \x28\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\x20\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \0\0\0\0\0\0\0\0";

/// How long browsers keep it.
const YEAR_SECONDS: u64 = 31_536_000;
const KEPT_FOR_A_YEAR: HeaderValue = HeaderValue::from_static("public, max-age=31536000");

/// `GET /`.
pub(crate) fn welcome(call: &Call) -> Result<Response> {
    call.require_get()?;
    let uuid = call.server.uuid();
    let larder = env!("CARGO_PKG_VERSION");
    Ok(respond::ok(format!(
        r#"{{"couchdb":"Welcome","version":"{VERSION}","git_sha":"","uuid":"{uuid}","features":["nouveau","partitioned","quickjs","scheduler","search"],"vendor":{{"name":"Larder","version":"{larder}"}}}}"#
    )))
}

/// `GET /_up`: whether requests may be sent here, which the setting `maintenance_mode` denies.
pub(crate) fn up(call: &Call) -> Result<Response> {
    call.require_get()?;
    let refused = match call.server.config.get("couchdb", "maintenance_mode").as_deref() {
        Some("true") => Some("maintenance_mode"),
        Some("nolb") => Some("nolb"),
        _ => None,
    };
    if let Some(status) = refused {
        let text = format!(r#"{{"status":"{status}"}}"#);
        return Ok(respond::json(StatusCode::NOT_FOUND, text));
    }
    Ok(respond::ok(r#"{"status":"ok","seeds":{}}"#.to_owned()))
}

/// `GET /favicon.ico`, which browsers ask for by themselves: an empty picture.
pub(crate) fn icon(call: &Call) -> Result<Response> {
    call.require_get()?;
    let mut response = respond::with_type(Body::from(ICON), "image/x-icon");
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, KEPT_FOR_A_YEAR);
    let expires = SystemTime::now() + Duration::from_secs(YEAR_SECONDS);
    if let Ok(expires) = HeaderValue::from_str(&http_date(expires)) {
        headers.insert(header::EXPIRES, expires);
    }
    Ok(response)
}

/// `GET /_all_dbs`, in whole or from one name to another; for administrators, unless the setting `admin_only_all_dbs` says otherwise.
pub(crate) fn all_dbs(call: &Call) -> Result<Response> {
    require_lister(call)?;
    call.require_get()?;
    let mut text = String::from("[");
    for name in asked_names(call)? {
        text.push_str(if text.len() > 1 { "," } else { "" });
        write_string(&name, &mut text);
    }
    text.push(']');
    Ok(respond::by_content(&call.headers, text))
}

/// The names of the databases that the parameters ask for, which are those of a view whose rows are the databases.
fn asked_names(call: &Call) -> Result<Vec<String>> {
    let options = RowOptions::of_query(&call.query)?;
    let mut names = names::all(&call.server.engine);
    match &options.keys {
        Some(keys) => {
            let keys = options.in_order(keys).into_iter();
            let asked = keys.filter_map(|key| key.as_ref().as_str().map(str::to_owned));
            names = asked.filter(|name| names.contains(name)).collect();
        }
        None => {
            let range = options.range();
            names.retain(|name| value::is_within(&range, ValueRef::String(name)));
            if options.order == Order::Backward {
                names.reverse();
            }
        }
    }
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let rows = names.into_iter().skip(number(options.skip));
    Ok(rows.take(number(options.limit)).collect())
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
        Method::GET | Method::HEAD => asked_names(call)?,
        Method::POST => {
            call.check_is_json()?;
            let set = call
                .server
                .config
                .number("chttpd", "max_db_number_for_dbs_info_req");
            named(&call.json_object().await?, set.unwrap_or(DBS_INFO_MAX))?
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
    match call.method {
        Method::POST => Ok(respond::ok(text)),
        _ => Ok(respond::by_content(&call.headers, text)),
    }
}

fn named(body: &Document, names_max: usize) -> Result<Vec<String>> {
    let Some(Value::Array(keys)) = body.get("keys") else {
        return Err(CouchError::bad_request("`keys` member must exist."));
    };
    if keys.len() > names_max {
        return Err(CouchError::bad_request("too_many_keys"));
    }
    let name = |key: &Value| match key {
        Value::String(name) => Ok(name.clone()),
        _ => Err(CouchError::bad_request("`keys` must be an array of strings.")),
    };
    keys.iter().map(name).collect()
}
