//! How a search was carried out, as `"profile": true` asks.

use indices::error::{ElasticError, Result};
use indices::scan::IndexSnapshot;
use rest::node::NODE_ID;
use search::{FoundBy, Profile};
use serde_json::{Map, Value, json};

/// Whether a body asks for it.
pub(crate) fn take(body: &mut Map<String, Value>, is_scrolled: bool) -> Result<bool> {
    match body.shift_remove("profile") {
        None | Some(Value::Bool(false)) => Ok(false),
        Some(Value::Bool(true)) if is_scrolled => Err(ElasticError::unsupported("[profile] of a scroll")),
        Some(Value::Bool(true)) => Ok(true),
        Some(_) => Err(ElasticError::parsing("[profile] must be true or false")),
    }
}

/// The profiles of the indices of a search in the shape that Elasticsearch has for shards. The parts of a query and of aggregations
/// are not timed one by one.
pub(crate) fn shown(profiles: &[Profile], places: &[IndexSnapshot]) -> Value {
    let shards = profiles
        .iter()
        .filter_map(|profile| Some(shard(profile, &places.get(profile.index)?.index.name)));
    json!({"shards": shards.collect::<Vec<_>>()})
}

fn shard(profile: &Profile, index: &str) -> Value {
    let nanos = u64::try_from(profile.took.as_nanos()).unwrap_or(u64::MAX);
    let (kind, description) = way(profile.way);
    let columns = match profile.by_columns {
        true => "; aggregations are taken from columns",
        false => "",
    };
    json!({
        "id": format!("[{NODE_ID}][{index}][0]"),
        "searches": [{
            "query": [{
                "type": kind,
                "description": format!("{description}{columns}"),
                "time_in_nanos": nanos,
                "breakdown": {
                    "documents_read": profile.read,
                    "documents_matching": profile.matching,
                    "documents_unreached": profile.unreached,
                },
            }],
            "rewrite_time": 0,
            "collector": [],
        }],
        "aggregations": [],
    })
}

fn way(way: FoundBy) -> (&'static str, &'static str) {
    match way {
        FoundBy::Documents => ("Documents", "all documents are read"),
        FoundBy::Candidates => ("FullTextIndex", "the documents that the index finds are read"),
        FoundBy::Newest => (
            "FullTextIndex",
            "the index says which are the newest, and how many match",
        ),
        FoundBy::Best => ("FullTextIndex", "the index says which have the best scores"),
    }
}
