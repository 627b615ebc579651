//! Documents by their ids and routings.

use crate::call::Call;
use crate::names;
use engine::{Record, RevisionedSnapshot};
use indices::Index;
use indices::documents;
use indices::error::{ElasticError, Result};
use indices::routing::kept;
use serde_json::Value;

/// The document that an id names where this routing leads to it.
pub async fn find(
    index: &Index,
    snapshot: &RevisionedSnapshot,
    id: &str,
    asked: Option<&str>,
) -> Result<Option<Record>> {
    let routing = index.routing();
    routing.check(&index.name, Some(id), asked)?;
    let (_, record) = documents::find(snapshot, id).await?;
    Ok(record.filter(|record| routing.leads(id, asked, kept(&record.document))))
}

/// The routing of a request for one document: its own, or that of the alias by which it names the index.
pub fn of_request(call: &Call, name: &str, asked: Option<String>) -> Result<Option<String>> {
    let of_alias = |(_, options): (String, Value)| {
        let routing = options.get("index_routing").and_then(Value::as_str);
        routing.map(str::to_owned)
    };
    let is_index = || {
        let namespace = names::namespace(&call.server.engine, name);
        call.server.engine.collection_entry(&namespace).is_some()
    };
    if is_index() {
        return Ok(asked);
    }
    let Some(own) = names::with_alias(call, name).into_iter().find_map(of_alias) else {
        return Ok(asked);
    };
    if let Some(asked) = asked.filter(|asked| *asked != own) {
        return Err(ElasticError::illegal(format!(
            "Alias [{name}] has index routing associated with it [{own}], and was provided with routing value [{asked}], rejecting operation"
        )));
    }
    match own.contains(',') {
        true => Err(ElasticError::illegal(format!(
            "index/alias [{name}] provided with routing value [{own}] that resolved to several routing values, rejecting operation"
        ))),
        false => Ok(Some(own)),
    }
}
