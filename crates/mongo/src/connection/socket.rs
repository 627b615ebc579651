//! A client's socket. An operation that runs for long looks at it for whether the client still waits.

use engine::Client;
use socket2::SockRef;
use std::io::{Error, ErrorKind, Result};
use std::mem::MaybeUninit;
use tokio::net::TcpStream;

/// A client's socket, which its connection and the operation that runs share.
#[derive(Debug)]
pub struct Socket(TcpStream);

impl Socket {
    /// A client that has connected.
    pub fn new(stream: TcpStream) -> Socket {
        Socket(stream)
    }

    /// The stream, for reading.
    pub fn stream(&self) -> &TcpStream {
        &self.0
    }

    /// Sends all bytes.
    pub async fn send(&self, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.0.writable().await?;
            match self.0.try_write(rest) {
                Ok(0) => return Err(Error::from(ErrorKind::WriteZero)),
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Client for Socket {
    /// A client whose side is closed is gone, as for MongoDB; one that has sent the next message already is not.
    fn is_gone(&self) -> bool {
        match SockRef::from(&self.0).peek(&mut [MaybeUninit::uninit()]) {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }
}
