//! Which databases are being compacted, as database info tells.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The UUID of a collection.
type Uuid = [u8; 16];

/// The compactions that run, one of a database at a time, and whether another was asked for since it began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compactions(Arc<Mutex<HashMap<Uuid, bool>>>);

/// One compaction, until it is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    all: Compactions,
    uuid: Uuid,
    has_ended: bool,
}

impl Compactions {
    /// Notes that one begins; `None` where one runs already, which then is not the last.
    pub(crate) fn begin(&self, uuid: Uuid) -> Option<Running> {
        match self.0.lock().entry(uuid) {
            Entry::Occupied(mut running) => {
                running.insert(true);
                return None;
            }
            Entry::Vacant(place) => place.insert(false),
        };
        Some(Running {
            all: self.clone(),
            uuid,
            has_ended: false,
        })
    }

    /// Whether a database is being compacted.
    pub(crate) fn is_running(&self, uuid: Uuid) -> bool {
        self.0.lock().contains_key(&uuid)
    }
}

impl Running {
    /// Whether another was asked for since it began: however many there were, one does for all. Where not, it has ended.
    pub(crate) fn goes_on(&mut self) -> bool {
        let mut all = self.all.0.lock();
        let is_wanted = all.get_mut(&self.uuid).is_some_and(std::mem::take);
        if !is_wanted {
            all.remove(&self.uuid);
            self.has_ended = true;
        }
        is_wanted
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended {
            self.all.0.lock().remove(&self.uuid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_are_asked_for_while_one_runs_one_more_does() {
        let all = Compactions::default();
        let mut running = all.begin([1; 16]).expect("the first");
        for _ in 0..3 {
            assert!(all.begin([1; 16]).is_none());
        }
        let other = all.begin([2; 16]);
        assert!(other.is_some());
        assert!(running.goes_on());
        assert!(all.is_running([1; 16]));
        assert!(!running.goes_on());
        assert!(!all.is_running([1; 16]));
        drop(running);
        assert!(all.begin([1; 16]).is_some());
    }
}
