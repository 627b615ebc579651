//! Request targets with characters that stand for themselves, though a URL may not have them.
//!
//! `curl 'http://…/_view/by_name?key="anna"'` sends the quotation marks as they are. RFC 3986 wants them
//! percent-encoded, and what parses requests here refuses them; the servers whose protocols are served here take
//! them. So they are encoded on their way in, in the first line of a request and nowhere else.
//!
//! The length in the head of a request says where it ends. After a body of unknown length, or once more bytes arrive
//! than were announced (pipelined requests), all bytes pass unchanged for the rest of the connection: a body is never
//! touched.

use memory::{Budget, Full, Holder, Share};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The bytes that are read at once while a head arrives.
const READ_BYTES: usize = 8 * 1024;
/// The bytes of further requests that are kept while an answer goes on for as long as its client listens.
const READ_AHEAD_BYTES_MAX: usize = 4 * 1024;
/// A head up to this size takes nothing of the budget: nearly all are smaller, and connections are few enough for that.
const UNCOUNTED_HEAD_BYTES: usize = 8 * 1024;
/// The head is still arriving.
const UNKNOWN: u64 = u64::MAX;
/// A body whose length is not known in advance.
const ENDLESS: u64 = u64::MAX - 1;

/// Passes the length of the current request's body from the server to the connection.
#[derive(Clone, Debug)]
pub(crate) struct Announced(Arc<AtomicU64>);

impl Announced {
    fn new() -> Announced {
        Announced(Arc::new(AtomicU64::new(UNKNOWN)))
    }

    /// Announces that the head has been read and a body of this length follows; `None` if the length is unknown.
    pub(crate) fn body(&self, length: Option<u64>) {
        let length = length.map_or(ENDLESS, |length| length.min(ENDLESS));
        self.0.store(length, Ordering::Release);
    }
}

/// Where in the stream of requests the bytes are that come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the first line of a request.
    Line,
    /// In its headers; `ended` counts the bytes of `\r\n\r\n`, which ends them, that have just been read.
    Headers { ended: u8 },
    /// After the head; `bytes` have arrived of the body.
    Body { bytes: u64 },
    /// Unknown: all further bytes pass unchanged.
    Lost,
}

/// A connection whose requests' targets are encoded as they are read.
#[derive(Debug)]
pub(crate) struct EncodedTargets<S> {
    stream: S,
    announced: Announced,
    place: Place,
    /// What was read and is still to be passed on.
    ready: Vec<u8>,
    given: usize,
    head: HeadRoom,
}

/// The memory of a long head, from when it arrives until the next request: whoever sends it need not have logged in, and a thousand that
/// are never ended would take all.
#[derive(Debug)]
struct HeadRoom {
    memory: Budget,
    bytes: usize,
    share: Option<Box<Share>>,
}

impl HeadRoom {
    /// Counts bytes of a head that have come.
    fn came(&mut self, bytes: usize) -> Result<(), Full> {
        self.bytes += bytes;
        if self.bytes <= UNCOUNTED_HEAD_BYTES {
            return Ok(());
        }
        let memory = &self.memory;
        let share = self
            .share
            .get_or_insert_with(|| Box::new(memory.share(Holder::Strangers)));
        share.set(self.bytes)
    }

    /// The next request begins.
    fn give_back(&mut self) {
        self.bytes = 0;
        self.share = None;
    }
}

impl<S> EncodedTargets<S> {
    /// Wraps a connection whose long heads take this memory. The server announces the lengths of bodies through the second value.
    pub(crate) fn new(stream: S, memory: &Budget) -> (EncodedTargets<S>, Announced) {
        let announced = Announced::new();
        let wrapped = EncodedTargets {
            stream,
            announced: announced.clone(),
            place: Place::Line,
            ready: Vec::new(),
            given: 0,
            head: HeadRoom {
                memory: memory.clone(),
                bytes: 0,
                share: None,
            },
        };
        (wrapped, announced)
    }

    /// The connection itself.
    pub(crate) fn inner(&self) -> &S {
        &self.stream
    }

    /// Puts back what was read of the next requests.
    pub(crate) fn unread(&mut self, bytes: &[u8]) {
        let rest = self.ready.split_off(self.given.min(self.ready.len()));
        self.ready = [bytes, &rest].concat();
        self.given = 0;
    }

    /// Begins the next request if the one before has come whole.
    fn move_on(&mut self) {
        let Place::Body { bytes } = self.place else {
            return;
        };
        let length = self.announced.0.load(Ordering::Acquire);
        if length == ENDLESS || (length != UNKNOWN && bytes > length) {
            self.place = Place::Lost;
        } else if bytes == length {
            self.announced.0.store(UNKNOWN, Ordering::Release);
            self.place = Place::Line;
            self.head.give_back();
        }
    }

    /// Takes bytes as they came.
    fn take(&mut self, bytes: &[u8]) {
        for (at, &byte) in bytes.iter().enumerate() {
            match &mut self.place {
                Place::Line => {
                    if byte == b'\n' {
                        self.place = Place::Headers { ended: 2 };
                    }
                    push_encoded(byte, &mut self.ready);
                    continue;
                }
                Place::Headers { ended } => {
                    *ended = match (*ended, byte) {
                        (2, b'\r') => 3,
                        (2 | 3, b'\n') => 4,
                        (_, b'\n') => 2,
                        _ => 0,
                    };
                    self.ready.push(byte);
                    if *ended == 4 {
                        self.place = Place::Body { bytes: 0 };
                    }
                }
                Place::Body { bytes: come } => {
                    *come += (bytes.len() - at) as u64;
                    self.ready.extend_from_slice(&bytes[at..]);
                    return;
                }
                Place::Lost => {
                    self.ready.extend_from_slice(&bytes[at..]);
                    return;
                }
            }
        }
    }
}

fn push_encoded(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    match byte {
        b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
            out.extend([
                b'%',
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 15)],
            ]);
        }
        _ => out.push(byte),
    }
}

impl<S: AsyncRead + Unpin> EncodedTargets<S> {
    /// Ready when the client has closed its side; the requests that it sends meanwhile are kept for later, up to a limit.
    pub(crate) fn poll_closed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.ready.len() < READ_AHEAD_BYTES_MAX {
            let mut bytes = [0; 512];
            let mut read = ReadBuf::new(&mut bytes);
            match Pin::new(&mut self.stream).poll_read(context, &mut read) {
                Poll::Ready(Ok(())) if !read.filled().is_empty() => {
                    let come = read.filled().len();
                    self.move_on();
                    self.take(&bytes[..come]);
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for EncodedTargets<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = &mut *self;
        if this.given == this.ready.len() {
            this.move_on();
            if let Place::Body { .. } | Place::Lost = this.place {
                let before = out.filled().len();
                let read = Pin::new(&mut this.stream).poll_read(context, out);
                if let Place::Body { bytes } = &mut this.place {
                    *bytes += (out.filled().len() - before) as u64;
                }
                return read;
            }
            // Not zeroed: that would cost more than reading a head.
            let mut bytes = [MaybeUninit::uninit(); READ_BYTES];
            let mut read = ReadBuf::uninit(&mut bytes);
            match Pin::new(&mut this.stream).poll_read(context, &mut read) {
                Poll::Ready(Ok(())) => {}
                other => return other,
            }
            this.ready.clear();
            this.given = 0;
            this.take(read.filled());
            if let Err(full) = this.head.came(read.filled().len()) {
                return Poll::Ready(Err(std::io::Error::other(full)));
            }
        }
        let rest = &this.ready[this.given..];
        let fits = rest.len().min(out.remaining());
        out.put_slice(&rest[..fits]);
        this.given += fits;
        if this.given == this.ready.len() {
            // An idle connection is small.
            this.ready = Vec::new();
            this.given = 0;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for EncodedTargets<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn read(stream: &mut EncodedTargets<&[u8]>, length: usize) -> String {
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).await.unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[tokio::test]
    async fn quotation_marks_are_encoded_in_the_first_line_alone() {
        let sent = b"GET /a?key=\"b\" HTTP/1.1\r\nX: \"c\"\r\n\r\n".as_slice();
        let (mut stream, _announced) = EncodedTargets::new(sent, &Budget::default());
        let wanted = "GET /a?key=%22b%22 HTTP/1.1\r\nX: \"c\"\r\n\r\n";
        assert_eq!(read(&mut stream, wanted.len()).await, wanted);
    }

    #[tokio::test]
    async fn bodies_pass_as_they_came() {
        let sent = b"PUT /a HTTP/1.1\r\n\r\n\"b\"\n".as_slice();
        let (mut stream, announced) = EncodedTargets::new(sent, &Budget::default());
        announced.body(Some(4));
        let wanted = "PUT /a HTTP/1.1\r\n\r\n\"b\"\n";
        assert_eq!(read(&mut stream, wanted.len()).await, wanted);
    }

    #[tokio::test]
    async fn the_next_request_is_encoded_where_the_body_has_come_whole() {
        let (head, body, next) = ("PUT /a HTTP/1.1\r\n\r\n", "\"b\"\n", "GET /\" HTTP/1.1\r\n\r\n");
        let (mut client, server) = tokio::io::duplex(1024);
        let (mut stream, announced) = EncodedTargets::new(server, &Budget::default());
        let mut bytes = [0; 256];
        for (sent, wanted) in [(head, head), (body, body), (next, "GET /%22 HTTP/1.1\r\n\r\n")] {
            tokio::io::AsyncWriteExt::write_all(&mut client, sent.as_bytes())
                .await
                .unwrap();
            let length = stream.read(&mut bytes).await.unwrap();
            assert_eq!(&bytes[..length], wanted.as_bytes());
            if sent == head {
                announced.body(Some(4));
            }
        }
    }

    #[tokio::test]
    async fn long_heads_take_memory_until_the_next_request() {
        let memory = Budget::new(1 << 20);
        let held = || {
            let usage = memory.usage();
            usage
                .iter()
                .find(|usage| usage.holder == Holder::Strangers)
                .map_or(0, |usage| usage.held_bytes)
        };
        let (mut client, server) = tokio::io::duplex(1 << 20);
        let (mut stream, announced) = EncodedTargets::new(server, &memory);
        let mut bytes = vec![0; 64 * 1024];
        let mut pass = async |sent: &str, stream: &mut EncodedTargets<tokio::io::DuplexStream>| {
            let written = tokio::io::AsyncWriteExt::write_all(&mut client, sent.as_bytes());
            written.await.unwrap();
            let mut left = sent.len();
            while left > 0 {
                left -= stream.read(&mut bytes).await?;
            }
            Ok::<(), std::io::Error>(())
        };
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000));
        pass(&long, &mut stream).await.unwrap();
        announced.body(Some(0));
        assert!(held() >= 20_000);
        pass("GET / HTTP/1.1\r\n\r\n", &mut stream).await.unwrap();
        announced.body(Some(0));
        assert_eq!(held(), 0);
        // Strangers have a sixteenth.
        let longer = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(70_000));
        let refused = pass(&longer, &mut stream).await.unwrap_err();
        assert!(refused.to_string().contains("--memory"), "{refused}");
    }

    #[tokio::test]
    async fn behind_a_body_of_unknown_length_nothing_is_touched() {
        let (head, next) = ("PUT /a HTTP/1.1\r\n\r\n", "GET /\" HTTP/1.1\r\n\r\n");
        let (mut client, server) = tokio::io::duplex(1024);
        let (mut stream, announced) = EncodedTargets::new(server, &Budget::default());
        let mut bytes = [0; 256];
        for sent in [head, next] {
            tokio::io::AsyncWriteExt::write_all(&mut client, sent.as_bytes())
                .await
                .unwrap();
            let length = stream.read(&mut bytes).await.unwrap();
            assert_eq!(&bytes[..length], sent.as_bytes());
            announced.body(None);
        }
    }
}
