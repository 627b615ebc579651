//! `collStats`.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::doc;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let scale = scale(&arguments)?;
    arguments.flag("verbose")?;
    arguments.finish()?;
    let engine = &call.server.engine;
    engine.refuse_view(&namespace)?;
    let report = engine.collection_report(&namespace).await?;
    let mut reply = doc! {"ns": namespace.to_string(), "sharded": false};
    for (name, value) in report.to_document(scale) {
        reply.push(name, value);
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
