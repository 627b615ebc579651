//! What a request leaves open, since only an answer before it says.

use super::Answer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// The members and headers of answers, by name.
pub(super) struct Blanks(BTreeMap<String, String>);

impl Blanks {
    /// What is known before the first answer.
    pub(super) fn new(address: SocketAddr) -> Blanks {
        Blanks(BTreeMap::from([("host".to_owned(), address.to_string())]))
    }

    pub(super) fn learn(&mut self, answer: &Answer) {
        self.0.extend(answer.headers.iter().cloned());
        let Ok(Value::Object(members)) = serde_json::from_str(&answer.body) else {
            return;
        };
        for (name, value) in members {
            match value {
                Value::String(text) => drop(self.0.insert(name, text)),
                Value::Number(number) => drop(self.0.insert(name, number.to_string())),
                _ => {}
            }
        }
    }

    /// The text with what was learnt in place of `<name>`.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.0 {
            text = text.replace(&format!("<{name}>"), value);
        }
        text
    }
}
