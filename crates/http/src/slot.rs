//! A body's pieces handed over one at a time: the next is wanted only when the one before is sent and the client takes more.
//!
//! A channel keeps pieces for whoever reads it. Here nothing is kept but the piece that is being sent, so whoever makes pieces
//! can wait with nothing in its hands ([`Giver::room`]), and a client that does not read costs next to nothing.

use crate::BodyError;
use bytes::Bytes;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

type Piece = Result<Bytes, BodyError>;

#[derive(Debug, Default)]
struct State {
    piece: Option<Piece>,
    /// A piece would be sent at once.
    is_wanted: bool,
    /// No more will come.
    is_ended: bool,
    /// Nobody takes any more.
    is_closed: bool,
    giver: Option<Waker>,
    taker: Option<Waker>,
}

#[derive(Debug, Default)]
struct Slot(Mutex<State>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State), waker: fn(&mut State) -> &mut Option<Waker>) {
        let mut state = self.lock();
        change(&mut state);
        let waker = waker(&mut state).take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The two ends.
pub(crate) fn slot() -> (Giver, Taker) {
    let slot = Arc::new(Slot::default());
    (Giver(Arc::new(GiverEnd(slot.clone()))), Taker(slot))
}

/// Puts pieces in. All clones are one; one task at a time may wait at it. Dropping it ends the body.
#[derive(Clone, Debug)]
pub(crate) struct Giver(Arc<GiverEnd>);

#[derive(Debug)]
struct GiverEnd(Arc<Slot>);

impl Drop for GiverEnd {
    fn drop(&mut self) {
        self.0
            .change(|state| state.is_ended = true, |state| &mut state.taker);
    }
}

impl Giver {
    fn slot(&self) -> &Slot {
        &self.0.0
    }

    /// Whether a piece would be sent at once.
    pub(crate) fn has_room(&self) -> bool {
        let state = self.slot().lock();
        state.is_wanted && state.piece.is_none()
    }

    /// Waits for that; false if nobody takes any more.
    pub(crate) async fn room(&self) -> bool {
        poll_fn(|context| {
            let mut state = self.slot().lock();
            if state.is_closed {
                return Poll::Ready(false);
            }
            if state.is_wanted && state.piece.is_none() {
                return Poll::Ready(true);
            }
            state.giver = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Hands a piece over when it is wanted; false if nobody takes any more.
    pub(crate) async fn give(&self, piece: Piece) -> bool {
        let is_open = self.room().await;
        if is_open {
            let put = |state: &mut State| {
                state.piece = Some(piece);
                state.is_wanted = false;
            };
            self.slot().change(put, |state| &mut state.taker);
        }
        is_open
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.slot().lock().is_closed
    }

    /// Waits until nobody takes any more.
    pub(crate) async fn closed(&self) {
        poll_fn(|context| {
            let mut state = self.slot().lock();
            if state.is_closed {
                return Poll::Ready(());
            }
            state.giver = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// Takes pieces out.
#[derive(Debug)]
pub(crate) struct Taker(Arc<Slot>);

impl Taker {
    /// The next piece; `None` at the end. Asking for it says that the piece before is sent.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        let mut state = self.0.lock();
        if let Some(piece) = state.piece.take() {
            return Poll::Ready(Some(piece));
        }
        if state.is_ended {
            return Poll::Ready(None);
        }
        state.taker = Some(context.waker().clone());
        state.is_wanted = true;
        let giver = state.giver.take();
        drop(state);
        if let Some(giver) = giver {
            giver.wake();
        }
        Poll::Pending
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        let close = |state: &mut State| {
            state.is_closed = true;
            state.piece = None;
        };
        self.0.change(close, |state| &mut state.giver);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn a_piece_is_wanted_only_once_the_one_before_is_sent() {
        let (giver, mut taker) = slot();
        assert!(!giver.has_room());
        assert!(
            poll_fn(|context| taker.poll_next(context))
                .now_or_never()
                .is_none()
        );
        assert!(giver.has_room());
        assert!(giver.give(Ok(Bytes::from_static(b"one"))).await);
        let first = poll_fn(|context| taker.poll_next(context)).await;
        assert_eq!(first.unwrap().unwrap(), "one");
        // It is being sent.
        assert!(!giver.has_room());
        assert!(giver.room().now_or_never().is_none());
        assert!(
            poll_fn(|context| taker.poll_next(context))
                .now_or_never()
                .is_none()
        );
        assert!(giver.room().await);
    }

    #[tokio::test]
    async fn both_ends_learn_that_the_other_is_gone() {
        let (giver, mut taker) = slot();
        let copy = giver.clone();
        drop(giver);
        assert!(
            poll_fn(|context| taker.poll_next(context))
                .now_or_never()
                .is_none()
        );
        drop(copy);
        assert!(poll_fn(|context| taker.poll_next(context)).await.is_none());
        let (giver, taker) = slot();
        drop(taker);
        assert!(!giver.give(Ok(Bytes::from_static(b"one"))).await);
        giver.closed().await;
    }
}
