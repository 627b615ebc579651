//! Who may do what: the users and roles of all protocols, by HTTP's basic authentication.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::server::Server;
use auth::{Action, Privileges, Resource, User};
use engine::Namespace;
use http::{Method, Request, StatusCode, basic_credentials};
use std::sync::Arc;

/// How it is known who asks.
#[derive(Debug)]
pub(crate) enum Asking {
    /// The request's headers say it.
    ByHeaders,
    /// Whoever took the request found out; `None` where no user exists.
    Known(Option<Arc<User>>),
}

/// What whoever asks may do; `None` where no user exists and so everybody may do everything.
pub(crate) async fn privileges(
    server: &Server,
    request: &Request,
    asking: Asking,
) -> Result<Option<Privileges>> {
    let engine = &server.engine;
    if let Asking::Known(user) = asking {
        return match user {
            Some(user) => Ok(Some(engine.privileges(&user))),
            None if engine.needs_login() => Err(unauthorized("sign in first")),
            None => Ok(None),
        };
    }
    refuse_other_sites(request)?;
    if !engine.needs_login() {
        let known = server.hosts.check(&request.headers);
        return known.map(|()| None).map_err(|error| refusal(error.to_string()));
    }
    let missing = "missing authentication credentials for REST request: send a user's name and password by basic authentication";
    let given = basic_credentials(&request.headers).ok_or_else(|| unauthorized(missing))?;
    let given = given.map_err(unauthorized)?;
    let user = engine
        .log_in(&given.name, &given.password, request.peer)
        .await
        .map_err(|too_many| {
            let seconds = too_many.wait.as_secs() + 1;
            let reason = format!("too many logins have failed; try again in {seconds} s");
            ElasticError::new(StatusCode::TOO_MANY_REQUESTS, "security_exception", reason)
        })?;
    let user = user.ok_or_else(|| unauthorized("no user has this name and password"))?;
    Ok(Some(engine.privileges(&user)))
}

impl Call {
    /// Whether this may be done with a collection.
    pub(crate) fn allows(&self, action: Action, namespace: &Namespace) -> bool {
        let resource = Resource::Collection(&namespace.database, &namespace.collection);
        self.privileges
            .as_ref()
            .is_none_or(|privileges| privileges.allows(action, resource))
    }

    /// Refuses a user who may not do this with a collection.
    pub(crate) fn require(&self, action: Action, namespace: &Namespace) -> Result<()> {
        match self.allows(action, namespace) {
            true => Ok(()),
            false => Err(refusal(format!(
                "the user may not do this with [{namespace}] (it needs the action {}); ask for a role that allows it",
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
        true => Err(refusal("a page of another site cannot change anything here")),
        false => Ok(()),
    }
}

fn refusal(reason: impl Into<String>) -> ElasticError {
    ElasticError::new(StatusCode::FORBIDDEN, "security_exception", reason)
}

fn unauthorized(reason: &str) -> ElasticError {
    ElasticError::new(StatusCode::UNAUTHORIZED, "security_exception", reason)
}
