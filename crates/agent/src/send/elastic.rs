//! Elasticsearch's `_bulk`: `create` under an id of our own, so that a record that is there already answers 409.

use super::outcome::{Answer, Outcome};
use crate::spool::Record;
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use value::json::{Mode, to_string};
use value::{Document, RawDocument, Value};

/// The media type of a body.
pub const MEDIA_TYPE: &str = "application/x-ndjson";

/// The path of a request.
pub const PATH: &str = "/_bulk";

/// Writes the body of a request.
pub fn write_body(target: &str, ids: &[String], records: &[Record], body: &mut impl Write) -> io::Result<()> {
    let index = Json::from(target);
    for (id, record) in ids.iter().zip(records) {
        let document = with_text_dates(RawDocument::from_validated(&record.document).to_document());
        let document = to_string((&document).into(), Mode::Relaxed);
        let lines = format!("{{\"create\":{{\"_index\":{index},\"_id\":\"{id}\"}}}}\n{document}\n");
        body.write_all(lines.as_bytes())?;
    }
    Ok(())
}

/// Dates as text, which is how JSON has them.
fn with_text_dates(mut document: Document) -> Document {
    for (_, value) in document.iter_mut() {
        text_dates(value);
    }
    document
}

fn text_dates(value: &mut Value) {
    match value {
        Value::DateTime(milliseconds) => {
            if let Ok(at) = jiff::Timestamp::from_millisecond(*milliseconds) {
                *value = Value::from(format!("{at:.3}"));
            }
        }
        Value::Document(document) => document.iter_mut().for_each(|(_, value)| text_dates(value)),
        Value::Array(values) => values.iter_mut().for_each(text_dates),
        _ => {}
    }
}

#[derive(Deserialize)]
struct Reply {
    items: Vec<BTreeMap<String, BulkItem>>,
}

#[derive(Deserialize)]
struct BulkItem {
    status: u16,
    #[serde(default)]
    error: Json,
}

/// What an answer says.
pub fn outcome(status: StatusCode, body: &[u8], count: usize) -> Outcome {
    if status != StatusCode::OK {
        let said: String = String::from_utf8_lossy(body).chars().take(300).collect();
        return Outcome::Refused(format!("the server answers {status}: {said}"));
    }
    let reply = serde_json::from_slice::<Reply>(body)
        .ok()
        .filter(|reply| reply.items.len() == count);
    let Some(reply) = reply else {
        return Outcome::Later(
            "the server's answer to _bulk has no item for each record".to_owned(),
            None,
        );
    };
    let mut answer = Answer::default();
    for (index, item) in reply.items.iter().enumerate() {
        let Some(item) = item.values().next() else {
            answer.again.push(index);
            continue;
        };
        match item.status {
            200..=299 => answer.taken += 1,
            409 => answer.repeated += 1,
            400 | 413 => answer.refused.push((index, reason(&item.error))),
            _ => answer.again.push(index),
        }
    }
    Outcome::Answered(answer)
}

fn reason(error: &Json) -> String {
    match error.get("reason").and_then(Json::as_str) {
        Some(reason) => reason.to_owned(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::DocumentBuf;

    #[test]
    fn records_are_created_under_their_ids_with_dates_as_text() {
        let document = Document::new().with("time", Value::DateTime(1_500)).with("n", 1);
        let record = Record {
            epoch: 1,
            number: 2,
            target: "logs".to_owned(),
            document: DocumentBuf::from(&document).into_bytes(),
        };
        let mut body = Vec::new();
        write_body("logs", &["a-1".to_owned()], &[record], &mut body).expect("a vector takes all");
        let wanted = "{\"create\":{\"_index\":\"logs\",\"_id\":\"a-1\"}}\n{\"time\":\"1970-01-01T00:00:01.500Z\",\"n\":1}\n";
        assert_eq!(String::from_utf8_lossy(&body), wanted);
    }

    #[test]
    fn an_answer_says_of_each_record_what_became_of_it() {
        let body = br#"{"took":1,"errors":true,"items":[{"create":{"status":201}},{"create":{"status":409,"error":{}}},
            {"create":{"status":400,"error":{"reason":"bad"}}},{"create":{"status":429,"error":{}}}]}"#;
        let wanted = Answer {
            taken: 1,
            repeated: 1,
            refused: vec![(2, "bad".to_owned())],
            again: vec![3],
        };
        assert_eq!(outcome(StatusCode::OK, body, 4), Outcome::Answered(wanted));
        assert!(matches!(outcome(StatusCode::OK, body, 5), Outcome::Later(..)));
    }
}
