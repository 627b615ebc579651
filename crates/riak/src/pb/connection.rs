//! One client's connection: what it sends, message by message, and what is sent to it.
//!
//! Each message is answered before the next is looked at, but for puts that a client sends without waiting for answers
//! ([`pipelined`](super::pipelined)). Answers to what came together are sent together.

use super::frame::{self, FrameError, code};
use super::wire::Message;
use crate::access::Access;
use crate::error::{Result, RiakError};
use crate::limits::{MESSAGE_BYTES_MAX, SKIPPED_BYTES_MAX, STRANGER_BYTES_MAX};
use crate::server::Server;
use bytes::{Buf, Bytes, BytesMut};
use memory::{Holder, Share, WAIT_MAX};
use net::Pace;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// What is read at once where nothing is known of the message yet.
const FIRST_READ_BYTES: usize = 4 * 1024;
/// How far a buffer is grown ahead of the bytes that have arrived.
pub(super) const GROWTH_BYTES_MIN: usize = 64 * 1024;
/// The memory of messages that came one after the other: their bytes, and what they are decoded into.
const AHEAD_FACTOR: usize = 2;
/// How long a client may take to take an answer.
const SEND_TIME_MAX: Duration = Duration::from_secs(120);
/// How long it may go on to take one that is long once others wait for memory.
const SEND_TIME_MAX_WHEN_WANTED: Duration = Duration::from_secs(10);
/// The bytes of answers that are gathered before they are sent.
const SEND_BYTES: usize = 64 * 1024;
/// The bytes of answers that wait for those of messages which came with theirs: few, since to send is also to let others have the thread.
const DEFERRED_BYTES: usize = 4 * 1024;

/// A client.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) server: Arc<Server>,
    pub(crate) peer: SocketAddr,
    /// `None` where the client has to log in first.
    pub(crate) access: Option<Access>,
    pub(crate) client_id: Vec<u8>,
    /// Shared with the operation that runs, which looks whether its client is still there.
    stream: Arc<net::Stream>,
    buffer: BytesMut,
    /// Whether the last read has filled its room, so that there may be more.
    is_filled: bool,
    /// The memory of messages that came one after the other, and of what they are decoded into.
    ahead: Share,
    out: Vec<u8>,
    pace: Pace,
    /// The messages that were taken and have no answer yet.
    unanswered: usize,
    /// Whether what was sent cannot be ended as it should.
    is_given_up: bool,
    /// Whether a part of an answer may have been sent, and not all of it.
    is_sending: bool,
}

/// Why there is no next message.
pub(super) enum Fault {
    Io(io::Error),
    Frame(FrameError),
    /// The message was too large; what follows it can be answered.
    Skipped(FrameError),
    /// There was no memory for it; likewise.
    Full(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

impl Connection {
    pub(super) fn new(server: Arc<Server>, stream: net::Stream, peer: SocketAddr) -> Connection {
        let ahead = server.engine.memory().share(Holder::Requests);
        Connection {
            server,
            peer,
            access: None,
            client_id: vec![0; 4],
            stream: Arc::new(stream),
            buffer: BytesMut::new(),
            is_filled: false,
            ahead,
            out: Vec::new(),
            pace: Pace::default(),
            unanswered: 0,
            is_given_up: false,
            is_sending: false,
        }
    }

    /// Whether the client has to log in first.
    fn is_stranger(&self) -> bool {
        self.access.is_none() && self.server.engine.needs_login()
    }

    /// The next message with the memory that it holds; `None` where the client closed before it.
    pub(super) async fn next(&mut self) -> Result<Option<(u8, Bytes, Option<Share>)>, Fault> {
        self.pace.restart();
        let is_stranger = self.is_stranger();
        let Some(bytes) = self.announced(is_stranger).await? else {
            return Ok(None);
        };
        let memory = self.room_for(bytes, is_stranger).await?;
        self.pace.restart();
        while self.buffer.len() < bytes {
            if self.read_some(bytes - self.buffer.len()).await? == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
        }
        let (code, message) = frame::take(&mut self.buffer, bytes);
        if self.buffer.is_empty() {
            // The spare room shares the message's memory: let it go with the message.
            self.buffer = BytesMut::new();
        }
        Ok(Some((code, message, memory)))
    }

    /// The bytes of the next frame; `None` where the client closed before it.
    async fn announced(&mut self, is_stranger: bool) -> Result<Option<usize>, Fault> {
        let limit = if is_stranger {
            STRANGER_BYTES_MAX
        } else {
            MESSAGE_BYTES_MAX
        };
        loop {
            match frame::wanted(&self.buffer, limit) {
                Ok(Some(bytes)) => return Ok(Some(bytes)),
                Err(error @ FrameError::TooLarge(bytes, _)) if bytes <= SKIPPED_BYTES_MAX && !is_stranger => {
                    self.skip(frame::LENGTH_BYTES + bytes).await?;
                    return Err(Fault::Skipped(error));
                }
                Err(error) => return Err(Fault::Frame(error)),
                Ok(None) if self.read_some(FIRST_READ_BYTES).await? == 0 => {
                    return match self.buffer.is_empty() {
                        true => Ok(None),
                        false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                    };
                }
                Ok(None) => {}
            }
        }
    }

    /// The memory of a frame; none for a short one.
    async fn room_for(&mut self, bytes: usize, is_stranger: bool) -> Result<Option<Share>, Fault> {
        if bytes <= FIRST_READ_BYTES {
            return Ok(None);
        }
        let holder = if is_stranger {
            Holder::Strangers
        } else {
            Holder::of_request(bytes)
        };
        let mut share = self.server.engine.memory().share(holder);
        if let Err(full) = share.wait(bytes, WAIT_MAX).await {
            self.skip(bytes).await?;
            return Err(Fault::Full(full.to_string()));
        }
        Ok(Some(share))
    }

    /// The message after the one that is being answered, if all of it has arrived and it is a short one.
    pub(super) fn waiting(&mut self) -> Option<(u8, &[u8])> {
        if self.waiting_bytes().is_none() && self.is_filled {
            self.reserve(FIRST_READ_BYTES);
            // An error of the stream is reported when the next message is read.
            drop(self.read_now());
        }
        let bytes = self.waiting_bytes()?;
        let (code, message) = self.buffer.get(frame::LENGTH_BYTES..bytes)?.split_first()?;
        Some((*code, message))
    }

    /// The bytes of its frame.
    fn waiting_bytes(&self) -> Option<usize> {
        let bytes = frame::wanted(&self.buffer, GROWTH_BYTES_MIN).ok()??;
        (bytes <= self.buffer.len()).then_some(bytes)
    }

    /// Takes it out of the buffer: it is answered together with the one before it.
    pub(super) fn take_waiting(&mut self) {
        if let Some(bytes) = self.waiting_bytes() {
            self.buffer.advance(bytes);
            self.unanswered += 1;
            if self.buffer.is_empty() {
                self.buffer = BytesMut::new();
            }
        }
    }

    /// Reads `bytes` and keeps none of them: a client that is still sending would not see why it was refused.
    async fn skip(&mut self, bytes: usize) -> io::Result<()> {
        let mut left = bytes;
        loop {
            let taken = left.min(self.buffer.len());
            self.buffer.advance(taken);
            left -= taken;
            if left == 0 {
                return Ok(());
            }
            if self.read_some(left).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    async fn read_some(&mut self, missing: usize) -> io::Result<usize> {
        loop {
            // Waits without a buffer, so that an idle connection costs none.
            if self.buffer.is_empty() {
                // Less than before always fits.
                self.ahead.fit(0);
                self.stream.readable().await?;
            } else {
                self.pace.begin();
                let wait = self.pace.wait(false).ok_or(io::ErrorKind::TimedOut)?;
                if tokio::time::timeout(wait, self.stream.readable()).await.is_err() {
                    continue;
                }
            }
            self.reserve(missing);
            match self.read_now() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    /// Makes room for what is missing, as far as it is read at once. A client that sends message after message, so that reads are
    /// filled, has them read many at a time.
    fn reserve(&mut self, missing: usize) {
        let may_have_more = self.is_filled && !self.is_stranger();
        let least = if may_have_more && self.ahead.fit(AHEAD_FACTOR * GROWTH_BYTES_MIN) {
            GROWTH_BYTES_MIN
        } else {
            FIRST_READ_BYTES
        };
        let most = self.buffer.len().max(GROWTH_BYTES_MIN);
        self.buffer.reserve(missing.min(most).max(least));
    }

    /// Reads what is there.
    fn read_now(&mut self) -> io::Result<usize> {
        let room = self.buffer.capacity() - self.buffer.len();
        let read = self.stream.try_read_buf(&mut self.buffer);
        self.is_filled = read.as_ref().is_ok_and(|&count| count == room && count > 0);
        if let Ok(count) = read {
            self.pace.came(count);
        }
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
        read
    }

    /// Whether the client has gone, asked while one of its messages is answered.
    pub(super) fn gone(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let stream = self.stream.clone();
        move || stream.is_gone()
    }

    /// Begins the answer to a message.
    pub(super) fn begin_answer(&mut self) {
        self.unanswered = 1;
    }

    /// Answers by an error what has no answer yet. An error where a part of an answer was sent: then nothing can follow it.
    pub(super) fn fail_answer(&mut self, error: RiakError) -> io::Result<()> {
        log(&error);
        if self.is_given_up || self.is_sending {
            return Err(io::Error::other(error.message));
        }
        for _ in 0..self.unanswered {
            frame::put_error(&mut self.out, &error);
        }
        Ok(())
    }

    /// Sends the answer, or keeps it for the next one: answers to what came together go together, but not those before a message
    /// that may have to wait for memory.
    pub(super) async fn end_answer(&mut self) -> io::Result<()> {
        let is_quick = matches!(
            self.waiting(),
            Some((code::PING | code::GET | code::PUT | code::DEL, _))
        );
        let is_short = self
            .waiting_bytes()
            .is_some_and(|bytes| bytes <= FIRST_READ_BYTES);
        if is_quick && is_short && self.out.len() < DEFERRED_BYTES {
            return Ok(());
        }
        self.flush().await
    }

    /// Says why a message has no answer. An error where nothing that follows can be answered.
    pub(super) async fn refuse(&mut self, fault: Fault) -> io::Result<()> {
        let (error, is_last) = match fault {
            Fault::Io(error) => return Err(error),
            Fault::Skipped(error) => (RiakError::bad(format!("too_large: {error}")), false),
            Fault::Full(error) => (RiakError::bad(format!("no_memory: {error}")), false),
            // Where the next message begins is not known any more.
            Fault::Frame(error) => (RiakError::bad(error.to_string()), true),
        };
        frame::put_error(&mut self.out, &error);
        self.flush().await?;
        match is_last {
            true => Err(io::Error::other(error.message)),
            false => Ok(()),
        }
    }

    /// Follows changes of the user's account and of roles; a user who was dropped is logged out.
    pub(super) fn follow_account(&mut self) {
        let access = self.access.take();
        self.access = access.and_then(|access| access.renewed(&self.server));
    }

    /// Ends the connection with the present answer, of which a part was sent.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// The subject of the certificate that the client has shown.
    pub(super) fn certified(&self) -> Option<&str> {
        Some(self.stream.certified()?.subject.as_str())
    }

    /// What the client may do.
    pub(crate) fn granted(&self) -> Result<&Access> {
        let missing = || RiakError::forbidden("Permission denied: log in first");
        self.access.as_ref().ok_or_else(missing)
    }

    /// Adds a message to what is sent.
    pub(crate) fn put(&mut self, code: u8, message: &impl Message) {
        frame::put(&mut self.out, code, message);
    }

    /// Adds an error as the answer to a message.
    pub(super) fn put_error(&mut self, error: &RiakError) {
        log(error);
        frame::put_error(&mut self.out, error);
    }

    pub(crate) fn put_empty(&mut self, code: u8) {
        frame::put_empty(&mut self.out, code);
    }

    /// Adds a message and sends all where it has become much, so that a long answer is not kept.
    pub(crate) async fn send(&mut self, code: u8, message: &impl Message) -> Result<()> {
        self.put(code, message);
        self.send_much().await
    }

    /// Adds bytes of a message and sends all where it has become much.
    pub(super) async fn put_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.extend_from_slice(bytes);
        self.send_much().await
    }

    async fn send_much(&mut self) -> Result<()> {
        if self.out.len() < SEND_BYTES {
            return Ok(());
        }
        let gone = |error: io::Error| RiakError::bad(format!("the client is gone: {error}"));
        self.flush().await.map_err(gone)
    }

    pub(super) async fn flush(&mut self) -> io::Result<()> {
        let out = std::mem::take(&mut self.out);
        let memory = self.server.engine.memory();
        let held = (out.len() > SEND_BYTES).then(|| memory.charged(Holder::Answers, out.len()));
        self.is_sending = true;
        let late = async {
            match held {
                None => tokio::time::sleep(SEND_TIME_MAX).await,
                Some(_) => tokio::select! {
                    () = tokio::time::sleep(SEND_TIME_MAX) => {}
                    () = memory.wanted(Holder::Answers) => tokio::time::sleep(SEND_TIME_MAX_WHEN_WANTED).await,
                },
            }
        };
        tokio::select! {
            biased;
            sent = self.stream.send(&out) => sent?,
            () = late => return Err(io::ErrorKind::TimedOut.into()),
        }
        self.is_sending = false;
        Ok(())
    }
}

/// Logs errors that are the server's fault.
fn log(error: &RiakError) {
    if error.status == http::StatusCode::INTERNAL_SERVER_ERROR {
        tracing::error!(error = error.message, "a request failed");
    }
}
