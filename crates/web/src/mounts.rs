//! What other protocols answer below `/api`. The program hands them in, so that this crate knows none of them.

use auth::User;
use http::{Request, Response};
use std::fmt::Debug;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use value::{Document, DocumentBuf};

/// An answer under way.
pub type Answering<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Runs MongoDB's commands.
pub trait Commands: Debug + Send + Sync {
    /// The reply to one command with the rights of a user; `None` if no user exists. A failed command is a reply too.
    fn run(
        &self,
        user: Option<Arc<User>>,
        peer: SocketAddr,
        database: String,
        command: Document,
    ) -> Answering<DocumentBuf>;
}

/// Answers a protocol's requests, whose paths are below the mount.
pub trait Requests: Debug + Send + Sync {
    /// The answer to one request with the rights of a user; `None` if no user exists.
    fn answer(&self, user: Option<Arc<User>>, request: Request) -> Answering<Response>;
}

/// Tells how far behind those are that follow the changes of collections.
pub trait Followers: Debug + Send + Sync {
    /// How far behind they are now.
    fn behind(&self) -> Behind;
}

/// How far behind followers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Replications that run or wait to be tried again.
    pub replications: u64,
    /// Those whose last try failed.
    pub replications_failing: u64,
    /// Changes that replications have still to bring to their targets, all together.
    pub replication_changes: u64,
    /// Changes that the full-text index furthest behind has not reached.
    pub index_changes: u64,
}

/// What is mounted. A path below which nothing is mounted is answered with an error that says so.
#[derive(Clone, Debug, Default)]
pub struct Mounts {
    /// `/api/command`.
    pub commands: Option<Arc<dyn Commands>>,
    /// `/api/couch`.
    pub couch: Option<Arc<dyn Requests>>,
    /// `/api/elastic`.
    pub elastic: Option<Arc<dyn Requests>>,
    /// `/api/tail`.
    pub tail: Option<Arc<dyn Requests>>,
    /// The followers of which `/metrics` tells how far behind they are.
    pub followers: Option<Arc<dyn Followers>>,
}
