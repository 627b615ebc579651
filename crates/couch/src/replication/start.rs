//! Starting replications, and finding the ids under which they run.

use super::job::{Asker, Job};
use super::{filter, run};
use crate::server::Server;
use access::error::Result;
use access::user::User;
use peer::request::JobId;
use peer::request::Request;
use std::sync::Arc;

/// The id that the replication of a request by this user has.
pub(crate) async fn id(server: &Arc<Server>, request: &Request, user: &User) -> Result<JobId> {
    let filter_text = filter::text(server, request, user).await?;
    Ok(JobId::of(&server.uuid(), request, filter_text.as_deref()))
}

/// Starts a replication, or finds the one that runs already for the same request.
pub(crate) fn start(
    server: &Arc<Server>,
    id: JobId,
    request: Request,
    user: User,
    asker: Option<Asker>,
) -> Result<Arc<Job>> {
    let run = |job| run::run(server.clone(), job);
    server.jobs.start(id, request, user, asker, run)
}
