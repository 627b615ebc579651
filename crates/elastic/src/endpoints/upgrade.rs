//! `_upgrade`: segments that an earlier version wrote. What is stored has one form, so nothing is ever of an earlier one.

use super::root::VERSION;
use super::shards::LUCENE_VERSION;
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::Result;
use indices::shape::shards_of;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};

/// `/{index}/_upgrade`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    match call.method.clone() {
        Method::GET => status(call, expression).await,
        Method::POST => upgrade(call, expression),
        _ => Err(call.not_allowed("GET, POST")),
    }
}

/// How large indices are, and that nothing of them has to be upgraded.
async fn status(call: &mut Call, expression: &str) -> Result<Answer> {
    let mut shown = Map::new();
    let mut all_bytes = 0;
    for index in named(call, expression)? {
        let bytes = index.collection.report().await?.storage_bytes;
        all_bytes += bytes;
        let one = sizes(bytes);
        call.held.add_shown(&one)?;
        shown.insert(index.name.clone(), one);
    }
    let mut answer = sizes(all_bytes);
    answer["indices"] = Value::Object(shown);
    Ok(ok(answer))
}

fn sizes(bytes: u64) -> Value {
    json!({"size_in_bytes": bytes, "size_to_upgrade_in_bytes": 0, "size_to_upgrade_ancient_in_bytes": 0})
}

/// All is of the present version, whether it was upgraded or not.
fn upgrade(call: &mut Call, expression: &str) -> Result<Answer> {
    for name in ["only_ancient_segments", "wait_for_completion"] {
        call.parameters.flag(name)?;
    }
    let indices = named(call, expression)?;
    let present = json!({"upgrade_version": VERSION, "oldest_lucene_segment_version": LUCENE_VERSION});
    let upgraded: Map<String, Value> = indices
        .iter()
        .map(|index| (index.name.clone(), present.clone()))
        .collect();
    Ok(ok(
        json!({"_shards": shards_of(&indices), "upgraded_indices": upgraded}),
    ))
}

fn named(call: &mut Call, expression: &str) -> Result<Vec<Index>> {
    let options = Options::OPEN.taken(&mut call.parameters)?;
    call.parameters.end()?;
    let names = resolve(call, expression, options)?;
    names.iter().map(|name| call.index(name, Action::Find)).collect()
}
