//! `reIndex`: drops the indexes of a collection and makes them anew.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    call.arguments().finish()?;
    let engine = &call.server.engine;
    let specs = engine.indexes(&namespace)?;
    let is_id = |spec: &Document| matches!(spec.get("name"), Some(Value::String(name)) if name == "_id_");
    let own: Vec<Document> = specs.iter().filter(|spec| !is_id(spec)).cloned().collect();
    if !own.is_empty() {
        engine.drop_indexes(&namespace, &Value::from("*")).await?;
        engine.create_indexes(&namespace, &own).await?;
    }
    Ok(doc! {
        "nIndexesWas": specs.len() as i32,
        "nIndexes": specs.len() as i32,
        "indexes": Value::from(specs),
    }
    .into())
}
