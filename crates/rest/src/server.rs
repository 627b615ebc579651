//! What all requests share.

use crate::compiled::Compiled;
use crate::contexts::Contexts;
use crate::kept::Kept;
use crate::tasks::Tasks;
use engine::Engine;
use http::Hosts;
use indices::Indices;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

/// What all requests share.
#[derive(Debug)]
pub struct Server {
    /// The databases.
    pub engine: Engine,
    /// Mappings and settings that were read.
    pub indices: Indices,
    /// Templates, pipelines and the like.
    pub kept: Kept,
    /// Ingest pipelines that were compiled.
    pub compiled: Compiled,
    /// Scrolls and points in time.
    pub contexts: Contexts,
    /// The names under which it may be asked while no user exists.
    pub hosts: Hosts,
    /// Work that goes on.
    pub tasks: Tasks,
    /// How long what only reads may go on, where that is limited.
    pub read_time_max: Option<Duration>,
    /// Where it listens, once it does.
    pub address: OnceLock<SocketAddr>,
}

pub use crate::node::NODE_ID;
/// The cluster of that node.
pub const CLUSTER: &str = "larder";

impl Server {
    /// Where clients reach it: the address at which it listens, or this machine's own where that is every address.
    pub fn published(&self) -> SocketAddr {
        let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 9200));
        let address = self.address.get().copied().unwrap_or(local);
        match address.ip().is_unspecified() || address.is_ipv6() {
            true => SocketAddr::from((Ipv4Addr::LOCALHOST, address.port())),
            false => address,
        }
    }
}
