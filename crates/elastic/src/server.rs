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
pub(crate) struct Server {
    pub(crate) engine: Engine,
    /// Mappings and settings that were read.
    pub(crate) indices: Indices,
    /// Templates, pipelines and the like.
    pub(crate) kept: Kept,
    /// Ingest pipelines that were compiled.
    pub(crate) compiled: Compiled,
    /// Scrolls and points in time.
    pub(crate) contexts: Contexts,
    /// The names under which it may be asked while no user exists.
    pub(crate) hosts: Hosts,
    /// Work that goes on.
    pub(crate) tasks: Tasks,
    /// How long what only reads may go on, where that is limited.
    pub(crate) read_time_max: Option<Duration>,
    /// Where it listens, once it does.
    pub(crate) address: OnceLock<SocketAddr>,
}

pub(crate) use crate::node::NODE_ID;
/// The cluster of that node.
pub(crate) const CLUSTER: &str = "larder";

impl Server {
    /// Where clients reach it: the address at which it listens, or this machine's own where that is every address.
    pub(crate) fn published(&self) -> SocketAddr {
        let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 9200));
        let address = self.address.get().copied().unwrap_or(local);
        match address.ip().is_unspecified() || address.is_ipv6() {
            true => SocketAddr::from((Ipv4Addr::LOCALHOST, address.port())),
            false => address,
        }
    }
}
