//! Routing: the text that places a document on a shard in place of its id.
//!
//! All documents of an index lie together here, so nobody finds anything sooner by it. It is kept with the document, as its member
//! `_routing`; and who asks for a document by its id finds it where Elasticsearch would look for it on the shard that it is on.

use crate::error::{ElasticError, Result};
use http::StatusCode;
use search::{Mapping, Shards};
use serde_json::{Map, Value};
use value::{DocumentBuf, ValueRef};

/// The member of a document that is its routing.
pub const ROUTING: &str = "_routing";

/// How an index places its documents.
#[derive(Clone, Copy, Debug)]
pub struct Routing {
    /// The shards that it has.
    pub shards: Shards,
    /// Whether each document must have one.
    pub is_required: bool,
}

impl Routing {
    /// Reads it from settings and mapping.
    pub fn of(settings: &Map<String, Value>, mapping: &Mapping) -> Routing {
        let rule = mapping.source().get(ROUTING);
        let is_required = rule.and_then(|rule| rule.get("required"));
        Routing {
            shards: Shards::of(settings),
            is_required: is_required.is_some_and(|flag| flag == true || flag == "true"),
        }
    }

    /// Refuses to look for a document without a routing where the mapping wants one.
    pub fn check(self, index: &str, id: Option<&str>, routing: Option<&str>) -> Result<()> {
        if !self.is_required || routing.is_some() {
            return Ok(());
        }
        let reason = format!(
            "routing is required for [{index}]/[_doc]/[{}]",
            id.unwrap_or("null")
        );
        Err(
            ElasticError::new(StatusCode::BAD_REQUEST, "routing_missing_exception", reason)
                .with("index_uuid", "_na_")
                .with("index", index),
        )
    }

    /// Whether a request with the routing `asked` reaches the shard of a document kept with the routing `kept`.
    pub fn leads(self, id: &str, asked: Option<&str>, kept: Option<&str>) -> bool {
        let shard = |routing: Option<&str>| self.shards.shard(routing.unwrap_or(id));
        self.shards.count() == 1 || asked == kept || shard(asked) == shard(kept)
    }
}

/// The routing of a document that is kept.
pub fn kept(document: &DocumentBuf) -> Option<&str> {
    match document.as_raw().get(ROUTING) {
        Some(ValueRef::String(routing)) => Some(routing),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn routing(settings: Value) -> Routing {
        Routing::of(settings.as_object().expect("an object"), &Mapping::default())
    }

    #[test]
    fn one_shard_has_every_document_whatever_its_routing() {
        let one = routing(json!({}));
        assert!(one.leads("1", None, Some("5")) && one.leads("1", Some("4"), Some("5")));
    }

    #[test]
    fn only_the_shard_of_the_routing_is_looked_on() {
        let five = routing(json!({"number_of_shards": "5", "number_of_routing_shards": "5"}));
        assert!(!five.leads("1", None, Some("5")));
        assert!(!five.leads("1", Some("4"), Some("5")));
        assert!(five.leads("1", Some("5"), Some("5")) && five.leads("1", None, None));
        // A document with another routing to the same shard is found.
        let shards: Vec<u32> = (0..20).map(|n: u32| five.shards.shard(&n.to_string())).collect();
        assert!(shards.iter().all(|shard| *shard < 5));
        let twin = (0..20).find(|n: &u32| *n != 5 && shards[*n as usize] == shards[5]);
        assert!(five.leads("1", twin.map(|n| n.to_string()).as_deref(), Some("5")));
    }
}
