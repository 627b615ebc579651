//! A file as JSON tells it.

use super::headers;
use engine::files::FileEntry;
use http::percent_encode;
use serde_json::{Map, Value, json};
use value::Value as Bson;
use value::json::{Mode, write};

/// The description of a file.
pub(crate) fn describe(entry: &FileEntry) -> Value {
    let mut described = Map::new();
    described.insert("id".to_owned(), id(&entry.id));
    described.insert("name".to_owned(), json!(entry.name));
    described.insert("length".to_owned(), json!(entry.length));
    described.insert("uploaded".to_owned(), date(entry.uploaded_ms));
    let kind = headers::content_type(entry);
    described.insert("contentType".to_owned(), json!(kind.to_str().unwrap_or_default()));
    described.insert("etag".to_owned(), json!(headers::entity_tag(entry)));
    for (kind, digest) in entry.digests.iter() {
        described.insert(kind.name().to_owned(), json!(value::hex(digest)));
    }
    Value::Object(described)
}

/// The path of a file. A part of its name that is `.` or `..` would lead clients elsewhere, so the slashes beside it are encoded then.
pub(crate) fn location(bucket: &str, entry: &FileEntry) -> String {
    let name = entry.name.as_deref().unwrap_or_default();
    let name = match name.split('/').any(|part| [".", ".."].contains(&part)) {
        true => percent_encode(name),
        false => {
            let parts: Vec<String> = name.split('/').map(percent_encode).collect();
            parts.join("/")
        }
    };
    format!("/files/{bucket}/{name}")
}

/// An id as `?id=` takes it; one that is neither text nor an ObjectId as MongoDB's relaxed Extended JSON.
fn id(id: &Bson) -> Value {
    match id {
        Bson::ObjectId(id) => json!(id.to_string()),
        Bson::String(text) => json!(text),
        other => extended(other),
    }
}

/// A date as ISO 8601 has it, by the text form of Extended JSON.
fn date(ms: i64) -> Value {
    let date = extended(&Bson::DateTime(ms));
    date.get("$date").cloned().unwrap_or_default()
}

/// A value as relaxed Extended JSON.
fn extended(value: &Bson) -> Value {
    let mut text = String::new();
    write(value.as_ref(), Mode::Relaxed, &mut text);
    serde_json::from_str(&text).unwrap_or_default()
}
