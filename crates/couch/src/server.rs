//! What all requests share.

use crate::compactions::Compactions;
use crate::database_events::DatabaseEvents;
use crate::design::Designs;
use crate::generators::Generators;
use crate::limits::FEED_PAGES_MAX;
use crate::replication::jobs::Jobs;
use crate::request_counts::RequestCounts;
use access::config::Config;
use access::login::Logins;
use access::user::User;
use engine::Engine;
use http::{Request, Response};
use parking_lot::Mutex;
use serde_json::Value as Json;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{Semaphore, watch};
use view::ScriptLimits;

/// Why the protocol cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// No secret for logins could be made.
    #[error("cannot prepare logins: the operating system gives no random bytes")]
    Secret,
    /// The settings could not be read.
    #[error("cannot read the settings: {0}")]
    Config(#[from] engine::Error),
}

/// Answers a request of a user who is known, as a client would be answered.
pub(crate) type Answer = fn(Arc<Server>, User, Request) -> Pin<Box<dyn Future<Output = Response> + Send>>;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) logins: Logins,
    /// Design documents and what they define.
    pub(crate) designs: Designs,
    /// What happened to databases as a whole.
    pub(crate) database_events: DatabaseEvents,
    /// The ids of documents that come without one.
    pub(crate) ids: Generators,
    pub(crate) config: Config,
    pub(crate) started: Instant,
    /// Requests of clients, by what they are and what became of them.
    pub(crate) request_counts: RequestCounts,
    /// The compactions that run here.
    pub(crate) compactions: Compactions,
    /// The replications that run here.
    pub(crate) jobs: Jobs,
    /// Why no shards may be split, where somebody forbade it (`_reshard/state`).
    pub(crate) resharding_stopped: Mutex<Option<Json>>,
    /// Taken by feeds while they read changes and write them.
    pub(crate) feed_pages: Arc<Semaphore>,
    /// Becomes true when feeds have to end.
    pub(crate) stop: watch::Receiver<bool>,
    /// Answers what a replication asks of this server itself.
    pub(crate) answer: Answer,
}

impl Server {
    /// A server on this engine, which listens at this address.
    pub(crate) async fn new(
        engine: Engine,
        address: Option<SocketAddr>,
        stop: watch::Receiver<bool>,
        answer: Answer,
    ) -> Result<Server, ServeError> {
        let server = Server {
            logins: Logins::new().ok_or(ServeError::Secret)?,
            database_events: DatabaseEvents::new(),
            ids: Generators::new(),
            config: Config::load(&engine, address).await?,
            designs: Designs::new(engine.memory().clone()),
            started: Instant::now(),
            request_counts: RequestCounts::default(),
            compactions: Compactions::default(),
            jobs: Jobs::default(),
            resharding_stopped: Mutex::default(),
            feed_pages: Arc::new(Semaphore::new(FEED_PAGES_MAX)),
            stop,
            answer,
            engine,
        };
        server.limit_scripts();
        Ok(server)
    }

    /// Gives functions of design documents as much time as the settings say.
    pub(crate) fn limit_scripts(&self) {
        let set: Option<u64> = self.config.number("couchdb", "os_process_timeout");
        let set = set.filter(|time_ms| *time_ms > 0);
        let default = ScriptLimits::default().time_ms;
        self.designs.views().limit_time(set.unwrap_or(default));
    }

    /// A mark of this server, which stays once a setting was changed.
    pub(crate) fn uuid(&self) -> String {
        self.config.get("couchdb", "uuid").unwrap_or_default()
    }

    /// Makes the mark of this server one that stays: the ids of replications are made with it.
    pub(crate) async fn keep_uuid(&self) -> engine::Result<()> {
        self.config.keep(&self.engine).await
    }
}
