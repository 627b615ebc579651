//! A request as the functions of design documents see it (`src/chttpd/src/chttpd_external.erl`, `json_req_obj`).

use crate::call::Call;
use crate::endpoints::database::write_info;
use access::database::Database;
use access::error::{CouchError, Result};
use bytes::Bytes;
use http::{Method, cookies, query_pairs};
use serde_json::{Map, Value as Json, json};
use value::ValueRef;

/// Headers that no function sees unless the setting `scrub_json_request` is off: anybody who has their values can act in the user's name.
const SECRETS: [&str; 5] = [
    "authorization",
    "cookie",
    "x-auth-couchdb-username",
    "x-auth-couchdb-roles",
    "x-auth-couchdb-token",
];

/// The settings that give other names to those that a proxy sets.
const RENAMED_SECRETS: [&str; 3] = ["x_auth_username", "x_auth_roles", "x_auth_token"];

/// The parameters whose values are JSON.
const JSON_PARAMETERS: [&str; 4] = ["startkey", "endkey", "key", "descending"];

/// What is told of a request's body.
pub(crate) enum BodySeen {
    /// Nothing was read of it.
    Unread,
    /// All of it.
    Bytes(Bytes),
    /// All of it, which is JSON.
    Json(Json),
}

/// The request with what is known of its database, as JSON text; the id of a document where it names one.
pub(crate) async fn object(
    call: &Call,
    database: &Database,
    id: Option<&str>,
    body: BodySeen,
) -> Result<String> {
    let mut object = members(call, database, body)?;
    let mut info = String::new();
    write_info(&call.server, database, &mut info).await?;
    object.insert("info".to_owned(), serde_json::from_str(&info).unwrap_or_default());
    object.insert("uuid".to_owned(), call.new_id().into());
    object.insert("id".to_owned(), id.into());
    Ok(Json::from(object).to_string())
}

/// The same without what the function `rewrites` is not told.
pub(crate) fn object_to_rewrite(call: &Call, database: &Database, body: BodySeen) -> Result<String> {
    let mut object = members(call, database, body)?;
    object.remove("form");
    Ok(Json::from(object).to_string())
}

fn members(call: &Call, database: &Database, body: BodySeen) -> Result<Map<String, Json>> {
    let form = form(call, &body);
    let body = match body {
        BodySeen::Bytes(bytes) if !bytes.is_empty() || call.method == Method::POST => {
            String::from_utf8_lossy(&bytes).into_owned().into()
        }
        BodySeen::Json(json) => json,
        // As CouchDB shows what is not there.
        BodySeen::Unread | BodySeen::Bytes(_) => "undefined".into(),
    };
    let properties = database.collection.security().unwrap_or_default();
    let mut security = String::new();
    json::write(ValueRef::Document((&properties).into()), &mut security);
    let is_scrubbed = !call.server.config.is_off("chttpd", "scrub_json_request");
    let raw_path = call.uri.path_and_query().map_or("/", |path| path.as_str());
    let described = json!({
        "method": call.method.as_str(),
        "requested_path": call.requested_path(),
        "path": &call.path[..],
        "raw_path": raw_path,
        "query": query(call)?,
        "headers": headers(call, is_scrubbed),
        "body": body,
        "peer": call.peer.ip().to_canonical().to_string(),
        "form": form,
        "cookie": shown_cookies(call, is_scrubbed),
        "userCtx": {"db": database.name, "name": call.user.name, "roles": call.user.roles},
        "secObj": serde_json::from_str::<Json>(&security).unwrap_or_default(),
    });
    match described {
        Json::Object(members) => Ok(members),
        _ => Ok(Map::new()),
    }
}

fn query(call: &Call) -> Result<Map<String, Json>> {
    let value = |(name, value): (&str, &str)| {
        let value = match JSON_PARAMETERS.contains(&name) {
            true => serde_json::from_str(value).map_err(|_| CouchError::bad_request("invalid UTF-8 JSON"))?,
            false => value.into(),
        };
        Ok((name.to_owned(), value))
    };
    call.query.iter().map(value).collect()
}

/// Headers by the names that clients write: HTTP does not tell `accept` from `Accept`, but functions do.
fn headers(call: &Call, is_scrubbed: bool) -> Map<String, Json> {
    let config = &call.server.config;
    let renamed = RENAMED_SECRETS.map(|setting| config.get("chttpd_auth", setting).unwrap_or_default());
    let is_secret = |name: &str| {
        SECRETS.contains(&name) || renamed.iter().any(|renamed| renamed.eq_ignore_ascii_case(name))
    };
    let seen = call.headers.iter();
    let seen = seen.filter(|(name, _)| !is_scrubbed || !is_secret(name.as_str()));
    seen.filter_map(|(name, value)| Some((capitalized(name.as_str()), value.to_str().ok()?.into())))
        .collect()
}

/// Cookies, which are secrets as well.
fn shown_cookies(call: &Call, is_scrubbed: bool) -> Map<String, Json> {
    let all = cookies(&call.headers).filter(|_| !is_scrubbed);
    all.map(|(name, value)| (name.to_owned(), value.into())).collect()
}

fn capitalized(name: &str) -> String {
    let mut begins = true;
    let capital = |letter: char| {
        let shown = if begins {
            letter.to_ascii_uppercase()
        } else {
            letter
        };
        begins = letter == '-';
        shown
    };
    name.chars().map(capital).collect()
}

/// The fields of a form, where the body is one.
fn form(call: &Call, body: &BodySeen) -> Map<String, Json> {
    let kind = call.header("content-type").unwrap_or_default();
    let is_form = kind.starts_with("application/x-www-form-urlencoded")
        && [Method::POST, Method::PUT].contains(&call.method);
    let BodySeen::Bytes(bytes) = body else {
        return Map::new();
    };
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let fields = query_pairs(text).take_while(|_| is_form).flatten();
    fields
        .map(|(name, value)| (name.into_owned(), value.into_owned().into()))
        .collect()
}
