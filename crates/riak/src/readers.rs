//! Which files are being read, so that none goes from under its readers.

use parking_lot::Mutex;
use std::collections::HashMap;
use value::ObjectId;

/// The files that are being read.
#[derive(Debug, Default)]
pub(crate) struct Readers(Mutex<HashMap<ObjectId, Readings>>);

/// How often a file is being read.
#[derive(Debug, Default)]
struct Readings {
    count: usize,
    /// Whether it goes with the last of them.
    is_doomed: bool,
}

impl Readers {
    /// A file is being read until [`end`](Readers::end).
    pub(crate) fn begin(&self, file: ObjectId) {
        self.0.lock().entry(file).or_default().count += 1;
    }

    /// A reader has ended; whether the file is to be deleted now.
    pub(crate) fn end(&self, file: ObjectId) -> bool {
        let mut files = self.0.lock();
        let Some(readings) = files.get_mut(&file) else {
            return false;
        };
        readings.count -= 1;
        let is_deleted = readings.count == 0 && readings.is_doomed;
        if readings.count == 0 {
            files.remove(&file);
        }
        is_deleted
    }

    /// Whether a file may be deleted at once; else that is done when its last reader ends.
    pub(crate) fn may_delete(&self, file: ObjectId) -> bool {
        match self.0.lock().get_mut(&file) {
            Some(readings) => {
                readings.is_doomed = true;
                false
            }
            None => true,
        }
    }
}
