//! How a connection becomes secure where the server has TLS: a client asks for it before anything else (`RpbStartTls`), or begins with it.

use super::frame::{self, code};
use crate::error::RiakError;
use crate::limits::STRANGER_BYTES_MAX;
use bytes::BytesMut;
use net::{Stream, Tls};
use std::io::{self, ErrorKind};
use std::time::Duration;

/// How long a client may take to ask for TLS.
const ASK_TIME_MAX: Duration = Duration::from_secs(10);
/// The first byte of TLS: a handshake. That of a message is the first of its length, and none is so long.
const HANDSHAKE: u8 = 0x16;
/// What is read at once.
const READ_BYTES: usize = 1024;

/// The connection when it is secure.
pub(super) async fn begin(tls: Tls, stream: Stream) -> io::Result<Stream> {
    let asked = tokio::time::timeout(ASK_TIME_MAX, until_asked(&stream)).await;
    asked.map_err(|_| ErrorKind::TimedOut)??;
    match stream.into_plain() {
        Ok(tcp) => tls.accept(tcp).await,
        Err(secure) => Ok(secure),
    }
}

/// Answers a client until what comes next is TLS.
async fn until_asked(stream: &Stream) -> io::Result<()> {
    let mut first = [0];
    if stream.tcp().peek(&mut first).await? == 1 && first[0] == HANDSHAKE {
        return Ok(());
    }
    let mut buffer = BytesMut::new();
    loop {
        let wanted = frame::wanted(&buffer, STRANGER_BYTES_MAX).map_err(invalid)?;
        let Some(bytes) = wanted.filter(|&bytes| bytes <= buffer.len()) else {
            stream.readable().await?;
            buffer.reserve(READ_BYTES);
            match stream.try_read_buf(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error),
            }
        };
        let (code, _) = frame::take(&mut buffer, bytes);
        let mut out = Vec::new();
        match code {
            // What came with the request came unprotected, and could be somebody else's.
            code::START_TLS if !buffer.is_empty() => {
                return Err(invalid("more came with the request for TLS"));
            }
            code::START_TLS => {
                frame::put_empty(&mut out, code::START_TLS);
                return stream.send(&out).await;
            }
            _ => {
                let refused = RiakError::bad("Security is enabled, please STARTTLS first");
                frame::put_error(&mut out, &refused);
                stream.send(&out).await?;
            }
        }
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}
