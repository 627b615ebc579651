//! Cuts a socket's bytes into messages.

use super::WireError;
use super::compression;
use super::header::{HEADER_BYTES, Header, OpCode};
use bytes::{Bytes, BytesMut};
use memory::{Budget, Full, Holder, Share, WAIT_MAX};
use net::{Pace, Stream};
use std::io::ErrorKind;
use tokio::time::timeout;

/// What is read at once where nothing is known of the message yet. A message of this length takes nothing of the budget.
const FIRST_READ_BYTES: usize = 4 * 1024;
/// How far a buffer is grown ahead of the bytes that have arrived.
const GROWTH_BYTES_MIN: usize = 64 * 1024;
/// The longest message of a client who has to log in first: hellos and logins are far shorter.
const STRANGER_BYTES_MAX: usize = 64 * 1024;

/// From what the memory for messages is taken.
#[derive(Clone, Debug)]
pub struct Intake {
    /// All of it.
    pub budget: Budget,
    /// Whether the client has to log in first.
    pub is_stranger: bool,
}

/// What came of waiting for a message.
#[derive(Debug)]
pub enum Arrival {
    /// A message, with all its bytes, and the memory that it holds; `None` if it is small.
    Message(Header, Bytes, Option<Share>),
    /// There is no memory for a message. It was skipped, so that the next can be read.
    Refused(Header, Full),
    /// The client closed between messages.
    End,
}

/// Reads messages; between them it holds only what arrived too early.
#[derive(Debug, Default)]
pub struct MessageReader {
    buffer: BytesMut,
    pace: Pace,
    looks_ahead: bool,
}

impl MessageReader {
    /// Sets whether the message after the next is looked for as soon as the next one is answered. A client whose answer is sent often
    /// runs at once, so that its message is there already: a write then joins the commit that is about to begin. But whoever is
    /// answered without a wait would be served many times in a row, and the others late.
    pub fn look_ahead(&mut self, looks_ahead: bool) {
        self.looks_ahead = looks_ahead;
    }

    /// The next message.
    pub async fn next(&mut self, stream: &Stream, intake: &Intake) -> Result<Arrival, WireError> {
        self.pace.restart();
        let Some(header) = self.header(stream).await? else {
            return Ok(Arrival::End);
        };
        if intake.is_stranger && header.length > STRANGER_BYTES_MAX {
            let length = header.length;
            return Err(WireError::Framing(format!(
                "{length} bytes before the login, where at most {STRANGER_BYTES_MAX} are taken"
            )));
        }
        let mut share = match self.claim(stream, &header).await? {
            0..=FIRST_READ_BYTES => None,
            bytes => match intake.share(bytes).await {
                Ok(share) => Some(share),
                Err(full) => {
                    self.pass_by(stream, header.length).await?;
                    return Ok(Arrival::Refused(header, full));
                }
            },
        };
        // Waiting for memory was not the client's fault.
        self.pace.restart();
        self.read_to(stream, header.length, share.as_mut()).await?;
        Ok(Arrival::Message(header, self.take(header.length), share))
    }

    /// The header of the next message, which stays in the buffer; `None` where the client closed before it.
    async fn header(&mut self, stream: &Stream) -> Result<Option<Header>, WireError> {
        loop {
            if let Some(bytes) = self.buffer.first_chunk::<HEADER_BYTES>() {
                return Ok(Some(Header::parse(bytes)?));
            }
            if self.read_some(stream, HEADER_BYTES, None).await? == 0 {
                return match self.buffer.is_empty() {
                    true => Ok(None),
                    false => Err(cut_off()),
                };
            }
        }
    }

    /// The bytes that the message will take: it, and what it unpacks to.
    async fn claim(&mut self, stream: &Stream, header: &Header) -> Result<usize, WireError> {
        if header.opcode != OpCode::Compressed {
            return Ok(header.length);
        }
        let head_bytes = compression::HEAD_BYTES.min(header.length);
        self.read_to(stream, head_bytes, None).await?;
        Ok(header.length + compression::claimed_bytes(&self.buffer).unwrap_or(0))
    }

    /// Reads until the buffer holds this many bytes.
    async fn read_to(
        &mut self,
        stream: &Stream,
        length: usize,
        mut share: Option<&mut Share>,
    ) -> Result<(), WireError> {
        while self.buffer.len() < length {
            if self.read_some(stream, length, share.as_deref_mut()).await? == 0 {
                return Err(cut_off());
            }
        }
        Ok(())
    }

    /// Reads a message without keeping it.
    async fn pass_by(&mut self, stream: &Stream, length: usize) -> Result<(), WireError> {
        let mut missing = length;
        self.pace.restart();
        loop {
            let here = missing.min(self.buffer.len());
            missing -= here;
            drop(self.buffer.split_to(here));
            if self.buffer.is_empty() {
                self.buffer = BytesMut::new();
            }
            if missing == 0 {
                return Ok(());
            }
            if self.read_some(stream, FIRST_READ_BYTES, None).await? == 0 {
                return Err(cut_off());
            }
        }
    }

    fn take(&mut self, length: usize) -> Bytes {
        let message = self.buffer.split_to(length).freeze();
        if self.buffer.is_empty() {
            // The spare room shares the message's memory: let it go with the message.
            self.buffer = BytesMut::new();
        }
        message
    }

    async fn read_some(
        &mut self,
        stream: &Stream,
        wanted: usize,
        share: Option<&mut Share>,
    ) -> Result<usize, WireError> {
        loop {
            // Waits without a buffer, so that an idle connection costs none.
            match self.buffer.is_empty() && share.is_none() {
                true => stream.readable().await?,
                false => {
                    self.pace.begin();
                    self.readable(stream, share.as_deref()).await?;
                }
            }
            let missing = wanted.saturating_sub(self.buffer.len());
            let ahead = self.buffer.len().max(GROWTH_BYTES_MIN);
            self.buffer.reserve(missing.min(ahead).max(FIRST_READ_BYTES));
            let read = match self.looks_ahead {
                true => stream.try_read_ahead(&mut self.buffer),
                false => stream.try_read_buf(&mut self.buffer),
            };
            match read {
                Ok(count) => {
                    self.pace.came(count);
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.buffer.is_empty() {
                        self.buffer = BytesMut::new();
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for more of a message that has begun, as long as it may take.
    async fn readable(&self, stream: &Stream, share: Option<&Share>) -> Result<(), WireError> {
        loop {
            let is_wanted = share.is_some_and(Share::is_wanted);
            let Some(wait) = self.pace.wait(is_wanted) else {
                return Err(WireError::Framing("a message did not go on".into()));
            };
            if let Ok(readable) = timeout(wait, stream.readable()).await {
                return Ok(readable?);
            }
        }
    }
}

impl Intake {
    /// The memory for a message. A small one does not wait behind large ones.
    async fn share(&self, bytes: usize) -> Result<Share, Full> {
        if self.is_stranger {
            let mut share = self.budget.share(Holder::Strangers);
            return share.set(bytes).map(|()| share);
        }
        let mut share = self.budget.share(Holder::of_request(bytes));
        share.wait(bytes, WAIT_MAX).await.map(|()| share)
    }
}

fn cut_off() -> WireError {
    WireError::Framing("the connection ended within a message".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    const MIB: usize = 1 << 20;

    async fn connected() -> (TcpStream, Stream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let client = TcpStream::connect(address).await.expect("listening");
        let (server, _) = listener.accept().await.expect("connected");
        (client, server.into())
    }

    fn intake(is_stranger: bool) -> Intake {
        Intake {
            budget: Budget::new(16 * MIB),
            is_stranger,
        }
    }

    fn message(length: usize) -> Vec<u8> {
        let mut message = vec![0; HEADER_BYTES];
        message.resize(length, 7);
        for (at, number) in [length as i32, 1, 0, 2013].into_iter().enumerate() {
            message[at * 4..at * 4 + 4].copy_from_slice(&number.to_le_bytes());
        }
        message
    }

    #[tokio::test]
    async fn a_message_that_does_not_go_on_is_given_up() {
        let (mut client, server) = connected().await;
        client.write_all(&[16, 0, 0]).await.expect("open");
        let mut reader = MessageReader {
            pace: Pace::with_grace(Duration::from_millis(20)),
            ..MessageReader::default()
        };
        let read = reader.next(&server, &intake(false)).await;
        assert!(matches!(read, Err(WireError::Framing(_))), "{read:?}");
    }

    /// Whether the next message is read at once, after one that is not the last that has come.
    async fn is_read_at_once(looks_ahead: bool) -> bool {
        let (mut client, server) = connected().await;
        let (mut reader, intake) = (MessageReader::default(), intake(false));
        reader.look_ahead(looks_ahead);
        client.write_all(&message(100)).await.expect("open");
        reader.next(&server, &intake).await.expect("whole");
        client.write_all(&message(100)).await.expect("open");
        // The runtime, which has one thread, has not been told of these bytes yet: nothing has waited since.
        let mut next = std::pin::pin!(reader.next(&server, &intake));
        let read = std::future::poll_fn(|context| std::task::Poll::Ready(next.as_mut().poll(context))).await;
        read.is_ready()
    }

    #[tokio::test]
    async fn a_message_that_is_there_is_read_before_the_system_tells_of_it() {
        let mut tries = 0;
        while !is_read_at_once(true).await {
            tries += 1;
            // A busy system itself is late with what was sent, now and then.
            assert!(tries < 100);
        }
        assert!(!is_read_at_once(false).await);
    }

    #[tokio::test]
    async fn a_message_holds_memory_until_it_is_answered() {
        let (mut client, server) = connected().await;
        let intake = intake(false);
        client.write_all(&message(100_000)).await.expect("open");
        let mut reader = MessageReader::default();
        let arrived = reader.next(&server, &intake).await.expect("whole");
        let held = || intake.budget.usage()[Holder::Requests as usize].held_bytes;
        assert!(matches!(&arrived, Arrival::Message(header, bytes, Some(_)) if header.length == bytes.len()));
        assert!(held() >= 100_000);
        drop(arrived);
        assert_eq!(held(), 0);
    }

    #[tokio::test]
    async fn those_who_have_to_log_in_send_little() {
        let (mut client, server) = connected().await;
        client
            .write_all(&message(STRANGER_BYTES_MAX + 1)[..HEADER_BYTES])
            .await
            .expect("open");
        let read = MessageReader::default().next(&server, &intake(true)).await;
        assert!(matches!(read, Err(WireError::Framing(_))), "{read:?}");
    }

    #[tokio::test]
    async fn a_message_without_memory_is_skipped() {
        let (mut client, server) = connected().await;
        let intake = intake(true);
        let mut others = intake.budget.share(Holder::Strangers);
        others.set(MIB).expect("all of it");
        client.write_all(&message(60_000)).await.expect("open");
        client.write_all(&message(100)).await.expect("open");
        let mut reader = MessageReader::default();
        let refused = reader.next(&server, &intake).await.expect("passed by");
        assert!(matches!(refused, Arrival::Refused(..)), "{refused:?}");
        let next = reader.next(&server, &intake).await.expect("whole");
        assert!(matches!(next, Arrival::Message(header, _, None) if header.length == 100));
    }
}
