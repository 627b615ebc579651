//! Who asks: by basic authentication, by cookie, or nobody.
//!
//! The users are those of the MongoDB protocol, looked for in the databases `admin` and `default`.

use crate::call::Call;
use crate::error::Result;
use std::net::SocketAddr;

/// Who asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct User {
    /// The name; none where nobody has logged in.
    pub(crate) name: Option<String>,
    /// The roles as CouchDB names them; `_admin` may do everything.
    pub(crate) roles: Vec<String>,
    /// Whether the request comes from the machine itself.
    pub(crate) is_local: bool,
}

impl User {
    /// Nobody yet, from this address.
    pub(crate) fn at(peer: &SocketAddr) -> User {
        User {
            is_local: peer.ip().is_loopback(),
            ..User::default()
        }
    }

    /// Whether the user may do everything.
    pub(crate) fn is_admin(&self) -> bool {
        self.roles.iter().any(|role| role == "_admin")
    }
}

/// Finds out who asks.
pub(crate) async fn authenticate(call: &mut Call) -> Result<()> {
    if !call.server.engine.has_users() && call.user.is_local {
        call.user.roles.push("_admin".to_owned());
    }
    Ok(())
}

/// What is needed to know who asks.
#[derive(Debug)]
pub(crate) struct Logins {
    secret: [u8; 32],
}

impl Logins {
    /// With a secret of its own; none where there is no randomness.
    pub(crate) fn new() -> Option<Logins> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        Some(Logins { secret })
    }
}
