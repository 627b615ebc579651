//! Who may do what: the users and roles of all protocols, by HTTP's basic authentication.

use crate::call::Call;
use crate::error::{Result, WebError};
use auth::{Action, Resource, User};
use engine::TooManyAttempts;
use engine::files::Bucket;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, HostError, Method, StatusCode, basic_credentials, cookie, refuse_other_sites};
use std::sync::Arc;

const REALM: HeaderValue = HeaderValue::from_static("Basic realm=\"larder\", charset=\"UTF-8\"");

impl Call {
    /// Refuses a user who may not do this with a bucket. If no user exists, everything is allowed.
    pub(crate) async fn may(&self, action: Action, bucket: &Bucket) -> Result<()> {
        let collection = format!("{}.files", bucket.name());
        self.allowed(action, Resource::Collection(bucket.database(), &collection))
            .await
    }

    /// Refuses a user who may not do this.
    pub(crate) async fn allowed(&self, action: Action, resource: Resource<'_>) -> Result<()> {
        let Some(user) = self.user().await? else {
            return Ok(());
        };
        if self.server.engine.privileges(&user).allows(action, resource) {
            return Ok(());
        }
        let reason = format!(
            "the user {} may not do this (it needs the action {}); ask for a role that allows it",
            user.name,
            action.name()
        );
        Err(WebError::forbidden(reason))
    }

    /// Who asks, by the cookie of a sign-in or by basic authentication; `None` if no user exists.
    pub(crate) async fn user(&self) -> Result<Option<Arc<User>>> {
        let engine = &self.server.engine;
        if !engine.needs_login() {
            return Ok(None);
        }
        if let Some(user) = self.signed_in() {
            return Ok(Some(user));
        }
        let credentials = match basic_credentials(&self.request.headers) {
            Some(credentials) => credentials.map_err(WebError::bad_request)?,
            None => {
                return Err(
                    self.unauthorized("log in: send a user's name and password by basic authentication")
                );
            }
        };
        let from = self.request.peer;
        let user = engine
            .log_in(&credentials.name, &credentials.password, from)
            .await
            .map_err(|too_many| too_many_requests(&too_many))?
            .ok_or_else(|| self.unauthorized("no user has this name and password"))?;
        Ok(Some(user))
    }

    /// Who signed in by the page.
    pub(crate) fn signed_in(&self) -> Option<Arc<User>> {
        let token = cookie(&self.request.headers, &session_cookie(self))?;
        self.server.sessions.user(&self.server.engine, token)
    }

    /// A refusal. Below `/api` it comes without a challenge, at which browsers would show a form of their own.
    fn unauthorized(&self, reason: &str) -> WebError {
        let error = WebError::new(StatusCode::UNAUTHORIZED, "unauthorized", reason);
        match self.is_api() {
            true => error,
            false => error.with_header(WWW_AUTHENTICATE, REALM),
        }
    }

    /// Refuses methods that change something.
    pub(crate) fn only_reads(&self) -> Result<()> {
        match [Method::GET, Method::HEAD].contains(&self.request.method) {
            true => Ok(()),
            false => Err(WebError::not_allowed("GET, HEAD")),
        }
    }

    /// If everybody may do everything, the name by which the server is asked must be known.
    pub(crate) fn known_host(&self) -> Result<()> {
        if self.server.engine.needs_login() {
            return Ok(());
        }
        let known = self.server.hosts.check(&self.request.headers);
        known.map_err(|error| {
            let (status, word) = match &error {
                HostError::Host(_) => (StatusCode::MISDIRECTED_REQUEST, "misdirected"),
                HostError::Origin(_) => (StatusCode::FORBIDDEN, "forbidden"),
            };
            WebError::new(status, word, error.to_string())
        })
    }

    /// Refuses a request that would change something if a page of another site has sent it: a browser adds the user's password or
    /// sign-in to such requests too.
    pub(crate) fn refuse_other_sites(&self) -> Result<()> {
        let refused = refuse_other_sites(&self.request, self.server.engine.needs_login());
        refused.map_err(|error| WebError::forbidden(error.to_string()))
    }
}

/// The name of the cookie of a sign-in.
pub(crate) fn session_cookie(call: &Call) -> String {
    format!("larder-{}", call.server.port)
}

pub(crate) fn too_many_requests(too_many: &TooManyAttempts) -> WebError {
    let seconds = too_many.wait.as_secs() + 1;
    WebError::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too_many_requests",
        format!("too many logins have failed; try again in {seconds} s"),
    )
    .with_header(RETRY_AFTER, HeaderValue::from(seconds))
}
