//! The memory of revisions that are read for one answer: a document may have a thousand leaves, and a client may ask for a long
//! revision a thousand times.

use access::error::Result;
use http::BodyError;
use memory::{Budget, Holder, Share};

/// Revisions that take no more are not counted.
const UNCOUNTED_BYTES: usize = 1 << 20;

/// What an answer has so far.
#[derive(Debug)]
pub(super) struct Room {
    bytes: usize,
    share: Share,
}

impl Room {
    /// Nothing yet, of this memory.
    pub(super) fn of(memory: &Budget) -> Room {
        Room {
            bytes: 0,
            share: memory.share(Holder::Answers),
        }
    }

    /// Takes so much more; fails where there is no room for it.
    pub(super) fn add(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        if self.bytes > UNCOUNTED_BYTES {
            self.share.set(self.bytes).map_err(BodyError::from)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::StatusCode;

    #[test]
    fn more_revisions_than_fit_are_refused() {
        // Answers have two sixteenths.
        let memory = Budget::new(16 << 20);
        let mut room = Room::of(&memory);
        room.add(UNCOUNTED_BYTES).unwrap();
        assert_eq!(room.share.bytes(), 0);
        room.add(1 << 19).unwrap();
        let refused = room.add(1 << 20).unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.reason.contains("--memory"), "{refused}");
    }
}
