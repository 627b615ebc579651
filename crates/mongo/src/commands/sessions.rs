//! `startSession`, `endSessions`, `refreshSessions`.

use crate::arguments::{Arguments, uuid_of};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::SessionId;
use value::{Binary, Document, ValueRef, doc};

pub(super) async fn start(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    let id = uuid::Uuid::new_v4().into_bytes();
    call.server.engine.touch_session(of_this_user(call, id))?;
    Ok(doc! {
        "id": {"id": Binary { subtype: 4, bytes: id.to_vec() }},
        "timeoutMinutes": engine::limits::SESSION_IDLE_MINUTES_MAX as i32,
    }
    .into())
}

pub(super) async fn end(call: &mut Call<'_>) -> Result<Reply> {
    for session in listed(call, "endSessions")? {
        call.server.engine.end_session(&session);
    }
    Ok(Document::new().into())
}

pub(super) async fn refresh(call: &mut Call<'_>) -> Result<Reply> {
    for session in listed(call, "refreshSessions")? {
        call.server.engine.touch_session(session)?;
    }
    Ok(Document::new().into())
}

/// The session of this UUID and the user who is logged in.
pub(super) fn of_this_user(call: &Call<'_>, id: [u8; 16]) -> SessionId {
    let full_name = |user: &std::sync::Arc<auth::User>| format!("{}@{}", user.name, user.database);
    let user = call.connection.login.user().map(full_name);
    SessionId {
        id,
        user: user.as_deref().map(auth::user_digest).unwrap_or_default(),
    }
}

/// The sessions that a command lists under its own name.
pub(super) fn listed(call: &Call<'_>, name: &'static str) -> Result<Vec<SessionId>> {
    let arguments = call.arguments();
    let value = arguments.any(name).unwrap_or(ValueRef::Null);
    let ValueRef::Array(sessions) = value else {
        return Err(arguments.wrong_type(name, value, "'array'"));
    };
    arguments.finish()?;
    sessions
        .iter()
        .enumerate()
        .map(|(at, session)| match session {
            ValueRef::Document(document) => {
                let arguments = Arguments::of_document(format!("{name}.{name}.{at}"), document);
                let id = arguments.present("id").ok_or_else(|| arguments.missing("id"))?;
                if let Some(other) = arguments.present("uid")
                    && !matches!(other, ValueRef::Binary { .. })
                {
                    return Err(arguments.wrong_type("uid", other, "'binData'"));
                }
                arguments.finish()?;
                Ok(of_this_user(call, uuid_of(&arguments, "id", id)?))
            }
            other => Err(crate::arguments::wrong_type(
                &format!("{name}.{name}.{at}"),
                other,
                "'object'",
            )),
        })
        .collect::<Result<_, CommandError>>()
}
