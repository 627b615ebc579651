//! Threads that live as long as what started them.

use crate::Error;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};

/// A thread. Dropping it waits for the thread's end, so the owner must let it end first.
#[derive(Debug)]
pub(super) struct Thread(Option<JoinHandle<()>>);

/// A thread that works off what it is sent; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Worker<T> {
    /// Fields are dropped in their order: without a sender the thread ends, and then it is waited for.
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
    /// Starts the thread; what it receives ends when there is nobody who sends.
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

    /// Gives it something more to do.
    pub(super) fn send(&self, job: T) {
        // Fails only if the thread has panicked, which is reported when it is joined.
        let _ = self.sender.send(job);
    }
}
