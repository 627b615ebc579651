//! Who may do what: the users and roles of all protocols.

use crate::error::{Result, RiakError};
use crate::server::Server;
use auth::{Action, EXTERNAL, Privileges, Resource, Roles, User};
use engine::Namespace;
use http::{Request, StatusCode, basic_credentials, refuse_other_sites};
use std::net::SocketAddr;
use std::sync::Arc;

/// Who asks, and what he may do; everything where no user exists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access(Option<Known>);

/// A user who has shown who he is.
#[derive(Clone, Debug)]
struct Known {
    /// `name@database`.
    name: Arc<str>,
    privileges: Privileges,
    /// The account and the roles that the privileges come of.
    user: Arc<User>,
    roles: Arc<Roles>,
}

impl Access {
    /// Who asks, by the certificate that the client has shown or by HTTP's basic authentication.
    pub(crate) async fn of_request(server: &Server, request: &Request) -> Result<Access> {
        let needs_login = server.engine.needs_login();
        // Such a page may make a browser send requests with the user's password.
        refuse_other_sites(request, needs_login).map_err(|error| RiakError::forbidden(error.to_string()))?;
        if !needs_login {
            let known = server.hosts.check(&request.headers);
            return known
                .map(|()| Access(None))
                .map_err(|error| RiakError::forbidden(error.to_string()));
        }
        let given = basic_credentials(&request.headers)
            .transpose()
            .map_err(|_| unauthorized())?;
        let name = given.as_ref().map(|given| given.name.as_str());
        if let Some(access) = Access::of_certificate(server, request.certified.as_deref(), name) {
            return Ok(access);
        }
        let given = given.ok_or_else(unauthorized)?;
        Access::of_password(server, &given.name, &given.password, request.peer).await
    }

    /// By the subject of the certificate that the client has shown: as with MongoDB's X.509, the user of that name in
    /// `$external`. Where a name is given it is that of the subject or, as where Riak has the source `certificate`, its common
    /// name; then a password means nothing.
    pub(crate) fn of_certificate(
        server: &Server,
        subject: Option<&str>,
        name: Option<&str>,
    ) -> Option<Access> {
        let subject = subject?;
        if name.is_some_and(|name| name != subject && Some(name) != common_name(subject).as_deref()) {
            return None;
        }
        let user = server.engine.user(EXTERNAL, subject)?;
        Some(Access::of(server, user))
    }

    /// Who asks, by name and password.
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
        Ok(Access::of(server, user))
    }

    fn of(server: &Server, user: Arc<User>) -> Access {
        let roles = server.engine.roles();
        Access(Some(Known {
            name: user.full_name().into(),
            privileges: roles.privileges_of(&user.roles),
            user,
            roles,
        }))
    }

    /// The same with what the user may do by now; `None` where the user was dropped.
    pub(crate) fn renewed(self, server: &Server) -> Option<Access> {
        let Some(known) = &self.0 else {
            return Some(self);
        };
        let user = server.engine.user(&known.user.database, &known.user.name);
        let user = user.filter(|user| user.uuid == known.user.uuid)?;
        match Arc::ptr_eq(&user, &known.user) && Arc::ptr_eq(&server.engine.roles(), &known.roles) {
            true => Some(self),
            false => Some(Access::of(server, user)),
        }
    }

    /// The user's name with its database.
    pub(crate) fn user(&self) -> Option<&Arc<str>> {
        self.0.as_ref().map(|known| &known.name)
    }

    /// Whether this may be done with a collection.
    pub(crate) fn allows(&self, action: Action, namespace: &Namespace) -> bool {
        self.allows_with(
            action,
            Resource::Collection(&namespace.database, &namespace.collection),
        )
    }

    fn allows_with(&self, action: Action, resource: Resource<'_>) -> bool {
        let known = self.0.as_ref();
        known.is_none_or(|known| known.privileges.allows(action, resource))
    }

    /// Refuses a user who may not do this with the server itself.
    pub(crate) fn require_of_server(&self, action: Action) -> Result<()> {
        match self.allows_with(action, Resource::Cluster) {
            true => Ok(()),
            false => Err(RiakError::forbidden(format!(
                "Permission denied: the user does not have '{}' on the server",
                action.name()
            ))),
        }
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

/// The common name within a subject as RFC 2253 writes it: `CN=ann,OU=devices`.
fn common_name(subject: &str) -> Option<String> {
    let mut name = Vec::new();
    let mut rest = subject
        .strip_prefix("CN=")
        .or_else(|| subject.split_once(",CN=").map(|(_, rest)| rest))?
        .as_bytes();
    while let Some((&letter, behind)) = rest.split_first() {
        let (byte, behind) = match letter {
            b',' | b'+' => break,
            b'\\' => unescaped(behind)?,
            other => (other, behind),
        };
        name.push(byte);
        rest = behind;
    }
    String::from_utf8(name).ok()
}

/// What a backslash before these bytes stands for, and what follows it: a byte by its two digits, or the next one itself.
fn unescaped(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let digits = bytes.first_chunk::<2>();
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let text = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    match text.and_then(|text| u8::from_str_radix(text, 16).ok()) {
        Some(byte) => Some((byte, bytes.get(2..)?)),
        None => bytes.split_first().map(|(&byte, behind)| (byte, behind)),
    }
}

fn unauthorized() -> RiakError {
    RiakError::new(StatusCode::UNAUTHORIZED, "Unauthorized")
}

#[cfg(test)]
mod tests {
    use super::common_name;

    #[test]
    fn the_common_name_is_found_in_a_subject() {
        for (subject, name) in [
            ("CN=ann,OU=devices", Some("ann")),
            ("OU=devices,CN=a\\,b,O=Example", Some("a,b")),
            ("CN=J\\C3\\B6rg\\+b,O=Example", Some("Jörg+b")),
            ("O=Example", None),
        ] {
            assert_eq!(common_name(subject).as_deref(), name, "{subject}");
        }
    }
}
