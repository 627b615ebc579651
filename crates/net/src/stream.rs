//! A client's connection, plain or through TLS, with one way to use it.

use crate::tls::{Peer, Session};
use bytes::{BufMut, BytesMut};
use socket2::SockRef;
use std::io::{self, ErrorKind, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// A client's connection. What is said on it is the same whether it goes through TLS or not.
///
/// What is written may wait for [`Stream::flush`]; [`Stream::send`] does both.
#[derive(Debug)]
pub struct Stream(Inner);

#[derive(Debug)]
enum Inner {
    Plain(TcpStream),
    Secure(Box<Session>),
}

impl From<TcpStream> for Stream {
    fn from(tcp: TcpStream) -> Stream {
        Stream(Inner::Plain(tcp))
    }
}

impl From<Session> for Stream {
    fn from(session: Session) -> Stream {
        Stream(Inner::Secure(Box::new(session)))
    }
}

impl Stream {
    /// The socket below.
    pub fn tcp(&self) -> &TcpStream {
        match &self.0 {
            Inner::Plain(tcp) => tcp,
            Inner::Secure(session) => session.tcp(),
        }
    }

    /// The socket of a connection that goes without TLS; the connection itself where it does not.
    pub fn into_plain(self) -> Result<TcpStream, Stream> {
        match self.0 {
            Inner::Plain(tcp) => Ok(tcp),
            secure => Err(Stream(secure)),
        }
    }

    /// Whether it goes through TLS.
    pub fn is_secure(&self) -> bool {
        matches!(self.0, Inner::Secure(_))
    }

    /// Who the client is by its certificate, which was verified; `None` where it has shown none.
    pub fn certified(&self) -> Option<&Peer> {
        match &self.0 {
            Inner::Plain(_) => None,
            Inner::Secure(session) => session.peer(),
        }
    }

    /// Waits until there is something to read, or the end. May be dropped and asked again.
    pub async fn readable(&self) -> io::Result<()> {
        match &self.0 {
            Inner::Plain(tcp) => tcp.readable().await,
            Inner::Secure(session) => loop {
                match session.look() {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => session.tcp().readable().await?,
                    looked => return looked,
                }
            },
        }
    }

    /// Reads what has come; 0 at the end, an error of the kind `WouldBlock` where nothing has come. Where the buffer is not
    /// filled, nothing is left: then the next wait is for the event of new bytes, and costs no read that finds none.
    pub fn try_read_buf(&self, buffer: &mut BytesMut) -> io::Result<usize> {
        match &self.0 {
            Inner::Plain(tcp) => read_once(tcp, buffer),
            Inner::Secure(session) => session.try_read(|bytes| {
                let taken = bytes.len().min((buffer.capacity() - buffer.len()).max(1));
                buffer.put_slice(bytes.get(..taken).unwrap_or_default());
                taken
            }),
        }
    }

    /// Sends all bytes.
    pub async fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = match &self.0 {
                Inner::Plain(tcp) => {
                    tcp.writable().await?;
                    tcp.try_write(rest)
                }
                Inner::Secure(session) => session.try_write(&[IoSlice::new(rest)]),
            };
            match written {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.tcp().writable().await?,
                Err(error) => return Err(error),
            }
        }
        self.flush().await
    }

    /// Waits until the system has all that was written.
    pub async fn flush(&self) -> io::Result<()> {
        let Inner::Secure(session) = &self.0 else {
            return Ok(());
        };
        loop {
            match session.try_flush() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => session.tcp().writable().await?,
                flushed => return flushed,
            }
        }
    }

    /// Whether the client's side is closed. One that has sent something already is not gone.
    pub fn is_gone(&self) -> bool {
        match &self.0 {
            Inner::Plain(tcp) => match SockRef::from(tcp).peek(&mut [MaybeUninit::uninit()]) {
                Ok(count) => count == 0,
                Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
            },
            Inner::Secure(session) => session.is_gone(),
        }
    }
}

fn read_once(tcp: &TcpStream, buffer: &mut BytesMut) -> io::Result<usize> {
    let room = buffer.capacity() - buffer.len();
    let mut came = None;
    // The outer call forgets that the stream was readable, where it would block. It looked before the read, so it does
    // not forget what comes after.
    let read = tcp.try_io(Interest::READABLE, || {
        let count = tcp.try_read_buf(buffer)?;
        came = Some(count);
        match 0 < count && count < room {
            true => Err(ErrorKind::WouldBlock.into()),
            false => Ok(count),
        }
    });
    came.map_or(read, Ok)
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let session = match &mut self.0 {
            Inner::Plain(tcp) => return Pin::new(tcp).poll_read(cx, buffer),
            Inner::Secure(session) => session,
        };
        loop {
            let read = session.try_read(|bytes| {
                let taken = bytes.len().min(buffer.remaining());
                buffer.put_slice(bytes.get(..taken).unwrap_or_default());
                taken
            });
            match read {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    ready!(session.tcp().poll_read_ready(cx))?;
                }
                read => return Poll::Ready(read.map(drop)),
            }
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let session = match &mut self.0 {
            Inner::Plain(tcp) => return Pin::new(tcp).poll_write_vectored(cx, slices),
            Inner::Secure(session) => session,
        };
        loop {
            match session.try_write(slices) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    ready!(session.tcp().poll_write_ready(cx))?;
                }
                written => return Poll::Ready(written),
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Inner::Secure(session) = &self.0 else {
            return Poll::Ready(Ok(()));
        };
        loop {
            match session.try_flush() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    ready!(session.tcp().poll_write_ready(cx))?;
                }
                flushed => return Poll::Ready(flushed),
            }
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Inner::Secure(session) = &self.0 {
            session.announce_end();
            ready!(self.as_mut().poll_flush(cx))?;
        }
        match &mut self.0 {
            Inner::Plain(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Inner::Secure(session) => Pin::new(session.tcp_mut()).poll_shutdown(cx),
        }
    }
}
