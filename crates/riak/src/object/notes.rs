//! What is kept of an object beside its document: the clock, and of each sibling what the document does not say.
//!
//! The notes name siblings by their revisions. A revision that is not among them came by another protocol; it has the metadata
//! of the nearest of its ancestors that is.

use super::form::Form;
use crate::content::{Content, Link};
use bytes::Bytes;
use engine::{Notes, Revision, RevisionHash};
use value::{Binary, Document, Value};

/// The notes of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectNotes {
    /// The number of the last event.
    pub(crate) counter: u64,
    pub(crate) siblings: Vec<SiblingNotes>,
}

/// The notes of one sibling.
#[derive(Clone, Debug)]
pub(crate) struct SiblingNotes {
    /// What names its revision: the store says the generation.
    pub(crate) hash: RevisionHash,
    /// The number of the event that wrote it.
    pub(crate) counter: u64,
    pub(crate) form: Form,
    /// All but the value.
    pub(crate) metadata: Content,
    /// The value, where the document does not give it back byte for byte.
    pub(crate) value: Option<Bytes>,
}

impl ObjectNotes {
    /// As the store keeps them.
    pub(crate) fn to_notes(&self, terms: Vec<(String, Value)>) -> Notes {
        let siblings: Value = self.siblings.iter().map(SiblingNotes::to_value).collect();
        let content = Document::new()
            .with("counter", self.counter as i64)
            .with("siblings", siblings);
        Notes { content, terms }
    }

    /// Reads them; what has another form is not there.
    pub(crate) fn of(notes: &Notes) -> ObjectNotes {
        let counter = match notes.content.get("counter") {
            Some(Value::Int64(counter)) => *counter as u64,
            _ => 0,
        };
        let siblings = match notes.content.get("siblings") {
            Some(Value::Array(siblings)) => siblings.iter().filter_map(SiblingNotes::of).collect(),
            _ => Vec::new(),
        };
        ObjectNotes { counter, siblings }
    }

    pub(crate) fn of_revision(&self, revision: &Revision) -> Option<&SiblingNotes> {
        self.siblings.iter().find(|sibling| sibling.hash == revision.hash)
    }
}

impl SiblingNotes {
    fn to_value(&self) -> Value {
        let metadata = &self.metadata;
        let mut document = Document::new()
            .with("revision", self.hash.to_string())
            .with("counter", self.counter as i64)
            .with("form", self.form.name());
        let optional = [
            ("type", &metadata.content_type),
            ("charset", &metadata.charset),
            ("encoding", &metadata.encoding),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                document.push(name, text(value));
            }
        }
        if let Some(modified_ms) = metadata.modified_ms {
            document.push("modified", Value::DateTime(modified_ms as i64));
        }
        let pairs = |pairs: &[(Vec<u8>, Vec<u8>)]| -> Value {
            let pair = |(name, value): &(Vec<u8>, Vec<u8>)| [text(name), text(value)].into_iter().collect();
            pairs.iter().map(pair).collect()
        };
        if !metadata.user_meta.is_empty() {
            document.push("meta", pairs(&metadata.user_meta));
        }
        if !metadata.indexes.is_empty() {
            document.push("indexes", pairs(&metadata.indexes));
        }
        if !metadata.links.is_empty() {
            let link = |link: &Link| {
                [text(&link.bucket), text(&link.key), text(&link.tag)]
                    .into_iter()
                    .collect()
            };
            let links: Value = metadata.links.iter().map(link).collect();
            document.push("links", links);
        }
        if let Some(value) = &self.value {
            document.push("value", text(value));
        }
        Value::from(document)
    }

    fn of(value: &Value) -> Option<SiblingNotes> {
        let Value::Document(document) = value else {
            return None;
        };
        let field = |name: &str| document.get(name).and_then(bytes_of);
        let pair = |pair: &Value| match pair {
            Value::Array(pair) => Some((bytes_of(pair.first()?)?, bytes_of(pair.get(1)?)?)),
            _ => None,
        };
        let link = |link: &Value| match link {
            Value::Array(parts) => Some(Link {
                bucket: bytes_of(parts.first()?)?,
                key: bytes_of(parts.get(1)?)?,
                tag: bytes_of(parts.get(2)?)?,
            }),
            _ => None,
        };
        let array = |name: &str| match document.get(name) {
            Some(Value::Array(values)) => values.as_slice(),
            _ => &[],
        };
        let revision = String::from_utf8(field("revision")?).ok()?;
        let form = String::from_utf8(field("form")?).ok()?;
        let Some(Value::Int64(counter)) = document.get("counter") else {
            return None;
        };
        Some(SiblingNotes {
            hash: RevisionHash::parse(&revision),
            counter: *counter as u64,
            form: Form::parse(&form)?,
            metadata: Content {
                value: Bytes::new(),
                content_type: field("type"),
                charset: field("charset"),
                encoding: field("encoding"),
                user_meta: array("meta").iter().filter_map(pair).collect(),
                links: array("links").iter().filter_map(link).collect(),
                indexes: array("indexes").iter().filter_map(pair).collect(),
                modified_ms: match document.get("modified") {
                    Some(Value::DateTime(modified_ms)) => u64::try_from(*modified_ms).ok(),
                    _ => None,
                },
            },
            value: field("value").map(Bytes::from),
        })
    }
}

/// Bytes as a text where they are one, so that notes can be read by people.
fn text(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::from(text),
        Err(_) => Value::Binary(Binary {
            subtype: 0,
            bytes: bytes.to_vec(),
        }),
    }
}

fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Binary(binary) => Some(binary.bytes.clone()),
        _ => None,
    }
}
