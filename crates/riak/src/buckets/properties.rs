//! The properties of a bucket or a bucket type, as JSON has them.

use super::Quorum;
use crate::names::DEFAULT_TYPE;
use serde_json::{Map, Value, json};

/// Properties with all defaults filled in.
#[derive(Clone, Debug)]
pub(crate) struct BucketProperties(pub(crate) Map<String, Value>);

impl BucketProperties {
    /// What a type has where nothing else was set. Types of these names, which Riak's documentation makes, are what they are
    /// called.
    pub(crate) fn defaults(kind: &[u8]) -> BucketProperties {
        let is_typed = kind != DEFAULT_TYPE;
        let allow_mult = is_typed && kind != b"no_siblings";
        let mut properties = match json!({
            "allow_mult": allow_mult,
            "basic_quorum": false,
            "big_vclock": 50,
            "chash_keyfun": {"mod": "riak_core_util", "fun": "chash_std_keyfun"},
            "dvv_enabled": is_typed,
            "dw": "quorum",
            "last_write_wins": false,
            "linkfun": {"mod": "riak_kv_wm_link_walker", "fun": "mapreduce_linkfun"},
            "n_val": 3,
            "node_confirms": 0,
            "notfound_ok": true,
            "old_vclock": 86400,
            "postcommit": [],
            "pr": 0,
            "precommit": [],
            "pw": 0,
            "r": "quorum",
            "rw": "quorum",
            "small_vclock": 50,
            "sync_on_write": "backend",
            "w": "quorum",
            "write_once": kind == b"write_once",
            "young_vclock": 20,
        }) {
            Value::Object(properties) => properties,
            _ => Map::new(),
        };
        if is_typed {
            properties.insert("active".to_owned(), json!(true));
        }
        let datatype = match kind {
            b"counters" => Some("counter"),
            b"sets" => Some("set"),
            b"gsets" => Some("gset"),
            b"maps" => Some("map"),
            b"hlls" => Some("hll"),
            _ => None,
        };
        if let Some(datatype) = datatype {
            properties.insert("datatype".to_owned(), json!(datatype));
            if datatype == "hll" {
                properties.insert("hll_precision".to_owned(), json!(14));
            }
        }
        BucketProperties(properties)
    }

    /// Puts others on top of them.
    pub(crate) fn set(&mut self, others: &Map<String, Value>) {
        for (name, value) in others {
            self.0.insert(name.clone(), value.clone());
        }
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Whether siblings are kept.
    pub(crate) fn keeps_siblings(&self) -> bool {
        self.flag("allow_mult") && !self.flag("last_write_wins")
    }

    /// Whether siblings may be, whatever becomes of them.
    pub(crate) fn allows_siblings(&self) -> bool {
        self.flag("allow_mult")
    }

    /// How many copies an object has.
    pub(crate) fn copies(&self) -> u64 {
        self.0.get("n_val").and_then(Value::as_u64).unwrap_or(3)
    }

    /// By how many nodes a request is to be confirmed.
    pub(crate) fn node_confirms(&self) -> Option<Quorum> {
        self.0.get("node_confirms").and_then(Quorum::of_json)
    }

    /// The data type of all objects.
    pub(crate) fn datatype(&self) -> Option<&str> {
        self.0.get("datatype").and_then(Value::as_str)
    }
}
