//! What a handler leaves of a request's body.
//!
//! hyper closes a connection after the answer to a request that was not read to its end, and says nothing of it: the client
//! may have sent the next request by then, and is not told whether that was carried out. So the rest of a small body is read and
//! thrown away before the answer is sent; if that does not come to the end, the answer says that the connection is closed
//! (RFC 9112, section 9.6).

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// The bytes of a rest that are read.
const BYTES_MAX: u64 = 64 * 1024;
/// How long a rest may take: what the client has sent with the head is there, or nearly.
const TIME_MAX: Duration = Duration::from_millis(100);

/// A client's body.
#[derive(Debug)]
pub(crate) struct ClientBody(Arc<Mutex<Shared>>);

/// The rest of a client's body, once its reader has dropped it.
#[derive(Debug)]
pub(crate) struct Unread(Arc<Mutex<Shared>>);

/// The lock makes it one that can be handed on; nobody ever waits for it.
#[derive(Debug)]
struct Shared {
    incoming: Incoming,
    has_ended: bool,
}

impl ClientBody {
    /// A body, and what will be left of it.
    pub(crate) fn new(incoming: Incoming) -> (ClientBody, Unread) {
        let has_ended = incoming.is_end_stream();
        let shared = Arc::new(Mutex::new(Shared { incoming, has_ended }));
        (ClientBody(shared.clone()), Unread(shared))
    }

    /// The bytes that are still to come, as the client says.
    pub(crate) fn length(&self) -> Option<u64> {
        self.shared().incoming.size_hint().exact()
    }

    /// The next frame; `None` at the end.
    pub(crate) async fn frame(&mut self) -> Result<Option<Frame<Bytes>>, hyper::Error> {
        let polled = poll_fn(|context| Pin::new(&mut self.shared().incoming).poll_frame(context)).await;
        let frame = polled.transpose()?;
        let mut shared = self.shared();
        shared.has_ended = frame.is_none() || shared.incoming.is_end_stream();
        Ok(frame)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unread {
    /// Whether the body has come to its end, does so when the rest is read, or is read by somebody still. `is_asked_for` says that
    /// the client may wait for a word before it sends the body (`Expect: 100-continue`), which reading would be.
    pub(crate) async fn ends(self, is_asked_for: bool) -> bool {
        let Some(left) = Arc::into_inner(self.0) else {
            return true;
        };
        let left = left.into_inner().unwrap_or_else(PoisonError::into_inner);
        if left.has_ended {
            return true;
        }
        if is_asked_for || left.incoming.size_hint().lower() > BYTES_MAX {
            return false;
        }
        timeout(TIME_MAX, reads_to_end(left.incoming))
            .await
            .unwrap_or(false)
    }
}

/// Reads to the end; false if that does not come soon.
async fn reads_to_end(mut incoming: Incoming) -> bool {
    let mut bytes = 0;
    while let Some(frame) = incoming.frame().await {
        let Ok(frame) = frame else { return false };
        bytes += frame.data_ref().map_or(0, Bytes::len) as u64;
        if bytes > BYTES_MAX {
            return false;
        }
    }
    true
}
