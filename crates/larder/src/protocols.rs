//! Every protocol that has an address, served until the server stops.

use crate::listening::Listening;
use crate::mounts;
use anyhow::{Context, Result};
use engine::Engine;
use std::io;
use std::sync::Arc;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The folder of full-text indexes within the data folder.
const FULLTEXT_FOLDER: &str = "_fulltext";
/// The folder within it of the indexes that clients define.
const DEFINED_FOLDER: &str = "defined";

/// The tasks of the protocols that are served, and the protocol by which a client may end the server.
#[derive(Debug)]
pub struct Protocols {
    mongo: mongo::Protocol,
    tasks: JoinSet<()>,
}

/// Keeps answers in temporary files whose clients are slow to take them.
fn aside(engine: &Engine) -> http::Aside {
    let engine = engine.clone();
    http::Aside::new(move |bytes| {
        let engine = engine.clone();
        Box::pin(async move {
            let mut kept = engine.set_aside(bytes).await?;
            let pieces: http::AsidePieces = Box::new(move || kept.next_piece().map_err(io::Error::other));
            Ok(pieces)
        })
    })
}

/// What protocols are started with.
struct Start<'a> {
    listening: &'a Listening<'a>,
    /// The options of the protocols over HTTP.
    http: http::Options,
    stopped: &'a watch::Receiver<bool>,
    tasks: JoinSet<()>,
}

impl Protocols {
    /// Listens on all addresses, and serves. An address that cannot be bound is an error if it was asked for.
    pub async fn start(
        listening: &Listening<'_>,
        places: &net::Places,
        stopped: &watch::Receiver<bool>,
    ) -> Result<Protocols> {
        let mut start = Start {
            http: http::Options {
                places: places.clone(),
                hosts: http::Hosts::new(&listening.settings.allowed_hosts),
                memory: listening.engine.memory().clone(),
                aside: Some(aside(listening.engine)),
                ..http::Options::default()
            },
            listening,
            stopped,
            tasks: JoinSet::new(),
        };
        start.search_indexes();
        let mongo = start.mongo().await?;
        let couch = start.couch().await?;
        let elastic = start.elastic().await?;
        start.riak().await?;
        let mounts = mounts::mounts(&mongo, &couch, &elastic, stopped);
        start.own(mounts).await?;
        start.syslog().await?;
        Ok(Protocols {
            mongo,
            tasks: start.tasks,
        })
    }

    /// Whether all are off.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Waits until a client ends the server.
    pub async fn asked_to_stop(&self) {
        self.mongo.asked_to_stop().await;
    }

    /// Waits until all have stopped.
    pub async fn end(mut self) -> Result<()> {
        while let Some(ended) = self.tasks.join_next().await {
            ended.context("a protocol's task failed")?;
        }
        Ok(())
    }
}

impl Start<'_> {
    /// The full-text indexes that MongoDB's clients define.
    fn search_indexes(&self) {
        let engine = &self.listening.engine;
        let folder = self.listening.settings.data.join(FULLTEXT_FOLDER);
        let options = atlas::Options {
            folder: Some(folder.join(DEFINED_FOLDER)),
            documents_min: None,
        };
        engine.set_search_indexes(Arc::new(atlas::Atlas::new(engine, options)));
    }

    async fn mongo(&mut self) -> Result<mongo::Protocol> {
        let settings = self.listening.settings;
        let options = mongo::Options {
            places: self.http.places.clone(),
            test_commands: settings.test_commands,
            read_time_max: settings.default_max_time,
        };
        let protocol = mongo::Protocol::new(self.listening.engine.clone(), options)
            .context("the mongo protocol failed")?;
        if let Some(listener) = self.listening.on("mongo", settings.mongo_listen).await? {
            let (served, stopped) = (protocol.clone(), self.stopped.clone());
            self.tasks
                .spawn(async move { served.serve(listener, stopped).await });
        }
        Ok(protocol)
    }

    async fn couch(&mut self) -> Result<couch::Protocol> {
        let settings = self.listening.settings;
        let (address, is_given) = (settings.couch_listen, settings.couch_listen_given);
        let listener = self.listening.unless_taken("couch", address, is_given).await?;
        let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
        let protocol = couch::Protocol::new(self.listening.engine.clone(), address, self.stopped.clone())
            .await
            .context("the couch protocol failed")?;
        if let Some(listener) = listener {
            let (served, stopped) = (protocol.clone(), self.stopped.clone());
            let options = couch::Options {
                http: self.http.clone(),
            };
            self.tasks
                .spawn(async move { served.serve(listener, options, stopped).await });
        }
        Ok(protocol)
    }

    async fn elastic(&mut self) -> Result<elastic::Protocol> {
        let settings = self.listening.settings;
        let options = elastic::Options {
            fulltext: Some(settings.data.join(FULLTEXT_FOLDER)),
            fulltext_from: None,
            read_time_max: settings.default_max_time,
            http: self.http.clone(),
        };
        let protocol = elastic::Protocol::new(self.listening.engine.clone(), &options);
        let (address, is_given) = (settings.elastic_listen, settings.elastic_listen_given);
        if let Some(listener) = self.listening.unless_taken("elastic", address, is_given).await? {
            let (served, stopped) = (protocol.clone(), self.stopped.clone());
            self.tasks
                .spawn(async move { served.serve(listener, options, stopped).await });
        }
        Ok(protocol)
    }

    /// Riak's two: HTTP and protocol buffers.
    async fn riak(&mut self) -> Result<()> {
        let settings = self.listening.settings;
        let options = riak::Options {
            http: self.http.clone(),
            siblings_max: settings.riak_siblings_max,
            deletions_told: settings.riak_delete_mode.told(),
            read_time_max: settings.default_max_time,
        };
        let riak = riak::Riak::new(self.listening.engine.clone(), options);
        let (address, is_given) = (settings.riak_listen, settings.riak_listen_given);
        if let Some(listener) = self.listening.unless_taken("riak", address, is_given).await? {
            self.tasks
                .spawn(riak.clone().serve_http(listener, self.stopped.clone()));
        }
        let (address, is_given) = (settings.riak_pb_listen, settings.riak_pb_listen_given);
        if let Some(listener) = self.listening.unless_taken("riak-pb", address, is_given).await? {
            self.tasks
                .spawn(riak.serve_protocol_buffers(listener, self.stopped.clone()));
        }
        Ok(())
    }

    /// Larder's own HTTP, which answers other protocols' requests too, for the page.
    async fn own(&mut self, mounts: web::Mounts) -> Result<()> {
        let Listening {
            settings,
            engine,
            tls,
        } = *self.listening;
        let (address, is_given) = (settings.http_listen, settings.http_listen_given);
        if let Some(listener) = self.listening.unless_taken("http", address, is_given).await? {
            let options = web::Options {
                http: self.http.clone(),
                mounts,
                tls: tls.cloned(),
            };
            self.tasks.spawn(web::serve(
                listener,
                engine.clone(),
                options,
                self.stopped.clone(),
            ));
        }
        Ok(())
    }

    /// Messages of syslog, as datagrams and on connections of the same address.
    async fn syslog(&mut self) -> Result<()> {
        let Listening { settings, engine, .. } = *self.listening;
        let Some(listener) = self.listening.on("syslog", settings.syslog_listen).await? else {
            return Ok(());
        };
        let address = listener
            .local_addr()
            .context("cannot read the listening address")?;
        let datagrams = UdpSocket::bind(address)
            .await
            .with_context(|| format!("cannot take datagrams on {address} for syslog"))?;
        let (database, collection) = &settings.syslog_collection;
        let options = syslog::Options {
            namespace: engine::Namespace::new(database, collection),
            places: self.http.places.clone(),
        };
        let served = syslog::serve(datagrams, listener, engine.clone(), options, self.stopped.clone());
        self.tasks.spawn(served);
        Ok(())
    }
}
