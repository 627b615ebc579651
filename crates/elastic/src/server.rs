//! What all requests share.

use crate::contexts::Contexts;
use crate::index::Indices;
use crate::kept::Kept;
use engine::Engine;
use http::Hosts;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    /// Mappings and settings that were read.
    pub(crate) indices: Indices,
    /// Templates, pipelines and the like.
    pub(crate) kept: Kept,
    /// Scrolls and points in time.
    pub(crate) contexts: Contexts,
    /// The names under which it may be asked while no user exists.
    pub(crate) hosts: Hosts,
}
