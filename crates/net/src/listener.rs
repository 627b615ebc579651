//! Where a protocol is served: an address, and whether its connections go through TLS.

use crate::{Stream, Tls};
use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};

/// A listener of a protocol.
#[derive(Debug)]
pub struct Listener {
    tcp: TcpListener,
    tls: Option<Tls>,
}

impl From<TcpListener> for Listener {
    /// A listener without TLS.
    fn from(tcp: TcpListener) -> Listener {
        Listener { tcp, tls: None }
    }
}

impl Listener {
    /// A listener whose connections begin with TLS, if it is given.
    pub fn new(tcp: TcpListener, tls: Option<Tls>) -> Listener {
        Listener { tcp, tls }
    }

    /// Its address.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    /// The same address without TLS, and what would make its connections secure: for protocols whose clients ask for it first.
    pub fn into_parts(self) -> (TcpListener, Option<Tls>) {
        (self.tcp, self.tls)
    }

    /// The next connection, and the address of its client. A listener on `[::]` is told mapped addresses of clients that use IPv4;
    /// they are returned as IPv4 addresses, by which the machine itself is known.
    pub(crate) async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = self.tcp.accept().await?;
        Ok((stream, SocketAddr::new(peer.ip().to_canonical(), peer.port())))
    }

    /// Turns an accepted connection into one on which the protocol is spoken.
    pub(crate) fn opening(&self) -> Opening {
        Opening(self.tls.clone())
    }
}

/// The first thing that happens on a connection.
#[derive(Debug)]
pub(crate) struct Opening(Option<Tls>);

impl Opening {
    pub(crate) async fn open(self, tcp: TcpStream) -> io::Result<Stream> {
        match self.0 {
            None => Ok(Stream::from(tcp)),
            Some(tls) => tls.accept(tcp).await,
        }
    }
}
