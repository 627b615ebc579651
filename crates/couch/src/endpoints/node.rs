//! `/_node/_local/…`, `/_membership`: what administration pages read.

use super::figures;
use crate::call::Call;
use crate::respond;
use crate::server::Server;
use access::error::{CouchError, Result};
use access::security::require_server_admin;
use access::user::{METRICS, User};
use access::users;
use http::{Method, Response, StatusCode};
use json::write_string;
use std::collections::BTreeMap;
use value::Value;

/// The name of the only node.
pub(super) const NODE: &str = "nonode@nohost";
/// The range of hashes of the only shard.
pub(super) const SHARD: &str = "00000000-ffffffff";
/// What is shown in place of a password.
const HIDDEN: &str = "-scram-";
/// How CouchDB's hashes of passwords begin.
const HASHES: [&str; 2] = ["-pbkdf2", "-hashed-"];

/// `GET /_membership`.
pub(crate) fn membership(call: &Call) -> Result<Response> {
    require_server_admin(&call.user)?;
    call.require_read("GET")?;
    Ok(respond::ok(format!(
        r#"{{"all_nodes":["{NODE}"],"cluster_nodes":["{NODE}"]}}"#
    )))
}

/// `/{db}/_shards` and `/{db}/_shards/{document}`: the only shard is on the only node (`src/mem3/src/mem3_httpd.erl`).
pub(crate) fn shards(call: &Call, document: Option<&str>) -> Result<Response> {
    call.require_read("GET")?;
    call.database()?;
    Ok(respond::ok(match document {
        None => format!(r#"{{"shards":{{"{SHARD}":["{NODE}"]}}}}"#),
        Some(_) => format!(r#"{{"range":"{SHARD}","nodes":["{NODE}"]}}"#),
    }))
}

/// `POST /{db}/_sync_shards`: there is nothing to bring into line.
pub(crate) fn sync_shards(call: &Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    call.database()?;
    Ok(respond::ok_true(StatusCode::ACCEPTED))
}

/// `POST /_reload_query_servers`: functions are compiled anew wherever their design document changes, so nothing is kept that would have
/// to be let go.
pub(crate) fn reload_query_servers(call: &Call) -> Result<Response> {
    require_server_admin(&call.user)?;
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    call.check_is_json()?;
    Ok(respond::ok_true(StatusCode::OK))
}

/// Refuses a user who may not read this of a node: figures are for those of the role `_metrics` too
/// (`src/chttpd/src/chttpd_auth_request.erl`).
fn check_rights(user: &User, rest: &[&str]) -> Result<()> {
    if !matches!(rest, ["_stats" | "_system" | "_prometheus", ..]) {
        return require_server_admin(user);
    }
    match user.is_admin() || user.roles.iter().any(|role| role == METRICS) {
        true => Ok(()),
        false => Err(CouchError::unauthorized(
            "You are not a server admin or read-only metrics user",
        )),
    }
}

pub(crate) async fn run(call: &mut Call, node: &str, rest: &[&str]) -> Result<Response> {
    check_rights(&call.user, rest)?;
    if node != "_local" && node != NODE {
        return Err(CouchError::not_found("no such node: ".to_owned() + node));
    }
    match rest {
        [] => {
            call.require_read("GET")?;
            Ok(respond::ok(format!(r#"{{"name":"{NODE}"}}"#)))
        }
        ["_system"] => figures::system(call),
        ["_stats", path @ ..] => figures::stats(call, path),
        ["_prometheus"] => figures::prometheus(call),
        // Only requests begin compactions, no daemon does.
        ["_smoosh", "status"] => {
            call.require_read("GET")?;
            Ok(respond::ok(r#"{"channels":{}}"#.to_owned()))
        }
        ["_versions"] => {
            call.require_read("GET")?;
            Ok(respond::ok(
                r#"{"javascript_engine":{"name":"quickjs"}}"#.to_owned(),
            ))
        }
        ["_restart"] if call.method != Method::POST => Err(CouchError::method_not_allowed("POST")),
        ["_restart"] => Err(CouchError::not_implemented(
            "the server is restarted from outside",
        )),
        ["_config", "_reload"] if call.method != Method::POST => Err(CouchError::method_not_allowed("POST")),
        ["_config", "_reload"] => {
            let Server { engine, config, .. } = &*call.server;
            config.reload();
            call.server.limit_scripts();
            users::prepare_database(engine, config).await?;
            Ok(respond::ok_true(StatusCode::OK))
        }
        ["_config"] => {
            call.require_read("GET")?;
            Ok(respond::ok(config(call)))
        }
        ["_config", section] => {
            call.require_read("GET")?;
            let settings = settings(call, section);
            let mut text = String::new();
            write_settings(&settings, &mut text);
            Ok(respond::ok(text))
        }
        ["_config", section, name] => setting(call, section, name).await,
        _ => Err(CouchError::missing()),
    }
}

fn config(call: &Call) -> String {
    let mut names: Vec<String> = call.server.config.all().into_keys().collect();
    names.push("admins".to_owned());
    names.sort();
    let mut text = String::from("{");
    for (position, section) in names.iter().enumerate() {
        text.push_str(if position > 0 { "," } else { "" });
        write_string(section, &mut text);
        text.push(':');
        write_settings(&settings(call, section), &mut text);
    }
    text.push('}');
    text
}

/// The settings of a section; the administrators are users, whose passwords are not shown.
fn settings(call: &Call, section: &str) -> BTreeMap<String, String> {
    if section == "admins" {
        let names = users::admins(&call.server.engine).into_iter();
        return names.map(|name| (name, HIDDEN.to_owned())).collect();
    }
    call.server.config.section(section)
}

fn write_settings(settings: &BTreeMap<String, String>, out: &mut String) {
    out.push('{');
    for (position, (name, text)) in settings.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        write_string(name, out);
        out.push(':');
        write_string(text, out);
    }
    out.push('}');
}

/// Sections that name programs and functions, which nobody changes over HTTP (`src/couch/src/couch_util.erl`).
const FIXED_SECTIONS: [&str; 9] = [
    "daemons",
    "external",
    "httpd_design_handlers",
    "httpd_db_handlers",
    "httpd_global_handlers",
    "native_query_servers",
    "os_daemons",
    "query_servers",
    "feature_flags",
];

async fn setting(call: &mut Call, section: &str, name: &str) -> Result<Response> {
    let unknown = || CouchError::not_found("unknown_config_value");
    let present = settings(call, section).remove(name);
    let is_read = matches!(call.method, Method::GET | Method::HEAD);
    if !is_read && FIXED_SECTIONS.contains(&section) {
        return Err(CouchError::forbidden(
            "Config section blacklisted for modification over HTTP API.",
        ));
    }
    let before = match call.method {
        Method::GET | Method::HEAD => present.ok_or_else(unknown)?,
        Method::PUT => {
            let Value::String(text) = call.json().await? else {
                return Err(CouchError::bad_request("a JSON string expected"));
            };
            let text = text.trim();
            check_setting(section, name, text)?;
            set(call, section, name, Some(text.to_owned())).await?;
            present.unwrap_or_default()
        }
        Method::DELETE => {
            let present = present.ok_or_else(unknown)?;
            set(call, section, name, None).await?;
            present
        }
        _ => return Err(CouchError::method_not_allowed("GET,PUT,DELETE")),
    };
    let mut text = String::new();
    write_string(&before, &mut text);
    Ok(respond::ok(text))
}

/// Refuses what no line of a file of settings can say (`src/config/src/config.erl`, `validate_config_update`).
fn check_setting(section: &str, name: &str, text: &str) -> Result<()> {
    let is_line = |text: &str| !text.contains(|letter: char| letter.is_control() && letter != '\t');
    let is_name = |text: &str| is_line(text) && !text.contains(['[', ']']);
    let wrong = match (is_name(section), is_name(name), is_line(text)) {
        (true, true, true) => return Ok(()),
        (false, ..) => "section",
        (_, false, _) => "key",
        _ => "value",
    };
    Err(CouchError::bad_request(format!("Invalid configuration {wrong}")))
}

async fn set(call: &Call, section: &str, name: &str, text: Option<String>) -> Result<()> {
    let engine = &call.server.engine;
    match (section, text) {
        // What was shown in place of the password: nothing changes.
        ("admins", Some(text)) if text == HIDDEN && settings(call, section).contains_key(name) => Ok(()),
        // CouchDB takes its own hashes. Taken as a password here, a hash would lock the administrator out and let in anybody who
        // has read it.
        ("admins", Some(text)) if HASHES.iter().any(|mark| text.starts_with(mark)) => {
            let reason = "a password is wanted, not its hash: accounts here have SCRAM credentials";
            Err(CouchError::bad_request(reason))
        }
        ("admins", Some(text)) => users::put_admin(engine, name, &text).await,
        ("admins", None) => users::drop_user(engine, name).await,
        (_, text) => {
            let is_lasting = call.header("x-couch-persist") != Some("false");
            let config = &call.server.config;
            config.set(engine, section, name, text, is_lasting).await?;
            call.server.limit_scripts();
            match name == "authentication_db" {
                true => users::prepare_database(engine, config).await,
                false => Ok(()),
            }
        }
    }
}
