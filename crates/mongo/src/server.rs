//! Accepting connections, and what all of them share.

use crate::cluster_time::ClusterClock;
use crate::connection;
use crate::failpoint::FailPoints;
use auth::Decoy;
use engine::Engine;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long connections may take to end their last command when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// How long accepting pauses when the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How the protocol is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Connections at once; further ones are closed at once.
    pub connections_max: usize,
    /// Whether commands for drivers' test suites are answered (`configureFailPoint`).
    pub test_commands: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            connections_max: 20_000,
            test_commands: false,
        }
    }
}

/// Why serving ended before it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The listening socket is of no use any more.
    #[error("cannot accept connections: {0}")]
    Accept(#[from] std::io::Error),
    /// A secret could not be made.
    #[error("cannot prepare logins: {0}")]
    Secret(#[from] auth::AuthError),
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) options: Options,
    pub(crate) decoy: Decoy,
    pub(crate) fail_points: FailPoints,
    pub(crate) clock: ClusterClock,
    pub(crate) started: Instant,
    pub(crate) counters: Counters,
    pub(crate) listening_port: u16,
    /// `setParameter notablescan`: whether queries that no index answers are refused.
    pub(crate) refuse_full_scans: AtomicBool,
}

/// What `serverStatus` counts.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) connections_now: AtomicUsize,
    pub(crate) connections_total: AtomicU64,
    pub(crate) bytes_in: AtomicU64,
    pub(crate) bytes_out: AtomicU64,
    pub(crate) requests: AtomicU64,
    pub(crate) inserts: AtomicU64,
    pub(crate) queries: AtomicU64,
    pub(crate) updates: AtomicU64,
    pub(crate) deletes: AtomicU64,
    pub(crate) get_mores: AtomicU64,
    pub(crate) commands: AtomicU64,
    next_connection: AtomicI32,
    next_request: AtomicI32,
}

impl Server {
    /// The number of the next message that the server sends.
    pub(crate) fn next_request_id(&self) -> i32 {
        self.counters.next_request.fetch_add(1, Ordering::Relaxed)
    }
}

/// Waits until `stop` becomes true, or nobody is left who could say so.
async fn asked(stop: &mut watch::Receiver<bool>) {
    // The answer borrows the channel; it must not live on while something else is awaited.
    drop(stop.wait_for(|stop| *stop).await);
}

/// Serves until `stop` becomes true; then lets running commands end and closes all connections.
pub async fn serve(
    listener: TcpListener,
    engine: Engine,
    options: Options,
    mut stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    let server = Arc::new(Server {
        engine,
        options,
        decoy: Decoy::new()?,
        fail_points: FailPoints::default(),
        clock: ClusterClock::default(),
        started: Instant::now(),
        counters: Counters::default(),
        listening_port: listener.local_addr().map_or(0, |address| address.port()),
        refuse_full_scans: AtomicBool::new(false),
    });
    let mut connections = JoinSet::new();
    let stop_of_connections = stop.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    if connections.len() >= server.options.connections_max {
                        tracing::warn!(%peer, limit = server.options.connections_max, "refused: too many connections");
                        continue;
                    }
                    // Small answers must not wait for more to be sent with them.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%peer, %error, "the connection ended before it began");
                        continue;
                    }
                    let id = server.counters.next_connection.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
                    connections.spawn(connection::run(server.clone(), stream, peer, id, stop_of_connections.clone()));
                }
                Err(error) => {
                    // Out of descriptors, or a client that gave up: others may still come.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(ended) = connections.join_next() => log_panic(ended),
            () = asked(&mut stop) => break,
        }
    }
    drop(listener);
    for operation in server.engine.running_operations() {
        // Those that wait for data would wait past the end.
        if operation.command == "getMore" {
            operation.context.kill();
        }
    }
    let all_ended = async {
        while let Some(ended) = connections.join_next().await {
            log_panic(ended);
        }
    };
    if tokio::time::timeout(STOP_TIME_MAX, all_ended).await.is_err() {
        tracing::warn!("some commands did not end in time; their connections are closed");
    }
    Ok(())
}

fn log_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection failed for a mistake in the server");
    }
}
