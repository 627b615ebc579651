//! Running one job: once, or again and again.

use super::job::{Asker, Ended, Job, JobState};
use super::settings;
use super::states;
use super::transport;
use crate::server::Server;
use access::error::CouchError;
use http::StatusCode;
use peer::CouchPeer;
use peer::request::Endpoint;
use replicate::{Backoff, PeerErrorKind, ReplicateError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a run must have lasted so that its failure counts as the first again (CouchDB's `health_threshold`).
const HEALTHY: Duration = Duration::from_secs(120);

/// Runs a job to its end. What is continuous or asked for by a document is tried again after a failure, later each time.
pub(super) async fn run(server: Arc<Server>, job: Arc<Job>) {
    if let Some(asker) = told(&server, &job) {
        states::triggered(&server.engine, asker, &job).await;
    }
    let is_persistent = job.request.options.continuous || job.asker.is_some();
    let mut backoff = Backoff::of_jobs();
    let ended = loop {
        job.note("started", JobState::Running, None);
        let (started, through) = (Instant::now(), through(&job));
        let error = match once(&server, &job).await {
            Ok(outcome) => break Ok(outcome),
            Err(error) => error,
        };
        let message = format!("{}: {error}", error.word());
        tracing::warn!(replication = job.id, error = message, "a replication failed");
        if !is_persistent {
            break Err(couch_error(&error));
        }
        if started.elapsed() >= HEALTHY || through != self::through(&job) {
            backoff.reset();
        }
        let wait = backoff.fail();
        job.note("crashed", JobState::Crashing, Some(message.clone()));
        job.status.lock().failures = backoff.failures();
        if let Some(asker) = told(&server, &job) {
            states::failing(&server.engine, asker, &job, &message).await;
        }
        tokio::time::sleep(wait).await;
    };
    finish(&server, &job, ended).await;
}

/// The document that is told while the job goes on.
fn told<'j>(server: &Server, job: &'j Job) -> Option<&'j Asker> {
    let asker = job.asker.as_ref();
    asker.filter(|_| settings::tells_documents(&server.config))
}

fn through(job: &Job) -> serde_json::Value {
    job.progress.snapshot().through_sequence
}

async fn finish(server: &Arc<Server>, job: &Arc<Job>, ended: Ended) {
    if let (Some(asker), Ok(_)) = (&job.asker, &ended) {
        states::completed(&server.engine, asker, job).await;
    }
    server.jobs.end(job, ended);
}

async fn once(server: &Arc<Server>, job: &Job) -> Result<replicate::Outcome, ReplicateError> {
    let peer = |endpoint: &Endpoint| {
        let request = &job.request;
        let transport = transport::to(
            server,
            endpoint,
            &job.user,
            request.request_time_max,
            request.retries,
        );
        Arc::new(CouchPeer::new(transport, request.use_bulk_get))
    };
    let (source, target) = (peer(&job.request.source), peer(&job.request.target));
    let options = &job.request.options;
    replicate::replicate(source, target, &job.base_id, options, job.progress.clone()).await
}

/// What the client is told, as CouchDB tells it.
fn couch_error(error: &ReplicateError) -> CouchError {
    let status = match error {
        ReplicateError::Unauthorized(_) => StatusCode::UNAUTHORIZED,
        ReplicateError::Peer(error) if error.kind == PeerErrorKind::Forbidden => StatusCode::FORBIDDEN,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    CouchError::new(status, error.word(), error.to_string())
}
