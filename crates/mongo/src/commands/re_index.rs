//! `reIndex`: drops the indexes of a collection and makes them anew.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    call.arguments().finish()?;
    let entry = call.server.engine.collection_entry(&namespace);
    if entry.is_some_and(|entry| entry.options.contains("timeseries")) {
        return Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            format!("can't re-index a time series: {namespace}"),
        ));
    }
    let specs = call.server.engine.rebuild_indexes(&namespace).await?;
    Ok(doc! {
        "nIndexesWas": specs.len() as i32,
        "nIndexes": specs.len() as i32,
        "indexes": Value::from(specs),
    }
    .into())
}
