//! The protocol's commands for callers in the same program: what a listener serves, without its connections.

use crate::connection::{Connection, Login};
use crate::dispatch::{self, Outcome};
use crate::error::CommandError;
use crate::server::{Options, ServeError, Server};
use crate::wire::{Message, Reply, ReplyForm, Request};
use auth::User;
use code::Code;
use engine::{AtHand, Engine};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use value::{Document, DocumentBuf};

/// The protocol on an engine: connections are served by [`Protocol::serve`], single commands run by [`Protocol::run`].
#[derive(Clone, Debug)]
pub struct Protocol(pub(crate) Arc<Server>);

impl Protocol {
    /// The protocol on this engine.
    pub fn new(engine: Engine, options: Options) -> Result<Protocol, ServeError> {
        Ok(Protocol(Arc::new(Server::new(engine, options)?)))
    }

    /// Waits until a client ends the server by the command `shutdown`.
    pub async fn asked_to_stop(&self) {
        self.0.asked_to_stop.notified().await;
    }

    /// Runs one command with the rights of a user (of nobody where users exist and none is given), as if it had come by a
    /// connection of its own from this address. Cursors outlive it, for later commands of the same user. It ends where its
    /// future is dropped.
    pub async fn run(
        &self,
        user: Option<Arc<User>>,
        peer: SocketAddr,
        database: &str,
        command: Document,
    ) -> DocumentBuf {
        let reply = self.reply(user, peer, database, command).await;
        let raw = DocumentBuf::new(reply.to_raw().into());
        // What was just written is a document, unless it nests deeper than one may.
        raw.unwrap_or_else(|error| {
            let error = CommandError::new(Code::OVERFLOW, error.to_string());
            DocumentBuf::from(&error.to_reply())
        })
    }

    async fn reply(
        &self,
        user: Option<Arc<User>>,
        peer: SocketAddr,
        database: &str,
        command: Document,
    ) -> Reply {
        let server = &self.0;
        server.counters.requests.fetch_add(1, Ordering::Relaxed);
        if command.contains("$db") {
            let message = "$db is given by the path, not by the command";
            return Reply::from(CommandError::new(Code::INVALID_OPTIONS, message).to_reply());
        }
        let mut login = Login::default();
        if let Some(user) = user {
            login.log_in(user, server.engine.roles());
        }
        let mut connection = Connection {
            id: server.next_connection_id(),
            peer,
            client: None,
            certified: None,
            metadata: None,
            compressors: Vec::new(),
            login,
            shown_user: None,
            at_hand: AtHand::default(),
        };
        let message = Message {
            request: Request {
                body: DocumentBuf::from(&command.with("$db", database)),
                sequences: Vec::new(),
            },
            form: ReplyForm::Msg,
            compressor: None,
        };
        // Boxed, as for connections: what waits for it is small.
        match Box::pin(dispatch::run(server, &mut connection, &message)).await {
            Outcome::Reply(reply) => reply,
            Outcome::Close => {
                let message = "a fail point closed the connection";
                Reply::from(CommandError::new(Code::SOCKET_EXCEPTION, message).to_reply())
            }
        }
    }
}
