//! How the bytes of a connection come in: how fast, and for how much memory.

use bytes::BytesMut;
use memory::{Budget, Holder, Share};
use net::{Pace, Stream};
use std::io::ErrorKind;
use std::time::Duration;

/// The most that is read at once while little comes.
const READ_BYTES_MIN: usize = 4 << 10;
/// The same while much comes.
const READ_BYTES_MAX: usize = 64 << 10;
/// How long a connection waits in line for memory before it logs that there is none, and waits again.
const ROOM_TIME_MAX: Duration = Duration::from_secs(30);

/// What came on a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Came {
    Bytes,
    /// The client has closed its side, or the connection broke.
    End,
    /// A message was begun, and did not go on.
    Late,
}

/// The bytes of a connection that are not part of a taken message yet. Between two messages it holds no memory.
pub(crate) struct Intake<'s> {
    stream: &'s Stream,
    pub(crate) buffer: BytesMut,
    share: Share,
    pace: Pace,
    read_bytes: usize,
}

impl<'s> Intake<'s> {
    pub(crate) fn new(stream: &'s Stream, memory: &Budget) -> Intake<'s> {
        Intake {
            stream,
            buffer: BytesMut::new(),
            share: memory.share(Holder::Syslog),
            pace: Pace::default(),
            read_bytes: READ_BYTES_MIN,
        }
    }

    /// Messages were taken: the next one may take as long.
    pub(crate) fn taken(&mut self) {
        self.pace.restart();
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
        // What is less always fits.
        self.share.fit(self.buffer.len());
    }

    /// The message that was begun and not ended; its memory is not counted any more.
    pub(crate) fn into_rest(self) -> BytesMut {
        self.buffer
    }

    /// Reads what comes. May be dropped and asked again.
    pub(crate) async fn more(&mut self) -> Came {
        loop {
            match self.readable().await {
                Came::Bytes => {}
                ended => return ended,
            }
            if !self.has_room().await {
                return Came::Late;
            }
            let room = self.buffer.capacity() - self.buffer.len();
            match self.stream.try_read_buf(&mut self.buffer) {
                Ok(0) => return Came::End,
                Ok(count) => {
                    self.pace.came(count);
                    self.read_bytes = match count < room {
                        true => READ_BYTES_MIN,
                        false => (self.read_bytes * 2).min(READ_BYTES_MAX),
                    };
                    return Came::Bytes;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.buffer.is_empty() {
                        self.taken();
                    }
                }
                Err(_) => return Came::End,
            }
        }
    }

    /// Waits for bytes: without limit for the first of a message, and for the others as long as a message may take.
    async fn readable(&mut self) -> Came {
        loop {
            let readable = match self.buffer.is_empty() {
                true => self.stream.readable().await,
                false => {
                    self.pace.begin();
                    let Some(wait) = self.pace.wait(self.share.is_wanted()) else {
                        return Came::Late;
                    };
                    match tokio::time::timeout(wait, self.stream.readable()).await {
                        Ok(readable) => readable,
                        Err(_) => continue,
                    }
                }
            };
            return match readable {
                Ok(()) => Came::Bytes,
                Err(_) => Came::End,
            };
        }
    }

    /// Waits for the memory of the next read. A connection that holds some already waits no longer than a message may take:
    /// otherwise connections that hold some would wait for each other.
    async fn has_room(&mut self) -> bool {
        let bytes = self.buffer.len() + self.read_bytes;
        loop {
            let time_max = match self.buffer.is_empty() {
                true => ROOM_TIME_MAX,
                false => {
                    self.pace.begin();
                    match self.pace.wait(self.share.is_wanted()) {
                        Some(time_max) => time_max,
                        None => return false,
                    }
                }
            };
            let room = self.share.wait(bytes, ROOM_TIME_MAX);
            if let Ok(Ok(())) = tokio::time::timeout(time_max, room).await {
                break;
            }
        }
        self.buffer.reserve(self.read_bytes);
        true
    }
}
