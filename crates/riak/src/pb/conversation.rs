//! A client's messages answered one after the other until it goes.

use super::connection::Connection;
use super::{dispatch, secure};
use crate::operation;
use crate::server::Server;
use bytes::Bytes;
use engine::OperationInfo;
use net::Tls;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;
use value::{Document, DocumentBuf};

/// Serves a connection until the client closes it, or until `stop` becomes true.
pub(crate) async fn run(
    server: Arc<Server>,
    tls: Option<Tls>,
    stream: net::Stream,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let counted = server.clone();
    let _connected = counted.stats.connect();
    let Some(stream) = secured(tls, stream, peer, &mut stop).await else {
        return;
    };
    let mut connection = Connection::new(server, stream, peer);
    loop {
        let message = tokio::select! {
            message = connection.next() => message,
            () = net::stopped(&mut stop) => {
                // Answers to what was done already are sent.
                drop(connection.flush().await);
                return;
            }
        };
        let answered = match message {
            Ok(Some((code, message, _memory))) => answer(&mut connection, code, message).await,
            Ok(None) => return,
            Err(fault) => connection.refuse(fault).await,
        };
        if let Err(error) = answered {
            tracing::debug!(peer = %connection.peer, %error, "the connection ended");
            return;
        }
    }
}

/// The stream, through TLS where there is some; `None` where that ended it.
async fn secured(
    tls: Option<Tls>,
    stream: net::Stream,
    peer: SocketAddr,
    stop: &mut watch::Receiver<bool>,
) -> Option<net::Stream> {
    let Some(tls) = tls else {
        return Some(stream);
    };
    let secured = Box::pin(secure::begin(tls, stream));
    let secured = tokio::select! {
        secured = secured => secured,
        () = net::stopped(stop) => return None,
    };
    secured
        .inspect_err(|error| tracing::debug!(%peer, %error, "the connection was not made secure"))
        .ok()
}

/// Answers one message, as an operation that can be seen and ended.
async fn answer(connection: &mut Connection, code: u8, message: Bytes) -> io::Result<()> {
    connection.follow_account();
    let server = connection.server.clone();
    let access = connection.access.clone().unwrap_or_default();
    let context = operation::context(&server, &access, connection.gone());
    let _listed = server.engine.register_operation(OperationInfo {
        id: 0,
        command: format!("riak {code}"),
        namespace: None,
        body: DocumentBuf::from(&Document::new().with("riak", i32::from(code))),
        connection: 0,
        client: connection.peer,
        started: Instant::now(),
        context: context.clone(),
    });
    connection.begin_answer();
    let work = Box::pin(dispatch::run(connection, code, message));
    if let Err(error) = context.run(work).await {
        connection.fail_answer(error)?;
    }
    connection.end_answer().await
}
