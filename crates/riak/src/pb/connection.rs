//! One connection: requests one after the other, each answered before the next is looked at.

use super::frame::{self, FrameError};
use super::secure;
use super::wire::Message;
use crate::access::Access;
use crate::error::{Result, RiakError};
use crate::limits::{MESSAGE_BYTES_MAX, SKIPPED_BYTES_MAX, STRANGER_BYTES_MAX};
use crate::operation;
use crate::server::Server;
use bytes::{Buf, Bytes, BytesMut};
use engine::OperationInfo;
use memory::{Holder, Share};
use net::{Pace, Tls};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use value::{Document, DocumentBuf};

/// What is read at once where nothing is known of the message yet.
const FIRST_READ_BYTES: usize = 4 * 1024;
/// How far a buffer is grown ahead of the bytes that have arrived.
const GROWTH_BYTES_MIN: usize = 64 * 1024;
/// How long a message waits until others let go of the memory that it needs.
const ROOM_TIME_MAX: Duration = Duration::from_secs(30);
/// How long a client may take to take an answer.
const SEND_TIME_MAX: Duration = Duration::from_secs(120);
/// The bytes of answers that are gathered before they are sent.
const SEND_BYTES: usize = 64 * 1024;

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
    out: Vec<u8>,
    pace: Pace,
    /// Whether what was sent cannot be ended as it should.
    is_given_up: bool,
    /// Whether a part of an answer may have been sent, and not all of it.
    is_sending: bool,
}

/// Serves a connection until the client closes it, or until `stop` becomes true.
pub(crate) async fn run(
    server: Arc<Server>,
    tls: Option<Tls>,
    stream: net::Stream,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let counted = server.clone();
    let _connected = counted.stats.connect();
    let stream = match tls {
        None => stream,
        Some(tls) => {
            let secured = Box::pin(secure::begin(tls, stream));
            let secured = tokio::select! {
                secured = secured => secured,
                () = net::stopped(&mut stop) => return,
            };
            match secured {
                Ok(stream) => stream,
                Err(error) => return tracing::debug!(%peer, %error, "the connection was not made secure"),
            }
        }
    };
    let mut connection = Connection {
        server,
        peer,
        access: None,
        client_id: vec![0; 4],
        stream: Arc::new(stream),
        buffer: BytesMut::new(),
        out: Vec::new(),
        pace: Pace::default(),
        is_given_up: false,
        is_sending: false,
    };
    loop {
        let message = tokio::select! {
            message = connection.next() => message,
            () = net::stopped(&mut stop) => return,
        };
        let answered = match message {
            Ok(Some((code, message, _memory))) => connection.answer(code, message).await,
            Ok(None) => return,
            Err(Fault::Io(error)) => Err(error),
            Err(Fault::Skipped(error)) => {
                let error = RiakError::bad(format!("too_large: {error}"));
                frame::put_error(&mut connection.out, &error);
                connection.flush().await
            }
            Err(Fault::Full(error)) => {
                frame::put_error(
                    &mut connection.out,
                    &RiakError::bad(format!("no_memory: {error}")),
                );
                connection.flush().await
            }
            Err(Fault::Frame(error)) => {
                // What follows cannot be told apart any more.
                frame::put_error(&mut connection.out, &RiakError::bad(error.to_string()));
                drop(connection.flush().await);
                return;
            }
        };
        if let Err(error) = answered {
            tracing::debug!(peer = %connection.peer, %error, "the connection ended");
            return;
        }
    }
}

enum Fault {
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
    /// The next message with the memory that it holds; `None` where the client closed before it.
    async fn next(&mut self) -> Result<Option<(u8, Bytes, Option<Share>)>, Fault> {
        self.pace.restart();
        let is_stranger = self.access.is_none() && self.server.engine.needs_login();
        let limit = if is_stranger {
            STRANGER_BYTES_MAX
        } else {
            MESSAGE_BYTES_MAX
        };
        let bytes = loop {
            match frame::wanted(&self.buffer, limit) {
                Ok(Some(bytes)) => break bytes,
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
        };
        let mut memory = None;
        if bytes > FIRST_READ_BYTES {
            let holder = if is_stranger {
                Holder::Strangers
            } else {
                Holder::of_request(bytes)
            };
            let mut share = self.server.engine.memory().share(holder);
            if let Err(full) = share.wait(bytes, ROOM_TIME_MAX).await {
                self.skip(bytes).await?;
                return Err(Fault::Full(full.to_string()));
            }
            memory = Some(share);
        }
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
                self.stream.readable().await?;
            } else {
                self.pace.begin();
                let wait = self.pace.wait(false).ok_or(io::ErrorKind::TimedOut)?;
                if tokio::time::timeout(wait, self.stream.readable()).await.is_err() {
                    continue;
                }
            }
            let ahead = self.buffer.len().max(GROWTH_BYTES_MIN);
            self.buffer.reserve(missing.min(ahead).max(FIRST_READ_BYTES));
            match self.stream.try_read_buf(&mut self.buffer) {
                Ok(count) => {
                    self.pace.came(count);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.buffer.is_empty() {
                        self.buffer = BytesMut::new();
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn answer(&mut self, code: u8, message: Bytes) -> io::Result<()> {
        self.follow_account();
        let stream = self.stream.clone();
        let access = self.access.clone().unwrap_or_default();
        let context = operation::context(&self.server, &access, move || stream.is_gone());
        let engine = self.server.engine.clone();
        let _listed = engine.register_operation(OperationInfo {
            id: 0,
            command: format!("riak {code}"),
            namespace: None,
            body: DocumentBuf::from(&Document::new().with("riak", i32::from(code))),
            connection: 0,
            client: self.peer,
            started: Instant::now(),
            context: context.clone(),
        });
        let work = Box::pin(super::dispatch::run(self, code, message));
        if let Err(error) = context.run(work).await {
            if error.status == http::StatusCode::INTERNAL_SERVER_ERROR {
                tracing::error!(error = error.message, "a request failed");
            }
            if self.is_given_up || self.is_sending {
                return Err(io::Error::other(error.message));
            }
            frame::put_error(&mut self.out, &error);
        }
        self.flush().await
    }

    /// Follows changes of the user's account and of roles; a user who was dropped is logged out.
    fn follow_account(&mut self) {
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

    async fn flush(&mut self) -> io::Result<()> {
        let out = std::mem::take(&mut self.out);
        let memory = self.server.engine.memory();
        let _held = (out.len() > SEND_BYTES).then(|| memory.charged(Holder::Answers, out.len()));
        self.is_sending = true;
        let sent = tokio::time::timeout(SEND_TIME_MAX, self.stream.send(&out)).await;
        sent.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        self.is_sending = false;
        Ok(())
    }
}
