//! Accepting connections: one loop for every protocol.
//!
//! [`serve`] accepts until it is asked to stop, gives each connection a task of the protocol's own, and at the end waits for
//! these tasks as long as the limits allow. If the [`Listener`] has TLS, the task begins with its handshake; the protocol is
//! given a [`Stream`] and need not know.
//!
//! What must hold: neither a connection that fails nor a system without descriptors ends the loop; no connection outlives
//! [`serve`]; a handshake holds a place like everything else, for a limited time.
//!
//! Left to others: what is said on a connection, and ending it soon after the stop (each protocol waits for [`stopped`] too).

mod listener;
mod pace;
mod places;
mod refusal;
mod seldom;
mod stream;
mod tls;

pub use listener::Listener;
pub use pace::Pace;
pub use places::Places;
pub use stream::Stream;
pub use tls::{CertificateError, Peer, Tls, TlsError, TlsFiles, Validity};

use listener::Opening;
use places::NoPlace;
use refusal::Refusal;
use seldom::Seldom;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

/// How long accepting pauses when the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The limits of one listener.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at once, of all listeners that share these places; further ones are refused.
    pub places: Places,
    /// What a refused client is told in its protocol; empty if the protocol has no words for it.
    pub refusal: &'static [u8],
    /// How long connections may take to end by themselves after the stop.
    pub stop_time_max: Duration,
}

/// Runs what `connect` makes of each connection in a task, until `stop` becomes true; then waits for all of them to end, and
/// cuts off those that take too long.
pub async fn serve<Served>(
    listener: impl Into<Listener>,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
    connect: impl Fn(Stream, SocketAddr) -> Served + Send + Sync + 'static,
) where
    Served: Future<Output = ()> + Send + 'static,
{
    let listener = listener.into();
    let connect = Arc::new(connect);
    let mut connections = JoinSet::new();
    let refusal = Refusal::new(limits.refusal);
    let (mut full, mut failed) = (Seldom::default(), Seldom::default());
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match limits.places.take(peer.ip()) {
                    Ok(place) => match prepare(&stream) {
                        Ok(()) => {
                            let (opening, connect, stop) = (listener.opening(), connect.clone(), stop.clone());
                            connections.spawn(async move {
                                if let Some(stream) = open(opening, stream, peer, stop).await {
                                    connect(stream, peer).await;
                                }
                                drop(place);
                            });
                        }
                        Err(error) => tracing::debug!(%peer, %error, "the connection ended before it began"),
                    },
                    Err(no_place) => {
                        if let Some(refused) = full.happened() {
                            log_refused(peer, &no_place, refused, &limits.places);
                        }
                        if let Some(told) = refusal.tell(stream) {
                            connections.spawn(told);
                        }
                    }
                },
                Err(error) => {
                    // Out of descriptors, or a client that gave up: others may still come.
                    if let Some(times) = failed.happened() {
                        tracing::warn!(%error, times, "connections could not be accepted");
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(ended) = connections.join_next() => log_panic(ended),
            () = stopped(&mut stop) => break,
        }
    }
    drop(listener);
    end(connections, limits.stop_time_max).await;
}

/// Logs that a client was refused, and how many have been since the last such line.
fn log_refused(peer: SocketAddr, why: &NoPlace, refused: u64, places: &Places) {
    match why {
        NoPlace::Full => {
            let limit = places.max();
            tracing::warn!(%peer, refused, limit, "refused: too many connections");
        }
        NoPlace::OfAddress(limit) => {
            tracing::warn!(%peer, refused, limit, "refused: too many connections of one address");
        }
    }
}

/// Waits for connections to end by themselves, and cuts off those that take too long.
async fn end(mut connections: JoinSet<()>, time_max: Duration) {
    let all_ended = async {
        while let Some(ended) = connections.join_next().await {
            log_panic(ended);
        }
    };
    if tokio::time::timeout(time_max, all_ended).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "closed: still busy long after the stop"
        );
    }
}

/// The stream on which a protocol is spoken; `None` if the handshake before it fails.
async fn open(
    opening: Opening,
    stream: TcpStream,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) -> Option<Stream> {
    tokio::select! {
        biased;
        opened = opening.open(stream) => match opened {
            Ok(stream) => Some(stream),
            Err(error) => {
                tracing::debug!(%peer, %error, "the handshake failed");
                None
            }
        },
        () = stopped(&mut stop) => None,
    }
}

/// Small answers must not wait for more to be sent with them.
fn prepare(stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)
}

/// Waits until `stop` becomes true, or until its sender is gone.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    // The answer borrows the channel; it must not live on while something else is awaited.
    drop(stop.wait_for(|stop| *stop).await);
}

fn log_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection was closed by a mistake in the server");
    }
}
