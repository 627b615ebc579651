//! `POST /_replicate` (`src/chttpd/src/chttpd_misc.erl`, `handle_replicate_req`).

use crate::call::Call;
use crate::replication::{report, settings, start};
use crate::respond;
use access::error::{CouchError, Result};
use access::security::require_server_admin;
use access::user::User;
use http::{Method, Response, StatusCode};
use peer::request::{ReplicationCommand, Request};
use serde_json::{Value, json};

/// Starts a replication and, unless it is continuous, waits for its end; or ends one.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    call.check_is_json()?;
    let body = call.json_map().await?;
    let body = settings::filled(&call.server.config, body);
    match ReplicationCommand::parse(&body)? {
        ReplicationCommand::Start(request) => begin(call, *request).await,
        ReplicationCommand::Cancel(request) => {
            let id = start::id(&call.server, &request, &call.user).await?;
            cancel(call, &id.full)
        }
        ReplicationCommand::CancelId(id) => cancel(call, &id),
    }
}

async fn begin(call: &Call, request: Request) -> Result<Response> {
    let server = &call.server;
    server.keep_uuid().await?;
    settings::check(&server.config, &request)?;
    let is_continuous = request.options.continuous;
    let id = start::id(server, &request, &call.user).await?;
    if let Some(present) = server.jobs.get(&id.full) {
        require_same_user(&call.user, &present.user)?;
    }
    let job = start::start(server, id, request, call.user.clone(), None)?;
    if is_continuous {
        return Ok(answer(
            StatusCode::ACCEPTED,
            &json!({"ok": true, "_local_id": job.id}),
        ));
    }
    // Where the client goes away, the replication goes on to its end, as in CouchDB.
    let outcome = job.ended().await?;
    Ok(answer(StatusCode::OK, &report::outcome(&job, &outcome)))
}

fn cancel(call: &Call, id: &str) -> Result<Response> {
    let jobs = &call.server.jobs;
    let job = jobs.get(id).ok_or_else(CouchError::missing)?;
    require_same_user(&call.user, &job.user)?;
    jobs.cancel(id);
    Ok(answer(StatusCode::OK, &json!({"ok": true, "_local_id": id})))
}

/// A replication belongs to whoever started it, and to administrators.
fn require_same_user(user: &User, owner: &User) -> Result<()> {
    match user.name == owner.name {
        true => Ok(()),
        false => require_server_admin(user),
    }
}

fn answer(status: StatusCode, value: &Value) -> Response {
    respond::json(status, value.to_string())
}
