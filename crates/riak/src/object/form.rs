//! How a value is a document: JSON by its fields, anything else as bytes with its type.

use super::large::ATTACHMENTS;
use crate::content::{Content, LargeValue};
use crate::datatype::DataTypeState;
use crate::typed::{MEDIA_TYPE, shown};
use bytes::Bytes;
use json::Reader;
use value::raw::DocumentWriter;
use value::{DocumentBuf, DocumentRef, Value, ValueRef};

/// The field of a document that holds a value which has no fields itself.
const VALUE: &str = "value";
/// The field that says what bytes are.
pub(super) const CONTENT_TYPE: &str = "contentType";
/// The field that holds the state of a data type.
const STATE: &str = "crdt";

/// About how many bytes a document has besides its value.
const BESIDE_VALUE_BYTES: usize = 64;

/// In which form a document holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An object of JSON: its members are the fields.
    Fields,
    /// Other JSON, in the field `value`.
    Json,
    /// Bytes, in the field `value` beside `contentType`.
    Bytes,
    /// A data type: its value in the field `value`, and in `crdt` the state of which that is made.
    State,
    /// A file, which the document names.
    File,
}

impl Form {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Fields => "fields",
            Form::Json => "json",
            Form::Bytes => "bytes",
            Form::State => "state",
            Form::File => "file",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Form> {
        [Form::Fields, Form::Json, Form::Bytes, Form::State, Form::File]
            .into_iter()
            .find(|form| form.name() == name)
    }

    /// The form of a document of which nothing is known, as replications bring them.
    pub(crate) fn of_document(document: &DocumentBuf) -> Form {
        match document.as_raw().get(STATE).map(ValueRef::to_value) {
            Some(state) if DataTypeState::of_value(&state).is_some() => Form::State,
            _ if LargeValue::of(document).is_some() => Form::File,
            _ => Form::Fields,
        }
    }
}

/// The document of a content in a revision of this generation, and the form of it.
pub(crate) fn document_of(id: &Value, content: &Content, generation: u64) -> (DocumentBuf, Form) {
    let mut out = Vec::with_capacity(content.value.len() + BESIDE_VALUE_BYTES);
    let mut document = DocumentWriter::new(&mut out);
    document.put("_id", id.as_ref());
    let form = match &content.large {
        Some(large) => {
            let kind = String::from_utf8_lossy(content.content_type.as_deref().unwrap_or_default());
            let kept = Value::Document(large.kept(&kind, generation));
            document.put(CONTENT_TYPE, ValueRef::String(&kind));
            document.put(ATTACHMENTS, kept.as_ref());
            Form::File
        }
        None => write_value(content, &mut document),
    };
    document.finish();
    (DocumentBuf::from_validated(out.into()), form)
}

fn write_value(content: &Content, document: &mut DocumentWriter<'_>) -> Form {
    let media_type = content.media_type();
    if media_type.starts_with(MEDIA_TYPE)
        && let Ok(kept) = DocumentBuf::new(content.value.clone())
    {
        let kept = Value::from(kept.to_document());
        if let Some(state) = DataTypeState::of_value(&kept) {
            document.put(VALUE, shown(&state).as_ref());
            document.put(STATE, kept.as_ref());
            return Form::State;
        }
    }
    // What says that it is JSON and is none is kept as the bytes that it is.
    if content.is_json()
        && let Some(read) = read_json(&content.value)
    {
        return match read.as_raw().get(VALUE) {
            Some(ValueRef::Document(DocumentRef::Raw(fields))) => {
                document.put_named(fields, &["_id".to_owned()], false);
                Form::Fields
            }
            value => {
                document.put(VALUE, value.unwrap_or(ValueRef::Null));
                Form::Json
            }
        };
    }
    let text = std::str::from_utf8(&content.value).ok();
    let text = text.filter(|_| is_text(&media_type) && content.encoding.is_none());
    let kind = String::from_utf8_lossy(content.content_type.as_deref().unwrap_or_default());
    document.put(CONTENT_TYPE, ValueRef::String(&kind));
    document.put(
        VALUE,
        match text {
            Some(text) => ValueRef::String(text),
            None => ValueRef::Binary {
                subtype: 0,
                bytes: &content.value,
            },
        },
    );
    Form::Bytes
}

/// Any value of JSON, as the field `value` of a document.
fn read_json(text: &[u8]) -> Option<DocumentBuf> {
    let mut out = Vec::with_capacity(text.len() + BESIDE_VALUE_BYTES);
    out.extend_from_slice(&[0; 4]);
    let mut reader = Reader::new(text).ok()?;
    reader.element(VALUE, &mut out, 1).ok()?;
    reader.end().ok()?;
    json::finish(&mut out, 0);
    Some(DocumentBuf::from_validated(out.into()))
}

fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/") || media_type.ends_with("json") || media_type.ends_with("xml")
}

/// The value that a document holds in a form, with its type where the document says it; JSON of all fields where it is no
/// longer in that form.
pub(crate) fn value_of(document: &DocumentBuf, form: Form) -> (Bytes, Option<Vec<u8>>) {
    let raw = document.as_raw();
    let has_only = |names: &[&str]| raw.iter().all(|(name, _)| name == "_id" || names.contains(&name));
    let value = raw.get(VALUE);
    match (form, value) {
        (Form::State, _) if let Some(ValueRef::Document(state)) = raw.get(STATE) => {
            let Value::Document(state) = ValueRef::Document(state).to_value() else {
                return (fields_of(document), Some(b"application/json".to_vec()));
            };
            let kind = match state.get("type") {
                Some(Value::String(kind)) => kind.as_str(),
                _ => "",
            };
            let kind = format!("{MEDIA_TYPE}{kind}").into_bytes();
            (DocumentBuf::from(&state).into_bytes(), Some(kind))
        }
        (Form::Json, Some(value)) if has_only(&[VALUE]) => (json_of(value), None),
        (Form::Bytes, Some(value @ (ValueRef::String(_) | ValueRef::Binary { .. })))
            if has_only(&[VALUE, CONTENT_TYPE]) =>
        {
            let bytes = match value {
                ValueRef::String(text) => Bytes::copy_from_slice(text.as_bytes()),
                ValueRef::Binary { bytes, .. } => Bytes::copy_from_slice(bytes),
                _ => Bytes::new(),
            };
            (bytes, content_type_of(document))
        }
        _ => (fields_of(document), Some(b"application/json".to_vec())),
    }
}

/// The type that a document says its value has.
pub(super) fn content_type_of(document: &DocumentBuf) -> Option<Vec<u8>> {
    match document.as_raw().get(CONTENT_TYPE) {
        Some(ValueRef::String(kind)) if !kind.is_empty() => Some(kind.as_bytes().to_vec()),
        _ => None,
    }
}

fn json_of(value: ValueRef<'_>) -> Bytes {
    let mut text = String::new();
    json::write(value, &mut text);
    text.into()
}

/// All fields but the `_id` as JSON.
fn fields_of(document: &DocumentBuf) -> Bytes {
    let mut text = String::with_capacity(document.bytes().len());
    for (name, value) in document.as_raw().iter().filter(|(name, _)| *name != "_id") {
        text.push(if text.is_empty() { '{' } else { ',' });
        json::write_string(name, &mut text);
        text.push(':');
        json::write(value, &mut text);
    }
    if text.is_empty() {
        text.push('{');
    }
    text.push('}');
    text.into()
}
