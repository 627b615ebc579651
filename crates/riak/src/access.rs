//! Who may do what: the users and roles of all protocols.

use crate::error::{Result, RiakError};
use crate::server::Server;
use auth::{Action, Privileges, Resource};
use engine::Namespace;
use http::{Method, Request, StatusCode, basic_credentials};
use std::net::SocketAddr;

/// What whoever asks may do; everything where no user exists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access(Option<Privileges>);

impl Access {
    /// By HTTP's basic authentication.
    pub(crate) async fn of_request(server: &Server, request: &Request) -> Result<Access> {
        refuse_other_sites(request)?;
        if !server.engine.needs_login() {
            let known = server.hosts.check(&request.headers);
            return known
                .map(|()| Access(None))
                .map_err(|error| RiakError::forbidden(error.to_string()));
        }
        let given = basic_credentials(&request.headers).ok_or_else(unauthorized)?;
        let given = given.map_err(|_| unauthorized())?;
        Access::of_password(server, &given.name, &given.password, request.peer).await
    }

    /// By name and password.
    pub(crate) async fn of_password(
        server: &Server,
        name: &str,
        password: &str,
        peer: SocketAddr,
    ) -> Result<Access> {
        let user = server.engine.log_in(name, password, peer).await;
        let user = user.map_err(|too_many| {
            let seconds = too_many.wait.as_secs() + 1;
            let message = format!("too many logins have failed; try again in {seconds} s");
            RiakError::new(StatusCode::TOO_MANY_REQUESTS, message)
        })?;
        let user = user.ok_or_else(unauthorized)?;
        Ok(Access(Some(server.engine.privileges(&user))))
    }

    /// Whether this may be done with a collection.
    pub(crate) fn allows(&self, action: Action, namespace: &Namespace) -> bool {
        let resource = Resource::Collection(&namespace.database, &namespace.collection);
        let privileges = self.0.as_ref();
        privileges.is_none_or(|privileges| privileges.allows(action, resource))
    }

    /// Refuses a user who may not do this with a collection.
    pub(crate) fn require(&self, action: Action, namespace: &Namespace) -> Result<()> {
        match self.allows(action, namespace) {
            true => Ok(()),
            false => Err(RiakError::forbidden(format!(
                "Permission denied: the user does not have '{}' on {namespace}",
                action.name()
            ))),
        }
    }
}

/// A page of another site may make a browser send requests with the user's password; what changes something is refused
/// then (Fetch Metadata, `Sec-Fetch-Site`).
fn refuse_other_sites(request: &Request) -> Result<()> {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&request.method);
    match !reads && matches!(request.header("sec-fetch-site"), Some("cross-site" | "same-site")) {
        true => Err(RiakError::forbidden(
            "a page of another site cannot change anything here",
        )),
        false => Ok(()),
    }
}

fn unauthorized() -> RiakError {
    RiakError::new(StatusCode::UNAUTHORIZED, "Unauthorized")
}
