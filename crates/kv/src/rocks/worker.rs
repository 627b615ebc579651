//! Threads that live as long as their owner.

use crate::Error;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};

/// A thread. Dropping it waits for the thread's end, so the owner must make it end first.
#[derive(Debug)]
pub(super) struct Thread(Option<JoinHandle<()>>);

/// A thread that processes what it is sent; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Worker<T> {
    /// Fields are dropped in order: without a sender the thread ends, and then its end is awaited.
    sender: mpsc::Sender<T>,
    _thread: Thread,
}

impl Thread {
    pub(super) fn start(name: &'static str, work: impl FnOnce() + Send + 'static) -> Result<Thread, Error> {
        let started = Builder::new().name(name.into()).spawn(work);
        let handle = started.map_err(|error| Error::Engine {
            doing: "starting a thread",
            cause: format!("{name}: {error}"),
        })?;
        Ok(Thread(Some(handle)))
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        let Some(handle) = self.0.take() else { return };
        let name = handle.thread().name().map(str::to_owned);
        if handle.join().is_err() {
            tracing::error!(name, "a thread of the store panicked");
        }
    }
}

impl<T: Send + 'static> Worker<T> {
    /// Starts the thread. Its receiver ends when no sender is left.
    pub(super) fn start(
        name: &'static str,
        work: impl FnOnce(mpsc::Receiver<T>) + Send + 'static,
    ) -> Result<Worker<T>, Error> {
        let (sender, receiver) = mpsc::channel();
        let thread = Thread::start(name, move || work(receiver))?;
        Ok(Worker {
            sender,
            _thread: thread,
        })
    }

    /// Sends it one more job.
    pub(super) fn send(&self, job: T) {
        // Fails only if the thread has panicked, which is reported when it is joined.
        let _ = self.sender.send(job);
    }
}
