//! The parts of a request that say who asks.

use crate::config::Config;
use crate::passwords::Passwords;
use crate::user::User;
use crate::users::Upgrades;
use engine::Engine;
use http::{HeaderMap, Method};
use std::net::SocketAddr;

/// What is remembered of logins from one request to the next.
#[derive(Debug)]
pub struct Logins {
    pub(crate) passwords: Passwords,
    pub(crate) upgrades: Upgrades,
}

impl Logins {
    /// Logins of a server that starts; `None` if the operating system gives no random bytes.
    pub fn new() -> Option<Logins> {
        Some(Logins {
            passwords: Passwords::new()?,
            upgrades: Upgrades::default(),
        })
    }

    /// How many passwords were recognized by their digest, and how many had to be hashed.
    pub fn counts(&self) -> (u64, u64) {
        self.passwords.counts()
    }
}

/// A request, as far as it says who asks.
#[derive(Clone, Copy, Debug)]
pub struct Visitor<'a> {
    /// The server's accounts.
    pub engine: &'a Engine,
    /// Its settings.
    pub config: &'a Config,
    /// Its logins.
    pub logins: &'a Logins,
    /// The request's method.
    pub method: &'a Method,
    /// The parts of the path.
    pub path: &'a [String],
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The address that asks.
    pub peer: SocketAddr,
}

impl Visitor<'_> {
    /// A header as text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether the request comes from the machine itself.
    pub(super) fn is_local(&self) -> bool {
        User::at(&self.peer).is_local
    }
}
