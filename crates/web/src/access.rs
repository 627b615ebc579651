//! Who may do what: the users and roles of all protocols, by HTTP's basic authentication.

use crate::call::Call;
use crate::error::{Result, WebError};
use auth::{Action, Resource};
use engine::TooManyAttempts;
use engine::files::Bucket;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, StatusCode, basic_credentials};

const REALM: HeaderValue = HeaderValue::from_static("Basic realm=\"larder\", charset=\"UTF-8\"");

impl Call {
    /// Refuses a user who may not do this with a bucket. Where no user exists, everything is allowed.
    pub(crate) async fn may(&self, action: Action, bucket: &Bucket) -> Result<()> {
        let collection = format!("{}.files", bucket.name());
        self.allowed(action, Resource::Collection(bucket.database(), &collection))
            .await
    }

    /// Refuses a user who may not do this.
    pub(crate) async fn allowed(&self, action: Action, resource: Resource<'_>) -> Result<()> {
        self.refuse_other_sites()?;
        let engine = &self.server.engine;
        if !engine.has_users() {
            return Ok(());
        }
        let credentials = match basic_credentials(&self.request.headers) {
            Some(credentials) => credentials.map_err(WebError::bad_request)?,
            None => {
                return Err(unauthorized(
                    "log in: send a user's name and password by basic authentication",
                ));
            }
        };
        let from = self.request.peer;
        let user = engine
            .log_in(&credentials.name, &credentials.password, from)
            .await
            .map_err(|too_many| too_many_requests(&too_many))?
            .ok_or_else(|| unauthorized("no user has this name and password"))?;
        if engine.privileges(&user).allows(action, resource) {
            return Ok(());
        }
        let reason = format!(
            "the user {} may not do this (it needs the action {}); ask for a role that allows it",
            user.name,
            action.name()
        );
        Err(WebError::new(StatusCode::FORBIDDEN, "forbidden", reason))
    }

    /// Where everybody may do everything, the name by which the server is asked must be known.
    pub(crate) fn known_host(&self) -> Result<()> {
        if self.server.engine.has_users() {
            return Ok(());
        }
        let known = self.server.hosts.check(&self.request.headers);
        known.map_err(|error| WebError::new(StatusCode::FORBIDDEN, "forbidden", error.to_string()))
    }

    /// A page of another site may make a browser send requests with the user's password; what changes something is
    /// refused then (Fetch Metadata, `Sec-Fetch-Site`).
    fn refuse_other_sites(&self) -> Result<()> {
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&self.request.method);
        let other = matches!(
            self.request.header("sec-fetch-site"),
            Some("cross-site" | "same-site")
        );
        if reads || !other {
            return Ok(());
        }
        let reason = "a page of another site cannot change anything here";
        Err(WebError::new(StatusCode::FORBIDDEN, "forbidden", reason))
    }
}

fn too_many_requests(too_many: &TooManyAttempts) -> WebError {
    let seconds = too_many.wait.as_secs() + 1;
    WebError::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too_many_requests",
        format!("too many logins have failed; try again in {seconds} s"),
    )
    .with_header(RETRY_AFTER, HeaderValue::from(seconds))
}

fn unauthorized(reason: &str) -> WebError {
    WebError::new(StatusCode::UNAUTHORIZED, "unauthorized", reason).with_header(WWW_AUTHENTICATE, REALM)
}
