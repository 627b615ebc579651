//! `larder serve`: opens the data folder, listens, and ends in an orderly way.

use crate::config::{ServeOptions, Settings};
use crate::descriptors;
use crate::listening::Listening;
use crate::logging::{self, LogControl};
use crate::mounts;
use crate::shutdown::{Request, Signals};
use crate::supervisor::Supervisor;
use anyhow::{Context, Result, bail};
use engine::{Engine, EngineOptions};
use net::Tls;
use tokio::sync::watch;

/// The folder of full-text indexes within the data folder.
const FULLTEXT_FOLDER: &str = "_fulltext";

/// Serves until a signal ends it.
pub async fn run(options: &ServeOptions) -> Result<()> {
    let settings = &options.settings()?;
    let (event_layer, events) = crate::watch::events();
    let log = &logging::start(&settings.log, settings.log_format, event_layer)?;
    let mut signals = Signals::listen()?;
    descriptors::raise_limit();
    let places = net::Places::new(descriptors::connections_max(settings.connections_max));
    let folder = settings.data.clone();
    let hosts = http::Hosts::new(&settings.allowed_hosts);
    let engine = Engine::open(&EngineOptions {
        folder,
        memory_bytes: settings.memory_bytes,
    })
    .await
    .with_context(|| format!("cannot open the data folder {}", settings.data.display()))?;
    if let Some(bytes) = settings.disk_reserve {
        engine.keep_disk_free(bytes);
    }
    engine.limit_temporary_files(settings.temporary_bytes_max);
    engine.limit_archive(settings.archive_bytes_max);
    tracing::info!(data = %settings.data.display(), memory_bytes = settings.memory_bytes, "opened");

    if settings.no_login {
        tracing::warn!("nobody is asked to log in, as --no-login asks");
        engine.waive_login();
    }
    if settings.scrub_rate > 0 {
        engine.start_scrub(settings.scrub_rate);
    }

    let tls = settings.tls.as_ref().map(Tls::open).transpose()?;
    let listening = Listening {
        settings,
        engine: &engine,
        tls: tls.as_ref(),
    };
    let (stop, stopped) = watch::channel(false);
    let mut protocols: tokio::task::JoinSet<Result<()>> = tokio::task::JoinSet::new();
    let mongo_options = mongo::Options {
        places: places.clone(),
        test_commands: settings.test_commands,
        read_time_max: settings.default_max_time,
    };
    let mongo = mongo::Protocol::new(engine.clone(), mongo_options).context("the mongo protocol failed")?;
    if let Some(listener) = listening.on("mongo", settings.mongo_listen).await? {
        let (mongo, stopped) = (mongo.clone(), stopped.clone());
        protocols.spawn(async move {
            mongo.serve(listener, stopped).await;
            Ok(())
        });
    }
    let (address, is_given) = (settings.couch_listen, settings.couch_listen_given);
    let listener = listening.unless_taken("couch", address, is_given).await?;
    let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
    let couch = couch::Protocol::new(engine.clone(), address, stopped.clone())
        .await
        .context("the couch protocol failed")?;
    if let Some(listener) = listener {
        let options = couch::Options {
            http: http::Options {
                places: places.clone(),
                hosts: hosts.clone(),
                memory: engine.memory().clone(),
                ..http::Options::default()
            },
        };
        let (couch, stopped) = (couch.clone(), stopped.clone());
        protocols.spawn(async move {
            couch.serve(listener, options, stopped).await;
            Ok(())
        });
    }
    let (address, is_given) = (settings.elastic_listen, settings.elastic_listen_given);
    let elastic_options = elastic::Options {
        fulltext: Some(settings.data.join(FULLTEXT_FOLDER)),
        fulltext_from: None,
        http: http::Options {
            places: places.clone(),
            hosts: hosts.clone(),
            memory: engine.memory().clone(),
            ..http::Options::default()
        },
    };
    let elastic = elastic::Protocol::new(engine.clone(), &elastic_options);
    if let Some(listener) = listening.unless_taken("elastic", address, is_given).await? {
        let (elastic, stopped) = (elastic.clone(), stopped.clone());
        protocols.spawn(async move {
            elastic.serve(listener, elastic_options, stopped).await;
            Ok(())
        });
    }
    let riak_options = riak::Options {
        http: http::Options {
            places: places.clone(),
            hosts: hosts.clone(),
            memory: engine.memory().clone(),
            ..http::Options::default()
        },
    };
    let riak = riak::Riak::new(engine.clone(), riak_options);
    let (address, is_given) = (settings.riak_listen, settings.riak_listen_given);
    if let Some(listener) = listening.unless_taken("riak", address, is_given).await? {
        let served = riak.clone().serve_http(listener, stopped.clone());
        protocols.spawn(async {
            served.await;
            Ok(())
        });
    }
    let (address, is_given) = (settings.riak_pb_listen, settings.riak_pb_listen_given);
    if let Some(listener) = listening.unless_taken("riak-pb", address, is_given).await? {
        let served = riak.serve_protocol_buffers(listener, stopped.clone());
        protocols.spawn(async {
            served.await;
            Ok(())
        });
    }
    let (address, is_given) = (settings.http_listen, settings.http_listen_given);
    if let Some(listener) = listening.unless_taken("http", address, is_given).await? {
        let options = web::Options {
            http: http::Options {
                places: places.clone(),
                hosts: hosts.clone(),
                memory: engine.memory().clone(),
                ..http::Options::default()
            },
            mounts: mounts::mounts(&mongo, &couch, &elastic),
            tls: tls.clone(),
        };
        let served = web::serve(listener, engine.clone(), options, stopped.clone());
        protocols.spawn(async {
            served.await;
            Ok(())
        });
    }
    if let Some(listener) = listening.on("syslog", settings.syslog_listen).await? {
        let address = listener
            .local_addr()
            .context("cannot read the listening address")?;
        let datagrams = tokio::net::UdpSocket::bind(address)
            .await
            .with_context(|| format!("cannot take datagrams on {address} for syslog"))?;
        let (database, collection) = &settings.syslog_collection;
        let options = syslog::Options {
            namespace: engine::Namespace::new(database, collection),
            places: places.clone(),
        };
        let served = syslog::serve(datagrams, listener, engine.clone(), options, stopped.clone());
        protocols.spawn(async {
            served.await;
            Ok(())
        });
    }
    if protocols.is_empty() {
        bail!("every protocol is off: give at least one an address, such as --mongo-listen 127.0.0.1:27017");
    }

    let watched = tokio::spawn(crate::watch::run(engine.clone(), events, stopped));

    let supervisor = Supervisor::from_environment();
    supervisor.ready();
    supervisor.watch();
    while signals.next().await == Request::Reload {
        reload(options, settings, log, tls.as_ref());
    }
    supervisor.stopping();
    tracing::info!("stopping: commands that run now may end");
    stop.send_replace(true);
    // Those who wait for a lock could not end else.
    engine.release_writes().await?;
    while let Some(ended) = protocols.join_next().await {
        ended.context("a protocol's task failed")??;
    }
    watched.await.context("watching this machine failed")?;
    engine.close().await?;
    tracing::info!("stopped");
    Ok(())
}

/// Reads the configuration again; what cannot change while running is said, not done.
fn reload(options: &ServeOptions, running: &Settings, log: &LogControl, tls: Option<&Tls>) {
    let settings = match options.settings() {
        Ok(settings) => settings,
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "the configuration was not reloaded");
            return;
        }
    };
    if let Err(error) = log.change(&settings.log) {
        tracing::error!(error = format!("{error:#}"), "the log's filter was not changed");
    }
    if let (Some(tls), Some(files)) = (tls, &settings.tls) {
        match tls.reload(files) {
            Ok(()) => {
                tracing::info!(certificate = %files.certificate.display(), "the certificate was read again");
            }
            Err(error) => tracing::error!(%error, "TLS goes on with the certificate that it has"),
        }
    }
    let needs_restart = settings.data != running.data
        || settings.memory_bytes != running.memory_bytes
        || settings.mongo_listen != running.mongo_listen
        || settings.couch_listen != running.couch_listen
        || settings.elastic_listen != running.elastic_listen
        || settings.riak_listen != running.riak_listen
        || settings.riak_pb_listen != running.riak_pb_listen
        || settings.http_listen != running.http_listen
        || settings.syslog_listen != running.syslog_listen
        || settings.syslog_collection != running.syslog_collection
        || settings.tls.is_some() != running.tls.is_some()
        || settings.connections_max != running.connections_max
        || settings.no_login != running.no_login
        || settings.allowed_hosts != running.allowed_hosts
        || settings.scrub_rate != running.scrub_rate
        || settings.disk_reserve != running.disk_reserve
        || settings.temporary_bytes_max != running.temporary_bytes_max
        || settings.archive_bytes_max != running.archive_bytes_max
        || settings.test_commands != running.test_commands
        || settings.default_max_time != running.default_max_time
        || settings.log_format != running.log_format;
    if needs_restart {
        tracing::warn!("reloaded; changes other than the log's filter take effect at the next start");
    } else {
        tracing::info!("reloaded");
    }
}
