//! The replications of this server: started, found by id, ended.

use super::job::{Asker, Ended, FailedStart, Job};
use crate::limits::REPLICATIONS_MAX;
use access::error::{CouchError, Result};
use access::user::User;
use http::{Client, Reach, StatusCode};
use jiff::Timestamp;
use parking_lot::Mutex;
use peer::request::JobId;
use peer::request::Request;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use tokio::task::JoinHandle;

/// All replications that run or wait to be tried again.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    running: Mutex<BTreeMap<String, Running>>,
    /// What starts the replications that documents ask for.
    starting: Mutex<BTreeMap<Asker, JoinHandle<()>>>,
    /// Why some of those could not be started yet.
    failed_starts: Mutex<BTreeMap<Asker, FailedStart>>,
    client: OnceLock<Client>,
    /// Asks servers for those who may not have the machine's own networks looked at.
    public_client: OnceLock<Client>,
}

#[derive(Debug)]
struct Running {
    job: Arc<Job>,
    task: JoinHandle<()>,
}

impl Jobs {
    /// What asks other servers, all of them or none at private addresses.
    pub(crate) fn client(&self, reach: Reach) -> &Client {
        let client = match reach {
            Reach::Anywhere => &self.client,
            Reach::Public => &self.public_client,
        };
        client.get_or_init(|| Client::new(reach))
    }

    /// Starts a replication, which `run` carries out, or finds the one that runs already for the same request.
    pub(super) fn start<F>(
        &self,
        id: JobId,
        request: Request,
        user: User,
        asker: Option<Asker>,
        run: impl FnOnce(Arc<Job>) -> F,
    ) -> Result<Arc<Job>>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut running = self.running.lock();
        if let Some(present) = running.get(&id.full) {
            return Ok(present.job.clone());
        }
        if running.len() >= REPLICATIONS_MAX {
            return Err(CouchError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too_many_replications",
                format!("{REPLICATIONS_MAX} replications run or wait at once"),
            ));
        }
        let job = Arc::new(Job::new(id, request, user, asker));
        let task = tokio::spawn(run(job.clone()));
        running.insert(
            job.id.clone(),
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
        job.end(ended);
    }

    /// Ends a job; `None` if there is none of this id.
    pub(crate) fn cancel(&self, id: &str) -> Option<Arc<Job>> {
        let Running { job, task } = self.running.lock().remove(id)?;
        task.abort();
        job.cancel();
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

    /// Notes that the replication of a document could not be started.
    pub(super) fn note_failed_start(&self, asker: &Asker, reason: &str) {
        let now = Timestamp::now();
        let mut all = self.failed_starts.lock();
        let failed = all.entry(asker.clone()).or_insert_with(|| FailedStart {
            reason: String::new(),
            failures: 0,
            first: now,
            last: now,
        });
        reason.clone_into(&mut failed.reason);
        failed.failures += 1;
        failed.last = now;
    }

    /// Forgets it: the replication was started, or never will be.
    pub(super) fn forget_failed_start(&self, asker: &Asker) {
        self.failed_starts.lock().remove(asker);
    }

    /// Why the replication of a document is not started yet.
    pub(crate) fn failed_start(&self, asker: &Asker) -> Option<FailedStart> {
        self.failed_starts.lock().get(asker).cloned()
    }

    /// Ends what a document asked for.
    pub(crate) fn cancel_asked(&self, asker: &Asker) {
        self.forget_failed_start(asker);
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
            job.cancel();
            // An aborted task ends with an error that says so.
            drop(task.await);
        }
    }
}
