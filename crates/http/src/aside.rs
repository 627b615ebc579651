//! Answers that their clients are slow to take: while others wait for memory, what is left of a long one is kept elsewhere.

use crate::{Body, BodyError};
use bytes::{Buf, Bytes};
use futures::future::BoxFuture;
use futures::stream;
use memory::{Budget, Holder, Share};
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::iter;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;

/// The bytes of an answer that may be set aside.
pub(crate) const LONG_BYTES: usize = 1 << 20;

/// The bytes that are given to the connection at once. They are copied, so that they do not keep the rest in memory.
const PIECE_BYTES: usize = 64 * 1024;

/// Reads bytes again that were set aside, piece by piece; `None` at the end.
pub type AsidePieces = Box<dyn FnMut() -> io::Result<Option<Bytes>> + Send>;

/// Where answers are kept that their clients are slow to take.
#[derive(Clone)]
pub struct Aside(Arc<Put>);

type Put = dyn Fn(Bytes) -> BoxFuture<'static, Result<AsidePieces, Bytes>> + Send + Sync;

impl fmt::Debug for Aside {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Aside")
    }
}

impl Aside {
    /// `put` keeps bytes elsewhere than in memory; it gives them back if there is no room for them.
    pub fn new(
        put: impl Fn(Bytes) -> BoxFuture<'static, Result<AsidePieces, Bytes>> + Send + Sync + 'static,
    ) -> Aside {
        Aside(Arc::new(put))
    }

    /// A body of these pieces, none of which is empty. They are counted in the memory of answers until they are sent or set aside.
    pub(crate) fn body(&self, bytes: VecDeque<Bytes>, memory: &Budget) -> Body {
        let length = length(&bytes);
        let rest = Arc::new(Mutex::new(Rest::Here {
            bytes,
            _share: memory.charged(Holder::Answers, length),
        }));
        let watch = Watch(tokio::spawn(watch(self.clone(), rest.clone(), memory.clone())));
        let pieces = iter::from_fn(move || {
            let _ends_with_the_body = &watch;
            next_piece(&rest)
        });
        Body::stream(stream::iter(pieces), Some(length as u64))
    }
}

/// What is left of an answer.
enum Rest {
    /// In memory.
    Here { bytes: VecDeque<Bytes>, _share: Share },
    /// Elsewhere. So many bytes of it were sent while it was written.
    There { pieces: AsidePieces, sent: usize },
}

fn next_piece(rest: &Mutex<Rest>) -> Option<Result<Bytes, BodyError>> {
    match &mut *rest.lock().unwrap_or_else(PoisonError::into_inner) {
        Rest::Here { bytes, .. } => {
            let first = bytes.front_mut()?;
            let piece = Bytes::copy_from_slice(&first.split_to(first.len().min(PIECE_BYTES)));
            if first.is_empty() {
                bytes.pop_front();
            }
            Some(Ok(piece))
        }
        Rest::There { pieces, sent } => loop {
            match pieces() {
                Ok(Some(mut piece)) => {
                    let passed = piece.len().min(*sent);
                    piece.advance(passed);
                    *sent -= passed;
                    if !piece.is_empty() {
                        return Some(Ok(piece));
                    }
                }
                Ok(None) => return None,
                Err(error) => {
                    tracing::error!(%error, "an answer was cut off");
                    return Some(Err(BodyError::GivenUp));
                }
            }
        },
    }
}

fn length(pieces: &VecDeque<Bytes>) -> usize {
    pieces.iter().map(Bytes::len).sum()
}

/// The task that watches whether others wait.
struct Watch(JoinHandle<()>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sets aside what is left once others wait for memory.
async fn watch(aside: Aside, rest: Arc<Mutex<Rest>>, memory: Budget) {
    memory.wanted(Holder::Answers).await;
    let bytes = match &*rest.lock().unwrap_or_else(PoisonError::into_inner) {
        Rest::Here { bytes, .. } => bytes.clone(),
        Rest::There { .. } => return,
    };
    let before = length(&bytes);
    let bytes = match <[Bytes; 1]>::try_from(Vec::from(bytes)) {
        Ok([bytes]) => bytes,
        Err(pieces) => pieces.concat().into(),
    };
    // Where there is no room for it, it stays.
    if let Ok(pieces) = (aside.0)(bytes).await {
        let mut rest = rest.lock().unwrap_or_else(PoisonError::into_inner);
        let left = match &*rest {
            Rest::Here { bytes, .. } => length(bytes),
            Rest::There { .. } => 0,
        };
        *rest = Rest::There {
            pieces,
            sent: before - left,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{FutureExt, StreamExt};
    use http_body_util::BodyExt;
    use std::time::Duration;

    const MIB: usize = 1 << 20;

    /// Keeps bytes in pieces of an odd length.
    fn aside() -> Aside {
        Aside::new(|bytes: Bytes| {
            let mut pieces: VecDeque<Bytes> = bytes.chunks(1000).map(Bytes::copy_from_slice).collect();
            let next: AsidePieces = Box::new(move || Ok(pieces.pop_front()));
            std::future::ready(Ok(next)).boxed()
        })
    }

    fn held(memory: &Budget) -> usize {
        let of_answers = |usage: &memory::Usage| usage.holder == Holder::Answers;
        memory
            .usage()
            .into_iter()
            .find(of_answers)
            .map_or(0, |usage| usage.held_bytes)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_taken_leaves_memory_to_those_who_wait() {
        // Answers have two sixteenths.
        let memory = Budget::new(16 * MIB);
        let bytes: Bytes = (0..2 * MIB).map(|at| (at % 251) as u8).collect();
        let mut body = aside()
            .body(VecDeque::from([bytes.slice(..MIB), bytes.slice(MIB..)]), &memory)
            .into_data_stream();
        let mut taken = body.next().await.expect("a piece").expect("no error").to_vec();
        assert_eq!(held(&memory), 2 * MIB);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(held(&memory), 2 * MIB, "nobody waits");
        let room = memory.room(Holder::Answers, Duration::from_secs(10)).await;
        room.expect("what is left was set aside");
        assert_eq!(held(&memory), 0);
        while let Some(piece) = body.next().await {
            taken.extend_from_slice(&piece.expect("no error"));
        }
        assert!(taken == bytes, "the same bytes");
    }

    #[tokio::test(start_paused = true)]
    async fn where_there_is_no_room_elsewhere_it_stays() {
        let memory = Budget::new(16 * MIB);
        let full = Aside::new(|bytes| std::future::ready(Err(bytes)).boxed());
        let body = full.body(VecDeque::from([vec![7; 2 * MIB].into()]), &memory);
        let room = memory.room(Holder::Answers, Duration::from_secs(10)).await;
        room.expect_err("nobody takes it");
        let pieces: Vec<_> = body.into_data_stream().collect().await;
        let bytes: usize = pieces
            .into_iter()
            .map(|piece| piece.expect("no error").len())
            .sum();
        assert_eq!(bytes, 2 * MIB);
        assert_eq!(held(&memory), 0);
    }
}
