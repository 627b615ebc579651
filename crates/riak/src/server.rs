//! What all requests share.

use crate::buckets::Properties;
use crate::deadline::Deadline;
use crate::error::{Result, RiakError};
use crate::locks::Locks;
use crate::options::Options;
use crate::readers::Readers;
use crate::stats::Stats;
use engine::Engine;
use http::{Hosts, StatusCode};
use memory::{Holder, Share};
use std::time::Duration;

/// JSON up to this size is decoded without being counted.
const SHORT_JSON_BYTES: usize = 1 << 20;

/// What all requests of both protocols share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    /// The properties of buckets and their types.
    pub(crate) properties: Properties,
    /// The names under which it may be asked while no user exists.
    pub(crate) hosts: Hosts,
    /// The siblings of one object; a put that would make more is refused.
    pub(crate) siblings_max: usize,
    /// How long clients are told that an object was deleted; `None` for as long as the store knows.
    pub(crate) deletions_told: Option<Duration>,
    /// How long what reads much may go on, where that is limited.
    pub(crate) read_time_max: Option<Duration>,
    pub(crate) stats: Stats,
    /// Large values that are being read.
    pub(crate) readers: Readers,
    /// Held while an object is read and written again, so that writers of one object do not undo each other's work.
    pub(crate) locks: Locks,
}

impl Server {
    /// The memory that a client's JSON takes once it is decoded; to be kept as long as the JSON is.
    pub(crate) fn room_to_decode(&self, json: &[u8]) -> Result<Share> {
        let mut room = self.engine.memory().share(Holder::Commands);
        if json.len() > SHORT_JSON_BYTES {
            let taken = room.set(json::tree_bytes(json));
            taken.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()))?;
        }
        Ok(room)
    }

    pub(crate) fn new(engine: Engine, options: &Options) -> Server {
        Server {
            engine,
            properties: Properties::default(),
            hosts: options.http.hosts.clone(),
            siblings_max: options.siblings_max,
            deletions_told: options.deletions_told,
            read_time_max: Some(options.read_time_max).filter(|limit| !limit.is_zero()),
            stats: Stats::new(),
            readers: Readers::default(),
            locks: Locks::default(),
        }
    }

    /// When an answer of what reads much is too late, for a client who waits so long.
    pub(crate) fn read_deadline(&self, timeout_ms: Option<u32>) -> Deadline {
        Deadline::of(timeout_ms).within(self.read_time_max)
    }
}
