//! `configureFailPoint`, for drivers' test suites alone: only `failCommand` exists.

use crate::arguments::Fields;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::failpoint::{Effect, FailCommand};
use crate::wire::Reply;
use code::Code;
use std::time::Duration;
use value::{DocumentRef, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let name = arguments.required_string("configureFailPoint")?;
    if name != "failCommand" {
        return Err(CommandError::new(
            Code::BAD_VALUE,
            format!("the fail point '{name}' is not supported: only 'failCommand' is"),
        ));
    }
    let mode = arguments.any("mode").ok_or_else(|| arguments.missing("mode"))?;
    let data = arguments.document("data")?;
    let (times, skip) = match mode {
        ValueRef::String("off") => {
            call.server.fail_points.set(None);
            return Ok(doc! {"count": 0}.into());
        }
        ValueRef::String("alwaysOn") => (None, 0),
        ValueRef::Document(mode) => {
            let mode = Fields::new("configureFailPoint.mode", mode);
            (mode.count("times")?, mode.count("skip")?.unwrap_or(0))
        }
        other => return Err(arguments.wrong_type("mode", other, "'object'").into()),
    };
    let data = data.ok_or_else(|| arguments.missing("data"))?;
    call.server.fail_points.set(Some(parse(data, times, skip)?));
    Ok(doc! {"count": 0}.into())
}

fn parse(data: DocumentRef<'_>, times: Option<u64>, skip: u64) -> Result<FailCommand> {
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
        times,
        skip,
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
