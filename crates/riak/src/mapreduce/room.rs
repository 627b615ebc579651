//! Room in memory for the long documents of a job, which many jobs may read at once.

use crate::limits::PAGE_BYTES;
use memory::{Budget, Holder, Share};
use std::sync::Arc;
use std::time::Duration;

/// Documents that are expected to have at least this are long. They are read page by page, as there is room for them.
const LONG_MEAN_BYTES: usize = PAGE_BYTES / 2;

/// A page of more bytes than this has long documents, and is counted.
const LONG_PAGE_BYTES: usize = PAGE_BYTES + PAGE_BYTES / 2;

/// How long a job waits for room. Then it goes on: late is better than not at all.
const WAIT_TIME_MAX: Duration = Duration::from_secs(10);

/// What the pages of documents of one collection are expected to take.
#[derive(Debug)]
pub(super) struct Expectation {
    memory: Budget,
    /// The mean of its documents.
    mean_bytes: usize,
    /// Of the last page, if its documents were long.
    long_bytes: usize,
}

/// Room for a page that is about to be read.
#[derive(Debug)]
pub(super) struct Room {
    share: Share,
    expected_bytes: usize,
}

impl Expectation {
    /// What is expected of a collection whose documents have this mean length.
    pub(super) fn new(memory: Budget, mean_bytes: usize) -> Expectation {
        Expectation {
            memory,
            mean_bytes,
            long_bytes: 0,
        }
    }

    /// Whether documents to come are expected to be long.
    pub(super) fn is_long(&self) -> bool {
        self.bytes() >= LONG_MEAN_BYTES
    }

    /// The room of the next page.
    pub(super) fn room(&self) -> Room {
        Room {
            share: self.memory.share(Holder::Documents),
            expected_bytes: if self.is_long() { self.bytes() } else { 0 },
        }
    }

    /// The last page holds this.
    pub(super) fn learn(&mut self, held: Option<&Share>) {
        self.long_bytes = held.map_or(0, Share::bytes);
    }

    /// What a document to come has, or a page of long ones, as far as is known.
    fn bytes(&self) -> usize {
        self.mean_bytes.max(self.long_bytes)
    }
}

impl Room {
    /// Waits until there is room for what is expected.
    pub(super) async fn wait(&mut self) {
        if self.expected_bytes > 0 && self.share.wait(self.expected_bytes, WAIT_TIME_MAX).await.is_err() {
            self.share.charge(self.expected_bytes);
        }
    }

    /// What a page of `bytes` holds until the last of its documents has been worked on; `None` if it is short.
    pub(super) fn hold(mut self, bytes: usize) -> Option<Arc<Share>> {
        (bytes > LONG_PAGE_BYTES).then(|| {
            self.share.charge(bytes);
            Arc::new(self.share)
        })
    }
}
