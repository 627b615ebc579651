//! From the sources to the spool: many records, one flush.

use super::Shared;
use crate::config::{self, WhenFull};
use crate::spool::{Batch, SpoolError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};

/// The most bytes that wait for a flush.
const UNFLUSHED_BYTES_MAX: usize = 256 << 10;
/// The pause before a full spool or a failing disk is tried again.
const RETRY_TIME: Duration = Duration::from_millis(500);

/// Keeps what sources give, until they have all ended.
pub async fn run(
    shared: Arc<Shared>,
    options: config::Spool,
    mut receiver: mpsc::Receiver<Batch>,
    mut stopping: watch::Receiver<bool>,
) {
    let mut keeper = Keeper {
        shared,
        options,
        is_full: false,
    };
    let mut deadline: Option<Instant> = None;
    loop {
        let due = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let batch = tokio::select! {
            batch = receiver.recv() => match batch {
                Some(batch) => Some(batch),
                None => break,
            },
            () = due => None,
        };
        if let Some(batch) = batch {
            if !keeper.add(batch, &mut stopping).await {
                break;
            }
            deadline = deadline.or_else(|| Some(Instant::now() + keeper.options.sync_interval.0));
        }
        let bytes = keeper.shared.spool().unflushed_bytes();
        if bytes >= UNFLUSHED_BYTES_MAX || deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            keeper.flush().await;
            deadline = None;
        }
    }
    keeper.flush().await;
    keeper.shared.is_complete.send_replace(true);
}

struct Keeper {
    shared: Arc<Shared>,
    options: config::Spool,
    /// Whether the spool was full the last time, which is logged once.
    is_full: bool,
}

impl Keeper {
    /// Adds a batch, or drops records if that is wanted. Returns false when it is time to end and there is still no room.
    async fn add(&mut self, batch: Batch, stopping: &mut watch::Receiver<bool>) -> bool {
        loop {
            let added = self.shared.spool().append(&batch);
            match added {
                Ok(()) => {
                    if std::mem::take(&mut self.is_full) {
                        tracing::info!("the spool has room again");
                    }
                    return true;
                }
                Err(SpoolError::Full) => {
                    if !std::mem::replace(&mut self.is_full, true) {
                        tracing::warn!(when_full = ?self.options.when_full, "the spool is full");
                    }
                    if self.make_room(&batch) {
                        return true;
                    }
                }
                Err(error) => tracing::error!("the spool cannot be written: {error}"),
            }
            // What is not flushed is not sent, and makes no room.
            self.flush().await;
            tokio::select! {
                () = self.shared.room.notified() => {}
                () = sleep(RETRY_TIME) => {}
                _ = stopping.wait_for(|stop| *stop) => return false,
            }
        }
    }

    /// Whether the batch is dealt with.
    fn make_room(&self, batch: &Batch) -> bool {
        let mut spool = self.shared.spool();
        match self.options.when_full {
            WhenFull::Wait => false,
            WhenFull::DropNewest => {
                spool.drop_newest(batch);
                self.shared.counters.dropped.add(batch.records.len() as u64);
                true
            }
            WhenFull::DropOldest => loop {
                match spool.drop_oldest() {
                    Ok(Some(lost)) => self.shared.counters.dropped.add(lost),
                    Ok(None) | Err(_) => return false,
                }
                match spool.append(batch) {
                    Ok(()) => return true,
                    Err(SpoolError::Full) => {}
                    Err(_) => return false,
                }
            },
        }
    }

    /// Returns when all that was added is on the disk, and tells the sender; also of what was flushed because a segment was full.
    async fn flush(&self) {
        let flushing = self.shared.spool().to_flush();
        if let Some((file, place)) = flushing {
            match tokio::task::spawn_blocking(move || file.sync_data()).await {
                Ok(Ok(())) => self.shared.spool().flushed(place),
                _ => self.write_anew().await,
            }
        }
        self.shared.flushed.notify_one();
    }

    async fn write_anew(&self) {
        tracing::error!("a flush of the spool failed: what it was to keep is written anew");
        loop {
            let written = self.shared.spool().flush_failed();
            match written {
                Ok(()) => return,
                Err(error) => tracing::error!("the spool cannot be written: {error}"),
            }
            sleep(RETRY_TIME).await;
        }
    }
}
