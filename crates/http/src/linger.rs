//! Closing a connection without taking the last answer away from the client.
//!
//! A socket that is closed while bytes of the client are unread, or still on their way, is reset, and a reset throws
//! away what the client has received but not yet read: it would never learn why it was refused. So the sending side
//! is closed first, and what the client still sends is read and thrown away until it closes its side (RFC 9112,
//! section 9.6), within limits.

use crate::pace::Unsent;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a client may take to send more, or to close its side.
const IDLE_TIME_MAX: Duration = Duration::from_secs(2);
/// How long a client may go on sending in all.
const TIME_MAX: Duration = Duration::from_secs(30);
/// The bytes that are read at once, to be thrown away.
const DISCARDED_BYTES: usize = 16 * 1024;
/// The reads before other connections have their turn.
const READS_AT_ONCE: usize = 16;

/// A connection that lingers when it is shut down.
#[derive(Debug)]
pub(crate) struct LingeringStream {
    /// Shared with the request that is answered, which looks whether its client is still there.
    stream: Arc<net::Stream>,
    state: State,
    /// Whether the server stops, and nobody is waited for.
    is_stopping: Arc<AtomicBool>,
    /// Told of what is sent.
    unsent: Unsent,
}

#[derive(Debug)]
enum State {
    Open,
    /// The sending side is closed; what still comes is thrown away until one of the times is over.
    Discarding {
        until: Instant,
        timer: Pin<Box<Sleep>>,
    },
    Closed,
}

impl LingeringStream {
    /// A connection that lingers unless `is_stopping` is set, and tells `unsent` what it has sent.
    pub(crate) fn new(
        stream: Arc<net::Stream>,
        is_stopping: Arc<AtomicBool>,
        unsent: Unsent,
    ) -> LingeringStream {
        LingeringStream {
            stream,
            state: State::Open,
            is_stopping,
            unsent,
        }
    }

    pub(crate) fn stream(&self) -> &net::Stream {
        &self.stream
    }

    /// Ready when the socket takes a good part of what it can keep, or has failed.
    pub(crate) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.tcp().poll_write_ready(cx))?;
            // That it took all of the last write says nothing of the next.
            let tcp = self.stream.tcp();
            let looked = tcp.try_io(Interest::WRITABLE, || match is_writable(tcp)? {
                true => Ok(()),
                false => Err(io::ErrorKind::WouldBlock.into()),
            });
            match looked {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                looked => return Poll::Ready(looked),
            }
        }
    }

    fn note_sent(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &written {
            self.unsent.sent(*bytes);
        }
        written
    }

    /// Reads and throws away until the client has closed its side or a limit is reached.
    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let State::Discarding { until, timer } = &mut self.state else {
            return Poll::Ready(());
        };
        let mut discarded = [0; DISCARDED_BYTES];
        for _ in 0..READS_AT_ONCE {
            if timer.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            let mut buffer = ReadBuf::new(&mut discarded);
            match self.stream.poll_read(cx, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    timer.as_mut().reset((Instant::now() + IDLE_TIME_MAX).min(*until));
                }
                // The end, or a connection that broke.
                Poll::Ready(_) => return Poll::Ready(()),
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

fn is_writable(stream: &tokio::net::TcpStream) -> io::Result<bool> {
    let mut asked = [PollFd::new(stream, PollFlags::OUT)];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    Ok(poll(&mut asked, Some(&at_once))? > 0)
}

impl AsyncRead for LingeringStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.poll_read(cx, buffer)
    }
}

impl AsyncWrite for LingeringStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream.poll_write_vectored(cx, slices);
        self.note_sent(written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.unsent.flushed();
        self.stream.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if matches!(self.state, State::Open) {
            ready!(self.stream.poll_shutdown(cx))?;
            let now = Instant::now();
            self.state = match self.is_stopping.load(Ordering::Relaxed) {
                true => State::Closed,
                false => State::Discarding {
                    until: now + TIME_MAX,
                    timer: Box::pin(sleep_until(now + IDLE_TIME_MAX)),
                },
            };
        }
        ready!(self.poll_discard(cx));
        self.state = State::Closed;
        Poll::Ready(Ok(()))
    }
}
