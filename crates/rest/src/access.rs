//! Who may do what: the users and roles of all protocols, by HTTP's basic authentication.

use crate::call::Call;
use crate::server::Server;
use auth::{Action, Privileges, Resource, User};
use engine::Namespace;
use http::{Request, StatusCode, basic_credentials, refuse_other_sites};
use indices::error::{ElasticError, Result};
use std::sync::Arc;

/// How it is known who asks.
#[derive(Debug)]
pub enum Asking {
    /// The request's headers say it.
    ByHeaders,
    /// Whoever took the request found out; `None` where no user exists.
    Known(Option<Arc<User>>),
}

/// Who asks.
#[derive(Debug)]
pub struct Asker {
    /// `None` where no user exists and so everybody may do everything.
    pub user: Option<Arc<User>>,
    /// Whether a key was shown in place of a password.
    pub has_key: bool,
}

/// What whoever asks may do; `None` where no user exists and so everybody may do everything.
pub async fn privileges(server: &Server, request: &Request, asking: Asking) -> Result<Option<Privileges>> {
    let asker = asker(server, request, asking).await?;
    Ok(asker.user.map(|user| server.engine.privileges(&user)))
}

/// Finds out who asks.
pub async fn asker(server: &Server, request: &Request, asking: Asking) -> Result<Asker> {
    let known = |user| Asker { user, has_key: false };
    let engine = &server.engine;
    if let Asking::Known(user) = asking {
        return match user {
            Some(user) => Ok(known(Some(user))),
            None if engine.needs_login() => Err(unauthorized("sign in first")),
            None => Ok(known(None)),
        };
    }
    refuse_other_sites(request, engine.needs_login()).map_err(|error| refusal(error.to_string()))?;
    if !engine.needs_login() {
        let checked = server.hosts.check(&request.headers);
        return checked
            .map(|()| known(None))
            .map_err(|error| refusal(error.to_string()));
    }
    if let Some(user) = crate::api_keys::user(server, request).await? {
        return Ok(Asker {
            user: Some(user),
            has_key: true,
        });
    }
    let missing = "missing authentication credentials for REST request: send a user's name and password by basic authentication, or an API key";
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
    Ok(known(Some(user)))
}

impl Call {
    /// Whether this may be done with a collection.
    pub fn allows(&self, action: Action, namespace: &Namespace) -> bool {
        let resource = Resource::Collection(&namespace.database, &namespace.collection);
        self.privileges
            .as_ref()
            .is_none_or(|privileges| privileges.allows(action, resource))
    }

    /// Refuses a user who may not do this with a collection.
    pub fn require(&self, action: Action, namespace: &Namespace) -> Result<()> {
        match self.allows(action, namespace) {
            true => Ok(()),
            false => Err(refusal(format!(
                "the user may not do this with [{namespace}] (it needs the action {}); ask for a role that allows it",
                action.name()
            ))),
        }
    }
}

impl Call {
    /// Whether this may be done with the server itself.
    pub fn allows_of_server(&self, action: Action) -> bool {
        self.privileges
            .as_ref()
            .is_none_or(|privileges| privileges.allows(action, Resource::Cluster))
    }

    /// Refuses a user who may not do this with the server itself.
    pub fn require_of_server(&self, action: Action) -> Result<()> {
        match self.allows_of_server(action) {
            true => Ok(()),
            false => Err(refusal(format!(
                "the user may not do this with the server (it needs the action {}); ask for a role that allows it",
                action.name()
            ))),
        }
    }
}

fn refusal(reason: impl Into<String>) -> ElasticError {
    ElasticError::new(StatusCode::FORBIDDEN, "security_exception", reason)
}

fn unauthorized(reason: &str) -> ElasticError {
    ElasticError::new(StatusCode::UNAUTHORIZED, "security_exception", reason)
}
