//! `killSessions`, `killAllSessions`, `killAllSessionsByPattern`: ends sessions with their cursors and operations.

use super::sessions::{check_user_digest, documents, listed};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::SessionId;
use value::Document;

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

/// `killAllSessionsByPattern: [{lsid} | {uid} | {users, roles}]`; an empty list means everybody.
pub(super) async fn by_pattern(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let patterns = documents(&arguments, "killAllSessionsByPattern")?;
    let mut matched: Vec<[u8; 16]> = Vec::new();
    let mut everything = patterns.is_empty();
    for pattern in patterns {
        if let Some(session) = pattern.nested("lsid")? {
            let id = session.uuid("id")?;
            matched.push(id.ok_or_else(|| session.missing("id"))?);
        }
        check_user_digest(&pattern)?;
        let users = pattern.array("users")?;
        let roles = pattern.array("roles")?;
        pattern.finish()?;
        if users.is_some() || roles.is_some() || pattern.any("uid").is_some() {
            return Err(CommandError::new(
                Code::NOT_IMPLEMENTED,
                "killAllSessionsByPattern by user or role is not supported yet: use killAllSessions",
            ));
        }
        everything |= pattern.document_ref().is_empty();
    }
    kill(call, |session| everything || matched.contains(&session.id));
    Ok(Document::new().into())
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
