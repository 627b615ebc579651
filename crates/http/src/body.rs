//! Bodies of requests and responses.

use crate::Aside;
use crate::aside::LONG_BYTES;
use crate::intake::Intake;
use crate::slot::{Giver, Taker, slot};
use crate::unread::ClientBody;
use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt, stream};
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming, SizeHint};
use memory::{Budget, Full, Holder, Share};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The chunks that wait in a response's channel until the client takes them: one, so that a client that does not read costs
/// little.
const CHUNKS_WAITING_MAX: usize = 1;

/// The bytes of a chunk; a larger one is sent in several.
const CHUNK_BYTES_MAX: usize = 64 * 1024;

/// An answer up to this size is not counted: it waits only for the socket.
pub(crate) const UNCOUNTED_BYTES: usize = 64 * 1024;

/// Why a body could not be read or written to its end.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The body is larger than the reader takes.
    #[error("the body is larger than {limit_bytes} bytes")]
    TooLarge {
        /// The limit.
        limit_bytes: usize,
    },
    /// The connection ended, or the body's chunks have no valid form.
    #[error("the body ended early: {0}")]
    Broken(#[from] hyper::Error),
    /// Nothing came for as long as its reader waits, or all came too slowly.
    #[error("the body did not go on within {} seconds", .0.as_secs())]
    Late(Duration),
    /// There is no memory for it.
    #[error("{0}")]
    NoMemory(#[from] Full),
    /// The body is not what its `Content-Encoding` says.
    #[error("the body cannot be decoded: {0}")]
    Undecodable(std::io::Error),
    /// The maker of a response's body gave it up; the client sees a response that is cut off.
    #[error("the response could not be made to its end")]
    GivenUp,
}

/// A body that is read: of a request that a client sent, or of an answer that a server gave.
#[derive(Debug)]
pub struct RequestBody(BodySource);

/// The body of an answer that a server gave.
pub type ResponseBody = RequestBody;

#[derive(Debug)]
enum BodySource {
    /// From a connection, which may take its time.
    Incoming(Incoming),
    /// From a client.
    Request(ClientBody, Intake),
    /// From within this program. The lock makes it one that threads may share, as the other is; nobody ever waits for it.
    Made {
        body: Mutex<Body>,
        /// What takes memory of it where it is read whole.
        memory: Budget,
    },
}

impl From<Body> for RequestBody {
    fn from(body: Body) -> RequestBody {
        RequestBody::made(body, Budget::default())
    }
}

impl RequestBody {
    /// A body that is made within this program of what a client sent. Read whole, it takes this memory until the bytes are gone: a few
    /// that were compressed may have become many.
    pub fn made(body: Body, memory: Budget) -> RequestBody {
        RequestBody(BodySource::Made {
            body: Mutex::new(body),
            memory,
        })
    }

    /// A body that may take its time: its reader says how much.
    pub(crate) fn new(incoming: Incoming) -> RequestBody {
        RequestBody(BodySource::Incoming(incoming))
    }

    /// A client's body.
    pub(crate) fn of_request(body: ClientBody, intake: Intake) -> RequestBody {
        RequestBody(BodySource::Request(body, intake))
    }

    /// The bytes that the request says it has; `None` if they come in chunks without a length.
    pub fn length(&self) -> Option<u64> {
        match &self.0 {
            BodySource::Incoming(incoming) => hyper::body::Body::size_hint(incoming).exact(),
            BodySource::Request(body, _) => body.length(),
            BodySource::Made { body, .. } => {
                let body = body.lock().unwrap_or_else(PoisonError::into_inner);
                hyper::body::Body::size_hint(&*body).exact()
            }
        }
    }

    /// The next bytes; none at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        while let Some(frame) = self.frame().await? {
            // A frame may be trailers, which nobody here asks for.
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    async fn frame(&mut self) -> Result<Option<Frame<Bytes>>, BodyError> {
        match &mut self.0 {
            BodySource::Incoming(incoming) => Ok(incoming.frame().await.transpose()?),
            BodySource::Request(body, intake) => intake.frame(body).await,
            BodySource::Made { body, .. } => {
                let body = body.get_mut().unwrap_or_else(PoisonError::into_inner);
                body.frame().await.transpose()
            }
        }
    }

    /// All of it, unless it is larger than the limit.
    pub async fn read_all(&mut self, limit_bytes: usize) -> Result<Bytes, BodyError> {
        match self.begin(limit_bytes).await? {
            Beginning::Whole(whole) => Ok(whole),
            Beginning::Part(_) => Err(BodyError::TooLarge { limit_bytes }),
            Beginning::Crowded(_, full) => Err(full.into()),
        }
    }

    /// As [`RequestBody::read_all`], for what another server gives, which may be anything: once it is long it takes this memory, until
    /// the bytes are gone.
    pub async fn read_all_within(&mut self, limit_bytes: usize, memory: &Budget) -> Result<Bytes, BodyError> {
        let mut share = memory.share(Holder::LargeRequests);
        let mut bytes = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            if bytes.len() + chunk.len() > limit_bytes {
                return Err(BodyError::TooLarge { limit_bytes });
            }
            bytes.extend_from_slice(&chunk);
            if bytes.len() > UNCOUNTED_BYTES {
                share.set(bytes.capacity())?;
            }
        }
        Ok(with_share(bytes.freeze(), share))
    }

    /// All of it if it is not longer than the limit; otherwise what was read until that was known. The rest is then read in pieces.
    pub async fn begin(&mut self, limit_bytes: usize) -> Result<Beginning, BodyError> {
        let length = self.length();
        if length.is_some_and(|length| length > limit_bytes as u64) {
            return Ok(Beginning::Part(Bytes::new()));
        }
        if let BodySource::Request(_, intake) = &mut self.0 {
            intake.announce(length.unwrap_or(0) as usize).await?;
        }
        let Some(first) = self.chunk().await? else {
            return Ok(Beginning::Whole(Bytes::new()));
        };
        if first.len() > limit_bytes {
            return Ok(Beginning::Part(first));
        }
        if length == Some(first.len() as u64) {
            return Ok(Beginning::Whole(first));
        }
        // The length is what the client says, so memory is taken as bytes come.
        let mut all = BytesMut::from(first.as_ref());
        let mut share = match &self.0 {
            BodySource::Made { memory, .. } => Some(memory.share(Holder::LargeRequests)),
            BodySource::Incoming(_) | BodySource::Request(..) => None,
        };
        while let Some(chunk) = self.chunk().await? {
            all.extend_from_slice(&chunk);
            if all.len() > limit_bytes {
                return Ok(Beginning::Part(all.freeze()));
            }
            if let BodySource::Request(_, intake) = &mut self.0
                && let Err(full) = intake.grew(all.len()).await
            {
                return Ok(Beginning::Crowded(all.freeze(), full));
            }
            if let Some(share) = &mut share
                && all.len() > UNCOUNTED_BYTES
                && let Err(full) = share.set(all.len())
            {
                return Ok(Beginning::Crowded(all.freeze(), full));
            }
        }
        Ok(Beginning::Whole(match share {
            Some(share) if share.bytes() > 0 => with_share(all.freeze(), share),
            _ => all.freeze(),
        }))
    }
}

/// How a body begins.
#[derive(Clone, Debug)]
pub enum Beginning {
    /// It ends there too.
    Whole(Bytes),
    /// More is to come.
    Part(Bytes),
    /// More is to come, and there is no memory to gather it.
    Crowded(Bytes, Full),
}

/// The body of a response.
pub struct Body(Kind);

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>> + Send>>;

enum Kind {
    /// Bytes at hand; empty once they are taken.
    Full(Bytes),
    /// Several pieces at hand.
    Pieces { pieces: VecDeque<Bytes>, rest: u64 },
    /// Pieces that are made as the client takes them.
    Stream { pieces: Pieces, length: Option<u64> },
    /// Chunks to come.
    Channel {
        chunks: mpsc::Receiver<Result<Bytes, BodyError>>,
        length: Option<u64>,
    },
    /// Pieces to come one at a time, for as long as the client listens.
    Feed(Taker),
}

impl Body {
    /// No body.
    pub fn empty() -> Body {
        Body(Kind::Full(Bytes::new()))
    }

    /// The number of its bytes, if it is known.
    pub fn length(&self) -> Option<u64> {
        hyper::body::Body::size_hint(self).exact()
    }

    /// Several pieces at hand, none of which is copied.
    pub fn pieces(pieces: impl IntoIterator<Item = Bytes>) -> Body {
        // hyper takes an empty piece for nothing, but it would have to be sent.
        let pieces: VecDeque<Bytes> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let rest = pieces.iter().map(|piece| piece.len() as u64).sum();
        Body(Kind::Pieces { pieces, rest })
    }

    /// Pieces that are made only as fast as the client takes them; `length` is that of all together, if it is known. An error
    /// cuts the response off, so that the client sees that it is not whole.
    pub fn stream(
        pieces: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
        length: Option<u64>,
    ) -> Body {
        let pieces = Box::pin(pieces);
        Body(Kind::Stream { pieces, length })
    }

    /// This body with something before and something after it.
    pub fn between(self, before: impl Into<Bytes>, after: impl Into<Bytes>) -> Body {
        let (before, after) = (before.into(), after.into());
        let added = (before.len() + after.len()) as u64;
        let length = self.length().map(|length| length + added);
        let one = |piece: Bytes| stream::once(std::future::ready(Ok(piece)));
        Body::stream(
            one(before).chain(self.into_data_stream()).chain(one(after)),
            length,
        )
    }

    /// A body that comes in pieces, of this length if it is known, and the sender for the pieces.
    pub fn channel(length: Option<u64>) -> (BodySender, Body) {
        let (sender, chunks) = mpsc::channel(CHUNKS_WAITING_MAX);
        (
            BodySender(PieceSink::Channel(sender)),
            Body(Kind::Channel { chunks, length }),
        )
    }

    /// A body that goes on for as long as its client listens, and of which there may be thousands: a piece is wanted only when
    /// the one before is sent and the client takes more. The body of its request must have been read.
    pub fn feed() -> (BodySender, Body) {
        let (giver, taker) = slot();
        (BodySender(PieceSink::Feed(giver)), Body(Kind::Feed(taker)))
    }

    /// The same body, counted in the memory of answers until it is sent, if it is long and at hand. Its bytes are in memory
    /// already, so this never waits; code that has yet to read what an answer is made of waits for room instead. Very long ones leave
    /// memory for `aside` where the client is slow.
    pub(crate) fn counted(mut self, memory: &Budget, aside: Option<&Aside>) -> Body {
        let is_long = self.length().is_some_and(|length| length >= LONG_BYTES as u64);
        if let Some(aside) = aside.filter(|_| is_long) {
            match self.0 {
                Kind::Full(bytes) => return aside.body(VecDeque::from([bytes]), memory),
                Kind::Pieces { pieces, .. } => return aside.body(pieces, memory),
                other => self.0 = other,
            }
        }
        // The last piece holds the share of all.
        let (length, last) = match &mut self.0 {
            Kind::Full(bytes) => (bytes.len(), Some(bytes)),
            Kind::Pieces { pieces, rest } => (*rest as usize, pieces.back_mut()),
            Kind::Stream { .. } | Kind::Channel { .. } | Kind::Feed(_) => return self,
        };
        if let Some(last) = last.filter(|_| length > UNCOUNTED_BYTES) {
            *last = with_share(std::mem::take(last), memory.charged(Holder::Answers, length));
        }
        self
    }

    /// The same body, which has so much memory of that for answers until it is sent where it is made as its client takes it: what its
    /// request brought may be what it is made of.
    pub(crate) fn holding(self, bytes: usize, memory: &Budget) -> Body {
        if bytes == 0 || !matches!(self.0, Kind::Stream { .. } | Kind::Channel { .. }) {
            return self;
        }
        let (length, share) = (self.length(), memory.charged(Holder::Answers, bytes));
        let pieces = self.into_data_stream().map(move |piece| {
            let _share = &share;
            piece
        });
        Body::stream(pieces, length)
    }

    /// The pieces of a feed; the body itself, if it is none.
    pub(crate) fn into_feed(self) -> Result<Taker, Body> {
        match self.0 {
            Kind::Feed(pieces) => Ok(pieces),
            other => Err(Body(other)),
        }
    }
}

/// The same bytes, which keep a share of memory until they are gone.
pub(crate) fn with_share(bytes: Bytes, share: Share) -> Bytes {
    Bytes::from_owner(CountedBytes { bytes, _share: share })
}

/// Bytes that have a share of memory for as long as they are there.
struct CountedBytes {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<B: Into<Bytes>> From<B> for Body {
    fn from(bytes: B) -> Body {
        Body(Kind::Full(bytes.into()))
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut self.0 {
            Kind::Full(bytes) if bytes.is_empty() => Poll::Ready(None),
            Kind::Full(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Kind::Pieces { pieces, rest } => {
                let piece = pieces.pop_front();
                *rest -= piece.as_ref().map_or(0, Bytes::len) as u64;
                Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
            }
            Kind::Stream { pieces, .. } => pieces.as_mut().poll_next(cx).map_ok(Frame::data),
            Kind::Channel { chunks, .. } => chunks.poll_recv(cx).map_ok(Frame::data),
            Kind::Feed(pieces) => pieces.poll_next(cx).map_ok(Frame::data),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Full(bytes) => bytes.is_empty(),
            Kind::Pieces { rest, .. } => *rest == 0,
            Kind::Stream { .. } | Kind::Channel { .. } | Kind::Feed(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Pieces { rest, .. } => SizeHint::with_exact(*rest),
            Kind::Channel { length, .. } | Kind::Stream { length, .. } => match length {
                Some(length) => SizeHint::with_exact(*length),
                None => SizeHint::default(),
            },
            Kind::Feed(_) => SizeHint::default(),
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Body")
            .field("length", &self.length())
            .finish_non_exhaustive()
    }
}

/// Where the pieces of a response's body are put. Dropping it ends the body.
#[derive(Clone, Debug)]
pub struct BodySender(PieceSink);

#[derive(Clone, Debug)]
enum PieceSink {
    Channel(mpsc::Sender<Result<Bytes, BodyError>>),
    Feed(Giver),
}

impl BodySender {
    /// Sends a piece, waiting while the client is slow; false if the client is gone.
    pub async fn send(&self, chunk: impl Into<Bytes>) -> bool {
        let mut chunk = chunk.into();
        // An empty chunk would be the end of a chunked body.
        while !chunk.is_empty() {
            let part = chunk.split_to(chunk.len().min(CHUNK_BYTES_MAX));
            if !self.put(Ok(part)).await {
                return false;
            }
        }
        true
    }

    /// Sends pieces for as long as each is taken within this time. Returns what is left; `None` if the client is gone.
    /// What was sent is a copy, so that it does not keep the rest in memory.
    pub async fn send_while_taken(&self, bytes: impl Into<Bytes>, patience: Duration) -> Option<Bytes> {
        let mut bytes = bytes.into();
        while !bytes.is_empty() {
            match timeout(patience, self.room()).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(_) => return Some(bytes),
            }
            let part = bytes.split_to(bytes.len().min(CHUNK_BYTES_MAX));
            if !self.put(Ok(Bytes::copy_from_slice(&part))).await {
                return None;
            }
        }
        Some(bytes)
    }

    async fn put(&self, piece: Result<Bytes, BodyError>) -> bool {
        match &self.0 {
            PieceSink::Channel(sender) => sender.send(piece).await.is_ok(),
            PieceSink::Feed(giver) => giver.give(piece).await,
        }
    }

    /// Whether a piece would be taken at once.
    pub fn has_room(&self) -> bool {
        match &self.0 {
            PieceSink::Channel(sender) => sender.capacity() > 0,
            PieceSink::Feed(giver) => giver.has_room(),
        }
    }

    /// Waits until a piece would be taken at once; false if the client is gone.
    pub async fn room(&self) -> bool {
        match &self.0 {
            PieceSink::Channel(sender) => sender.reserve().await.is_ok(),
            PieceSink::Feed(giver) => giver.room().await,
        }
    }

    /// Whether the client is gone.
    pub fn is_closed(&self) -> bool {
        match &self.0 {
            PieceSink::Channel(sender) => sender.is_closed(),
            PieceSink::Feed(giver) => giver.is_closed(),
        }
    }

    /// Waits until the client is gone.
    pub async fn closed(&self) {
        match &self.0 {
            PieceSink::Channel(sender) => sender.closed().await,
            PieceSink::Feed(giver) => giver.closed().await,
        }
    }

    /// Cuts the response off, so that the client sees that it is not whole.
    pub async fn give_up(self) {
        // If the client is gone, there is nobody left to tell.
        let _ = self.put(Err(BodyError::GivenUp)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_request_brought_is_counted_until_an_answer_that_is_made_of_it_is_sent() {
        let memory = Budget::new(1 << 20);
        let held = || {
            let usage = memory.usage();
            usage
                .iter()
                .find(|usage| usage.holder == Holder::Answers)
                .map_or(0, |usage| usage.held_bytes)
        };
        let (sender, body) = Body::channel(None);
        let mut body = body.holding(10_000, &memory);
        assert!(sender.send("piece").await);
        drop(sender);
        let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(piece, "piece");
        assert!(held() >= 10_000);
        assert!(body.frame().await.is_none());
        drop(body);
        assert_eq!(held(), 0);
        let _whole = Body::from("all there").holding(10_000, &memory);
        assert_eq!(held(), 0);
    }

    #[tokio::test]
    async fn what_another_server_gives_is_counted_until_it_is_gone() {
        let memory = Budget::new(1 << 20);
        let limit = memory.limit(Holder::LargeRequests);
        let read = async |bytes: usize| {
            let mut body = RequestBody::from(Body::from(vec![b'x'; bytes]));
            body.read_all_within(1 << 20, &memory).await
        };
        let first = read(limit / 3 * 2).await.unwrap();
        assert!(matches!(read(limit / 3 * 2).await, Err(BodyError::NoMemory(_))));
        drop(first);
        assert_eq!(read(limit / 3 * 2).await.unwrap().len(), limit / 3 * 2);
        assert!(matches!(read(2 << 20).await, Err(BodyError::TooLarge { .. })));
    }
}
