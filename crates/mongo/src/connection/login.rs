//! Who is logged in on a connection, and a login under way.

use crate::arguments::NamedSession;
use crate::error::{CommandError, Result};
use auth::{Action, Conversation, NOBODY_DIGEST, Privileges, Resource, Roles, User};
use engine::{Engine, SessionId};
use std::sync::Arc;
use value::Value;

/// The state of a connection's login.
#[derive(Debug, Default)]
pub struct Login {
    present: Option<Present>,
    /// The SASL conversation under way, if any.
    pub conversation: Option<SaslStep>,
    conversations: i32,
}

#[derive(Debug)]
struct Present {
    user: Arc<User>,
    /// `name@database`.
    full_name: Arc<str>,
    /// What stands for the name in sessions.
    digest: [u8; 32],
    privileges: Privileges,
    /// The roles that the privileges were made of.
    roles: Arc<Roles>,
    /// Those of the user, with all that they inherit, as expressions see them.
    held_roles: Arc<Value>,
}

/// A SASL conversation between two messages.
#[derive(Debug)]
pub struct SaslStep {
    /// Its number, which the client gives back.
    pub id: i32,
    /// The name that it is for, with its database.
    pub name: String,
    /// The user who wants to log in; `None` if there is no such user.
    pub user: Option<Arc<User>>,
    /// What the client sends next: its proof, or an empty message after it.
    pub awaits: Awaits,
    /// Whether the client wants no empty exchange at the end.
    pub skips_empty_exchange: bool,
}

/// What the client of a conversation sends next.
#[derive(Debug)]
pub enum Awaits {
    /// Its proof.
    Proof(Box<Conversation>),
    /// An empty message: the proof was right.
    End,
}

impl Login {
    /// The user who is logged in.
    pub fn user(&self) -> Option<&Arc<User>> {
        self.present.as_ref().map(|present| &present.user)
    }

    /// The full name of the user who is logged in, `name@database`.
    pub fn full_name(&self) -> Option<&Arc<str>> {
        self.present.as_ref().map(|present| &present.full_name)
    }

    /// What `$$USER_ROLES` gives.
    pub fn held_roles(&self) -> Option<&Arc<Value>> {
        self.present.as_ref().map(|present| &present.held_roles)
    }

    /// The session of this UUID and the user who is logged in.
    pub fn session(&self, id: [u8; 16]) -> SessionId {
        let user = self.present.as_ref().map(|present| present.digest);
        SessionId {
            id,
            user: user.unwrap_or(NOBODY_DIGEST),
        }
    }

    /// The session that a client names. A session of another user needs the right to act for others, or one of these rights.
    pub fn named_session(
        &self,
        engine: &Engine,
        named: NamedSession,
        rights: &[Action],
    ) -> Result<SessionId> {
        let own = self.session(named.id);
        let Some(user) = named.user.filter(|user| *user != own.user) else {
            return Ok(own);
        };
        let mut rights = rights.iter().chain(&[Action::Impersonate]);
        if engine.needs_login() && !rights.any(|action| self.allows(*action, Resource::Cluster)) {
            return Err(CommandError::unauthorized(
                "Unauthorized to set user digest in LogicalSessionId",
            ));
        }
        Ok(SessionId { id: named.id, user })
    }

    /// Logs a user in.
    pub fn log_in(&mut self, user: Arc<User>, roles: Arc<Roles>) {
        let full_name = user.full_name();
        self.present = Some(Present {
            digest: auth::user_digest(&full_name),
            full_name: full_name.into(),
            privileges: roles.privileges_of(&user.roles),
            held_roles: Arc::new(auth::shown_roles(&roles.with_inherited(&user.roles))),
            user,
            roles,
        });
    }

    /// Logs out.
    pub fn log_out(&mut self) {
        self.present = None;
        self.conversation = None;
    }

    /// A number for a new conversation.
    pub fn next_conversation(&mut self) -> i32 {
        self.conversations = self.conversations.wrapping_add(1);
        self.conversations
    }

    /// Follows changes of the user and of roles; a user who was dropped is logged out.
    pub fn refresh(&mut self, engine: &Engine) {
        let Some(present) = &self.present else { return };
        let roles = engine.roles();
        match engine.user(&present.user.database, &present.user.name) {
            Some(user) if Arc::ptr_eq(&user, &present.user) && Arc::ptr_eq(&roles, &present.roles) => {}
            Some(user) if user.uuid == present.user.uuid => self.log_in(user, roles),
            _ => self.log_out(),
        }
    }

    /// Whether the user who is logged in may do this.
    pub fn allows(&self, action: Action, resource: Resource<'_>) -> bool {
        self.present
            .as_ref()
            .is_some_and(|present| present.privileges.allows(action, resource))
    }

    /// What the user who is logged in may do.
    pub fn privileges(&self) -> Option<&Privileges> {
        self.present.as_ref().map(|present| &present.privileges)
    }
}
