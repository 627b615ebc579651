//! What all requests share.

use crate::backups::Backups;
use crate::mounts::Mounts;
use crate::sessions::Sessions;
use engine::Engine;
use http::Hosts;
use std::sync::atomic::AtomicU64;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) counters: RequestCounters,
    pub(crate) backups: Backups,
    pub(crate) sessions: Sessions,
    /// What other protocols answer here.
    pub(crate) mounts: Mounts,
    /// What connections go through.
    pub(crate) tls: Option<net::Tls>,
    /// The listener's port, which is part of the cookie's name: cookies do not tell ports apart.
    pub(crate) port: u16,
    /// The names under which it may be asked while no user exists.
    pub(crate) hosts: Hosts,
}

/// What this protocol counts itself.
#[derive(Debug, Default)]
pub(crate) struct RequestCounters {
    pub(crate) requests: AtomicU64,
    /// Requests that were answered with 4xx or 5xx.
    pub(crate) refused: AtomicU64,
    pub(crate) file_bytes_out: AtomicU64,
    pub(crate) file_bytes_in: AtomicU64,
}
