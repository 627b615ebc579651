//! Serving the protocol: connections are accepted, and each is a conversation of messages and replies.

mod conversation;

use crate::protocol::Protocol;
use crate::server::{Options, ServeError, Server};
use engine::Engine;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long connections may take to end their last command when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// How long commands may go on when the server stops before they are ended.
const STOP_GRACE: Duration = Duration::from_millis(100);

/// Serves until `stop` becomes true; then lets short commands end, ends the others and closes all connections.
pub async fn serve(
    listener: impl Into<net::Listener>,
    engine: Engine,
    options: Options,
    stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    Protocol::new(engine, options)?.serve(listener, stop).await;
    Ok(())
}

impl Protocol {
    /// Serves connections, as [`serve`] does.
    pub async fn serve(&self, listener: impl Into<net::Listener>, stop: watch::Receiver<bool>) {
        serve_connections(self.0.clone(), listener.into(), stop).await;
    }
}

async fn serve_connections(server: Arc<Server>, listener: net::Listener, stop: watch::Receiver<bool>) {
    server.listens_on(listener.local_addr().map_or(0, |address| address.port()));
    let limits = net::Limits {
        places: server.options.places.clone(),
        // A client has to ask before it can be told anything.
        refusal: b"",
        stop_time_max: STOP_TIME_MAX,
    };
    let (serving, stopping) = (server.clone(), stop.clone());
    let connect = move |stream, peer| conversation::run(serving.clone(), stream, peer, stopping.clone());
    let mut serving = pin!(net::serve(listener, limits, stop.clone(), connect));
    tokio::select! {
        () = &mut serving => {}
        () = end_operations(&server, stop) => serving.await,
    }
}

/// Ends the commands that go on for some time after the stop.
async fn end_operations(server: &Server, mut stop: watch::Receiver<bool>) {
    net::stopped(&mut stop).await;
    tokio::time::sleep(STOP_GRACE).await;
    server.engine.end_operations();
}
