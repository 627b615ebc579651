//! `killSessions`, `killAllSessions`, `killAllSessionsByPattern`: ends sessions with their cursors and operations.

use super::sessions::{check_user_digest, documents, listed};
use crate::arguments::Fields;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::SessionId;
use value::{Document, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let sessions = listed(call, "killSessions")?;
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

/// `killAllSessions: [{user, db}]`; an empty list means everybody.
pub(super) async fn all(call: &mut Call<'_>) -> Result<Reply> {
    let mut digests = Vec::new();
    for user in documents(&call.arguments(), "killAllSessions")? {
        let name = user.required_string("user")?;
        let database = user.required_string("db")?;
        user.finish()?;
        if call.server.engine.has_users() && call.server.engine.user(database, name).is_none() {
            return Err(CommandError::new(
                Code::USER_NOT_FOUND,
                format!("Could not find user \"{name}\" for db \"{database}\""),
            ));
        }
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
    Session([u8; 16]),
    /// By the first bytes of the user's digest.
    User([u8; 16]),
}

impl Pattern {
    fn parse(pattern: &Fields<'_>) -> Result<Pattern> {
        let session = match pattern.nested("lsid")? {
            None => None,
            Some(session) => Some(whole_session(&session)?),
        };
        check_user_digest(pattern)?;
        let user = match pattern.present("uid") {
            Some(ValueRef::Binary { bytes, .. }) => bytes.first_chunk::<16>().copied(),
            _ => None,
        };
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
            Pattern::Session(id) => session.id == id,
            Pattern::User(user) => session.user == user,
        }
    }
}

/// The UUID of a session that is named in full, with the digest of its user.
fn whole_session(session: &Fields<'_>) -> Result<[u8; 16]> {
    let id = session.uuid("id")?.ok_or_else(|| session.missing("id"))?;
    check_user_digest(session)?;
    if session.present("uid").is_none() {
        return Err(session.missing("uid").into());
    }
    session.ignore(&["txnNumber", "txnUUID"]);
    session.finish()?;
    Ok(id)
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
