//! `shutdown`: ends the server in an orderly way, as SIGTERM does.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    // These say how other members of a replica set are waited for.
    arguments.bool("force")?;
    arguments.integer("timeoutSecs")?;
    arguments.finish()?;
    let peer = call.connection.peer.ip().to_canonical();
    if !call.server.engine.needs_login() && !peer.is_loopback() {
        return Err(CommandError::unauthorized(
            "shutdown must run from localhost when running db without auth",
        ));
    }
    tracing::info!(%peer, "a client ends the server by the command shutdown");
    call.server.asked_to_stop.notify_one();
    Ok(Document::new().into())
}
