//! What a level of read concern adds to a command: a snapshot to read, or a flush before the answer.

use crate::arguments::{Generic, ReadLevel};
use crate::error::{CommandError, Result};
use crate::server::Server;
use crate::wire::Reply;
use engine::Context;
use value::Timestamp;

/// What is to be done about the answer of a read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading {
    /// Nothing.
    Plain,
    /// What was read is to be flushed before it is told.
    Flushed,
    /// The client is told the time, at which it may read again.
    At(Timestamp),
}

/// Makes ready for a read at the level that the command asks for.
pub(crate) async fn begin(server: &Server, generic: &Generic, context: &mut Context) -> Result<Reading> {
    let after = generic.read_concern.as_ref().and_then(|concern| concern.after);
    if after.is_some_and(|time| server.clock.is_ahead(time)) {
        return Err(CommandError::invalid_options(
            "readConcern afterClusterTime value must not be greater than the current clusterTime",
        ));
    }
    let level = generic.read_concern.as_ref().map(|concern| concern.level);
    match level.unwrap_or_default() {
        ReadLevel::Local => Ok(Reading::Plain),
        ReadLevel::Linearizable => Ok(Reading::Flushed),
        ReadLevel::Snapshot(None) => {
            let time = server.clock.next();
            context.moment = Some(server.engine.keep_moment(number(time)).await?);
            Ok(Reading::At(time))
        }
        ReadLevel::Snapshot(Some(time)) => {
            context.moment = Some(server.engine.moment(number(time))?);
            Ok(Reading::At(time))
        }
    }
}

impl Reading {
    /// Does what is to be done about the answer.
    pub(crate) async fn finish(self, server: &Server, reply: &mut Reply) -> Result<()> {
        match (self, &mut reply.cursor) {
            (Reading::Plain, _) => {}
            // A read may see what was written a moment ago and is not on the disk yet.
            (Reading::Flushed, _) => server.engine.flush().await?,
            (Reading::At(time), Some(cursor)) => cursor.at_cluster_time = Some(time),
            (Reading::At(time), None) => reply.body.push("atClusterTime", time),
        }
        Ok(())
    }
}

fn number(time: Timestamp) -> u64 {
    (u64::from(time.seconds) << 32) | u64::from(time.increment)
}
