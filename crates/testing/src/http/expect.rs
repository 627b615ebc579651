//! Whether an answer has what a case says.

use super::{Answer, Case};
use serde_json::Value;

/// What is wrong with an answer; `wanted` is the case's answer with its blanks filled.
pub(super) fn fault(case: &Case, wanted: &str, answer: &Answer) -> Option<String> {
    if answer.status != case.status {
        return Some(format!("the status is not {}", case.status));
    }
    let (head, body) = wanted.split_once("\n\n").unwrap_or(("", wanted));
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    let missing = headers.find(|(name, value)| {
        let found = answer.header(&name.trim().to_ascii_lowercase());
        !found.is_some_and(|found| found.contains(value.trim()))
    });
    if let Some((name, value)) = missing {
        return Some(format!("no header {name}: {value}"));
    }
    let wanted_json: Result<Value, _> = serde_json::from_str(body);
    match (wanted_json, serde_json::from_str(&answer.body)) {
        (Ok(wanted), Ok(found)) => difference("the answer", &wanted, &found),
        _ => (!answer.body.contains(body.trim())).then(|| format!("the answer does not say {body}")),
    }
}

/// The first place where something is wanted that is not there.
fn difference(path: &str, wanted: &Value, found: &Value) -> Option<String> {
    match (wanted, found) {
        (Value::String(any), found) if any == "*" => found.is_null().then(|| format!("{path} is null")),
        (Value::Object(wanted), Value::Object(found)) => wanted.iter().find_map(|(name, value)| {
            let path = format!("{path}.{name}");
            match found.get(name) {
                Some(found) => difference(&path, value, found),
                None => Some(format!("{path} is missing")),
            }
        }),
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            let pairs = wanted.iter().zip(found).enumerate();
            pairs
                .filter_map(|(at, (wanted, found))| difference(&format!("{path}[{at}]"), wanted, found))
                .next()
        }
        _ => (wanted != found).then(|| format!("{path} is not {wanted}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::case;

    fn fault_of(wanted: &'static str, body: &str) -> Option<String> {
        let answer = Answer {
            status: 200,
            headers: vec![("etag".to_owned(), "\"abc\"".to_owned())],
            body: body.to_owned(),
        };
        fault(&case("GET /", "", 200, wanted), wanted, &answer)
    }

    #[test]
    fn members_may_be_more_but_not_less() {
        assert_eq!(
            fault_of(r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 1, "c": 2}, "d": 3}"#),
            None
        );
        assert_eq!(fault_of(r#"{"a": ["*", 2]}"#, r#"{"a": [1, 2]}"#), None);
        for body in [r#"{"a": {}}"#, r#"{"a": {"b": 2}}"#, "[]", "text"] {
            assert!(fault_of(r#"{"a": {"b": 1}}"#, body).is_some(), "{body}");
        }
        assert!(fault_of(r#"{"a": [1]}"#, r#"{"a": [1, 2]}"#).is_some());
    }

    #[test]
    fn headers_and_words_are_looked_for() {
        assert_eq!(fault_of("ETag: abc\n\nwords", "some words here"), None);
        assert!(fault_of("ETag: abd\n\n", "").is_some());
        assert!(fault_of("Location: x\n\n", "").is_some());
        assert!(fault_of("words", "others").is_some());
    }
}
