//! One client's connection: messages in, replies out, one after another.

use crate::connection::{Connection, Login, Socket};
use crate::dispatch::{self, Outcome};
use crate::error::CommandError;
use crate::server::Server;
use crate::topology;
use crate::wire::{Compressor, Header, Message, MessageReader, Reply, ReplyForm, WireError};
use bytes::Bytes;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// How long the next message may take while nobody has logged in: drivers that watch the server ask more often.
const LOGIN_IDLE_TIME_MAX: Duration = Duration::from_secs(120);

/// Counts a connection while it lives.
struct Counted(Arc<Server>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.counters.connections_now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves a connection until it ends or the server stops.
pub(crate) async fn run(
    server: Arc<Server>,
    stream: TcpStream,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let id = server.next_connection_id();
    server.counters.connections_now.fetch_add(1, Ordering::Relaxed);
    server.counters.connections_total.fetch_add(1, Ordering::Relaxed);
    let _counted = Counted(server.clone());
    let _listed = server.engine.register_connection(id, peer);
    let mut connection = Connection {
        id,
        peer,
        socket: Arc::new(Socket::new(stream)),
        metadata: None,
        compressors: Vec::new(),
        login: Login::default(),
    };
    let mut reader = MessageReader::default();
    loop {
        let must_log_in = connection.login.user().is_none() && server.engine.has_users();
        let next = tokio::select! {
            biased;
            () = net::stopped(&mut stop) => return,
            next = reader.next(connection.socket.stream()) => next,
            () = tokio::time::sleep(LOGIN_IDLE_TIME_MAX), if must_log_in => {
                tracing::debug!(%peer, connection = id, "closed: nobody logged in");
                return;
            }
        };
        let ended = match next {
            Ok(Some((header, message))) => {
                // Boxed, so that a connection without a command is small.
                Box::pin(answer(&server, &mut connection, header, message, &stop)).await
            }
            Ok(None) => return,
            Err(error) => Err(error),
        };
        match ended {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::debug!(%peer, connection = id, %error, "closed");
                return;
            }
        }
    }
}

/// Runs one message and answers it; false where the connection must be closed.
async fn answer(
    server: &Arc<Server>,
    connection: &mut Connection,
    header: Header,
    message: Bytes,
    stop: &watch::Receiver<bool>,
) -> Result<bool, WireError> {
    server.counters.requests.fetch_add(1, Ordering::Relaxed);
    server
        .counters
        .bytes_in
        .fetch_add(message.len() as u64, Ordering::Relaxed);
    let compression_allowed = connection.login.user().is_some() || !server.engine.has_users();
    let parsed = match Message::parse(&header, &message, compression_allowed) {
        Ok(parsed) => parsed,
        Err(WireError::Invalid { code, message }) => {
            let reply = Reply::from(CommandError::new(code, message).to_reply());
            let form = ReplyForm::of(header.opcode);
            send(
                server,
                &connection.socket,
                &reply,
                Frame {
                    form,
                    more_to_come: false,
                    compressor: None,
                },
                header.request_id,
            )
            .await?;
            return Ok(true);
        }
        Err(error) => return Err(error),
    };
    drop(message);
    let mut answers = header.request_id;
    let wait = server.topology.wait_of(&parsed.request);
    loop {
        if let Some(limit) = wait
            && !topology::wait(limit, &connection.socket, stop.clone()).await
        {
            return Ok(false);
        }
        let reply = match dispatch::run(server, connection, &parsed).await {
            Outcome::Reply(_) if parsed.form == ReplyForm::None => return Ok(true),
            Outcome::Reply(reply) => reply,
            Outcome::Close => return Ok(false),
        };
        // A client that takes a stream is given all batches of a cursor without asking again, and a monitor every hello.
        let is_batch = parsed.request.body.as_raw().get("getMore").is_some() && reply.has_more();
        let is_beat = wait.is_some() && topology::is_ok(&reply.body);
        let more_to_come = parsed.form == ReplyForm::Stream && (is_batch || is_beat) && !*stop.borrow();
        let compressor = parsed.compressor.filter(|_| !reply.is_secret);
        let frame = Frame {
            form: parsed.form,
            more_to_come,
            compressor,
        };
        answers = send(server, &connection.socket, &reply, frame, answers).await?;
        if !more_to_come {
            return Ok(true);
        }
    }
}

/// How a reply travels.
struct Frame {
    form: ReplyForm,
    more_to_come: bool,
    compressor: Option<Compressor>,
}

/// Sends a reply; gives its number.
async fn send(
    server: &Server,
    socket: &Socket,
    reply: &Reply,
    frame: Frame,
    answers: i32,
) -> Result<i32, WireError> {
    let id = server.next_request_id();
    let bytes = reply.encode(frame.form, frame.more_to_come, frame.compressor, id, answers)?;
    server
        .counters
        .bytes_out
        .fetch_add(bytes.len() as u64, Ordering::Relaxed);
    socket.send(&bytes).await?;
    Ok(id)
}
