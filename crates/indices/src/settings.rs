//! Settings of indices, in the form in which Elasticsearch shows them.

use crate::error::{ElasticError, Result};
use crate::index_sort;
use search::shard_counts::Counts;
use search::{Analysis, Rules, parse_time};
use serde_json::{Map, Value, json};

/// Settings that may be given and change nothing here: copies, segments and caches are the store's own matter.
const WITHOUT_EFFECT: [&str; 34] = [
    "auto_expand_replicas",
    "codec",
    "compound_format",
    "data_path",
    "fielddata",
    "flush_after_merge",
    "format",
    "hidden",
    "load_fixed_bitset_filters_eagerly",
    "max_ngram_diff",
    "max_shingle_diff",
    "max_slices_per_scroll",
    "optimize_auto_generated_id",
    "priority",
    "queries",
    "query",
    "recovery",
    "requests",
    "routing",
    "search",
    "shard",
    "similarity",
    "soft_deletes",
    "translog",
    "unassigned",
    "merge",
    "allocation",
    "gc_deletes",
    "indexing",
    "max_refresh_listeners",
    "store",
    "verified_before_close",
    "warmer",
    "write",
];

/// What can be changed only while an index is closed.
const STATIC: [&str; 14] = [
    "number_of_shards",
    "codec",
    "data_path",
    "fielddata",
    "format",
    "load_fixed_bitset_filters_eagerly",
    "queries",
    "shard",
    "similarity",
    "number_of_routing_shards",
    "analysis",
    "store",
    "soft_deletes",
    "sort",
];

/// What stays as it was when the index was made.
const FINAL: [&str; 3] = ["number_of_shards", "soft_deletes", "sort"];

/// The blocks that settings may put on an index, whether they are for writes alone, and how they are called.
const BLOCKS: [(&str, bool, &str); 4] = [
    ("write", true, "8/index write (api)"),
    ("read_only", true, "5/index read-only (api)"),
    (
        "read_only_allow_delete",
        true,
        "12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block",
    ),
    ("read", false, "7/index read (api)"),
];

/// The block that forbids to write, or to read.
pub fn blocks(index: &Map<String, Value>, writes: bool) -> Option<&'static str> {
    let blocks = index.get("blocks")?;
    let is_set = |name: &str| blocks.get(name).and_then(Value::as_str) == Some("true");
    let found = BLOCKS
        .iter()
        .find(|(name, for_writes, _)| *for_writes == writes && is_set(name));
    found.map(|(.., called)| *called)
}

/// The blocks of an index by their numbers, as the state of a cluster shows them.
pub fn shown_blocks(index: &Map<String, Value>, is_closed: bool) -> Map<String, Value> {
    let blocks = index.get("blocks");
    let is_set = |name: &str| blocks.and_then(|all| all.get(name)).and_then(Value::as_str) == Some("true");
    let mut shown = Map::new();
    for (name, _, called) in BLOCKS.iter().filter(|(name, ..)| is_set(name)) {
        let (number, description) = called.split_once('/').unwrap_or(("", called));
        let levels = match *name {
            "read" => json!(["read"]),
            "write" => json!(["write"]),
            _ => json!(["write", "metadata_write"]),
        };
        shown.insert(
            number.to_owned(),
            json!({"description": description, "retryable": false, "levels": levels}),
        );
    }
    if is_closed {
        let levels = json!(["read", "write"]);
        shown.insert(
            "4".to_owned(),
            json!({"description": "index closed", "retryable": false, "levels": levels}),
        );
    }
    shown
}

/// Refuses settings that an open index keeps as they are.
pub fn check_dynamic(new: &Map<String, Value>, index: &str) -> Result<()> {
    let fixed = named(new, &STATIC);
    match fixed.is_empty() {
        true => Ok(()),
        false => Err(ElasticError::illegal(format!(
            "Can't update non dynamic settings [[{}]] for open indices [[{index}]]",
            fixed.join(", ")
        ))),
    }
}

/// Refuses settings that an index keeps for as long as it is there.
pub fn check_kept(new: &Map<String, Value>, index: &str) -> Result<()> {
    match named(new, &FINAL).first() {
        None => Ok(()),
        Some(name) => Err(ElasticError::illegal(format!(
            "final {index} setting [{name}], not updateable"
        ))),
    }
}

/// The whole names of those settings that are among these, or within them.
fn named(settings: &Map<String, Value>, names: &[&str]) -> Vec<String> {
    let within = settings.iter().filter(|(name, _)| names.contains(&name.as_str()));
    let within: Map<String, Value> = within
        .map(|(name, value)| (format!("index.{name}"), value.clone()))
        .collect();
    let whole = flat(&Value::Object(within));
    whole
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .cloned()
        .collect()
}

/// Without those that are there already.
pub fn only_new(new: Map<String, Value>, present: &Map<String, Value>) -> Map<String, Value> {
    let keep = |(name, value): (String, Value)| match (present.get(&name), value) {
        (None, value) => Some((name, value)),
        (Some(Value::Object(present)), Value::Object(new)) => {
            Some((name, Value::Object(only_new(new, present))))
        }
        _ => None,
    };
    new.into_iter().filter_map(keep).collect()
}

/// Settings as a tree below `index`, every value a text.
pub fn normalized(given: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut index = Map::new();
    for (name, value) in given {
        let path = name.split('.').filter(|part| *part != "index");
        insert(&mut index, path.collect(), value, 0)?;
    }
    for (name, value) in &index {
        match name.as_str() {
            "analysis" => drop(Analysis::parse(value)?),
            "mapping" => {
                mapping_rules(&index)?;
            }
            "number_of_shards" | "number_of_replicas" | "number_of_routing_shards" => Counts::check(&index)?,
            limited if LIMITS.iter().any(|(known, ..)| *known == limited) => {
                limit(&index, limited)?;
            }
            "blocks" => {
                let known =
                    |name: &String| name == "metadata" || BLOCKS.iter().any(|(block, ..)| block == name);
                if let Some(other) = value
                    .as_object()
                    .and_then(|blocks| blocks.keys().find(|name| !known(name)))
                {
                    return Err(ElasticError::illegal(format!(
                        "unknown setting [index.blocks.{other}]"
                    )));
                }
                let mut flags = value.as_object().into_iter().flatten();
                flags.try_for_each(|(_, flag)| check_flag(flag))?;
            }
            "refresh_interval" => check_interval(value)?,
            "sort" => index_sort::check_values(value)?,
            "analyze" => {
                analyzed_tokens_max(&index)?;
            }
            // Which pipelines documents go through is looked for when they are written.
            "query_string" | "default_pipeline" | "final_pipeline" | "lifecycle" => {}
            "highlight" => {
                if let Some(other) = value
                    .as_object()
                    .and_then(|all| all.keys().find(|name| *name != "max_analyzed_offset"))
                {
                    return Err(ElasticError::illegal(format!(
                        "unknown setting [index.highlight.{other}]"
                    )));
                }
            }
            known if WITHOUT_EFFECT.contains(&known) => {}
            other => {
                let reason = format!(
                    "unknown setting [index.{other}] please check that any required plugins are installed, or check the breaking changes \
                     documentation for removed settings"
                );
                return Err(ElasticError::illegal(reason));
            }
        }
    }
    Ok(index)
}

/// Refuses what is neither true nor false; what is null is taken back.
fn check_flag(value: &Value) -> Result<()> {
    match value.as_str() {
        _ if value.is_null() => Ok(()),
        Some("true" | "false") => Ok(()),
        given => Err(ElasticError::illegal(format!(
            "Failed to parse value [{}] as only [true] or [false] are allowed.",
            given.map_or_else(|| value.to_string(), str::to_owned)
        ))),
    }
}

/// Refuses what is no time between two refreshes.
fn check_interval(value: &Value) -> Result<()> {
    match value.as_str() {
        Some(text) if text != "-1" && text.bytes().any(|byte| byte != b'0') => {
            parse_time(text, "index.refresh_interval")?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Parts of a setting's name at most, which are objects within objects: more than any setting has, and few enough to go into.
const NAME_PARTS_MAX: usize = 32;

/// Refuses a setting whose name has too many parts.
pub fn check_parts(parts: usize) -> Result<()> {
    match parts > NAME_PARTS_MAX {
        false => Ok(()),
        true => Err(ElasticError::illegal(format!(
            "the name of a setting has more than {NAME_PARTS_MAX} parts"
        ))),
    }
}

/// Puts a setting where the parts of its name say, within an object that is `depth` parts deep.
fn insert(into: &mut Map<String, Value>, mut parts: Vec<&str>, value: &Value, depth: usize) -> Result<()> {
    let depth = depth + parts.len();
    check_parts(depth)?;
    let Some(last) = parts.pop() else {
        return match value {
            Value::Object(object) => insert_all(into, object, depth),
            _ => Ok(()),
        };
    };
    let mut inner = into;
    for part in parts {
        let Value::Object(next) = inner.entry(part).or_insert_with(|| json!({})) else {
            return Ok(());
        };
        inner = next;
    }
    match value {
        Value::Object(object) => match inner.entry(last).or_insert_with(|| json!({})) {
            Value::Object(inner) => insert_all(inner, object, depth),
            _ => Ok(()),
        },
        value => {
            inner.insert(last.to_owned(), text(value));
            Ok(())
        }
    }
}

fn insert_all(into: &mut Map<String, Value>, settings: &Map<String, Value>, depth: usize) -> Result<()> {
    for (name, value) in settings {
        insert(into, name.split('.').collect(), value, depth)?;
    }
    Ok(())
}

/// A value as it stands in settings: a string.
pub fn text(value: &Value) -> Value {
    match value {
        Value::Number(_) | Value::Bool(_) => Value::String(value.to_string()),
        Value::Array(list) => Value::Array(list.iter().map(text).collect()),
        other => other.clone(),
    }
}

/// Puts settings in the place of those of the same name.
pub fn merge(base: &mut Map<String, Value>, by: Map<String, Value>) {
    for (name, value) in by {
        match (base.get_mut(&name), value) {
            (Some(Value::Object(present)), Value::Object(inner)) => merge(present, inner),
            (_, Value::Null) => drop(base.remove(&name)),
            (_, value) => drop(base.insert(name, value)),
        }
    }
}

/// Settings with their whole names, in the place of trees.
pub fn flat(settings: &Value) -> Value {
    let mut out = Map::new();
    flatten(settings, "", &mut out);
    Value::Object(out)
}

fn flatten(value: &Value, prefix: &str, out: &mut Map<String, Value>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = match prefix.is_empty() {
                    true => name.clone(),
                    false => format!("{prefix}.{name}"),
                };
                flatten(value, &path, out);
            }
        }
        other => drop(out.insert(prefix.to_owned(), other.clone())),
    }
}

/// What an index has where nothing was given, as far as it means something here.
pub fn defaults(given: &Map<String, Value>, is_flat: bool) -> Value {
    let mut defaults = json!({
        "refresh_interval": "1s", "max_result_window": "10000", "max_inner_result_window": "100", "hidden": "false",
        "mapping": {"total_fields": {"limit": "1000"}}, "highlight": {"max_analyzed_offset": "1000000"},
    });
    if let Value::Object(all) = &mut defaults {
        all.retain(|name, _| !given.contains_key(name));
    }
    let defaults = json!({"index": defaults});
    if is_flat { flat(&defaults) } else { defaults }
}

/// The analyzers of an index.
pub fn analysis(index: &Map<String, Value>) -> Result<Analysis> {
    Ok(index
        .get("analysis")
        .map_or(Ok(Analysis::default()), Analysis::parse)?)
}

/// Limits that an index may have otherwise than is usual: the least, and the usual one.
const LIMITS: [(&str, i32, usize); 9] = [
    // How far into what is found a page may reach.
    ("max_result_window", 1, search::WINDOW_MAX),
    // How many hits are looked at anew: as far as pages reach, where nothing else is said.
    ("max_rescore_window", 1, search::WINDOW_MAX),
    // The nested objects of one document.
    ("max_inner_result_window", 1, 100),
    ("max_docvalue_fields_search", 0, 100),
    ("max_script_fields", 0, 32),
    ("max_terms_count", 1, 65_536),
    ("max_regex_length", 1, 1000),
    ("max_adjacency_matrix_filters", 2, 100),
    ("max_slices_per_scroll", 1, 1024),
];

/// One of the limits of an index.
pub fn limit(index: &Map<String, Value>, name: &str) -> Result<usize> {
    let known = LIMITS.iter().find(|(known, ..)| *known == name);
    let (_, least, usual) = known.copied().unwrap_or(("", 0, usize::MAX));
    let text = match index.get(name) {
        Some(Value::String(text)) => text,
        _ if name == "max_rescore_window" => return limit(index, "max_result_window"),
        _ => return Ok(usual),
    };
    let bound = match text.parse::<i32>() {
        Ok(most) if most >= least => return Ok(most as usize),
        Ok(_) => format!(" must be >= {least}"),
        Err(_) => String::new(),
    };
    Err(ElasticError::illegal(format!(
        "Failed to parse value [{text}] for setting [index.{name}]{bound}"
    )))
}

/// The tokens that `_analyze` shows at most.
pub fn analyzed_tokens_max(index: &Map<String, Value>) -> Result<usize> {
    const USUAL: usize = 10_000;
    let given = index.get("analyze").and_then(Value::as_object);
    let Some(given) = given else { return Ok(USUAL) };
    if let Some(other) = given.keys().find(|name| *name != "max_token_count") {
        return Err(ElasticError::illegal(format!(
            "unknown setting [index.analyze.{other}]"
        )));
    }
    let Some(text) = given.get("max_token_count").and_then(Value::as_str) else {
        return Ok(USUAL);
    };
    let bound = match text.parse::<i32>() {
        Ok(most @ 1..) => return Ok(most as usize),
        Ok(_) => " must be >= 1",
        Err(_) => "",
    };
    Err(ElasticError::illegal(format!(
        "Failed to parse value [{text}] for setting [index.analyze.max_token_count]{bound}"
    )))
}

/// The characters of a text that are highlighted at most.
pub fn highlighted_chars_max(index: &Map<String, Value>) -> usize {
    let given = index
        .get("highlight")
        .and_then(|all| all.get("max_analyzed_offset"));
    given
        .and_then(Value::as_str)
        .and_then(|text| text.parse().ok())
        .unwrap_or(search::ANALYZED_CHARS_MAX)
}

/// What is said of the mapping.
pub fn mapping_rules(index: &Map<String, Value>) -> Result<Rules> {
    let given = |path: &str| index.get("mapping").and_then(|mapping| mapping.pointer(path));
    let count = |path: &str, name: &str, usual: usize| match given(path).and_then(Value::as_str) {
        None => Ok(usual),
        Some(text) => text.parse().map_err(|_| {
            ElasticError::illegal(format!(
                "Failed to parse value [{text}] for setting [index.mapping.{name}]"
            ))
        }),
    };
    let flag = |path: &str, usual: bool| match given(path) {
        None | Some(Value::Null) => Ok(usual),
        Some(flag) => check_flag(flag).map(|()| flag.as_str() == Some("true")),
    };
    let usual = Rules::default();
    Ok(Rules {
        fields_max: count("/total_fields/limit", "total_fields.limit", usual.fields_max)?,
        nested_max: count("/nested_fields/limit", "nested_fields.limit", usual.nested_max)?,
        ignores_malformed: flag("/ignore_malformed", usual.ignores_malformed)?,
        coerces: flag("/coerce", usual.coerces)?,
        default_fields: default_fields(index).unwrap_or(usual.default_fields),
    })
}

/// The setting `index.query.default_field`: names with their factors, of which there may be several.
fn default_fields(index: &Map<String, Value>) -> Option<Vec<(String, f32)>> {
    let boosted = |name: &str| {
        let parts = name.rsplit_once('^');
        let boosted = parts.and_then(|(name, boost)| Some((name.to_owned(), boost.parse().ok()?)));
        boosted.unwrap_or_else(|| (name.to_owned(), 1.0))
    };
    let names: Vec<&str> = match index.get("query")?.get("default_field")? {
        Value::String(names) => names.split(',').map(str::trim).collect(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(names.into_iter().map(boosted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(given: Value) -> Result<Value> {
        normalized(given.as_object().expect("an object")).map(Value::Object)
    }

    #[test]
    fn names_with_points_are_trees_below_index() {
        let tree = json!({"query": {"default_field": "a", "b": {"c": "1"}}});
        for given in [
            json!({"index.query.default_field": "a", "query.b.c": 1}),
            json!({"index": {"query": {"default_field": "a", "b.c": 1}}}),
            json!({"query": {"b": {"c": 1}, "default_field": "a"}}),
        ] {
            assert_eq!(parsed(given.clone()).ok(), Some(tree.clone()), "{given}");
        }
    }

    #[test]
    fn values_that_settings_cannot_have_are_refused() {
        for (given, wanted) in [
            (
                json!({"blocks.write": "maybe"}),
                "Failed to parse value [maybe] as only [true] or [false] are allowed.",
            ),
            (
                json!({"mapping.coerce": "maybe"}),
                "Failed to parse value [maybe] as only [true] or [false] are allowed.",
            ),
            (
                json!({"mapping.nested_fields.limit": "x"}),
                "Failed to parse value [x] for setting [index.mapping.nested_fields.limit]",
            ),
            (
                json!({"refresh_interval": "5"}),
                "failed to parse setting [index.refresh_interval] with value [5] as a time value: unit is missing or unrecognized",
            ),
        ] {
            let error = parsed(given.clone()).expect_err("refused");
            assert_eq!(error.reason, wanted, "{given}");
        }
        for given in [
            json!({"blocks": {"write": true, "read": "false", "read_only": null}}),
            json!({"refresh_interval": "-1"}),
            json!({"refresh_interval": -1}),
            json!({"refresh_interval": "0"}),
            json!({"refresh_interval": "30s"}),
            json!({"refresh_interval": null}),
        ] {
            assert!(parsed(given.clone()).is_ok(), "{given}");
        }
    }

    #[test]
    fn some_settings_are_kept_while_an_index_is_open_and_some_for_ever() {
        let refused = |given: Value| {
            let new = normalized(given.as_object().expect("an object")).expect("settings");
            let reason = |checked: Result<()>| checked.err().map(|error| error.reason);
            (reason(check_dynamic(&new, "i")), reason(check_kept(&new, "i")))
        };
        let open = |name: &str| {
            Some(format!(
                "Can't update non dynamic settings [[{name}]] for open indices [[i]]"
            ))
        };
        let kept = |name: &str| Some(format!("final i setting [{name}], not updateable"));
        assert_eq!(refused(json!({"number_of_replicas": 2})), (None, None));
        let name = "index.analysis.analyzer.a.type";
        assert_eq!(refused(json!({name: "standard"})), (open(name), None));
        for name in ["index.number_of_shards", "index.sort.field"] {
            assert_eq!(refused(json!({name: "2"})), (open(name), kept(name)));
        }
    }

    #[test]
    fn names_that_are_too_deep_to_go_into_are_refused() {
        let deep = |parts: usize| format!("query{}", ".a".repeat(parts - 1));
        assert!(parsed(json!({deep(NAME_PARTS_MAX): 1})).is_ok());
        assert!(parsed(json!({deep(NAME_PARTS_MAX + 1): 1})).is_err());
        assert!(parsed(json!({deep(1_000_000): 1})).is_err());
        assert!(parsed(json!({deep(20): {deep(20): 1}})).is_err());
    }
}
