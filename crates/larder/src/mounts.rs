//! The protocols that Larder's own HTTP answers below `/api`, so that the page may ask them.

use auth::User;
use http::{Request, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::watch;
use value::{Document, DocumentBuf};
use web::{Answering, Behind, Commands, Followers, Mounts, Requests};

/// The protocols, which also have listeners of their own. Answers that would go on for ever end when `stopped` becomes true.
pub fn mounts(
    mongo: &mongo::Protocol,
    couch: &couch::Protocol,
    elastic: &elastic::Protocol,
    stopped: &watch::Receiver<bool>,
) -> Mounts {
    Mounts {
        commands: Some(Arc::new(MongoCommands(mongo.clone()))),
        couch: Some(Arc::new(CouchRequests(couch.clone()))),
        elastic: Some(Arc::new(ElasticRequests(elastic.clone()))),
        tail: Some(Arc::new(Tails {
            elastic: elastic.clone(),
            stopped: stopped.clone(),
        })),
        followers: Some(Arc::new(Following {
            couch: couch.clone(),
            elastic: elastic.clone(),
        })),
    }
}

#[derive(Debug)]
struct MongoCommands(mongo::Protocol);

impl Commands for MongoCommands {
    fn run(
        &self,
        user: Option<Arc<User>>,
        peer: SocketAddr,
        database: String,
        command: Document,
    ) -> Answering<DocumentBuf> {
        let mongo = self.0.clone();
        Box::pin(async move { mongo.run(user, peer, &database, command).await })
    }
}

#[derive(Debug)]
struct CouchRequests(couch::Protocol);

impl Requests for CouchRequests {
    fn answer(&self, user: Option<Arc<User>>, request: Request) -> Answering<Response> {
        let couch = self.0.clone();
        Box::pin(async move { couch.answer(user, request).await })
    }
}

#[derive(Debug)]
struct ElasticRequests(elastic::Protocol);

impl Requests for ElasticRequests {
    fn answer(&self, user: Option<Arc<User>>, request: Request) -> Answering<Response> {
        let elastic = self.0.clone();
        Box::pin(async move { elastic.answer(user, request).await })
    }
}

#[derive(Debug)]
struct Tails {
    elastic: elastic::Protocol,
    stopped: watch::Receiver<bool>,
}

impl Requests for Tails {
    fn answer(&self, user: Option<Arc<User>>, request: Request) -> Answering<Response> {
        let (elastic, stopped) = (self.elastic.clone(), self.stopped.clone());
        Box::pin(async move { elastic.tail(user, request, stopped).await })
    }
}

/// Replications, and full-text indexes.
#[derive(Debug)]
struct Following {
    couch: couch::Protocol,
    elastic: elastic::Protocol,
}

impl Followers for Following {
    fn behind(&self) -> Behind {
        let replications = self.couch.replications();
        Behind {
            replications: replications.count,
            replications_failing: replications.failing,
            replication_changes: replications.pending,
            index_changes: self.elastic.index_changes_behind(),
        }
    }
}
