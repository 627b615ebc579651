//! A client's socket. An operation that runs for long looks at it for whether the client still waits.

use bytes::Bytes;
use engine::{Client, Engine};
use memory::{Holder, Share};
use net::Stream;
use std::io::{Error, Result};

/// A client's socket, which its connection and the operation that runs share.
#[derive(Debug)]
pub struct Socket(Stream);

impl Socket {
    /// A client that has connected.
    pub fn new(stream: Stream) -> Socket {
        Socket(stream)
    }

    /// The stream, for reading.
    pub fn stream(&self) -> &Stream {
        &self.0
    }

    /// Sends a long message, which is counted. While others wait for memory, what the client has not taken goes to a temporary file.
    pub async fn send_long(&self, engine: &Engine, mut message: Bytes, held: Share) -> Result<()> {
        let memory = engine.memory();
        self.0
            .send_until(&mut message, memory.wanted(Holder::Answers))
            .await?;
        if message.is_empty() {
            return self.0.flush().await;
        }
        match engine.set_aside(message).await {
            Ok(mut pieces) => {
                drop(held);
                while let Some(piece) = pieces.next_piece().map_err(Error::other)? {
                    self.send(&piece).await?;
                }
                Ok(())
            }
            // There is no room for it.
            Err(message) => self.send(&message).await,
        }
    }

    /// Sends all bytes.
    pub async fn send(&self, bytes: &[u8]) -> Result<()> {
        self.0.send(bytes).await
    }
}

impl Client for Socket {
    /// A client whose side is closed is gone, as for MongoDB; one that has sent the next message already is not.
    fn is_gone(&self) -> bool {
        self.0.is_gone()
    }
}
