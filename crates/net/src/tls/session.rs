//! One connection through TLS: rustls makes and reads the records, the socket below carries them.
//!
//! Everything works through a shared reference and without waiting, as a socket does, so that one task may look whether the
//! client is still there while another answers it.

use super::certificate::Peer;
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, BufRead, ErrorKind, IoSlice, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpStream;

/// A connection whose handshake is done.
#[derive(Debug)]
pub struct Session {
    tcp: TcpStream,
    connection: Mutex<ServerConnection>,
    peer: Option<Peer>,
}

/// The socket as rustls wants it: what would block is an error.
struct Wire<'a>(&'a TcpStream);

impl Read for Wire<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Session {
    /// Shakes hands with a client. The caller limits the time.
    pub(super) async fn accept(tcp: TcpStream, config: Arc<ServerConfig>) -> io::Result<Session> {
        let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
        loop {
            match push(&mut connection, &tcp) {
                Ok(()) if !connection.is_handshaking() => break,
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    tcp.writable().await?;
                    continue;
                }
                Err(error) => return Err(error),
            }
            match pull(&mut connection, &tcp) {
                Ok(()) if connection.is_handshaking() => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !connection.wants_write() && connection.is_handshaking() {
                        tcp.readable().await?;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let peer = connection
            .peer_certificates()
            .and_then(|chain| chain.first())
            .map(|certificate| Peer::new(certificate))
            .transpose()?;
        Ok(Session {
            tcp,
            connection: Mutex::new(connection),
            peer,
        })
    }

    pub(crate) fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    pub(crate) fn peer(&self) -> Option<&Peer> {
        self.peer.as_ref()
    }

    /// Whether there is something to read, or the end; `WouldBlock` if there is neither.
    pub(crate) fn look(&self) -> io::Result<()> {
        match self.try_read(|_| 0) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Err(error),
            // The reader will meet the same error.
            _ => Ok(()),
        }
    }

    /// Shows what has come, and takes as much of it as the caller says; 0 at the end.
    pub(crate) fn try_read(&self, take: impl FnOnce(&[u8]) -> usize) -> io::Result<usize> {
        let connection = &mut *self.lock();
        loop {
            match connection.reader().fill_buf() {
                Ok([]) => return Ok(0),
                Ok(bytes) => {
                    let taken = take(bytes);
                    connection.reader().consume(taken);
                    return Ok(taken);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => pull(connection, &self.tcp)?,
                // Many clients close the socket without a word; the protocols know where a message ends.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes bytes as far as there is room for their records, and sends of these what the socket takes.
    pub(crate) fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let connection = &mut *self.lock();
        let is_empty = slices.iter().all(|slice| slice.is_empty());
        loop {
            let count = connection.writer().write_vectored(slices)?;
            match push(connection, &self.tcp) {
                Err(error) if count == 0 || error.kind() != ErrorKind::WouldBlock => return Err(error),
                _ if count > 0 || is_empty => return Ok(count),
                _ => {}
            }
        }
    }

    /// Sends what was written; `WouldBlock` if the socket does not take all of it.
    pub(crate) fn try_flush(&self) -> io::Result<()> {
        push(&mut self.lock(), &self.tcp)
    }

    /// Says that nothing more will be sent.
    pub(crate) fn announce_end(&self) {
        self.lock().send_close_notify();
    }

    pub(crate) fn is_gone(&self) -> bool {
        let connection = &mut *self.lock();
        match pull(connection, &self.tcp) {
            // Something came, or the end.
            Ok(()) => !matches!(connection.reader().fill_buf(), Ok([_, ..])),
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            // What has come already is not read yet: no more is looked at.
            Err(_) => !matches!(connection.reader().fill_buf(), Ok([_, ..])),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ServerConnection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    /// If the socket takes the alert at once, the client can tell an orderly end from a broken connection.
    fn drop(&mut self) {
        self.announce_end();
        drop(self.try_flush());
    }
}

/// Sends the records that wait; `WouldBlock` if the socket does not take all.
fn push(connection: &mut ServerConnection, tcp: &TcpStream) -> io::Result<()> {
    while connection.wants_write() {
        if connection.write_tls(&mut Wire(tcp))? == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
    }
    Ok(())
}

/// Takes records until some of what they hold can be read, the handshake is done, or the client has ended; `WouldBlock` if
/// no more has come.
fn pull(connection: &mut ServerConnection, tcp: &TcpStream) -> io::Result<()> {
    let was_handshaking = connection.is_handshaking();
    loop {
        let count = connection.read_tls(&mut Wire(tcp))?;
        let state = match connection.process_new_packets() {
            Ok(state) => state,
            Err(error) => {
                // The alert says why. A client that does not take it knows all the same that it was refused.
                drop(push(connection, tcp));
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        };
        let can_be_read = state.plaintext_bytes_to_read() > 0 || state.peer_has_closed();
        if count == 0 || can_be_read || (was_handshaking && !connection.is_handshaking()) {
            return Ok(());
        }
        // Answers to the records themselves; what the socket does not take goes with the next that is written.
        if let Err(error) = push(connection, tcp)
            && error.kind() != ErrorKind::WouldBlock
        {
            return Err(error);
        }
    }
}
