//! Commands for replica sets and clusters: a server that stands alone refuses them, in MongoDB's words.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::ValueRef;

/// `replSetGetStatus` and the others that a member of a replica set answers. MongoDB looks at none of their arguments before.
pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    Err(no_replication("not running with --replSet"))
}

/// `replSetInitiate`.
pub(super) async fn initiate(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    Err(no_replication(
        "This node was not started with replication enabled.",
    ))
}

/// `appendOplogNote`.
pub(super) async fn append_note(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    Err(no_replication(
        "Must have replication set up to run \"appendOplogNote\"",
    ))
}

/// `getDefaultRWConcern`.
pub(super) async fn get_default_concern(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.bool("inMemory")?;
    arguments.finish()?;
    Err(no_default_concern(call))
}

/// `setDefaultRWConcern`.
pub(super) async fn set_default_concern(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.document("defaultReadConcern")?;
    arguments.document("defaultWriteConcern")?;
    arguments.finish()?;
    Err(no_default_concern(call))
}

/// `setQuerySettings`.
pub(super) async fn set_query_settings(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    check_shape(&arguments, call)?;
    let settings = arguments
        .nested("settings")?
        .ok_or_else(|| arguments.missing("settings"))?;
    settings.choice("queryFramework", &[("classic", ()), ("sbe", ())])?;
    settings.bool("reject")?;
    settings.ignore(&["indexHints", "comment"]);
    settings.finish()?;
    arguments.finish()?;
    Err(not_alone(
        call,
        "can only run on replica sets or sharded clusters",
    ))
}

/// `removeQuerySettings`.
pub(super) async fn remove_query_settings(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    check_shape(&arguments, call)?;
    arguments.finish()?;
    Err(not_alone(
        call,
        "can only run on replica sets or sharded clusters",
    ))
}

/// `setUserWriteBlockMode`.
pub(super) async fn set_write_block(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let global = arguments.bool("global")?;
    arguments.string("reason")?;
    arguments.finish()?;
    global.ok_or_else(|| arguments.missing("global"))?;
    Err(not_alone(call, "cannot be run on standalones"))
}

/// `analyzeShardKey`.
pub(super) async fn analyze_shard_key(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.required_string("analyzeShardKey")?;
    let key = arguments.document("key")?;
    for name in ["keyCharacteristics", "readWriteDistribution"] {
        arguments.bool(name)?;
    }
    for name in ["sampleRate", "sampleSize"] {
        arguments.number(name)?;
    }
    arguments.finish()?;
    key.ok_or_else(|| arguments.missing("key"))?;
    Err(not_alone(call, "command is not supported on a standalone mongod"))
}

/// `configureQueryAnalyzer`.
pub(super) async fn configure_query_analyzer(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.required_string("configureQueryAnalyzer")?;
    let mode = arguments.choice("mode", &[("off", ()), ("full", ())])?;
    arguments.number("samplesPerSecond")?;
    arguments.finish()?;
    mode.ok_or_else(|| arguments.missing("mode"))?;
    Err(not_alone(call, "command is not supported on a standalone mongod"))
}

/// Refuses what names no shape of queries: that is a hash, as text, or a query.
fn check_shape(arguments: &Arguments<'_>, call: &Call<'_>) -> Result<()> {
    match call.body().get(call.called) {
        Some(ValueRef::String(_) | ValueRef::Document(_)) => Ok(()),
        other => {
            let other = other.unwrap_or(ValueRef::Null);
            Err(arguments
                .wrong_type(call.called, other, "'[string, object]'")
                .into())
        }
    }
}

fn no_replication(message: &str) -> CommandError {
    CommandError::new(Code::NO_REPLICATION_ENABLED, message)
}

fn no_default_concern(call: &Call<'_>) -> CommandError {
    let message = format!("'{}' is not supported on standalone nodes.", call.called);
    CommandError::new(Code::location(51_300), message)
}

fn not_alone(call: &Call<'_>, reason: &str) -> CommandError {
    CommandError::new(Code::ILLEGAL_OPERATION, format!("{} {reason}", call.called))
}
