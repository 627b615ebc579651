//! Which databases are being compacted, as database info tells.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The UUID of a collection.
type Uuid = [u8; 16];

/// The compactions that run, of each database as many as were asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compactions(Arc<Mutex<HashMap<Uuid, usize>>>);

/// One compaction, until it is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    all: Compactions,
    uuid: Uuid,
}

impl Compactions {
    /// Notes that one begins.
    pub(crate) fn begin(&self, uuid: Uuid) -> Running {
        *self.0.lock().entry(uuid).or_default() += 1;
        Running {
            all: self.clone(),
            uuid,
        }
    }

    /// Whether a database is being compacted.
    pub(crate) fn is_running(&self, uuid: Uuid) -> bool {
        self.0.lock().contains_key(&uuid)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut all = self.all.0.lock();
        if let Some(count) = all.get_mut(&self.uuid) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.uuid);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_compacted_until_the_last_compaction_ends() {
        let all = Compactions::default();
        let (first, second) = (all.begin([1; 16]), all.begin([1; 16]));
        drop(first);
        assert!(all.is_running([1; 16]));
        drop(second);
        assert!(!all.is_running([1; 16]));
    }
}
