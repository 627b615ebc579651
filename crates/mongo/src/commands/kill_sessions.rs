//! `killSessions`, `killAllSessions`, `killAllSessionsByPattern`: ends sessions with their cursors and operations.

use super::sessions::{documents, listed};
use crate::arguments::{Fields, NamedSession, user_digest};
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::SessionId;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let sessions = listed(call, "killSessions", &[Action::KillAnySession])?;
    if sessions.is_empty() {
        // None named means all of one's own.
        let user = super::sessions::of_this_user(call, [0; 16]).user;
        kill(call, |session| session.user == user);
    } else {
        for session in sessions {
            call.server.engine.kill_session(&session);
        }
    }
    Ok(Document::new().into())
}

/// `killAllSessions: [{user, db}]`; an empty list means everybody. Of a user who does not exist there is nothing to kill.
pub(super) async fn all(call: &mut Call<'_>) -> Result<Reply> {
    let mut digests = Vec::new();
    for user in documents(&call.arguments(), "killAllSessions")? {
        let name = user.required_string("user")?;
        let database = user.required_string("db")?;
        user.finish()?;
        digests.push(auth::user_digest(&format!("{name}@{database}")));
    }
    kill(call, |session| {
        digests.is_empty() || digests.contains(&session.user)
    });
    Ok(Document::new().into())
}

/// `killAllSessionsByPattern: [{lsid} | {uid} | {users, roles}]`; an empty list means everybody, and so does a pattern that names
/// neither session nor user. `users` and `roles` say in whose name MongoDB's routers ask, and choose nothing.
pub(super) async fn by_pattern(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let patterns = documents(&arguments, "killAllSessionsByPattern")?;
    let mut meant: Vec<Pattern> = Vec::with_capacity(patterns.len());
    for pattern in &patterns {
        meant.push(Pattern::parse(pattern)?);
    }
    let names_askers = |pattern: &Fields<'_>| {
        let mut lists = ["users", "roles"].into_iter();
        lists.any(|list| pattern.present(list).is_some())
    };
    if patterns.iter().any(names_askers) {
        call.require(Action::Impersonate, Resource::Cluster)?;
    }
    let everything = meant.is_empty() || meant.contains(&Pattern::Everything);
    kill(call, |session| {
        everything || meant.iter().any(|pattern| pattern.means(session))
    });
    Ok(Document::new().into())
}

/// Which sessions are to be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Everything,
    Session(SessionId),
    /// By the user's digest.
    User([u8; 32]),
}

impl Pattern {
    fn parse(pattern: &Fields<'_>) -> Result<Pattern> {
        let session = match pattern.nested("lsid")? {
            None => None,
            Some(session) => Some(whole_session(&session)?),
        };
        let user = user_digest(pattern)?;
        for (list, name) in [("users", "user"), ("roles", "role")] {
            for named in pattern.document_list(list)?.unwrap_or_default() {
                let named = Fields::new(pattern.path_of(list), named);
                named.required_string(name)?;
                named.required_string("db")?;
                named.finish()?;
            }
        }
        pattern.finish()?;
        Ok(match (session, user) {
            (Some(session), _) => Pattern::Session(session),
            (None, Some(user)) => Pattern::User(user),
            (None, None) => Pattern::Everything,
        })
    }

    fn means(self, session: &SessionId) -> bool {
        match self {
            Pattern::Everything => true,
            Pattern::Session(meant) => *session == meant,
            Pattern::User(user) => session.user == user,
        }
    }
}

/// A session that is named in full, with the digest of its user.
fn whole_session(session: &Fields<'_>) -> Result<SessionId> {
    let NamedSession { id, user, .. } = NamedSession::parse(session)?;
    let user = user.ok_or_else(|| session.missing("uid"))?;
    Ok(SessionId { id, user })
}

fn kill(call: &Call<'_>, meant: impl Fn(&SessionId) -> bool) {
    for session in call
        .server
        .engine
        .sessions_in_use()
        .iter()
        .filter(|session| meant(session))
    {
        call.server.engine.kill_session(session);
    }
}
