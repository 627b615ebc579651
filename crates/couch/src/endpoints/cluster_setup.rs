//! `/_cluster_setup`: what set-up pages ask for first (`src/setup/src/setup_httpd.erl`). There is one node, and no cluster to make.

use super::database;
use crate::call::Call;
use crate::{query, respond};
use access::error::{CouchError, Result};
use access::names::{self, REPLICATOR, USERS};
use access::security::require_server_admin;
use access::users;
use http::{Method, Response, StatusCode};
use value::{Document, Value};

/// The databases that a node has when it is set up.
const DATABASES: [&str; 2] = [USERS, REPLICATOR];

/// `/_cluster_setup`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    require_server_admin(&call.user)?;
    match call.method {
        Method::GET | Method::HEAD => {
            let asked = call.query.get("ensure_dbs_exist").map(query::json).transpose()?;
            let asked = match &asked {
                Some(Value::Array(names)) => names.iter().map(name_of).collect::<Result<Vec<_>>>()?,
                Some(_) => return Err(not_names()),
                None => DATABASES.to_vec(),
            };
            let is_enabled = call.server.engine.has_users() && missing(call, &asked)?.is_empty();
            let state = if is_enabled { "enabled" } else { "disabled" };
            Ok(respond::ok(format!(r#"{{"state":"single_node_{state}"}}"#)))
        }
        Method::POST => {
            call.check_is_json()?;
            let body = call.json_object().await?;
            set_up(call, &body).await?;
            Ok(respond::ok_true(StatusCode::CREATED))
        }
        _ => Err(CouchError::method_not_allowed("GET,POST")),
    }
}

async fn set_up(call: &Call, body: &Document) -> Result<()> {
    match body.get("action") {
        Some(Value::String(action)) if action == "enable_single_node" => {}
        // What there is of a cluster is finished.
        Some(Value::String(action)) if action == "finish_cluster" => {}
        Some(Value::String(action)) if ["enable_cluster", "add_node", "remove_node"].contains(&&**action) => {
            return Err(CouchError::bad_request(
                "there is one node here: only enable_single_node is supported",
            ));
        }
        _ => return Err(CouchError::bad_request("Invalid Action'")),
    }
    let wanted = match body.get("ensure_dbs_exist") {
        Some(Value::Array(names)) => names.iter().map(name_of).collect::<Result<Vec<_>>>()?,
        _ => DATABASES.to_vec(),
    };
    for name in missing(call, &wanted)? {
        names::check(name)?;
        database::make(&call.server, name, false).await?;
    }
    match (body.get("username"), body.get("password")) {
        (Some(Value::String(name)), Some(Value::String(password))) => {
            users::put_admin(&call.server.engine, name, password).await
        }
        (None, None) => Ok(()),
        _ => Err(CouchError::bad_request("username and password are strings")),
    }
}

fn name_of(name: &Value) -> Result<&str> {
    match name {
        Value::String(name) => Ok(name),
        _ => Err(not_names()),
    }
}

fn not_names() -> CouchError {
    CouchError::bad_request("`ensure_dbs_exist` names databases")
}

/// Those of these databases that there are not.
fn missing<'n>(call: &Call, wanted: &[&'n str]) -> Result<Vec<&'n str>> {
    let mut missing = Vec::new();
    for name in wanted {
        if call.server.engine.revisioned(&names::namespace(name))?.is_none() {
            missing.push(*name);
        }
    }
    Ok(missing)
}
