//! What every source gives its records to.

use crate::processor::Processor;
use crate::spool::{Batch, Positions};
use bytes::Bytes;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Between a source's name and what it calls a position.
pub const SEPARATOR: char = '\u{1f}';

/// How long the last records wait for room.
const LAST_TIME_MAX: Duration = Duration::from_secs(2);

/// Records that a source gives at once at most.
pub const RECORDS_MAX: usize = 500;
/// Bytes that a source gives at once, about.
pub const BYTES_MAX: usize = 128 << 10;

/// What every source has.
#[derive(Clone, Debug)]
pub struct Intake {
    pub(super) name: String,
    pub(super) target: String,
    pub(super) processor: Processor,
    pub(super) sender: mpsc::Sender<Batch>,
    pub(super) stop: watch::Receiver<bool>,
    pub(super) is_once: bool,
}

impl Intake {
    /// Gives records and the positions after them; waits where the spool does. False when nobody takes them any more.
    pub async fn give(&mut self, records: Vec<Bytes>, positions: Positions) -> bool {
        let own = |(key, value)| (format!("{}{SEPARATOR}{key}", self.name), value);
        let batch = Batch {
            target: self.target.clone(),
            positions: positions.into_iter().map(own).collect(),
            records,
        };
        // Positions are not ahead of what is kept, so what is not given now is read again; but for what has none.
        let is_read_again = !batch.positions.is_empty();
        tokio::select! {
            room = self.sender.reserve() => {
                return room.map(|room| room.send(batch)).is_ok();
            }
            _ = self.stop.wait_for(|stop| *stop) => {}
        }
        if !is_read_again {
            let _ = self.sender.send_timeout(batch, LAST_TIME_MAX).await;
        }
        false
    }

    /// Gives what came before the end from a source that cannot give it again.
    pub async fn give_last(&mut self, records: Vec<Bytes>) {
        let batch = Batch {
            target: self.target.clone(),
            positions: Positions::new(),
            records,
        };
        let _ = self.sender.send_timeout(batch, LAST_TIME_MAX).await;
    }

    /// Returns when it is time to end.
    pub async fn stopped(&mut self) {
        let _ = self.stop.wait_for(|stop| *stop).await;
    }

    /// Waits; false when it is time to end.
    pub async fn pause(&mut self, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => true,
            _ = self.stop.wait_for(|stop| *stop) => false,
        }
    }
}
