//! `startSession`, `endSessions`, `refreshSessions`.

use crate::arguments::{Fields, NamedSession};
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::Action;
use engine::SessionId;
use value::{Binary, Document, doc};

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
    for session in listed(call, "endSessions", &[])? {
        call.server.engine.end_session(&session);
    }
    Ok(Document::new().into())
}

pub(super) async fn refresh(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    for session in listed(call, "refreshSessions", &[])? {
        call.server.engine.touch_session(session)?;
    }
    Ok(Document::new().into())
}

/// The session of this UUID and the user who is logged in.
pub(super) fn of_this_user(call: &Call<'_>, id: [u8; 16]) -> SessionId {
    call.connection.login.session(id)
}

/// The sessions that a command lists under its own name. Those of other users need one of these rights.
pub(super) fn listed(call: &Call<'_>, name: &'static str, rights: &[Action]) -> Result<Vec<SessionId>> {
    let sessions = documents(&call.arguments(), name)?;
    let named: Vec<_> = sessions.iter().map(NamedSession::parse).collect::<Result<_>>()?;
    let (login, engine) = (&call.connection.login, &call.server.engine);
    let sessions = named.into_iter();
    sessions
        .map(|session| login.named_session(engine, session, rights))
        .collect()
}

/// The documents that a command on sessions lists under its own name; MongoDB looks at no other argument of those that kill.
pub(super) fn documents<'a>(arguments: &Fields<'a>, name: &'static str) -> Result<Vec<Fields<'a>>> {
    let listed = arguments.document_list(name)?;
    let listed = listed.ok_or_else(|| arguments.missing(name))?;
    let fields = |document| Fields::new(arguments.path_of(name), document);
    Ok(listed.into_iter().map(fields).collect())
}
