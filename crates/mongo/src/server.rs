//! What all connections share.

use crate::cluster_time::ClusterClock;
use crate::establishment::Limiter;
use crate::failpoint::FailPoints;
use crate::topology::Topology;
use auth::Decoy;
use engine::Engine;
use memory::{Holder, Share};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU16, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How the protocol is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Connections at once, of all listeners that share these places; further ones are closed at once.
    pub places: net::Places,
    /// Whether commands for drivers' test suites are answered (`configureFailPoint`).
    pub test_commands: bool,
    /// The time limit of commands that read and give none themselves (MongoDB's `defaultMaxTimeMS`); zero stands for none.
    pub read_time_max: Duration,
}

/// Why serving ended before it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
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
    pub(crate) topology: Topology,
    pub(crate) started: Instant,
    pub(crate) counters: StatusCounters,
    /// The port of the protocol's listener; 0 while there is none.
    listening_port: AtomicU16,
    /// `setParameter notablescan`: whether queries that no index answers are refused.
    pub(crate) refuse_full_scans: AtomicBool,
    /// How fast connections may come.
    pub(crate) establishment: Limiter,
    /// Notified when a client ends the server.
    pub(crate) asked_to_stop: Notify,
}

/// What `serverStatus` counts.
#[derive(Debug, Default)]
pub(crate) struct StatusCounters {
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
    /// Commands that were answered by an error.
    pub(crate) errors: AtomicU64,
    next_connection: AtomicI32,
    next_request: AtomicI32,
}

/// Answers up to this size are not counted: each waits only for the socket.
const UNCOUNTED_BYTES: usize = 16 * 1024;

impl Server {
    /// What an answer of this many bytes takes of the memory for answers until it is sent. It is there already; the next one waits
    /// for room instead.
    pub(crate) fn share_of_answer(&self, bytes: usize) -> Option<Share> {
        let memory = self.engine.memory();
        (bytes > UNCOUNTED_BYTES).then(|| memory.charged(Holder::Answers, bytes))
    }

    pub(crate) fn new(engine: Engine, options: Options) -> Result<Server, ServeError> {
        Ok(Server {
            engine,
            options,
            decoy: Decoy::new()?,
            fail_points: FailPoints::default(),
            clock: ClusterClock::default(),
            topology: Topology::default(),
            started: Instant::now(),
            counters: StatusCounters::default(),
            listening_port: AtomicU16::default(),
            refuse_full_scans: AtomicBool::new(false),
            establishment: Limiter::default(),
            asked_to_stop: Notify::new(),
        })
    }

    /// The port of the protocol's listener; 0 while there is none.
    pub(crate) fn listening_port(&self) -> u16 {
        self.listening_port.load(Ordering::Relaxed)
    }

    /// Says on which port the protocol is served.
    pub(crate) fn listens_on(&self, port: u16) {
        self.listening_port.store(port, Ordering::Relaxed);
    }

    /// The number of the next connection.
    pub(crate) fn next_connection_id(&self) -> i32 {
        let before = self.counters.next_connection.fetch_add(1, Ordering::Relaxed);
        before.wrapping_add(1)
    }

    /// The number of the next message that the server sends.
    pub(crate) fn next_request_id(&self) -> i32 {
        self.counters.next_request.fetch_add(1, Ordering::Relaxed)
    }
}
