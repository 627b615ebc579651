//! What is known of one client while it is connected.

mod login;
mod socket;

pub use login::{Awaits, Login, SaslStep};
pub use socket::Socket;

use crate::wire::Compressor;
use engine::{AtHand, Client};
use std::net::SocketAddr;
use std::sync::Arc;
use value::Document;

/// What the server remembers of a client while it is connected.
#[derive(Debug)]
pub struct Connection {
    /// The connection's number.
    pub id: i32,
    /// The client's address.
    pub peer: SocketAddr,
    /// Where a long operation looks for whether the client still waits; `None` where its future ends with the client.
    pub client: Option<Arc<dyn Client>>,
    /// The subject of the certificate that the client has shown, by which it may log in.
    pub certified: Option<String>,
    /// What the client said of itself in its first hello.
    pub metadata: Option<Document>,
    /// The ways to compress that both sides know.
    pub compressors: Vec<Compressor>,
    /// Who logged in.
    pub login: Login,
    /// As whose connection it is shown to administrators: the full name of who ran its last listed operation.
    pub shown_user: Option<Arc<str>>,
    /// What its finds by `_id` keep from one to the next.
    pub at_hand: AtHand,
}

impl Connection {
    /// The application's name that the client gave.
    pub fn application(&self) -> Option<&str> {
        let value::Value::Document(application) = self.metadata.as_ref()?.get("application")? else {
            return None;
        };
        application.get("name").and_then(|name| match name {
            value::Value::String(name) => Some(name.as_str()),
            _ => None,
        })
    }
}
