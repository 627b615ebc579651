//! From a message to a record: its format, then the transformations, then what every record has.

use crate::config::{ConvertTo, Match, Source, Transform};
use crate::counters::AgentCounters;
use anyhow::Result;
use bytes::Bytes;
use jiff::tz::TimeZone;
use logline::{Parser, Stamp, infer};
use std::sync::Arc;
use value::{Document, DocumentBuf, Value};

/// The field that has the time.
pub const TIME: &str = "time";

/// Makes records of the messages of one source.
#[derive(Clone, Debug)]
pub struct Processor {
    parser: Parser,
    steps: Vec<Step>,
    device: String,
    source: String,
    counters: Arc<AgentCounters>,
}

#[derive(Clone, Debug)]
enum Step {
    Plain(Transform),
    Time {
        field: String,
        to: String,
        stamp: Stamp,
        zone: TimeZone,
    },
}

impl Processor {
    /// What a source says.
    pub fn new(source: &Source, device: &str, counters: Arc<AgentCounters>) -> Result<Processor> {
        let mut steps = Vec::new();
        for transform in &source.transform {
            steps.push(match transform {
                Transform::Timestamp(timestamp) => Step::Time {
                    field: timestamp.field.clone(),
                    to: timestamp.to.clone(),
                    stamp: Stamp::named(&timestamp.form)?,
                    zone: timestamp.time_zone()?,
                },
                other => Step::Plain(other.clone()),
            });
        }
        Ok(Processor {
            parser: Parser::new(source.line_format()?),
            steps,
            device: device.to_owned(),
            source: source.name.clone(),
            counters,
        })
    }

    /// The record of a message; `None` if it is not to be kept. A message without the form that it should have is kept as text.
    pub fn text(&self, text: &str, is_cut: bool) -> Option<Bytes> {
        let now_ms = value::date::now_ms();
        let mut document = match self.parser.parse(text, now_ms) {
            Ok(document) => document,
            Err(mismatch) => {
                self.counters.unparsed.add(1);
                Document::new()
                    .with("message", text)
                    .with("unparsed", mismatch.to_string())
            }
        };
        if is_cut {
            self.counters.cut.add(1);
            document.set("cut", true);
        }
        self.document(document, now_ms)
    }

    /// The record of what has fields already.
    pub fn document(&self, mut document: Document, now_ms: i64) -> Option<Bytes> {
        self.counters.read.add(1);
        for step in &self.steps {
            if !self.step(step, &mut document, now_ms) {
                self.counters.discarded.add(1);
                return None;
            }
        }
        let mut record = Document::with_capacity(document.len() + 3);
        // Ids are given by the agent: the id of a message would be taken for the record's.
        let id = document.remove("_id");
        record.push(TIME, document.remove(TIME).unwrap_or(Value::DateTime(now_ms)));
        record.push(
            "device",
            document
                .remove("device")
                .unwrap_or_else(|| Value::from(self.device.as_str())),
        );
        record.push(
            "source",
            document
                .remove("source")
                .unwrap_or_else(|| Value::from(self.source.as_str())),
        );
        for (name, value) in document.iter() {
            record.push(name, value.clone());
        }
        if let Some(id) = id {
            record.set("original_id", id);
        }
        Some(DocumentBuf::from(&record).into_bytes())
    }

    /// Whether the record is kept.
    fn step(&self, step: &Step, document: &mut Document, now_ms: i64) -> bool {
        match step {
            Step::Time {
                field,
                to,
                stamp,
                zone,
            } => {
                let read = document.get(field).and_then(text_of);
                let read = read.map(|text| stamp.milliseconds(&text, zone, now_ms));
                match read {
                    Some(Ok(milliseconds)) => {
                        document.remove(field);
                        document.set(to.as_str(), Value::DateTime(milliseconds));
                    }
                    Some(Err(_)) => self.counters.unconverted.add(1),
                    None => {}
                }
            }
            Step::Plain(Transform::Rename(names)) => {
                for (old, new) in names {
                    if let Some(value) = document.remove(old) {
                        document.set(new.as_str(), value);
                    }
                }
            }
            Step::Plain(Transform::Drop(names)) => names.iter().for_each(|name| drop(document.remove(name))),
            Step::Plain(Transform::Set(fields)) => {
                for (name, value) in fields {
                    document.set(name.as_str(), constant(value));
                }
            }
            Step::Plain(Transform::Convert(fields)) => {
                for (name, kind) in fields {
                    self.convert(document, name, *kind);
                }
            }
            Step::Plain(Transform::Keep(wanted)) => return matches(wanted, document),
            Step::Plain(Transform::Discard(unwanted)) => return !matches(unwanted, document),
            Step::Plain(Transform::Timestamp(_)) => {}
        }
        true
    }

    fn convert(&self, document: &mut Document, name: &str, kind: ConvertTo) {
        let Some(value) = document.get_mut(name) else {
            return;
        };
        let Some(text) = text_of(value) else {
            return self.counters.unconverted.add(1);
        };
        let converted = match kind {
            ConvertTo::Int => infer::integer(&text),
            ConvertTo::Double => infer::double(&text).map(Value::Double),
            ConvertTo::Bool => infer::boolean(&text),
            ConvertTo::String => Some(Value::from(text)),
        };
        match converted {
            Some(converted) => *value = converted,
            None => self.counters.unconverted.add(1),
        }
    }
}

fn matches(asked: &Match, document: &Document) -> bool {
    let text = document.get(&asked.field).and_then(text_of);
    text.is_some_and(|text| asked.matches.0.is_match(&text))
}

/// A value that has a text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Int32(number) => Some(number.to_string()),
        Value::Int64(number) => Some(number.to_string()),
        Value::Double(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

fn constant(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::integer(*number),
        toml::Value::Float(number) => Value::Double(*number),
        toml::Value::Boolean(is) => Value::Bool(*is),
        other => Value::from(other.to_string()),
    }
}
