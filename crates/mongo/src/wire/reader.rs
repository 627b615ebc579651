//! Cuts a socket's bytes into messages.

use super::WireError;
use super::header::{HEADER_BYTES, Header};
use bytes::{Bytes, BytesMut};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// What is read at once where nothing is known of the message yet.
const FIRST_READ_BYTES: usize = 4 * 1024;
/// How long nothing may come within a message.
const STALL_TIME_MAX: Duration = Duration::from_secs(60);
/// How far a buffer is grown ahead of the bytes that have arrived.
const GROWTH_BYTES_MIN: usize = 64 * 1024;

/// Reads messages; between them it holds only what arrived too early.
#[derive(Debug)]
pub struct MessageReader {
    buffer: BytesMut,
    stall_time_max: Duration,
}

impl Default for MessageReader {
    /// A reader at the start of a stream.
    fn default() -> MessageReader {
        MessageReader {
            buffer: BytesMut::new(),
            stall_time_max: STALL_TIME_MAX,
        }
    }
}

impl MessageReader {
    /// The next message: its header, and all its bytes. None where the client closed between messages.
    pub async fn next(&mut self, stream: &TcpStream) -> Result<Option<(Header, Bytes)>, WireError> {
        let mut wanted = HEADER_BYTES;
        let mut header = None;
        loop {
            if header.is_none()
                && let Some(bytes) = self.buffer.first_chunk::<HEADER_BYTES>()
            {
                let parsed = Header::parse(bytes)?;
                wanted = parsed.length;
                header = Some(parsed);
            }
            if let Some(header) = header
                && self.buffer.len() >= wanted
            {
                return Ok(Some((header, self.take(wanted))));
            }
            if self.read_some(stream, wanted).await? == 0 {
                return match self.buffer.is_empty() {
                    true => Ok(None),
                    false => Err(WireError::Framing("the connection ended within a message".into())),
                };
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

    async fn read_some(&mut self, stream: &TcpStream, wanted: usize) -> Result<usize, WireError> {
        loop {
            // Waits without a buffer, so that an idle connection costs none.
            match self.buffer.is_empty() {
                true => stream.readable().await?,
                false => timeout(self.stall_time_max, stream.readable())
                    .await
                    .map_err(|_| WireError::Framing("a message did not go on".into()))??,
            }
            let missing = wanted.saturating_sub(self.buffer.len());
            let ahead = self.buffer.len().max(GROWTH_BYTES_MIN);
            self.buffer.reserve(missing.min(ahead).max(FIRST_READ_BYTES));
            match stream.try_read_buf(&mut self.buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    if self.buffer.is_empty() {
                        self.buffer = BytesMut::new();
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_message_that_does_not_go_on_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let mut client = TcpStream::connect(address).await.expect("listening");
        let (server, _) = listener.accept().await.expect("connected");
        client.write_all(&[16, 0, 0]).await.expect("open");
        let mut reader = MessageReader {
            stall_time_max: Duration::from_millis(20),
            ..MessageReader::default()
        };
        let read = reader.next(&server).await;
        assert!(matches!(read, Err(WireError::Framing(_))), "{read:?}");
    }
}
