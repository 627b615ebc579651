//! The queue of a collection's requests, which its committer empties.

use super::request::Request;
use crate::{GROUP_BYTES_MAX, GROUP_OPERATIONS_MAX};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// The requests that wait.
#[derive(Default)]
pub(crate) struct Queue {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Request>,
    /// Whether a committer is at work.
    running: bool,
    /// Whether the last group had several requests.
    shared: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("waiting", &self.inner.lock().waiting.len())
            .finish()
    }
}

impl Queue {
    /// Adds a request. Returns true if no committer is running: the caller must start one.
    pub(super) fn push(&self, request: Request) -> bool {
        let mut inner = self.inner.lock();
        inner.waiting.push_back(request);
        !std::mem::replace(&mut inner.running, true)
    }

    /// Whether the last group had several requests: then there are several writers.
    pub(super) fn is_shared(&self) -> bool {
        self.inner.lock().shared
    }

    /// Whether any request waits.
    pub(super) fn is_waiting(&self) -> bool {
        !self.inner.lock().waiting.is_empty()
    }

    /// Takes as many requests as fit into one group, at least one. `None` ends the committer: `running` is cleared
    /// under the same lock that found the queue empty, so no request is left without a committer.
    pub(super) fn take(&self) -> Option<Vec<Request>> {
        let mut inner = self.inner.lock();
        let (mut operations, mut bytes, mut count) = (0, 0, 0);
        for request in &inner.waiting {
            operations += request.operations.len();
            bytes += request.size_bytes;
            if count > 0 && (operations > GROUP_OPERATIONS_MAX || bytes > GROUP_BYTES_MAX) {
                break;
            }
            count += 1;
        }
        if count == 0 {
            inner.running = false;
            return None;
        }
        inner.shared = count > 1;
        Some(inner.waiting.drain(..count).collect())
    }

    /// Puts back requests that were taken: the next group begins with them.
    pub(super) fn put_back(&self, requests: Vec<Request>) {
        let mut inner = self.inner.lock();
        for request in requests.into_iter().rev() {
            inner.waiting.push_front(request);
        }
    }

    /// To be called when the committer has panicked. Dropping the requests drops their reply channels, so their callers get
    /// [`StoreError::Interrupted`](crate::StoreError::Interrupted).
    pub(super) fn abandon(&self) {
        let mut inner = self.inner.lock();
        inner.running = false;
        inner.waiting.clear();
    }
}
