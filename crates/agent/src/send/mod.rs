//! From the spool to the server: batches, tried again until each record is known to be there, or refused for good.

mod backoff;
mod elastic;
mod larder;
mod outcome;
mod rejects;
mod request;

pub use rejects::Rejects;
pub use request::Requester;

use crate::counters::AgentCounters;
use crate::spool::Record;
use backoff::Backoff;
use outcome::Outcome;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::time::sleep;

/// Brings records to the server.
pub struct Sender {
    requester: Requester,
    rejects: Rejects,
    backoff: Backoff,
    counters: Arc<AgentCounters>,
    /// Why the last request failed; said once.
    trouble: Option<String>,
}

impl Sender {
    /// A sender to what a requester reaches.
    pub fn new(requester: Requester, rejects: Rejects, counters: Arc<AgentCounters>) -> Sender {
        let backoff = Backoff::new(requester.retry_max());
        Sender {
            requester,
            rejects,
            backoff,
            counters,
            trouble: None,
        }
    }

    /// Returns when the server has each record, or has refused it and it is among the rejects.
    pub async fn deliver(&mut self, records: Vec<Record>) {
        let mut by_target: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        for record in records {
            by_target.entry(record.target.clone()).or_default().push(record);
        }
        for (target, records) in by_target {
            let mut parts = vec![records];
            while let Some(part) = parts.pop() {
                self.part(&target, part, &mut parts).await;
            }
        }
    }

    /// One request; what is left to be done goes to `parts`.
    async fn part(&mut self, target: &str, mut part: Vec<Record>, parts: &mut Vec<Vec<Record>>) {
        self.counters.requests.add(1);
        match self.requester.send(target, &part, &self.counters).await {
            Outcome::Answered(answer) => {
                self.counters.sent.add(answer.taken);
                self.counters.repeated.add(answer.repeated);
                for (index, reason) in &answer.refused {
                    self.reject(&part[*index], reason).await;
                }
                match answer.again.is_empty() {
                    true => self.well(),
                    false => {
                        let again = answer.again.iter().map(|index| part[*index].clone()).collect();
                        parts.push(again);
                        self.pause("the server could not take all records", None).await;
                    }
                }
            }
            // Some record is not what the server takes, and it does not say which.
            Outcome::Refused(_) if part.len() > 1 => {
                let later = part.split_off(part.len() / 2);
                parts.push(later);
                parts.push(part);
            }
            Outcome::Refused(reason) => {
                for record in &part {
                    self.reject(record, &reason).await;
                }
            }
            Outcome::Later(reason, wait) => {
                parts.push(part);
                self.pause(&reason, wait).await;
            }
        }
    }

    async fn reject(&mut self, record: &Record, reason: &str) {
        let id = self.requester.id_of(record);
        while let Err(error) = self.rejects.add(record, &id, reason) {
            self.pause(&format!("the file of rejects cannot be written: {error}"), None)
                .await;
        }
        self.counters.rejected.add(1);
        tracing::warn!(id, reason, "the server refuses a record");
    }

    fn well(&mut self) {
        self.backoff.reset();
        if self.trouble.take().is_some() {
            tracing::info!("the server takes records again");
        }
    }

    async fn pause(&mut self, reason: &str, wait: Option<std::time::Duration>) {
        self.counters.retries.add(1);
        if self.trouble.as_deref() != Some(reason) {
            tracing::warn!(reason, "records wait; this is tried again");
            self.trouble = Some(reason.to_owned());
        }
        sleep(self.backoff.next(wait)).await;
    }
}
