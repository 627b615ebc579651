//! `reIndex`: drops the indexes of a collection and makes them anew.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    call.arguments().finish()?;
    let specs = call.server.engine.rebuild_indexes(&namespace).await?;
    Ok(doc! {
        "nIndexesWas": specs.len() as i32,
        "nIndexes": specs.len() as i32,
        "indexes": Value::from(specs),
    }
    .into())
}
