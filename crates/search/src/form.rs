//! The form of a search's body: what its members may be.

use mapping::error::{Result, SearchError};
use mapping::json::token_of;
use serde_json::{Map, Value};

/// Members that are a number, or the text of one.
const NUMBERS: [&str; 4] = ["from", "size", "terminate_after", "min_score"];
/// Members that are true or false, or the text of that.
const FLAGS: [&str; 5] = [
    "version",
    "seq_no_primary_term",
    "explain",
    "track_scores",
    "profile",
];
const OBJECTS: [&str; 10] = [
    "query",
    "post_filter",
    "script_fields",
    "aggs",
    "aggregations",
    "highlight",
    "suggest",
    "ext",
    "slice",
    "collapse",
];
const LISTS: [&str; 4] = ["docvalue_fields", "fields", "stats", "search_after"];

/// Refuses members that are not what they must be.
pub fn check_form(body: &Map<String, Value>) -> Result<()> {
    body.iter().try_for_each(|(name, value)| check_one(name, value))
}

fn check_one(name: &str, value: &Value) -> Result<()> {
    let is_plain = matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
    let fits = match name {
        _ if NUMBERS.contains(&name) || FLAGS.contains(&name) => is_plain,
        "timeout" | "track_total_hits" => is_plain,
        _ if OBJECTS.contains(&name) => value.is_object(),
        _ if LISTS.contains(&name) => value.is_array(),
        "indices_boost" | "rescore" => value.is_object() || value.is_array(),
        "stored_fields" => value.is_string() || value.is_array(),
        "sort" | "_source" => !value.is_null(),
        _ => true,
    };
    if !fits {
        return Err(SearchError::parsing(format!(
            "Unknown key for a {} in [{name}].",
            token_of(value)
        )));
    }
    match value {
        Value::String(text) if FLAGS.contains(&name) && text != "true" && text != "false" => {
            Err(SearchError::illegal(format!(
                "Failed to parse value [{text}] as only [true] or [false] are allowed."
            )))
        }
        Value::Number(_) if FLAGS.contains(&name) => Err(SearchError::parsing(format!(
            "[{name}] must be [true] or [false], not [{value}]"
        ))),
        Value::Bool(_) if NUMBERS.contains(&name) => Err(SearchError::parsing(format!(
            "[{name}] must be a number, not [{value}]"
        ))),
        _ => Ok(()),
    }
}
