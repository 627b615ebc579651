//! The parameter `human`: beside numbers of bytes and milliseconds an answer has texts for people.

use crate::endpoints::cat::text::Units;
use rest::respond::{Answer, Content};
use serde_json::{Map, Value, json};

/// Milliseconds that say when something was, not how long it took.
const DATES: [&str; 6] = [
    "start_time_in_millis",
    "stop_time_in_millis",
    "phase_time_millis",
    "action_time_millis",
    "step_time_millis",
    "lifecycle_date_millis",
];

/// Times whose names end otherwise than those of others.
const TIMES: [&str; 3] = [
    "throttled_millis",
    "throttled_until_millis",
    "task_max_waiting_in_queue_millis",
];

/// The answer to a request for this path, with the texts. Documents of clients are in none of these answers.
pub(crate) fn readable(path: &[String], mut answer: Answer) -> Answer {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    let has_numbers = matches!(
        parts[..],
        ["_cluster", "health" | "stats", ..]
            | [
                "_nodes" | "_tasks" | "_reindex" | "_stats" | "_recovery" | "_segments",
                ..
            ]
            | [
                _,
                "_stats" | "_recovery" | "_segments" | "_delete_by_query" | "_update_by_query",
                ..
            ]
            | ["_data_stream", .., "_stats"]
            | [_, "_ilm", "explain"]
    );
    if let (true, Content::Json(body)) = (has_numbers, &mut answer.body) {
        add(body, "");
    }
    answer
}

/// Adds the texts to what is in the member `within`.
fn add(value: &mut Value, within: &str) {
    match value {
        Value::Object(object) => {
            let mut with_texts = Map::new();
            for (name, mut value) in std::mem::take(object) {
                add(&mut value, &name);
                if let Some((name, text)) = text(&name, &value, within) {
                    with_texts.entry(name).or_insert(json!(text));
                }
                with_texts.insert(name, value);
            }
            *object = with_texts;
        }
        Value::Array(list) => list.iter_mut().for_each(|value| add(value, within)),
        _ => {}
    }
}

/// What stands before a number, under which name.
fn text(name: &str, value: &Value, within: &str) -> Option<(String, String)> {
    if name == "active_shards_percent_as_number" {
        return Some((
            "active_shards_percent".to_owned(),
            format!("{:.1}%", value.as_f64()?),
        ));
    }
    let number = value.as_i64()?;
    let bare = |ending: &str| name.strip_suffix(ending).map(str::to_owned);
    if DATES.contains(&name) {
        let bare = bare("_in_millis").or_else(|| bare("_millis"))?;
        return Some((bare, search::date_text(number)));
    }
    if name.ends_with("_in_bytes") || name.ends_with("_size_bytes") {
        let text = match u64::try_from(number) {
            Ok(bytes) => Units::BEST.size(bytes),
            Err(_) => format!("{number}b"),
        };
        return Some((bare("_in_bytes").or_else(|| bare("_bytes"))?, text));
    }
    let nanos = match name.ends_with("_in_nanos") {
        true => number,
        false => number.saturating_mul(1_000_000),
    };
    let text = match u64::try_from(nanos) {
        Ok(nanos) => Units::BEST.time(nanos),
        Err(_) => number.to_string(),
    };
    let bare = match name {
        // Elasticsearch has always called it so.
        "time_in_millis" if within == "get" => Some("getTime".to_owned()),
        name if TIMES.contains(&name) => bare("_millis"),
        _ => bare("_in_millis").or_else(|| bare("_in_nanos")),
    };
    Some((bare?, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_before_the_numbers_that_they_say() {
        let mut body = json!({
            "store": {"size_in_bytes": 1536},
            "get": {"time_in_millis": 5, "exists_time_in_millis": -1},
            "breaker": {"limit_size_in_bytes": 1024, "limit_size": "its own"},
            "task": {"start_time_in_millis": 0, "running_time_in_nanos": 1_260_000_000, "took": 3},
            "throttled_millis": 0, "active_shards_percent_as_number": 100.0, "total_store_size_bytes": 0,
        });
        add(&mut body, "");
        let expected = r#"{"store":{"size":"1.5kb","size_in_bytes":1536},"get":{"getTime":"5ms","time_in_millis":5,"exists_time":"-1","exists_time_in_millis":-1},"breaker":{"limit_size":"its own","limit_size_in_bytes":1024},"task":{"start_time":"1970-01-01T00:00:00.000Z","start_time_in_millis":0,"running_time":"1.2s","running_time_in_nanos":1260000000,"took":3},"throttled":"0s","throttled_millis":0,"active_shards_percent":"100.0%","active_shards_percent_as_number":100.0,"total_store_size":"0b","total_store_size_bytes":0}"#;
        assert_eq!(body.to_string(), expected);
    }
}
