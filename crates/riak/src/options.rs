//! How the protocols are served.

use crate::limits::{DELETIONS_TOLD, SIBLINGS_MAX};
use std::time::Duration;

/// How the protocols are served.
#[derive(Clone, Debug)]
pub struct Options {
    /// The limits of connections.
    pub http: http::Options,
    /// The siblings of one object; a put that would make more is refused.
    pub siblings_max: usize,
    /// How long clients are told that an object was deleted; `None` for as long as the store knows.
    pub deletions_told: Option<Duration>,
    /// How long what only reads much (listings, queries, map/reduce) may go on; for ever where it is zero.
    pub read_time_max: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            http: http::Options::default(),
            siblings_max: SIBLINGS_MAX,
            deletions_told: Some(DELETIONS_TOLD),
            read_time_max: Duration::ZERO,
        }
    }
}
