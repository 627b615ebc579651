//! Request targets with characters that stand for themselves, though a URL may not have them.
//!
//! `curl 'http://…/_view/by_name?key="anna"'` sends the quotation marks as they are. RFC 3986 wants them
//! percent-encoded, and what parses requests here refuses them; the servers whose protocols are served here take
//! them. So they are encoded on their way in, in the first line of a request and nowhere else.
//!
//! The server says what body follows a head that it has read, so it is known where the next head begins. For that, heads are passed to it
//! one by one. A body is never touched.

use crate::chunks::Chunks;
use memory::{Budget, Full, Holder, Share};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The bytes that are read at once while a head arrives.
const READ_BYTES: usize = 8 * 1024;
/// The bytes of further requests that are kept while an answer goes on for as long as its client listens.
const READ_AHEAD_BYTES_MAX: usize = 4 * 1024;
/// A head up to this size takes nothing of the budget: nearly all are smaller, and connections are few enough for that.
const UNCOUNTED_HEAD_BYTES: usize = 8 * 1024;
/// No head has been read.
const UNKNOWN: u64 = u64::MAX;
/// A body whose length is not known in advance: it comes in chunks.
const CHUNKED: u64 = u64::MAX - 1;

/// Passes the length of the current request's body from the server to the connection.
#[derive(Clone, Debug)]
pub(crate) struct Announced(Arc<AtomicU64>);

impl Announced {
    fn new() -> Announced {
        Announced(Arc::new(AtomicU64::new(UNKNOWN)))
    }

    /// Announces that the head has been read and a body of this length follows; `None` if the length is unknown.
    pub(crate) fn body(&self, length: Option<u64>) {
        let length = length.map_or(CHUNKED, |length| length.min(CHUNKED - 1));
        self.0.store(length, Ordering::Release);
    }

    /// What was announced of a head since the last time that it was asked.
    fn take(&self) -> Option<u64> {
        let length = self.0.swap(UNKNOWN, Ordering::AcqRel);
        (length != UNKNOWN).then_some(length)
    }
}

/// Where in the stream of requests the bytes are that come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the first line of a request.
    Line,
    /// In its headers; `ended` counts the bytes of `\r\n\r\n`, which ends them, that have just been read.
    Headers { ended: u8 },
    /// After a head: what comes next is known once the server has read it.
    AfterHead,
    /// In a body of which this many bytes are to come.
    Body { left: u64 },
    /// In a body that comes in chunks.
    Chunks(Chunks),
}

impl Place {
    fn is_in_body(self) -> bool {
        matches!(self, Place::Body { .. } | Place::Chunks(_))
    }

    /// Goes on by these bytes, but not beyond the end of a body; how many belong to it.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        match self {
            Place::Body { left } => {
                let own = (*left).min(bytes.len() as u64);
                *left -= own;
                own as usize
            }
            Place::Chunks(chunks) => chunks.pass(bytes),
            Place::Line | Place::Headers { .. } | Place::AfterHead => 0,
        }
    }
}

/// A connection whose requests' targets are encoded as they are read.
#[derive(Debug)]
pub(crate) struct EncodedTargets<S> {
    stream: S,
    announced: Announced,
    place: Place,
    /// What was read and is still to be passed on.
    ready: Vec<u8>,
    /// How much of it was passed on.
    given: usize,
    /// How much of it may be: what comes behind a head is looked at once the server has read the head.
    seen: usize,
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
            seen: 0,
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
        let rest = self.ready.split_off(self.given);
        self.seen = bytes.len() + self.seen - self.given;
        self.ready = [bytes, &rest].concat();
        self.given = 0;
    }

    /// Goes on to the body that the server has announced, and from a body that has come whole to the next request.
    fn move_on(&mut self) {
        if self.place == Place::AfterHead {
            self.place = match self.announced.take() {
                // It was not a head yet: servers pass over empty lines before one.
                None => Place::Line,
                Some(CHUNKED) => Place::Chunks(Chunks::default()),
                Some(left) => Place::Body { left },
            };
        }
        if let Place::Body { left: 0 } | Place::Chunks(Chunks::Ended) = self.place {
            self.place = Place::Line;
            self.head.give_back();
        }
    }

    /// Takes bytes of a head as they came, and keeps what comes behind it.
    fn take(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.ready.clear();
        self.given = 0;
        self.seen = 0;
        self.head.came(bytes.len()).map_err(std::io::Error::other)?;
        for (at, &byte) in bytes.iter().enumerate() {
            match &mut self.place {
                Place::Line => {
                    if byte == b'\n' {
                        self.place = Place::Headers { ended: 2 };
                    }
                    push_encoded(byte, &mut self.ready);
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
                        self.place = Place::AfterHead;
                    }
                }
                Place::AfterHead | Place::Body { .. } | Place::Chunks(_) => {
                    self.ready.extend_from_slice(&bytes[at..]);
                    break;
                }
            }
            self.seen = self.ready.len();
        }
        Ok(())
    }

    /// Looks at what has come behind the head or the body that was passed on.
    fn look_further(&mut self) -> std::io::Result<()> {
        self.move_on();
        if self.place.is_in_body() {
            self.seen += self.place.pass(&self.ready[self.seen..]);
            return Ok(());
        }
        let behind = self.ready.split_off(self.seen);
        self.take(&behind)
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
                    self.ready.extend_from_slice(read.filled());
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        Poll::Pending
    }

    /// Reads some of a head, and what comes with it.
    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        // Not zeroed: that would cost more than reading a head.
        let mut bytes = [MaybeUninit::uninit(); READ_BYTES];
        let mut read = ReadBuf::uninit(&mut bytes);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
        Poll::Ready(self.take(read.filled()))
    }

    /// Reads some of a body straight to where it is wanted, and keeps what comes behind it.
    fn poll_body(&mut self, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let before = out.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, out))?;
        let come = &out.filled()[before..];
        let own = self.place.pass(come);
        if own < come.len() {
            let behind = come[own..].to_vec();
            out.set_filled(before + own);
            self.move_on();
            self.take(&behind)?;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for EncodedTargets<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = &mut *self;
        if this.given == this.seen {
            if this.seen < this.ready.len() {
                this.look_further()?;
            } else {
                this.move_on();
                if this.place.is_in_body() {
                    return this.poll_body(context, out);
                }
                ready!(this.poll_head(context))?;
            }
        }
        let rest = &this.ready[this.given..this.seen];
        let fits = rest.len().min(out.remaining());
        out.put_slice(&rest[..fits]);
        this.given += fits;
        if this.given == this.ready.len() {
            // An idle connection is small.
            this.ready = Vec::new();
            this.given = 0;
            this.seen = 0;
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

    /// What strangers hold of a budget.
    fn held(memory: &Budget) -> usize {
        let usage = memory.usage();
        let strangers = usage.iter().find(|usage| usage.holder == Holder::Strangers);
        strangers.map_or(0, |usage| usage.held_bytes)
    }

    #[tokio::test]
    async fn long_heads_take_memory_until_the_next_request() {
        let memory = Budget::new(1 << 20);
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
        assert!(held(&memory) >= 20_000);
        pass("GET / HTTP/1.1\r\n\r\n", &mut stream).await.unwrap();
        announced.body(Some(0));
        assert_eq!(held(&memory), 0);
        // Strangers have a sixteenth.
        let longer = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(70_000));
        let refused = pass(&longer, &mut stream).await.unwrap_err();
        assert!(refused.to_string().contains("--memory"), "{refused}");
    }

    #[tokio::test]
    async fn requests_that_come_together_are_passed_on_one_after_the_other() {
        let first = ("PUT /\" HTTP/1.1\r\n\r\n", "3\r\n\"b\"\r\n0\r\n\r\n");
        let second = ("PUT /a HTTP/1.1\r\n\r\n", "\"c\"");
        let third = "GET /\" HTTP/1.1\r\n\r\n";
        let sent = [first.0, first.1, second.0, second.1, third].concat();
        let (mut stream, announced) = EncodedTargets::new(sent.as_bytes(), &Budget::default());
        let mut bytes = [0; 256];
        for (wanted, announces) in [
            ("PUT /%22 HTTP/1.1\r\n\r\n", Some(None)),
            (first.1, None),
            (second.0, Some(Some(3))),
            (second.1, None),
            ("GET /%22 HTTP/1.1\r\n\r\n", Some(Some(0))),
            ("", None),
        ] {
            let length = stream.read(&mut bytes).await.unwrap();
            assert_eq!(String::from_utf8_lossy(&bytes[..length]), wanted);
            if let Some(length) = announces {
                announced.body(length);
            }
        }
    }

    #[tokio::test]
    async fn a_long_head_behind_a_body_in_chunks_takes_memory() {
        let memory = Budget::new(1 << 20);
        let body = format!("9C40\r\n{}\r\n0\r\n\r\n", "\"".repeat(40_000));
        let next = format!("GET /\" HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000));
        let sent = format!("PUT /a HTTP/1.1\r\n\r\n{body}{next}");
        let (mut stream, announced) = EncodedTargets::new(sent.as_bytes(), &memory);
        let head = read(&mut stream, "PUT /a HTTP/1.1\r\n\r\n".len()).await;
        assert!(head.ends_with("\r\n\r\n"), "{head}");
        announced.body(None);
        let (mut passed, mut bytes) = (String::new(), vec![0; 64 * 1024]);
        while passed.len() < body.len() {
            let length = stream.read(&mut bytes).await.unwrap();
            passed.push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
        assert!(passed == body, "the body, and nothing behind it");
        // The quotation mark takes two bytes more.
        let passed = read(&mut stream, next.len() + 2).await;
        assert!(passed.starts_with("GET /%22 ") && passed.ends_with("x\r\n\r\n"));
        assert!(held(&memory) >= 20_000);
    }

    #[tokio::test]
    async fn what_comes_while_nobody_reads_requests_is_looked_at_later() {
        let (mut client, server) = tokio::io::duplex(1024);
        let (mut stream, announced) = EncodedTargets::new(server, &Budget::default());
        let mut send = async |sent: &str| {
            let written = tokio::io::AsyncWriteExt::write_all(&mut client, sent.as_bytes());
            written.await.unwrap();
        };
        send("GET / HTTP/1.1\r\n\r\nPUT /\" HTTP/1.1\r\n\r\n").await;
        let first = read_duplex(&mut stream).await;
        assert_eq!(first, "GET / HTTP/1.1\r\n\r\n");
        announced.body(Some(0));
        // What reads requests took the second one already, and gives it back.
        let second = read_duplex(&mut stream).await;
        assert_eq!(second, "PUT /%22 HTTP/1.1\r\n\r\n");
        stream.unread(second.as_bytes());
        send("\"b\"").await;
        std::future::poll_fn(|context| {
            assert!(stream.poll_closed(context).is_pending());
            Poll::Ready(())
        })
        .await;
        assert_eq!(read_duplex(&mut stream).await, second);
        announced.body(Some(3));
        assert_eq!(read_duplex(&mut stream).await, "\"b\"");
    }

    async fn read_duplex(stream: &mut EncodedTargets<tokio::io::DuplexStream>) -> String {
        let mut bytes = [0; 256];
        let length = stream.read(&mut bytes).await.unwrap();
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }
}
