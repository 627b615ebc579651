//! `killSessions`, `killAllSessions`, `killAllSessionsByPattern`: ends sessions with their cursors and operations.

use super::sessions::listed;
use crate::arguments::{Arguments, uuid_of};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::SessionId;
use value::{ArrayRef, Document, ValueRef};

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
    let arguments = call.arguments();
    let users = array(&arguments, "killAllSessions")?;
    arguments.finish()?;
    let mut digests = Vec::new();
    for (at, user) in users.iter().enumerate() {
        let path = format!("killAllSessions.killAllSessions.{at}");
        let ValueRef::Document(user) = user else {
            return Err(crate::arguments::wrong_type(&path, user, "'object'"));
        };
        let arguments = Arguments::of_document(path, user);
        let name = arguments.required_string("user")?;
        let database = arguments.required_string("db")?;
        arguments.finish()?;
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
    let patterns = array(&arguments, "killAllSessionsByPattern")?;
    arguments.finish()?;
    let mut matched: Vec<[u8; 16]> = Vec::new();
    let mut everything = patterns.is_empty();
    for (at, pattern) in patterns.iter().enumerate() {
        let path = format!("killAllSessionsByPattern.killAllSessionsByPattern.{at}");
        let ValueRef::Document(pattern) = pattern else {
            return Err(crate::arguments::wrong_type(&path, pattern, "'object'"));
        };
        let arguments = Arguments::of_document(path, pattern);
        if let Some(session) = arguments.document("lsid")? {
            let inner = Arguments::of_document("lsid", session);
            let id = inner.present("id").ok_or_else(|| inner.missing("id"))?;
            matched.push(uuid_of(&inner, "id", id)?);
        }
        if let Some(other) = arguments.present("uid")
            && !matches!(other, ValueRef::Binary { .. })
        {
            return Err(arguments.wrong_type("uid", other, "'binData'"));
        }
        let users = arguments.array("users")?;
        let roles = arguments.array("roles")?;
        arguments.finish()?;
        if users.is_some() || roles.is_some() || pattern.get("uid").is_some() {
            return Err(CommandError::new(
                Code::NOT_IMPLEMENTED,
                "killAllSessionsByPattern by user or role is not supported yet: use killAllSessions",
            ));
        }
        everything |= pattern.is_empty();
    }
    kill(call, |session| everything || matched.contains(&session.id));
    Ok(Document::new().into())
}

fn array<'a>(arguments: &Arguments<'a>, name: &'static str) -> Result<ArrayRef<'a>> {
    match arguments.any(name) {
        Some(ValueRef::Array(array)) => Ok(array),
        other => Err(arguments.wrong_type(name, other.unwrap_or(ValueRef::Null), "'array'")),
    }
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
