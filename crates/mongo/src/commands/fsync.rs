//! `fsync`: flushes what was answered before its flush, and may lock the server against writes; `fsyncUnlock`.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use std::time::Duration;
use value::{ValueRef, doc};

/// How long a lock waits for the writes that run, where the client does not say.
const LOCK_TIMEOUT: Duration = Duration::from_secs(90);

/// Where MongoDB's clients are sent to read about the lock.
const SEE_ALSO: &str = "http://dochub.mongodb.org/core/fsynccommand";

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.any("fsync");
    let lock = arguments.flag("lock")?.unwrap_or(false);
    let timeout = timeout(&arguments)?;
    // It changes nothing: the files of a locked server can be copied in any case.
    arguments.flag("forBackup")?;
    let allows_failure = arguments.flag("allowFsyncFailure")?.unwrap_or(false);
    arguments.finish()?;
    if lock && allows_failure {
        return Err(CommandError::invalid_options(
            "'allowFsyncFailure' is not supported: what could not be flushed is not locked",
        ));
    }
    let engine = &call.server.engine;
    if !lock {
        engine.flush().await?;
        return Ok(doc! {"numFiles": 1}.into());
    }
    let count = engine.lock_writes(timeout).await?;
    tracing::warn!(
        count,
        "writes wait: the server is locked by fsync until fsyncUnlock"
    );
    Ok(doc! {
        "info": "now locked against writes, use db.fsyncUnlock() to unlock",
        "lockCount": count as i64,
        "seeAlso": SEE_ALSO,
    }
    .into())
}

/// An int and no other number, as in MongoDB; what is not positive asks for nothing.
fn timeout(arguments: &Arguments<'_>) -> Result<Duration> {
    const NAME: &str = "fsyncLockAcquisitionTimeoutMillis";
    match arguments.present(NAME) {
        None => Ok(LOCK_TIMEOUT),
        Some(ValueRef::Int32(ms)) => {
            let given = u64::try_from(ms).ok().filter(|ms| *ms > 0);
            Ok(given.map_or(LOCK_TIMEOUT, Duration::from_millis))
        }
        Some(other) => Err(arguments.wrong_type(NAME, other, "'int'").into()),
    }
}

pub(super) async fn unlock(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let left = call.server.engine.unlock_writes().await?;
    tracing::info!(left, "fsyncUnlock has released a lock");
    Ok(doc! {"info": "fsyncUnlock completed", "lockCount": left as i64}.into())
}
