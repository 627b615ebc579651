//! One replication: what was asked, by whom, and how it goes.

use access::error::CouchError;
use access::user::User;
use http::StatusCode;
use jiff::Timestamp;
use parking_lot::Mutex;
use peer::request::JobId;
use peer::request::Request;
use replicate::{Outcome, Progress};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::watch;

/// The events of a job that are remembered (CouchDB's `max_history`).
const HISTORY_EVENTS_MAX: usize = 20;

/// The document that asks for a replication.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asker {
    /// The database that the document is in.
    pub(crate) database: String,
    pub(crate) document: String,
}

/// One replication.
#[derive(Debug)]
pub(crate) struct Job {
    /// The id with what is asked besides.
    pub(crate) id: String,
    /// The id without; the name of the checkpoints.
    pub(crate) base_id: String,
    pub(crate) request: Request,
    /// Who started it, as whom local databases are reached.
    pub(crate) user: User,
    pub(crate) asker: Option<Asker>,
    pub(crate) started: Timestamp,
    pub(crate) progress: Arc<Progress>,
    pub(crate) status: Mutex<Status>,
    ended: watch::Sender<Option<Ended>>,
}

/// How a job ended.
pub(crate) type Ended = Result<Outcome, CouchError>;

/// What a job does at the moment.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) state: JobState,
    pub(crate) changed: Timestamp,
    /// The failures in a row.
    pub(crate) failures: u32,
    /// What the last failure was.
    pub(crate) error: Option<String>,
    /// What happened, the newest first.
    pub(crate) history: VecDeque<Event>,
}

/// The states of a job, a part of those of CouchDB's scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobState {
    /// It was asked for.
    Initializing,
    /// It runs.
    Running,
    /// It failed and waits to be tried again.
    Crashing,
}

impl JobState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            JobState::Initializing => "initializing",
            JobState::Running => "running",
            JobState::Crashing => "crashing",
        }
    }
}

/// Something that happened to a job.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) at: Timestamp,
    /// `added`, `started` or `crashed`.
    pub(crate) kind: &'static str,
    pub(crate) reason: Option<String>,
}

/// A replication that could not be started and is tried again.
#[derive(Clone, Debug)]
pub(crate) struct FailedStart {
    pub(crate) reason: String,
    /// The failures in a row.
    pub(crate) failures: u32,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
}

impl Job {
    /// One that was just asked for.
    pub(super) fn new(id: JobId, request: Request, user: User, asker: Option<Asker>) -> Job {
        let now = Timestamp::now();
        let job = Job {
            id: id.full,
            base_id: id.base,
            request,
            user,
            asker,
            started: now,
            progress: Arc::default(),
            status: Mutex::new(Status {
                state: JobState::Initializing,
                changed: now,
                failures: 0,
                error: None,
                history: VecDeque::new(),
            }),
            ended: watch::Sender::new(None),
        };
        job.note("added", JobState::Initializing, None);
        job
    }

    /// Notes what happened and the state that follows.
    pub(crate) fn note(&self, kind: &'static str, state: JobState, reason: Option<String>) {
        let mut status = self.status.lock();
        let at = Timestamp::now();
        status.state = state;
        status.changed = at;
        status.error = reason.clone();
        status.history.push_front(Event { at, kind, reason });
        status.history.truncate(HISTORY_EVENTS_MAX);
    }

    /// Tells those who wait for it how it ended.
    pub(super) fn end(&self, ended: Ended) {
        self.ended.send_replace(Some(ended));
    }

    /// Tells those who wait for it that it was ended before its time.
    pub(super) fn cancel(&self) {
        self.end(Err(cancelled()));
    }

    /// Waits until the job has ended.
    pub(crate) async fn ended(&self) -> Ended {
        let mut ended = self.ended.subscribe();
        let told = ended.wait_for(Option::is_some).await;
        told.ok()
            .and_then(|told| told.clone())
            .unwrap_or_else(|| Err(cancelled()))
    }
}

fn cancelled() -> CouchError {
    CouchError::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "replication_cancelled",
        "The replication was cancelled",
    )
}
