//! The replications of this server: started, found by id, ended.

use super::request::Request;
use super::{filter, id, run};
use crate::error::{CouchError, Result};
use crate::limits::REPLICATIONS_MAX;
use crate::login::User;
use crate::server::Server;
use http::{Client, StatusCode};
use jiff::Timestamp;
use parking_lot::Mutex;
use replicate::{Outcome, Progress};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The events of a job that are remembered (CouchDB's `max_history`).
const HISTORY_EVENTS_MAX: usize = 20;

/// All replications that run or wait to be tried again.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    running: Mutex<BTreeMap<String, Running>>,
    /// What starts the replications that documents ask for.
    starting: Mutex<BTreeMap<Asker, JoinHandle<()>>>,
    client: OnceLock<Client>,
}

#[derive(Debug)]
struct Running {
    job: Arc<Job>,
    task: JoinHandle<()>,
}

/// The document that asks for a replication.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asker {
    /// The database that the document is in.
    pub(crate) database: String,
    /// The document.
    pub(crate) document: String,
}

/// What a replication is found by.
#[derive(Clone, Debug)]
pub(crate) struct JobId {
    /// Without what is asked besides; the name of the checkpoints.
    pub(crate) base: String,
    /// With what is asked besides.
    pub(crate) full: String,
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
pub(crate) type Ended = std::result::Result<Outcome, CouchError>;

/// What a job does at the moment.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) state: State,
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
pub(crate) enum State {
    /// It was asked for.
    Initializing,
    /// It runs.
    Running,
    /// It failed and waits to be tried again.
    Crashing,
}

impl State {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            State::Initializing => "initializing",
            State::Running => "running",
            State::Crashing => "crashing",
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

impl Job {
    /// Notes what happened and the state that follows.
    pub(crate) fn note(&self, kind: &'static str, state: State, reason: Option<String>) {
        let mut status = self.status.lock();
        let at = Timestamp::now();
        status.state = state;
        status.changed = at;
        status.error = reason.clone();
        status.history.push_front(Event { at, kind, reason });
        status.history.truncate(HISTORY_EVENTS_MAX);
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

impl Jobs {
    /// What asks other servers.
    pub(crate) fn client(&self) -> &Client {
        self.client.get_or_init(Client::new)
    }

    /// The id that the replication of a request by this user has.
    pub(crate) async fn id(&self, server: &Arc<Server>, request: &Request, user: &User) -> Result<JobId> {
        let filter_text = filter::text(server, request, user).await?;
        let base = id::base(&server.uuid(), request, filter_text.as_deref());
        Ok(JobId {
            full: id::full(&base, request),
            base,
        })
    }

    /// Starts a replication, or finds the one that runs already for the same request.
    pub(crate) fn start(
        &self,
        server: &Arc<Server>,
        JobId {
            base: base_id,
            full: id,
        }: JobId,
        request: Request,
        user: User,
        asker: Option<Asker>,
    ) -> Result<Arc<Job>> {
        let mut running = self.running.lock();
        if let Some(present) = running.get(&id) {
            return Ok(present.job.clone());
        }
        if running.len() >= REPLICATIONS_MAX {
            return Err(CouchError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too_many_replications",
                format!("{REPLICATIONS_MAX} replications run or wait at once"),
            ));
        }
        let now = Timestamp::now();
        let job = Arc::new(Job {
            id: id.clone(),
            base_id,
            request,
            user,
            asker,
            started: now,
            progress: Arc::default(),
            status: Mutex::new(Status {
                state: State::Initializing,
                changed: now,
                failures: 0,
                error: None,
                history: VecDeque::new(),
            }),
            ended: watch::Sender::new(None),
        });
        job.note("added", State::Initializing, None);
        let task = tokio::spawn(run::run(server.clone(), job.clone()));
        running.insert(
            id,
            Running {
                job: job.clone(),
                task,
            },
        );
        Ok(job)
    }

    /// Tells whoever waits for a job how it ended, and forgets it.
    pub(crate) fn end(&self, job: &Job, ended: Ended) {
        let mut running = self.running.lock();
        // A job that was cancelled and started again meanwhile is another.
        if running
            .get(&job.id)
            .is_some_and(|present| std::ptr::eq(&*present.job, job))
        {
            running.remove(&job.id);
        }
        job.ended.send_replace(Some(ended));
    }

    /// Ends a job; none where there is none of this id.
    pub(crate) fn cancel(&self, id: &str) -> Option<Arc<Job>> {
        let Running { job, task } = self.running.lock().remove(id)?;
        task.abort();
        job.ended.send_replace(Some(Err(cancelled())));
        Some(job)
    }

    /// Notes what starts the replication that a document asks for.
    pub(crate) fn begin_asked(&self, asker: Asker, starting: JoinHandle<()>) {
        let mut all = self.starting.lock();
        all.retain(|_, starting| !starting.is_finished());
        if let Some(before) = all.insert(asker, starting) {
            before.abort();
        }
    }

    /// Ends what a document asked for.
    pub(crate) fn cancel_asked(&self, asker: &Asker) {
        if let Some(starting) = self.starting.lock().remove(asker) {
            starting.abort();
        }
        let asked = |running: &Running| running.job.asker.as_ref() == Some(asker);
        let ids: Vec<String> = {
            let running = self.running.lock();
            running
                .iter()
                .filter(|(_, one)| asked(one))
                .map(|(id, _)| id.clone())
                .collect()
        };
        for id in ids {
            self.cancel(&id);
        }
    }

    /// The job of an id.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Job>> {
        self.running.lock().get(id).map(|running| running.job.clone())
    }

    /// The job that a document asked for.
    pub(crate) fn asked_by(&self, asker: &Asker) -> Option<Arc<Job>> {
        self.all()
            .into_iter()
            .find(|job| job.asker.as_ref() == Some(asker))
    }

    /// All jobs, sorted by id.
    pub(crate) fn all(&self) -> Vec<Arc<Job>> {
        self.running
            .lock()
            .values()
            .map(|running| running.job.clone())
            .collect()
    }

    /// Ends all jobs and waits until they have.
    pub(crate) async fn stop(&self) {
        for (_, starting) in std::mem::take(&mut *self.starting.lock()) {
            starting.abort();
        }
        let running = std::mem::take(&mut *self.running.lock());
        for (_, Running { job, task }) in running {
            task.abort();
            job.ended.send_replace(Some(Err(cancelled())));
            // An aborted task ends with an error that says so.
            drop(task.await);
        }
    }
}
