//! A client's connection, plain or through TLS, with one way to use it.

use crate::tls::{Peer, Session};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use socket2::SockRef;
use std::io::{self, ErrorKind, IoSlice};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::pin::{Pin, pin};
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

    /// The socket of a connection without TLS; otherwise the connection itself, as it was.
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

    /// Who the client is by its certificate, which was verified; `None` if it has shown none.
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

    /// Reads what has come; 0 at the end, an error of the kind `WouldBlock` if nothing has come. If the buffer is not
    /// filled, nothing is left: then the next wait is for the event of new bytes, and costs no read that finds none.
    pub fn try_read_buf(&self, buffer: &mut BytesMut) -> io::Result<usize> {
        match &self.0 {
            Inner::Plain(tcp) => {
                let room = buffer.capacity() - buffer.len();
                read_once(tcp, buffer, room)
            }
            Inner::Secure(session) => session.try_read(|bytes| {
                let taken = bytes.len().min((buffer.capacity() - buffer.len()).max(1));
                buffer.put_slice(bytes.get(..taken).unwrap_or_default());
                taken
            }),
        }
    }

    /// As [`Stream::try_read_buf`], but the next wait ends at once, and the read after it finds what has come meanwhile without the
    /// system having told of it. If nothing has come, that read was in vain.
    pub fn try_read_ahead(&self, buffer: &mut BytesMut) -> io::Result<usize> {
        match &self.0 {
            Inner::Plain(tcp) => tcp.try_read_buf(buffer),
            Inner::Secure(_) => self.try_read_buf(buffer),
        }
    }

    /// Sends all bytes.
    pub async fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = self.send_some(rest).await?;
            rest = rest.get(count..).unwrap_or_default();
        }
        self.flush().await
    }

    /// Sends bytes until none are left, or until something else is over. To be flushed if none are left.
    pub async fn send_until(&self, bytes: &mut Bytes, until: impl Future<Output = ()>) -> io::Result<()> {
        let mut until = pin!(until);
        while !bytes.is_empty() {
            tokio::select! {
                biased;
                sent = self.send_some(bytes) => bytes.advance(sent?),
                () = &mut until => break,
            }
        }
        Ok(())
    }

    /// Waits until the client takes something, and sends as much as it takes, at least one byte. May be dropped, and nothing was sent
    /// then. What was sent is to be flushed at last.
    async fn send_some(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let written = match &self.0 {
                Inner::Plain(tcp) => {
                    tcp.writable().await?;
                    tcp.try_write(bytes)
                }
                Inner::Secure(session) => session.try_write(&[IoSlice::new(bytes)]),
            };
            match written {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.tcp().writable().await?,
                written => return written,
            }
        }
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

/// Reads what is there. A buffer that was not filled shows that nothing is left: the next wait is for new bytes.
fn read_once(tcp: &TcpStream, buffer: &mut impl BufMut, room: usize) -> io::Result<usize> {
    let mut came = None;
    // If the read would block, the outer call forgets that the stream was readable. It looked before the read, so it does
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

/// Writes what the socket takes; likewise.
fn write_once(tcp: &TcpStream, slices: &[IoSlice<'_>]) -> io::Result<usize> {
    let length: usize = slices.iter().map(|slice| slice.len()).sum();
    let mut taken = None;
    let written = tcp.try_io(Interest::WRITABLE, || {
        let count = tcp.try_write_vectored(slices)?;
        taken = Some(count);
        match 0 < count && count < length {
            true => Err(ErrorKind::WouldBlock.into()),
            false => Ok(count),
        }
    });
    taken.map_or(written, Ok)
}

/// The same as for a socket, through a shared reference: one task may look whether the client is still there
/// ([`Stream::is_gone`]) while another one reads and writes. There may be one reader and one writer.
impl Stream {
    /// As [`AsyncRead::poll_read`].
    pub fn poll_read(&self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let read = match &self.0 {
                Inner::Plain(tcp) => {
                    ready!(tcp.poll_read_ready(cx))?;
                    let room = buffer.remaining();
                    read_once(tcp, buffer, room)
                }
                Inner::Secure(session) => session.try_read(|bytes| {
                    let taken = bytes.len().min(buffer.remaining());
                    buffer.put_slice(bytes.get(..taken).unwrap_or_default());
                    taken
                }),
            };
            match read {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    ready!(self.tcp().poll_read_ready(cx))?;
                }
                read => return Poll::Ready(read.map(drop)),
            }
        }
    }

    /// As [`AsyncWrite::poll_write_vectored`].
    pub fn poll_write_vectored(
        &self,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        loop {
            let written = match &self.0 {
                Inner::Plain(tcp) => {
                    ready!(tcp.poll_write_ready(cx))?;
                    write_once(tcp, slices)
                }
                Inner::Secure(session) => session.try_write(slices),
            };
            match written {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    ready!(self.tcp().poll_write_ready(cx))?;
                }
                written => return Poll::Ready(written),
            }
        }
    }

    /// As [`AsyncWrite::poll_flush`].
    pub fn poll_flush(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
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

    /// As [`AsyncWrite::poll_shutdown`].
    pub fn poll_shutdown(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Inner::Secure(session) = &self.0 {
            session.announce_end();
            ready!(self.poll_flush(cx))?;
        }
        Poll::Ready(SockRef::from(self.tcp()).shutdown(Shutdown::Write))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Stream::poll_read(&self, cx, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Stream::poll_write_vectored(&self, cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Stream::poll_write_vectored(&self, cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Stream::poll_flush(&self, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Stream::poll_shutdown(&self, cx)
    }
}
