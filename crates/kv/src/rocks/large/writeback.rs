//! Flushing values before their commit waits for them, while more arrive.

use super::file::{Room, ValueFile};
use super::pace::Pace;
use crate::Error;
use crate::poison::Poison;
use crate::rocks::worker::Worker;
use crate::threads::may_block_in_place;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// The number of unflushed bytes that begins a flush though nobody waits for one. The disk has work early, and a commit
/// that waits later finds little left to flush.
const FLUSH_BYTES: usize = 8 << 20;

/// The most bytes that may be written ahead and not flushed. A writer that would exceed it waits for the disk.
const UNFLUSHED_BYTES_MAX: usize = 64 << 20;

/// Values up to this size may be written on a thread that has other things to do: it takes as long as to receive them.
const INLINE_BYTES_MAX: usize = 512 << 10;

/// The bytes of one permit.
const PERMIT_BYTES: usize = 4096;

/// Owner of the thread that flushes files before anybody waits for it.
#[derive(Debug)]
pub(in crate::rocks) struct Writeback {
    worker: Worker<Arc<ValueFile>>,
    room: Arc<Semaphore>,
    /// The number that may write at once: one less than there are threads for requests. The file system lets only one write to a
    /// file at a time, so each further writer would only block a thread; with a slow disk, hundreds of them.
    turns: Semaphore,
    pace: Pace,
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
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Writeback {
            worker,
            room: Arc::new(Semaphore::new(UNFLUSHED_BYTES_MAX / PERMIT_BYTES)),
            turns: Semaphore::new((threads - 1).max(1)),
            pace: Pace::new(),
            last: Mutex::default(),
        })
    }

    /// Runs `write`, which writes `bytes` ahead, once there is room for them and few enough others write.
    ///
    /// Mostly that is a copy into the system's memory. It is made on this thread, since handing the thread's other
    /// tasks to another one costs a third as much as the copy. They are handed over only if the write may wait for the
    /// disk.
    pub(in crate::rocks) async fn run<T>(
        &self,
        bytes: usize,
        write: impl FnOnce(Room) -> T,
    ) -> Result<T, Error> {
        let room = self.room(bytes).await?;
        let _turn = self.turns.acquire().await.map_err(|_| Error::Closed)?;
        let began = Instant::now();
        let is_quick = bytes <= INLINE_BYTES_MAX && !self.pace.is_slow(began);
        let written = match !is_quick && may_block_in_place() {
            true => tokio::task::block_in_place(|| write(room)),
            false => write(room),
        };
        let ended = Instant::now();
        self.pace.took(ended - began, ended);
        Ok(written)
    }

    async fn room(&self, bytes: usize) -> Result<Room, Error> {
        // A value that is larger would wait for more permits than there are. It takes half, which leaves some to others.
        let bytes = bytes.min(UNFLUSHED_BYTES_MAX / 2);
        let permits = bytes.div_ceil(PERMIT_BYTES) as u32;
        let permit = self.room.clone().acquire_many_owned(permits).await;
        Ok(Room::new(bytes, permit.map_err(|_| Error::Closed)?))
    }

    /// Notes that a file was written to. A file that another has replaced as the current one is flushed too: nobody
    /// else might flush it, and it would hold its room forever.
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
