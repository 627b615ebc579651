//! Taking no more of a body than the client takes.
//!
//! hyper fills a buffer as large as the largest head with pieces of a body before it looks whether the socket takes them, and
//! so would keep that much for each client that does not read. So a body is held back while bytes of it are unsent.

use crate::{Body, BodyError};
use bytes::Bytes;
use futures::task::AtomicWaker;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

/// The bytes of bodies that may be taken and unsent; the last piece may go beyond.
const UNSENT_BYTES_MAX: usize = 8 * 1024;

/// What was taken of a connection's bodies and is unsent. All clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unsent(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    bytes: AtomicUsize,
    /// Whether hyper had nothing more to send since [`Unsent::begin`].
    is_flushed: AtomicBool,
    /// The connection, where it waits for this to shrink.
    waiting: AtomicWaker,
}

impl Unsent {
    /// The socket has taken bytes, those of heads and chunks' lines among them; so what is counted is never too much.
    pub(crate) fn sent(&self, bytes: usize) {
        let less = |unsent: usize| Some(unsent.saturating_sub(bytes));
        // The function always gives a number.
        let _ = self
            .0
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        self.0.waiting.wake();
    }

    /// Begins to note whether all is sent.
    pub(crate) fn begin(&self) {
        self.0.is_flushed.store(false, Ordering::Relaxed);
    }

    /// hyper flushes a stream when it has nothing more to write to it.
    pub(crate) fn flushed(&self) {
        self.0.is_flushed.store(true, Ordering::Relaxed);
    }

    /// Whether all was sent since [`Unsent::begin`].
    pub(crate) fn is_flushed(&self) -> bool {
        self.0.is_flushed.load(Ordering::Relaxed)
    }

    /// Paces a body of this connection, once the body before it has ended.
    pub(crate) fn pace(&self, body: Body) -> PacedBody {
        self.0.bytes.store(0, Ordering::Relaxed);
        PacedBody {
            body,
            unsent: self.clone(),
        }
    }
}

/// A body that is held back while too much of it is unsent.
#[derive(Debug)]
pub(crate) struct PacedBody {
    body: Body,
    unsent: Unsent,
}

impl hyper::body::Body for PacedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let Unsent(counted) = self.unsent.clone();
        if counted.bytes.load(Ordering::Relaxed) >= UNSENT_BYTES_MAX {
            counted.waiting.register(cx.waker());
            // It may have been sent before the waker was there.
            if counted.bytes.load(Ordering::Relaxed) >= UNSENT_BYTES_MAX {
                return Poll::Pending;
            }
        }
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            counted.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
