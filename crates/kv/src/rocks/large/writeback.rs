//! What is written ahead is on its way to the disk while more comes in.

use super::file::{Room, ValueFile};
use crate::Error;
use crate::poison::Poison;
use crate::rocks::worker::Worker;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// So many bytes that are not flushed begin a flush that nobody waits for: the disk has work, and is not long busy when
/// somebody comes who waits.
const FLUSH_BYTES: usize = 8 << 20;

/// Bytes written ahead and not flushed; who comes then waits for the disk.
const UNFLUSHED_BYTES_MAX: usize = 64 << 20;

/// What one permit is for.
const PERMIT_BYTES: usize = 4096;

/// Owner of the thread that flushes files before anybody waits for it.
#[derive(Debug)]
pub(in crate::rocks) struct Writeback {
    worker: Worker<Arc<ValueFile>>,
    room: Arc<Semaphore>,
    turns: Semaphore,
    /// The file that was written to last.
    last: Mutex<Option<Arc<ValueFile>>>,
}

impl Writeback {
    pub(super) fn start(poison: Poison) -> Result<Writeback, Error> {
        let worker = Worker::<Arc<ValueFile>>::start("kv-writeback", move |files| {
            for file in files {
                if let Err(error) = file.flush_all() {
                    tracing::error!(%error, "large values were not flushed; writes are stopped");
                    poison.set(error.to_string());
                }
            }
        })?;
        Ok(Writeback {
            worker,
            room: Arc::new(Semaphore::new(UNFLUSHED_BYTES_MAX / PERMIT_BYTES)),
            turns: Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)),
            last: Mutex::default(),
        })
    }

    /// Waits until so many bytes may be written ahead.
    pub(in crate::rocks) async fn room(&self, bytes: usize) -> Result<Room, Error> {
        let bytes = bytes.min(UNFLUSHED_BYTES_MAX / 2);
        let permits = bytes.div_ceil(PERMIT_BYTES) as u32;
        let permit = self.room.clone().acquire_many_owned(permits).await;
        Ok(Room::new(bytes, permit.map_err(|_| Error::Closed)?))
    }

    /// Waits until few enough write at once. The file system lets one write a file at a time: more would only each keep a
    /// thread waiting, hundreds where the disk is slow.
    pub(in crate::rocks) async fn turn(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.turns.acquire().await.map_err(|_| Error::Closed)
    }

    /// Takes note that a file was written to. One that others have taken the place of is flushed too: nobody else might, and
    /// it would hold room for ever.
    pub(super) fn wrote(&self, file: &Arc<ValueFile>) {
        let before = {
            let mut last = self.last.lock();
            let is_other = last.as_ref().is_none_or(|last| last.number != file.number);
            is_other.then(|| last.replace(file.clone())).flatten()
        };
        let due = file.is_due(FLUSH_BYTES).then(|| file.clone());
        for file in before.into_iter().chain(due) {
            self.worker.send(file);
        }
    }
}
