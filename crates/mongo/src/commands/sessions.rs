//! `startSession`, `endSessions`, `refreshSessions`.

use crate::arguments::Fields;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use engine::SessionId;
use value::{Binary, Document, ValueRef, doc};

pub(super) async fn start(call: &mut Call<'_>) -> Result<Reply> {
    let id = uuid::Uuid::new_v4().into_bytes();
    call.server.engine.touch_session(of_this_user(call, id))?;
    Ok(doc! {
        "id": {"id": Binary { subtype: 4, bytes: id.to_vec() }},
        "timeoutMinutes": engine::limits::SESSION_IDLE_MINUTES_MAX as i32,
    }
    .into())
}

pub(super) async fn end(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    for session in listed(call, "endSessions")? {
        call.server.engine.end_session(&session);
    }
    Ok(Document::new().into())
}

pub(super) async fn refresh(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    for session in listed(call, "refreshSessions")? {
        call.server.engine.touch_session(session)?;
    }
    Ok(Document::new().into())
}

/// The session of this UUID and the user who is logged in.
pub(super) fn of_this_user(call: &Call<'_>, id: [u8; 16]) -> SessionId {
    call.connection.login.session(id)
}

/// The sessions that a command lists under its own name.
pub(super) fn listed(call: &Call<'_>, name: &'static str) -> Result<Vec<SessionId>> {
    let sessions = documents(&call.arguments(), name)?;
    let sessions = sessions.iter().map(|session| {
        let id = session.uuid("id")?;
        check_user_digest(session)?;
        session.finish()?;
        Ok(of_this_user(call, id.ok_or_else(|| session.missing("id"))?))
    });
    sessions.collect()
}

/// The documents that a command on sessions lists under its own name; MongoDB looks at no other argument of those that kill.
pub(super) fn documents<'a>(arguments: &Fields<'a>, name: &'static str) -> Result<Vec<Fields<'a>>> {
    let listed = arguments.document_list(name)?;
    let listed = listed.ok_or_else(|| arguments.missing(name))?;
    let fields = |document| Fields::new(arguments.path_of(name), document);
    Ok(listed.into_iter().map(fields).collect())
}

/// `uid`, the digest of a user's name, which says nothing that the login does not say.
pub(super) fn check_user_digest(fields: &Fields<'_>) -> Result<()> {
    match fields.present("uid") {
        None | Some(ValueRef::Binary { .. }) => Ok(()),
        Some(other) => Err(fields.wrong_type("uid", other, "'binData'").into()),
    }
}
