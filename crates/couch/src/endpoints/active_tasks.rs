//! `GET /_active_tasks`: the views that are being built and the replications that run.

use super::view;
use crate::call::Call;
use crate::replication::report;
use crate::respond;
use access::error::Result;
use access::security::require_server_admin;
use http::Response;

/// `GET /_active_tasks`.
pub(crate) fn run(call: &Call) -> Result<Response> {
    call.require_get()?;
    require_server_admin(&call.user)?;
    let mut tasks = view::tasks(call);
    let jobs = call.server.jobs.all();
    tasks.extend(jobs.iter().filter_map(|job| report::task(job)));
    Ok(respond::ok(serde_json::Value::Array(tasks).to_string()))
}
