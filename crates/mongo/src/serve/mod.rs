//! Serving the protocol: connections are accepted, and each is a conversation of messages and replies.

mod conversation;

use crate::server::{Options, ServeError, Server};
use engine::Engine;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long connections may take to end their last command when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// How long accepting pauses when the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Waits until `stop` becomes true, or nobody is left who could say so.
async fn asked(stop: &mut watch::Receiver<bool>) {
    // The answer borrows the channel; it must not live on while something else is awaited.
    drop(stop.wait_for(|stop| *stop).await);
}

/// Serves until `stop` becomes true; then lets running commands end and closes all connections.
pub async fn serve(
    listener: TcpListener,
    engine: Engine,
    options: Options,
    mut stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    let listening_port = listener.local_addr().map_or(0, |address| address.port());
    let server = Arc::new(Server::new(engine, options, listening_port)?);
    let mut connections = JoinSet::new();
    let stop_of_connections = stop.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    if connections.len() >= server.options.connections_max {
                        tracing::warn!(%peer, limit = server.options.connections_max, "refused: too many connections");
                        continue;
                    }
                    // Small answers must not wait for more to be sent with them.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%peer, %error, "the connection ended before it began");
                        continue;
                    }
                    let id = server.next_connection_id();
                    connections.spawn(conversation::run(server.clone(), stream, peer, id, stop_of_connections.clone()));
                }
                Err(error) => {
                    // Out of descriptors, or a client that gave up: others may still come.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(ended) = connections.join_next() => log_panic(ended),
            () = asked(&mut stop) => break,
        }
    }
    drop(listener);
    for operation in server.engine.running_operations() {
        // Those that wait for data would wait past the end.
        if operation.command == "getMore" {
            operation.context.kill();
        }
    }
    let all_ended = async {
        while let Some(ended) = connections.join_next().await {
            log_panic(ended);
        }
    };
    if tokio::time::timeout(STOP_TIME_MAX, all_ended).await.is_err() {
        tracing::warn!("some commands did not end in time; their connections are closed");
    }
    Ok(())
}

fn log_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection failed for a mistake in the server");
    }
}
