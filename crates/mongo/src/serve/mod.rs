//! Serving the protocol: connections are accepted, and each is a conversation of messages and replies.

mod conversation;

use crate::server::{Options, ServeError, Server};
use engine::Engine;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How long connections may take to end their last command when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);

/// Serves until `stop` becomes true; then lets running commands end and closes all connections.
pub async fn serve(
    listener: TcpListener,
    engine: Engine,
    options: Options,
    stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    let listening_port = listener.local_addr().map_or(0, |address| address.port());
    let server = Arc::new(Server::new(engine, options, listening_port)?);
    let limits = net::Limits {
        places: server.options.places.clone(),
        // A client has to ask before it can be told anything.
        refusal: b"",
        stop_time_max: STOP_TIME_MAX,
    };
    let stopping = stop.clone();
    let connect = |stream, peer| conversation::run(server.clone(), stream, peer, stopping.clone());
    let ending = end_waits(&server, stop.clone());
    tokio::join!(net::serve(listener, limits, stop, connect), ending);
    Ok(())
}

/// Ends at the stop those commands that wait for data: they would wait past the end.
async fn end_waits(server: &Server, mut stop: watch::Receiver<bool>) {
    net::stopped(&mut stop).await;
    for operation in server.engine.running_operations() {
        if operation.command == "getMore" {
            operation.context.kill();
        }
    }
}
