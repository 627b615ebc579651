//! Changes of properties: what can be set, and in which form it is kept (`riak_kv_bucket` in Riak's sources).

use super::BucketProperties;
use crate::error::{Result, RiakError};
use crate::names::DEFAULT_TYPE;
use serde_json::{Map, Value, json};

/// Properties that cannot be changed once a type has them.
const IMMUTABLE: [&str; 3] = ["datatype", "consistent", "write_once"];

/// Whose properties are set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a> {
    /// The bucket type: itself, or that of the bucket.
    pub(super) kind: &'a [u8],
    /// Whether it is a type that nobody has used or set anything of.
    pub(super) is_new_type: bool,
}

impl BucketProperties {
    /// Properties in the form in which they are kept, unless they cannot be set on top of these.
    pub(super) fn accept(&self, given: &Map<String, Value>, owner: Owner<'_>) -> Result<Map<String, Value>> {
        let (mut accepted, mut refused) = (Map::new(), Map::new());
        for (name, value) in given {
            refuse_unsupported(name, value)?;
            match kept(name, value).and_then(|value| self.changed(name, value, owner)) {
                Ok(value) => accepted.insert(name.clone(), value),
                Err(why) => refused.insert(name.clone(), json!(why)),
            };
        }
        let mut whole = self.clone();
        whole.set(&accepted);
        for (name, why) in whole.contradictions(&accepted, owner) {
            refused.entry(name).or_insert_with(|| json!(why));
        }
        match refused.is_empty() {
            true => Ok(accepted),
            false => Err(refusal(refused)),
        }
    }

    /// The value, if the property may have it in place of its present one.
    fn changed(&self, name: &str, value: Value, owner: Owner<'_>) -> Result<Value, &'static str> {
        let present = self.0.get(name);
        let is_other = present.is_none_or(|present| *present != value);
        match name {
            // What was counted with fewer registers cannot be counted again with more, nor are other numbers kept here.
            "hll_precision" if value != *present.unwrap_or(&json!(14)) => Err("cannot be changed: it is 14"),
            "active" if value == json!(false) => Err("Cannot modify active property"),
            name if IMMUTABLE.contains(&name) && is_other && !owner.is_new_type => {
                let is_off = present.is_none() && value == json!(false);
                match is_off {
                    true => Ok(value),
                    false => Err("cannot be changed once the bucket type exists"),
                }
            }
            _ => Ok(value),
        }
    }

    /// What these properties cannot be together, and why, as far as something of it was just set.
    fn contradictions(
        &self,
        set: &Map<String, Value>,
        owner: Owner<'_>,
    ) -> Vec<(&'static str, &'static str)> {
        let is_set = |names: [&str; 2]| names.iter().any(|&name| set.contains_key(name));
        let mut found = Vec::new();
        if is_set(["datatype", "allow_mult"]) && self.datatype().is_some() && !self.flag("allow_mult") {
            found.push(("allow_mult", "Data Type buckets must be allow_mult=true"));
        }
        if is_set(["datatype", "write_once"]) && self.datatype().is_some() && self.flag("write_once") {
            found.push(("datatype", "Write once buckets must not have datatype defined"));
        }
        // What types have of themselves nobody has asked for, and it means nothing here.
        let is_chosen =
            set.contains_key("dvv_enabled") || !BucketProperties::defaults(owner.kind).flag("dvv_enabled");
        if is_set(["last_write_wins", "dvv_enabled"])
            && is_chosen
            && self.flag("last_write_wins")
            && self.flag("dvv_enabled")
        {
            found.push((
                "dvv_enabled",
                "If last_write_wins is true, dvv_enabled must be false",
            ));
        }
        found
    }
}

fn refusal(refused: Map<String, Value>) -> RiakError {
    let why = |why: &Value| why.as_str().unwrap_or_default().to_owned();
    let terms: Vec<String> = refused
        .iter()
        .map(|(name, reason)| format!("{{{name},{}}}", why(reason)))
        .collect();
    RiakError::bad(format!("Invalid bucket properties: [{}]", terms.join(",")))
        .or_by_http(Value::Object(refused).to_string())
}

/// Refuses what Riak does and this server does not.
fn refuse_unsupported(name: &str, value: &Value) -> Result<()> {
    let what = match name {
        "consistent" if *value == json!(true) => "a consistent bucket type",
        "precommit" | "postcommit" if *value != json!([]) => "a commit hook",
        "search_index" if *value != json!("_dont_index_") => {
            "a search index of Riak's (search buckets by Elasticsearch's protocol)"
        }
        "backend" => "a choice of backends",
        // Links are found in one way here.
        "linkfun"
            if is_function(value) && Some(value) != BucketProperties::defaults(DEFAULT_TYPE).0.get(name) =>
        {
            "a link function of one's own"
        }
        _ => return Ok(()),
    };
    Err(RiakError::unsupported(what))
}

/// A value in the form in which it is kept, or why the property cannot have it.
fn kept(name: &str, value: &Value) -> Result<Value, &'static str> {
    let is = |is_right: bool, why| if is_right { Ok(value.clone()) } else { Err(why) };
    match name {
        "allow_mult" | "basic_quorum" | "last_write_wins" | "notfound_ok" | "dvv_enabled"
        | "stat_tracked" => boolean(value).map(Value::Bool).ok_or("not_boolean"),
        "active" | "write_once" | "consistent" | "search" => is(value.is_boolean(), "not_boolean"),
        "n_val" | "old_vclock" | "young_vclock" | "big_vclock" | "small_vclock" => {
            is(value.as_u64().is_some_and(|number| number > 0), "not_integer")
        }
        "r" | "w" | "rw" => is(is_quorum(value, 1), "not_valid_quorum"),
        "dw" | "pr" | "pw" | "node_confirms" => is(is_quorum(value, 0), "not_valid_quorum"),
        // All writes are flushed before they are answered, as the strictest of these wants it.
        "sync_on_write" => is(
            matches!(value.as_str(), Some("backend" | "one" | "all")),
            "not_valid_sync_param",
        ),
        "datatype" => is(
            matches!(value.as_str(), Some("counter" | "set" | "gset" | "map" | "hll")),
            "not_supported",
        ),
        "chash_keyfun" | "linkfun" => is(
            is_function(value),
            "not_a_function: its form is {\"mod\":MODULE,\"fun\":FUNCTION}",
        ),
        _ => Ok(value.clone()),
    }
}

/// A truth value as Riak takes it: also as a text in letters of either case, and as a number, of which those above zero are true.
fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        Value::Number(number) if number.is_u64() || number.is_i64() => {
            Some(number.as_u64().is_some_and(|number| number > 0))
        }
        _ => None,
    }
}

/// Whether a value says how many copies a request asks for, of which there are at least `copies_min`.
fn is_quorum(value: &Value, copies_min: u64) -> bool {
    match value {
        Value::String(word) => matches!(word.as_str(), "one" | "quorum" | "all"),
        // Protocol buffers have no greater numbers.
        Value::Number(number) => number
            .as_u64()
            .is_some_and(|copies| (copies_min..=u32::MAX.into()).contains(&copies)),
        _ => false,
    }
}

/// Whether a value names a function in Erlang.
fn is_function(value: &Value) -> bool {
    ["mod", "fun"]
        .iter()
        .all(|&part| value.get(part).is_some_and(Value::is_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default bucket type, or another with a data type perhaps.
    const PLAIN: Owner<'_> = Owner {
        kind: DEFAULT_TYPE,
        is_new_type: false,
    };
    const SETS: Owner<'_> = Owner {
        kind: b"sets",
        is_new_type: false,
    };
    const NEW: Owner<'_> = Owner {
        kind: b"new",
        is_new_type: true,
    };

    fn accepted(owner: Owner<'_>, given: &Value) -> Result<Value, String> {
        let present = BucketProperties::defaults(owner.kind);
        let given = given.as_object().expect("an object");
        let accepted = present.accept(given, owner).map(Value::Object);
        accepted.map_err(|error| error.web_message().to_owned())
    }

    #[test]
    fn properties_are_kept_in_one_form() {
        for (given, is_kept) in [
            (json!({"allow_mult": "True"}), json!({"allow_mult": true})),
            (json!({"notfound_ok": "false"}), json!({"notfound_ok": false})),
            (json!({"basic_quorum": 2}), json!({"basic_quorum": true})),
            (json!({"last_write_wins": -1}), json!({"last_write_wins": false})),
            (json!({"last_write_wins": 0}), json!({"last_write_wins": false})),
        ] {
            assert_eq!(accepted(PLAIN, &given), Ok(is_kept), "{given}");
        }
        for given in [
            json!({"dw": 0, "pr": 0, "pw": 0, "r": 1, "w": "quorum", "rw": "all"}),
            json!({"last_write_wins": true}),
            json!({"n_val": 5, "old_vclock": 1}),
            json!({"chash_keyfun": {"mod": "m", "fun": "f"}}),
            json!({"linkfun": {"fun": "mapreduce_linkfun", "mod": "riak_kv_wm_link_walker"}}),
            json!({"active": true}),
            json!({"node_confirms": 0, "sync_on_write": "one", "stat_tracked": true}),
            json!({"anything": [1]}),
        ] {
            assert_eq!(accepted(PLAIN, &given), Ok(given.clone()));
        }
    }

    #[test]
    fn properties_that_riak_refuses_are_refused_with_its_reason() {
        let function = "not_a_function: its form is {\"mod\":MODULE,\"fun\":FUNCTION}";
        let siblings = "Data Type buckets must be allow_mult=true";
        let clocks = "If last_write_wins is true, dvv_enabled must be false";
        for (owner, given, name, why) in [
            (PLAIN, json!({"allow_mult": "yes"}), "allow_mult", "not_boolean"),
            (PLAIN, json!({"allow_mult": 1.5}), "allow_mult", "not_boolean"),
            (PLAIN, json!({"notfound_ok": null}), "notfound_ok", "not_boolean"),
            (PLAIN, json!({"r": 0}), "r", "not_valid_quorum"),
            (PLAIN, json!({"w": 0}), "w", "not_valid_quorum"),
            (PLAIN, json!({"rw": 0}), "rw", "not_valid_quorum"),
            (PLAIN, json!({"r": "2"}), "r", "not_valid_quorum"),
            (PLAIN, json!({"r": "default"}), "r", "not_valid_quorum"),
            (PLAIN, json!({"dw": -1}), "dw", "not_valid_quorum"),
            (
                PLAIN,
                json!({"node_confirms": "two"}),
                "node_confirms",
                "not_valid_quorum",
            ),
            (
                PLAIN,
                json!({"sync_on_write": true}),
                "sync_on_write",
                "not_valid_sync_param",
            ),
            (PLAIN, json!({"n_val": 0}), "n_val", "not_integer"),
            (PLAIN, json!({"n_val": "3"}), "n_val", "not_integer"),
            (PLAIN, json!({"chash_keyfun": "x"}), "chash_keyfun", function),
            (PLAIN, json!({"linkfun": 5}), "linkfun", function),
            (PLAIN, json!({"linkfun": {"mod": "m"}}), "linkfun", function),
            (
                PLAIN,
                json!({"active": false}),
                "active",
                "Cannot modify active property",
            ),
            (
                PLAIN,
                json!({"last_write_wins": true, "dvv_enabled": true}),
                "dvv_enabled",
                clocks,
            ),
            (
                NEW,
                json!({"last_write_wins": true, "dvv_enabled": true}),
                "dvv_enabled",
                clocks,
            ),
            (SETS, json!({"allow_mult": false}), "allow_mult", siblings),
            (
                NEW,
                json!({"datatype": "set", "allow_mult": "false"}),
                "allow_mult",
                siblings,
            ),
            (
                NEW,
                json!({"datatype": "set", "write_once": true}),
                "datatype",
                "Write once buckets must not have datatype defined",
            ),
            (NEW, json!({"datatype": "list"}), "datatype", "not_supported"),
            (
                SETS,
                json!({"datatype": "map"}),
                "datatype",
                "cannot be changed once the bucket type exists",
            ),
        ] {
            let told = json!({name: why}).to_string();
            assert_eq!(accepted(owner, &given), Err(told), "{given}");
        }
    }

    #[test]
    fn a_contradiction_with_what_was_set_before_is_one_too() {
        let mut present = BucketProperties::defaults(DEFAULT_TYPE);
        present.0.insert("last_write_wins".to_owned(), json!(true));
        let set = |name: &str, value: Value| {
            let given = Map::from_iter([(name.to_owned(), value)]);
            present.accept(&given, PLAIN)
        };
        assert!(set("dvv_enabled", json!(true)).is_err());
        assert!(set("dvv_enabled", json!(false)).is_ok());
        assert!(set("n_val", json!(2)).is_ok());
        // Bucket types have `dvv_enabled` by default.
        let given = Map::from_iter([("last_write_wins".to_owned(), json!(true))]);
        assert!(BucketProperties::defaults(NEW.kind).accept(&given, NEW).is_ok());
    }

    #[test]
    fn unsupported_properties_are_refused_as_unsupported() {
        for given in [
            json!({"consistent": true}),
            json!({"precommit": [{"mod": "m", "fun": "f"}]}),
            json!({"search_index": "people"}),
            json!({"backend": "bitcask"}),
            json!({"linkfun": {"mod": "m", "fun": "f"}}),
        ] {
            let told = accepted(PLAIN, &given).expect_err("refused");
            assert!(told.ends_with(" is not supported"), "{told}");
        }
    }
}
