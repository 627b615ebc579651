//! Where every source puts its records.

use crate::processor::Processor;
use crate::spool::{Batch, Positions};
use bytes::Bytes;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// What separates a source's name from its name of a position.
pub const SEPARATOR: char = '\u{1f}';

/// How long the last records wait for room.
const LAST_TIME_MAX: Duration = Duration::from_secs(2);

/// The most records that a source gives at once.
pub const RECORDS_MAX: usize = 500;
/// About how many bytes a source gives at once.
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
    /// Gives records and the positions after them, and waits while the spool has no room. Returns false when nobody takes them any
    /// more.
    pub async fn give(&mut self, records: Vec<Bytes>, positions: Positions) -> bool {
        let own = |(key, value)| (format!("{}{SEPARATOR}{key}", self.name), value);
        let batch = Batch {
            target: self.target.clone(),
            positions: positions.into_iter().map(own).collect(),
            records,
        };
        // Positions are not ahead of what is kept, so records that are not given now are read again, unless their source has no
        // positions.
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

    /// Gives the last records of a source that cannot read them again.
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

    /// Waits. Returns false when it is time to end.
    pub async fn pause(&mut self, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => true,
            _ = self.stop.wait_for(|stop| *stop) => false,
        }
    }
}
