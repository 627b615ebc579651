//! The properties of a bucket or a bucket type, as JSON has them.

use super::Quorum;
use crate::error::{Result, RiakError};
use crate::names::DEFAULT_TYPE;
use serde_json::{Map, Value, json};

/// Properties with all defaults filled in.
#[derive(Clone, Debug)]
pub(crate) struct BucketProperties(pub(crate) Map<String, Value>);

/// Properties that cannot be changed once a type has them.
const IMMUTABLE: [&str; 3] = ["datatype", "consistent", "write_once"];

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
            "notfound_ok": true,
            "old_vclock": 86400,
            "postcommit": [],
            "pr": 0,
            "precommit": [],
            "pw": 0,
            "r": "quorum",
            "rw": "quorum",
            "small_vclock": 50,
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

    /// How many copies an object has.
    pub(crate) fn copies(&self) -> u64 {
        self.0.get("n_val").and_then(Value::as_u64).unwrap_or(3)
    }

    /// The data type of all objects.
    pub(crate) fn datatype(&self) -> Option<&str> {
        self.0.get("datatype").and_then(Value::as_str)
    }

    /// Refuses what cannot be set on top of these.
    pub(crate) fn check(&self, others: &Map<String, Value>, is_new_type: bool) -> Result<()> {
        let mut refused: Vec<(&str, &str)> = Vec::new();
        for (name, value) in others {
            if let Some(why) = self.refusal(name, value, is_new_type)? {
                refused.push((name, why));
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        let terms: Vec<String> = refused
            .iter()
            .map(|(name, why)| format!("{{{name},{why}}}"))
            .collect();
        let members: Map<String, Value> = refused
            .iter()
            .map(|&(name, why)| (name.to_owned(), json!(why)))
            .collect();
        Err(
            RiakError::bad(format!("Invalid bucket properties: [{}]", terms.join(",")))
                .or_by_http(Value::Object(members).to_string()),
        )
    }

    /// Why a property cannot be set on top of these, if that is a matter of its value.
    fn refusal(&self, name: &str, value: &Value, is_new_type: bool) -> Result<Option<&'static str>> {
        match name {
            "allow_mult" | "basic_quorum" | "dvv_enabled" | "last_write_wins" | "notfound_ok" | "active"
            | "write_once" | "consistent" | "search"
                if !value.is_boolean() =>
            {
                return Ok(Some("not_boolean"));
            }
            "n_val" | "old_vclock" | "young_vclock" | "big_vclock" | "small_vclock" | "hll_precision"
                if value.as_u64().is_none_or(|number| number == 0) =>
            {
                return Ok(Some("not_positive_integer"));
            }
            "r" | "w" | "rw" | "dw" | "pr" | "pw" if Quorum::of_json(value).is_none() => {
                return Ok(Some("not_valid_quorum"));
            }
            "datatype" if !matches!(value.as_str(), Some("counter" | "set" | "gset" | "map" | "hll")) => {
                return Ok(Some("not_supported"));
            }
            // What was counted with fewer registers cannot be counted again with more, nor are other numbers kept here.
            "hll_precision" if value != self.0.get(name).unwrap_or(&json!(14)) => {
                return Ok(Some("cannot be changed: it is 14"));
            }
            "consistent" if value == &json!(true) => {
                return Err(RiakError::unsupported("a consistent bucket type"));
            }
            "precommit" | "postcommit" if value != &json!([]) => {
                return Err(RiakError::unsupported("a commit hook"));
            }
            "search_index" if value != &json!("_dont_index_") => {
                return Err(RiakError::unsupported(
                    "a search index of Riak's; Elasticsearch's protocol searches buckets",
                ));
            }
            "backend" => return Err(RiakError::unsupported("a choice of backends")),
            _ => {}
        }
        let changes = self.0.get(name).is_none_or(|present| present != value);
        let is_off = self.0.get(name).is_none() && value == &json!(false);
        let is_fixed = IMMUTABLE.contains(&name) && changes && !is_off && !is_new_type;
        Ok(is_fixed.then_some("cannot be changed once the bucket type exists"))
    }
}
