//! What merges could not read, and when they are tried again.
//!
//! Until the folder is repaired, merges that need the damaged table come to nothing. Reads that do not touch the damage and writes go
//! on; tables are just not merged, so reads become slower in time.

use super::merges::{Hold, Merges};
use super::worker::Thread;
use crate::Error;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How long merges wait after damage; each time twice as long, since a failed merge has read up to the damage for nothing.
const PAUSE_MIN: Duration = Duration::from_secs(10);
const PAUSE_MAX: Duration = Duration::from_secs(600);

/// Different errors that are kept; the log has all.
const FOUND_MAX: usize = 16;

/// Owner of the thread that holds merges up while they meet damage.
#[derive(Debug)]
pub(super) struct Unreadable {
    found: Arc<Mutex<Vec<String>>>,
    errors: Sender<Option<String>>,
    /// Joined on drop, after `errors` has told it to end.
    _thread: Thread,
}

struct Watch {
    found: Arc<Mutex<Vec<String>>>,
    merges: Arc<Merges>,
    /// What the engine's texts have before the names of files.
    folder: String,
}

impl Unreadable {
    /// Starts the thread. `errors` are two ends of the channel to which the engine sends.
    pub(super) fn watch(
        folder: &Path,
        merges: &Arc<Merges>,
        errors: (Sender<Option<String>>, Receiver<Option<String>>),
    ) -> Result<Unreadable, Error> {
        let found = Arc::<Mutex<Vec<String>>>::default();
        let watch = Watch {
            found: found.clone(),
            merges: merges.clone(),
            folder: format!("{}/", folder.display()),
        };
        let (sender, receiver) = errors;
        Ok(Unreadable {
            found,
            errors: sender,
            _thread: Thread::start("kv-unreadable", move || watch.run(&receiver))?,
        })
    }

    /// The damage that merges met, each with the table's name and the place in it.
    pub(super) fn found(&self) -> Vec<String> {
        self.found.lock().clone()
    }
}

impl Drop for Unreadable {
    fn drop(&mut self) {
        // Fails only if the thread has ended. The engine's sender lives as long as the database, which the thread has.
        let _ = self.errors.send(None);
    }
}

impl Watch {
    fn run(&self, errors: &Receiver<Option<String>>) {
        let mut pause = PAUSE_MIN;
        while let Ok(Some(cause)) = errors.recv() {
            self.note(&cause);
            let held = self.merges.hold(Hold::Damage);
            if let Err(error) = held.and_then(|()| self.merges.let_writers_pass()) {
                tracing::warn!(%error, "merges go on although they meet damage");
            }
            let until = Instant::now() + pause;
            loop {
                match errors.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    // Of a merge that ran already, or that somebody asked for.
                    Ok(Some(cause)) => self.note(&cause),
                    Ok(None) | Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => break,
                }
            }
            if let Err(error) = self.merges.go_on(Hold::Damage) {
                tracing::warn!(%error, "merges stay held up");
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    fn note(&self, cause: &str) {
        let what = cause.replace(&self.folder, "");
        let mut found = self.found.lock();
        if found.contains(&what) {
            return;
        }
        tracing::error!(
            what,
            "a table cannot be merged since it is damaged; writes go on, but reads become slower: restore a backup, or repair the folder"
        );
        if found.len() < FOUND_MAX {
            found.push(what);
        }
    }
}
