//! One client's connection: messages in, replies out, one after another.

use crate::connection::{Connection, Login, Socket};
use crate::dispatch::{self, Outcome};
use crate::error::CommandError;
use crate::express;
use crate::server::Server;
use crate::topology;
use crate::wire::{Arrival, Compressor, Header, Intake, Message, MessageReader, Reply, ReplyForm, WireError};
use bytes::Bytes;
use code::Code;
use engine::AtHand;
use memory::{Full, Share};
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;

/// How long the next message may take while nobody has logged in: drivers that watch the server ask more often.
const LOGIN_IDLE_TIME_MAX: Duration = Duration::from_secs(120);

/// Counts a connection while it lives.
struct Counted(Arc<Server>, i32);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.engine.end_connection(self.1);
        self.0.counters.connections_now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves a connection until it ends or the server stops.
pub(crate) async fn run(
    server: Arc<Server>,
    stream: net::Stream,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let is_admitted = tokio::select! {
        biased;
        is_admitted = server.establishment.admits() => is_admitted,
        () = net::stopped(&mut stop) => return,
    };
    if !is_admitted {
        tracing::debug!(%peer, "closed: too many connections in a short time");
        return;
    }
    let id = server.next_connection_id();
    server.counters.connections_now.fetch_add(1, Ordering::Relaxed);
    server.counters.connections_total.fetch_add(1, Ordering::Relaxed);
    let _counted = Counted(server.clone(), id);
    let _listed = server.engine.register_connection(id, peer);
    let socket = Arc::new(Socket::new(stream));
    let mut connection = Connection {
        id,
        peer,
        client: Some(socket.clone()),
        certified: socket.stream().certified().map(|peer| peer.subject.clone()),
        metadata: None,
        compressors: Vec::new(),
        login: Login::default(),
        shown_user: None,
        at_hand: AtHand::default(),
    };
    let mut reader = MessageReader::default();
    let mut intake = Intake {
        budget: server.engine.memory().clone(),
        is_stranger: true,
    };
    // One listener serves all messages. Messages that have arrived are taken first, so that a busy client does not pay for it each time.
    let mut watched = stop.clone();
    let mut stopped = pin!(net::stopped(&mut watched));
    loop {
        if is_stopped(&mut stop) {
            return;
        }
        let must_log_in = connection.login.user().is_none() && server.engine.needs_login();
        intake.is_stranger = must_log_in;
        let next = tokio::select! {
            biased;
            next = reader.next(socket.stream(), &intake) => next,
            () = &mut stopped => return,
            () = idle_too_long(), if must_log_in => {
                tracing::debug!(%peer, connection = id, "closed: nobody logged in");
                return;
            }
        };
        let serving = serve_next(&server, &mut connection, &socket, next, &stop);
        let (goes_on, has_waited) = note_waits(serving).await;
        if !goes_on {
            return;
        }
        // Others had their turn while it waited.
        reader.look_ahead(has_waited);
    }
}

/// Runs work, and returns with its result whether it had to wait.
async fn note_waits<T>(work: impl Future<Output = T>) -> (T, bool) {
    let mut work = pin!(work);
    let mut has_waited = false;
    let result = poll_fn(|context| {
        let polled = work.as_mut().poll(context);
        has_waited |= polled.is_pending();
        polled
    });
    (result.await, has_waited)
}

/// Serves what was read from a connection; false where it is to be closed.
async fn serve_next(
    server: &Arc<Server>,
    connection: &mut Connection,
    socket: &Socket,
    next: Result<Arrival, WireError>,
    stop: &watch::Receiver<bool>,
) -> bool {
    let goes_on = match next {
        Ok(Arrival::Message(header, message, share)) => {
            let goes_on = match express::answer(server, connection, &header, &message).await {
                Some(answer) => {
                    let sent = send_counted(server, socket, answer.bytes, answer.held).await;
                    sent.map(|()| true).map_err(Into::into)
                }
                None => {
                    // Boxed, so that a connection without a command is small.
                    Box::pin(answer(server, connection, socket, header, message, stop)).await
                }
            };
            // The documents of a message live until it is answered.
            drop(share);
            goes_on
        }
        Ok(Arrival::Refused(header, full)) => refuse(server, socket, &header, &full).await,
        Ok(Arrival::End) => Ok(false),
        Err(error) => Err(error),
    };
    goes_on.unwrap_or_else(|error| {
        tracing::debug!(peer = %connection.peer, connection = connection.id, %error, "closed");
        false
    })
}

/// Whether the server stops. Takes no lock until it does.
fn is_stopped(stop: &mut watch::Receiver<bool>) -> bool {
    match stop.has_changed() {
        Ok(false) => false,
        Ok(true) => *stop.borrow_and_update(),
        Err(_) => true,
    }
}

/// Waits as long as a client may be silent before it logs in. The timer is made only when this is waited for.
async fn idle_too_long() {
    tokio::time::sleep(LOGIN_IDLE_TIME_MAX).await;
}

/// Runs one message and answers it; false where the connection must be closed.
async fn answer(
    server: &Arc<Server>,
    connection: &mut Connection,
    socket: &Socket,
    header: Header,
    message: Bytes,
    stop: &watch::Receiver<bool>,
) -> Result<bool, WireError> {
    server.counters.requests.fetch_add(1, Ordering::Relaxed);
    server
        .counters
        .bytes_in
        .fetch_add(message.len() as u64, Ordering::Relaxed);
    let compression_allowed = connection.login.user().is_some() || !server.engine.needs_login();
    let parsed = match Message::parse(&header, &message, compression_allowed) {
        Ok(parsed) => parsed,
        Err(WireError::Invalid { code, message }) => {
            send_error(server, socket, &header, CommandError::new(code, message)).await?;
            return Ok(true);
        }
        Err(error) => return Err(error),
    };
    drop(message);
    let mut answers = header.request_id;
    let wait = server.topology.wait_of(&parsed.request);
    loop {
        if let Some(limit) = wait
            && !topology::wait(limit, socket, stop.clone()).await
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
        answers = send(server, socket, reply, frame, answers).await?;
        if !more_to_come {
            return Ok(true);
        }
    }
}

/// Answers a message for which there was no memory.
async fn refuse(server: &Server, socket: &Socket, header: &Header, full: &Full) -> Result<bool, WireError> {
    let error = CommandError::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string());
    send_error(server, socket, header, error).await?;
    Ok(true)
}

/// Answers a message that is not run.
async fn send_error(
    server: &Server,
    socket: &Socket,
    header: &Header,
    error: CommandError,
) -> Result<(), WireError> {
    let frame = Frame {
        form: ReplyForm::of(header.opcode),
        more_to_come: false,
        compressor: None,
    };
    let reply = Reply::from(error.to_reply());
    send(server, socket, reply, frame, header.request_id).await?;
    Ok(())
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
    reply: Reply,
    frame: Frame,
    answers: i32,
) -> Result<i32, WireError> {
    let id = server.next_request_id();
    // The documents, and their copy in the message, which is what is left of them.
    let both = server.share_of_answer(2 * reply.size_guess());
    let bytes = reply.encode(frame.form, frame.more_to_come, frame.compressor, id, answers)?;
    drop(reply);
    let held = server.share_of_answer(bytes.len());
    drop(both);
    server
        .counters
        .bytes_out
        .fetch_add(bytes.len() as u64, Ordering::Relaxed);
    send_counted(server, socket, bytes, held).await?;
    Ok(id)
}

/// Sends a message, of which it is known what it holds if it is long.
async fn send_counted(
    server: &Server,
    socket: &Socket,
    message: Vec<u8>,
    held: Option<Share>,
) -> std::io::Result<()> {
    match held {
        None => socket.send(&message).await,
        // Boxed, so that a connection is small.
        Some(held) => Box::pin(socket.send_long(&server.engine, message.into(), held)).await,
    }
}
