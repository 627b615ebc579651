//! `configureFailPoint`, for drivers' test suites alone: only `failCommand` and `maxTimeAlwaysTimeOut` exist.

use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::failpoint::{Effect, FailCommand, Turns};
use crate::wire::Reply;
use code::Code;
use std::time::Duration;
use value::{DocumentRef, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let name = arguments.required_string("configureFailPoint")?;
    let turns = turns(&arguments)?;
    let fail_points = &call.server.fail_points;
    match (name, turns) {
        ("failCommand", None) => fail_points.set(None),
        ("failCommand", Some(turns)) => {
            let data = arguments
                .document("data")?
                .ok_or_else(|| arguments.missing("data"))?;
            fail_points.set(Some(parse(data, turns)?));
        }
        ("maxTimeAlwaysTimeOut", turns) => fail_points.set_time_out(turns),
        _ => {
            let message = format!(
                "the fail point '{name}' is not supported: only 'failCommand' and 'maxTimeAlwaysTimeOut' are"
            );
            return Err(CommandError::new(Code::BAD_VALUE, message));
        }
    }
    Ok(doc! {"count": 0}.into())
}

/// When the fail point strikes; never, if it is off.
fn turns(arguments: &Arguments<'_>) -> Result<Option<Turns>> {
    let mode = arguments.any("mode").ok_or_else(|| arguments.missing("mode"))?;
    match mode {
        ValueRef::String("off") => Ok(None),
        ValueRef::String("alwaysOn") => Ok(Some(Turns { times: None, skip: 0 })),
        ValueRef::Document(mode) => {
            let mode = Fields::new("configureFailPoint.mode", mode);
            Ok(Some(Turns {
                times: mode.count("times")?,
                skip: mode.count("skip")?.unwrap_or(0),
            }))
        }
        other => Err(arguments.wrong_type("mode", other, "'object'").into()),
    }
}

fn parse(data: DocumentRef<'_>, turns: Turns) -> Result<FailCommand> {
    let data = Fields::new("configureFailPoint.data", data);
    let commands = data.strings("failCommands")?.unwrap_or_default();
    let labels = data.array("errorLabels")?.map(crate::arguments::decoded_array);
    let block_ms = data.count("blockTimeMS")?.unwrap_or(0);
    let blocks = data.bool("blockConnection")?.unwrap_or(false);
    let error = data
        .integer("errorCode")?
        .map(|number| Code::from_number(number as i32))
        .map(|code| CommandError::new(code, "Failing command via 'failCommand' failpoint"));
    Ok(FailCommand {
        turns,
        commands: commands.into_iter().map(str::to_owned).collect(),
        application: data.string("appName")?.map(str::to_owned),
        effect: Effect {
            closes: data.bool("closeConnection")?.unwrap_or(false),
            block: blocks.then(|| Duration::from_millis(block_ms)),
            error,
            write_concern_error: data.document("writeConcernError")?.map(DocumentRef::to_document),
            labels,
        },
    })
}
