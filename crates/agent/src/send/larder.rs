//! Larder's own HTTP: an `insert` by `/api/command`, in Extended JSON, so that dates and numbers keep their types.

use super::outcome::{Answer, Outcome};
use crate::spool::Record;
use http::{StatusCode, percent_encode};
use serde::Deserialize;
use std::io::{self, Write};
use value::json::{Mode, write};
use value::{RawDocument, ValueRef};

/// Codes of single records that another try may not get: the server stops, has no room, was interrupted, or does not let
/// this user write now. What every other code says of a record, it will say again.
const PASSING: [i64; 14] = [
    6, 7, 13, 50, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 14031,
];

/// The code for a value that is there already.
const DUPLICATE: i64 = 11000;

/// Codes of commands that say that what is inserted is none: bad values, what cannot be parsed, what is too large.
const UNREADABLE: [i64; 7] = [2, 9, 14, 22, 51, 10334, 17_280];

/// The media type of a body.
pub const MEDIA_TYPE: &str = "application/json";

/// The path of a request.
pub fn path(target: &str) -> String {
    let (database, _) = parts(target);
    format!("/api/command/{}", percent_encode(database))
}

/// Writes the body of a request.
pub fn write_body(target: &str, ids: &[String], records: &[Record], body: &mut impl Write) -> io::Result<()> {
    let (_, collection) = parts(target);
    let collection = serde_json::Value::from(collection);
    write!(
        body,
        "{{\"insert\":{collection},\"ordered\":false,\"documents\":["
    )?;
    let mut text = String::new();
    for (at, (id, record)) in ids.iter().zip(records).enumerate() {
        text.clear();
        text.push_str(if at == 0 { "{\"_id\":\"" } else { ",{\"_id\":\"" });
        // Letters, digits, dots, underscores, hyphens: nothing to escape.
        text.push_str(id);
        text.push_str("\",");
        let start = text.len();
        write(
            ValueRef::Document(RawDocument::from_validated(&record.document).into()),
            Mode::Canonical,
            &mut text,
        );
        // The brace that begins it stands before the id.
        text.replace_range(start..=start, "");
        body.write_all(text.as_bytes())?;
    }
    body.write_all(b"]}")
}

/// The names of the database and of the collection.
fn parts(target: &str) -> (&str, &str) {
    target.split_once('.').unwrap_or((target, ""))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    ok: Option<serde_json::Value>,
    code: Option<serde_json::Value>,
    errmsg: Option<String>,
    #[serde(default)]
    write_errors: Vec<WriteError>,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WriteError {
    index: serde_json::Value,
    code: serde_json::Value,
    #[serde(default)]
    errmsg: String,
    #[serde(default)]
    key_pattern: serde_json::Map<String, serde_json::Value>,
}

/// What an answer says.
pub fn outcome(status: StatusCode, body: &[u8], count: usize) -> Outcome {
    let Ok(reply) = serde_json::from_slice::<Reply>(body) else {
        return foreign(status);
    };
    // Others answer in JSON as well, such as another port of Larder's.
    if reply.ok.is_none() && (status == StatusCode::OK || reply.reason.is_none()) {
        return foreign(status);
    }
    if reply.ok.as_ref().and_then(number) != Some(1) {
        let reason = reply
            .errmsg
            .or(reply.reason)
            .unwrap_or_else(|| status.to_string());
        return match reply.code.as_ref().and_then(number) {
            Some(code) if !UNREADABLE.contains(&code) => Outcome::Later(reason, None),
            _ => Outcome::Refused(reason),
        };
    }
    let mut answer = Answer::default();
    for error in reply.write_errors {
        let (Some(index), Some(code)) = (number(&error.index), number(&error.code)) else {
            continue;
        };
        let Some(index) = usize::try_from(index).ok().filter(|index| *index < count) else {
            continue;
        };
        let is_id = error.key_pattern.len() == 1 && error.key_pattern.contains_key("_id");
        match code {
            DUPLICATE if is_id => answer.repeated += 1,
            code if PASSING.contains(&code) => answer.again.push(index),
            _ => answer.refused.push((index, error.errmsg)),
        }
    }
    let others = answer.repeated as usize + answer.again.len() + answer.refused.len();
    answer.taken = (count - others) as u64;
    Outcome::Answered(answer)
}

/// What an answer of somebody else says: nothing of the records, but that they are too much at once where its status does.
fn foreign(status: StatusCode) -> Outcome {
    let reason = format!(
        "the server answers {status} with what is no reply of Larder's own HTTP, whose port is 7070 where --http-listen says no other"
    );
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => Outcome::Refused(reason),
        _ => Outcome::Later(reason, None),
    }
}

/// A number of Extended JSON.
fn number(value: &serde_json::Value) -> Option<i64> {
    match value {
        serde_json::Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|number| number as i64)),
        serde_json::Value::Object(object) => {
            let text = object.values().next()?.as_str()?;
            text.parse::<f64>().ok().map(|number| number as i64)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_says_of_each_record_what_became_of_it() {
        let body = br#"{"n":{"$numberInt":"1"},"writeErrors":[
            {"index":{"$numberInt":"0"},"code":{"$numberInt":"11000"},"errmsg":"dup","keyPattern":{"_id":{"$numberInt":"1"}}},
            {"index":{"$numberInt":"1"},"code":{"$numberInt":"11000"},"errmsg":"other","keyPattern":{"n":{"$numberInt":"1"}}},
            {"index":{"$numberInt":"3"},"code":{"$numberInt":"14031"},"errmsg":"full"}],"ok":{"$numberDouble":"1.0"}}"#;
        let wanted = Answer {
            taken: 1,
            repeated: 1,
            refused: vec![(1, "other".to_owned())],
            again: vec![3],
        };
        assert_eq!(outcome(StatusCode::OK, body, 4), Outcome::Answered(wanted));
    }

    #[test]
    fn a_command_that_fails_is_tried_again_or_taken_apart() {
        let said = |code: i64| {
            format!(r#"{{"ok":{{"$numberDouble":"0.0"}},"code":{{"$numberInt":"{code}"}},"errmsg":"no"}}"#)
        };
        for (code, is_refused) in [(13, false), (14031, false), (9, true), (10334, true)] {
            let outcome = outcome(StatusCode::BAD_REQUEST, said(code).as_bytes(), 4);
            assert_eq!(matches!(outcome, Outcome::Refused(_)), is_refused, "{code}");
        }
        let unparsed = br#"{"error":"bad_request","reason":"invalid JSON at byte 3"}"#;
        assert!(matches!(
            outcome(StatusCode::BAD_REQUEST, unparsed, 4),
            Outcome::Refused(_)
        ));
    }

    #[test]
    fn what_another_server_answers_says_nothing_of_the_records_but_that_they_are_too_much() {
        for (status, body) in [
            (StatusCode::OK, &b"<html>"[..]),
            (StatusCode::OK, br#"{"_index":"api","result":"updated"}"#),
            (
                StatusCode::BAD_REQUEST,
                br#"{"error":"no handler found for uri [/api/command/logs]","status":400}"#,
            ),
        ] {
            assert!(matches!(outcome(status, body, 4), Outcome::Later(..)));
        }
        let by_a_proxy = outcome(StatusCode::PAYLOAD_TOO_LARGE, b"<html>", 4);
        assert!(matches!(by_a_proxy, Outcome::Refused(_)));
    }
}
