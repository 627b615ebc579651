//! A client's socket. An operation that runs for long looks at it for whether the client still waits.

use engine::Client;
use net::Stream;
use std::io::Result;

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
