//! Records that come one by one, given together.

use super::{BYTES_MAX, Intake, RECORDS_MAX};
use crate::spool::Positions;
use bytes::Bytes;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a record waits for others.
const WAIT: Duration = Duration::from_millis(100);

/// Records that wait for others to be given with.
#[derive(Debug, Default)]
pub struct Collected {
    records: Vec<Bytes>,
    positions: Positions,
    bytes: usize,
    due: Option<Instant>,
}

impl Collected {
    /// Adds a record.
    pub fn push(&mut self, record: Bytes) {
        self.bytes += record.len();
        self.records.push(record);
        self.due.get_or_insert_with(|| Instant::now() + WAIT);
    }

    /// Says where the source is after what was added.
    pub fn reached(&mut self, key: &str, value: String) {
        self.positions.insert(key.to_owned(), Some(value));
        self.due.get_or_insert_with(|| Instant::now() + WAIT);
    }

    /// Whether no more should be added before they are given.
    pub fn is_full(&self) -> bool {
        self.records.len() >= RECORDS_MAX || self.bytes >= BYTES_MAX
    }

    /// Returns when the records have waited long enough; never if there are none.
    pub async fn due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    /// Gives them. Returns false when it is time to end.
    pub async fn give(&mut self, intake: &mut Intake) -> bool {
        let taken = std::mem::take(self);
        match taken.due {
            None => true,
            Some(_) => intake.give(taken.records, taken.positions).await,
        }
    }

    /// Gives them at the end, unless their source has positions: then they are read again.
    pub async fn give_last(&mut self, intake: &mut Intake) {
        let taken = std::mem::take(self);
        if !taken.records.is_empty() && taken.positions.is_empty() {
            intake.give_last(taken.records).await;
        }
    }
}
