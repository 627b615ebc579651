//! `collStats`.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::doc;

/// A larger scale is taken as this one.
const SCALE_MAX: u64 = i32::MAX as u64;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let scale = scale(&arguments)?.min(SCALE_MAX);
    let numbers_only = arguments.bool("numericOnly")?.unwrap_or(false);
    // Nothing is left out or waited for.
    arguments.bool("verbose")?;
    arguments.bool("waitForLock")?;
    let levels = [("off", ()), ("strict", ()), ("moderate", ())];
    arguments.choice("validationLevel", &levels)?;
    arguments.finish()?;
    let engine = &call.server.engine;
    engine.refuse_view(&namespace)?;
    let report = engine.collection_report(&namespace).await?;
    let mut reply = doc! {"ns": namespace.to_string(), "sharded": false};
    for (name, value) in report.to_document(scale) {
        if !(numbers_only && matches!(name.as_str(), "indexBuilds" | "indexDetails")) {
            reply.push(name, value);
        }
    }
    Ok(reply.into())
}

/// `scale`: sizes are divided by it.
pub(super) fn scale(arguments: &Arguments<'_>) -> Result<u64> {
    match arguments.integer("scale")? {
        None => Ok(1),
        Some(scale) => u64::try_from(scale)
            .ok()
            .filter(|scale| *scale > 0)
            .ok_or_else(|| {
                CommandError::bad_value(format!(
                    "BSON field 'scale' value must be >= 1, actual value '{scale}'"
                ))
            }),
    }
}
