//! Answers that go on for as long as their client listens, sent without hyper.
//!
//! There may be ten thousand of them, most with nothing to do, and hyper keeps a buffer of 8 kB for each connection. So it is
//! taken apart once it is known that a feed is the answer, and made anew when the feed has come to its end.

use crate::BodyError;
use crate::linger::LingeringStream;
use crate::slot::Taker;
use crate::target::EncodedTargets;
use crate::title_case::title_case;
use hyper::HeaderMap;
use hyper::header::{CONNECTION, DATE, HeaderValue, TRANSFER_ENCODING};
use hyper::http::response::Parts;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::SystemTime;
use tokio::io::AsyncWrite;

/// A connection, between two requests.
pub(crate) type Connection = EncodedTargets<LingeringStream>;

/// A feed that is to be sent.
#[derive(Debug)]
pub(crate) struct Feed {
    head: Vec<u8>,
    pieces: Taker,
    is_last: bool,
}

impl Feed {
    /// A feed with this head. `is_last`: whether the client wants no more answers.
    pub(crate) fn new(mut parts: Parts, pieces: Taker, is_last: bool) -> Feed {
        let headers = &mut parts.headers;
        headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        if let Ok(now) = HeaderValue::from_str(&httpdate::fmt_http_date(SystemTime::now())) {
            headers.insert(DATE, now);
        }
        if is_last {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Feed {
            head: head(parts.status, &parts.headers),
            pieces,
            is_last,
        }
    }

    /// Sends all of it. Returns whether more requests may follow; if not, the connection is to be closed.
    pub(crate) async fn send(mut self, connection: &mut Connection) -> Result<bool, FeedError> {
        write(connection, std::mem::take(&mut self.head)).await?;
        while let Some(piece) = self.next(connection).await? {
            // Copied, so that the piece itself is freed before the client is waited for.
            let chunk = chunk(&piece?);
            write(connection, chunk).await?;
        }
        write(connection, b"0\r\n\r\n".to_vec()).await?;
        Ok(!self.is_last)
    }

    /// The next piece, which is asked for once the client takes it.
    async fn next(
        &mut self,
        connection: &mut Connection,
    ) -> io::Result<Option<Result<bytes::Bytes, BodyError>>> {
        poll_fn(|context| {
            if connection.poll_closed(context).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            ready!(connection.inner().poll_writable(context))?;
            self.pieces.poll_next(context).map(Ok)
        })
        .await
    }
}

/// Why a feed did not come to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FeedError {
    /// The client is gone.
    #[error("{0}")]
    Connection(#[from] io::Error),
    /// Its maker gave it up.
    #[error("{0}")]
    Body(#[from] BodyError),
}

fn head(status: hyper::StatusCode, headers: &HeaderMap) -> Vec<u8> {
    let reason = status.canonical_reason().unwrap_or_default();
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", status.as_str()).into_bytes();
    for (name, value) in headers {
        head.extend_from_slice(title_case(name.as_str()).as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

fn chunk(piece: &[u8]) -> Vec<u8> {
    let line = format!("{:X}\r\n", piece.len());
    [line.as_bytes(), piece, b"\r\n"].concat()
}

/// Writes all, unless the client goes away.
async fn write(connection: &mut Connection, mut bytes: Vec<u8>) -> io::Result<()> {
    poll_fn(|context| {
        if connection.poll_closed(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        while !bytes.is_empty() {
            match ready!(Pin::new(&mut *connection).poll_write(context, &bytes))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                // A client that reads takes all of it. For one that does not, the rest alone is kept.
                more => bytes = bytes.split_off(more),
            }
        }
        // TLS may still have it.
        Pin::new(&mut *connection).poll_flush(context)
    })
    .await
}
