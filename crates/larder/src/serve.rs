//! `larder serve`: opens the data folder, listens, and ends in an orderly way.

use crate::config::{ServeOptions, Settings};
use crate::descriptors;
use crate::listening::Listening;
use crate::logging::{self, LogControl};
use crate::protocols::Protocols;
use crate::shutdown::{Request, Signals};
use crate::supervisor::Supervisor;
use anyhow::{Context, Result, bail};
use engine::{Engine, EngineOptions};
use net::Tls;
use tokio::sync::watch;

/// Serves until a signal ends it, or a client by a command.
pub async fn run(options: &ServeOptions) -> Result<()> {
    let settings = &options.settings()?;
    let (event_layer, events) = crate::watch::events();
    let log = &logging::start(&settings.log, settings.log_format, event_layer)?;
    let mut signals = Signals::listen()?;
    descriptors::raise_limit();
    let places = net::Places::new(descriptors::connections_max(settings.connections_max));
    let engine = open(settings).await?;

    let tls = settings.tls.as_ref().map(Tls::open).transpose()?;
    let (stop, stopped) = watch::channel(false);
    let listening = Listening {
        settings,
        engine: &engine,
        tls: tls.as_ref(),
    };
    let protocols = Protocols::start(&listening, &places, &stopped).await?;
    if protocols.is_empty() {
        bail!("every protocol is off: give at least one an address, such as --mongo-listen 127.0.0.1:27017");
    }

    let watched = tokio::spawn(crate::watch::run(engine.clone(), events, stopped));

    let supervisor = Supervisor::from_environment();
    supervisor.ready();
    supervisor.watch();
    let signal = loop {
        let request = tokio::select! {
            request = signals.next() => request,
            () = protocols.asked_to_stop() => break "shutdown",
        };
        match request {
            Request::Reload => reload(options, settings, log, tls.as_ref()),
            Request::Stop(signal) => break signal,
        }
    };
    supervisor.stopping();
    tracing::info!(signal, "stopping: commands that run now may end");
    stop.send_replace(true);
    // Commands that wait for the lock on writes could not end otherwise.
    engine.release_writes().await?;
    protocols.end().await?;
    watched.await.context("watching this machine failed")?;
    engine.close().await?;
    tracing::info!("stopped");
    Ok(())
}

/// Opens the data folder, with the limits that the settings name.
async fn open(settings: &Settings) -> Result<Engine> {
    let engine = Engine::open(&EngineOptions {
        folder: settings.data.clone(),
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
    Ok(engine)
}

/// Reads the configuration again. Settings that cannot change while the server runs are named in the log.
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
        || settings.riak_siblings_max != running.riak_siblings_max
        || settings.riak_delete_mode != running.riak_delete_mode
        || settings.http_listen != running.http_listen
        || settings.syslog_listen != running.syslog_listen
        || settings.syslog_collection != running.syslog_collection
        || settings.tls.is_some() != running.tls.is_some()
        || settings.connections_max != running.connections_max
        || settings.insecure != running.insecure
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
