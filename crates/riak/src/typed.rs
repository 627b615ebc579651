//! Objects of a data type: read with all their branches merged, changed in one step.

use crate::buckets::BucketProperties;
use crate::clock::Clock;
use crate::content::Content;
use crate::datatype::{Change, ChangeError, DataType, DataTypeState, FieldValue, Map};
use crate::error::{Result, RiakError};
use crate::limits::CHANGE_ELEMENTS_MAX;
use crate::object::{self, Object};
use crate::server::Server;
use engine::RevisionedCollection;
use http::StatusCode;
use value::{Binary, Document, DocumentBuf, Value};

/// What the media types of data types begin with.
pub(crate) const MEDIA_TYPE: &str = "application/riak_";

/// The data type of a bucket; those of others are no data types.
pub(crate) fn kind_of(properties: &BucketProperties) -> Result<DataType> {
    let kind = properties.datatype().and_then(DataType::parse);
    kind.ok_or_else(|| {
        let message = "`undefined` is not a supported type: the bucket type has no datatype";
        RiakError::forbidden(message).or_by_http("Bucket datatype 'undefined' is not a supported type.")
    })
}

/// The state of an object with all that its branches have; `None` if it does not exist.
pub(crate) fn state_of(object: &Object, kind: DataType) -> Result<Option<DataTypeState>> {
    let mut merged: Option<DataTypeState> = None;
    for sibling in &object.siblings {
        let state = state_of_content(&sibling.content, kind).ok_or_else(|| {
            RiakError::bad(format!(
                "{{precondition,{{not_{},the object is none of this data type}}}}",
                kind.name()
            ))
        })?;
        match &mut merged {
            Some(merged) => merged.merge(&state),
            None => merged = Some(state),
        }
    }
    Ok(merged)
}

/// The state of this kind that a content is; `None` if it is something else.
fn state_of_content(content: &Content, kind: DataType) -> Option<DataTypeState> {
    let document = DocumentBuf::new(content.value.clone()).ok()?;
    let state = DataTypeState::of_value(&Value::from(document.to_document()))?;
    (state.kind() == kind).then_some(state)
}

/// The old counter of a key; `None` if there is no object. What is no counter counts nothing (`riak_kv_crdt:value` in Riak's sources).
pub(crate) async fn fetch_counter(
    collection: &RevisionedCollection,
    key: &[u8],
) -> Result<Option<DataTypeState>> {
    let object = Object::read(collection, key).await?;
    let mut merged = DataTypeState::new(DataType::Counter);
    let siblings = object.siblings.iter();
    for state in siblings.filter_map(|sibling| state_of_content(&sibling.content, DataType::Counter)) {
        merged.merge(&state);
    }
    Ok(object.exists().then_some(merged))
}

/// The state of the object of a key.
pub(crate) async fn fetch(
    collection: &RevisionedCollection,
    key: &[u8],
    kind: DataType,
) -> Result<Option<DataTypeState>> {
    state_of(&Object::read(collection, key).await?, kind)
}

/// Changes the object of a key, which is made where there is none; its state then.
pub(crate) async fn change(
    server: &Server,
    collection: &RevisionedCollection,
    key: &[u8],
    kind: DataType,
    change: &Change,
    seen: Option<&Clock>,
) -> Result<DataTypeState> {
    let elements = change.elements();
    if elements > CHANGE_ELEMENTS_MAX {
        return Err(RiakError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "the change names {elements} elements; one may name {CHANGE_ELEMENTS_MAX}: make several of it"
            ),
        ));
    }
    let mut after = DataTypeState::new(kind);
    object::replace(server, collection, key, |object, dot| {
        let mut state = state_of(object, kind)?.unwrap_or_else(|| DataTypeState::new(kind));
        state.change(change, dot, seen).map_err(refusal)?;
        after = state;
        Ok(content_of(&after))
    })
    .await?;
    Ok(after)
}

fn refusal(error: ChangeError) -> RiakError {
    match error {
        ChangeError::NotPresent => RiakError::new(StatusCode::PRECONDITION_FAILED, error.to_string()),
        _ => RiakError::bad(error.to_string()),
    }
}

fn content_of(state: &DataTypeState) -> Content {
    let value = match state.to_value() {
        Value::Document(document) => DocumentBuf::from(&document).into_bytes(),
        _ => bytes::Bytes::new(),
    };
    Content {
        value,
        content_type: Some(format!("{MEDIA_TYPE}{}", state.kind().name()).into_bytes()),
        ..Content::default()
    }
}

/// The value as other protocols see it.
pub(crate) fn shown(state: &DataTypeState) -> Value {
    match state {
        DataTypeState::Counter(counter) => Value::Int64(counter.value()),
        DataTypeState::Set(set) => set.elements().map(text).collect(),
        DataTypeState::GrowSet(set) => set.0.iter().map(|element| text(element)).collect(),
        DataTypeState::Map(map) => shown_map(map),
        DataTypeState::Hll(hll) => Value::Int64(hll.value() as i64),
    }
}

fn shown_map(map: &Map) -> Value {
    let mut document = Document::new();
    for ((name, kind), entry) in map.entries() {
        let value = match entry {
            FieldValue::Counter(_) => Value::Int64(entry.count()),
            FieldValue::Set(set) => set.elements().map(text).collect(),
            FieldValue::Register(_) => text(entry.assigned()),
            FieldValue::Flag(dots) => Value::Bool(!dots.is_empty()),
            FieldValue::Map(map) => shown_map(map),
        };
        // A name in BSON has no NUL.
        let name = String::from_utf8_lossy(name).replace('\0', "\u{FFFD}");
        document.push(format!("{name}_{}", kind.name()), value);
    }
    Value::from(document)
}

fn text(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::from(text),
        Err(_) => Value::Binary(Binary {
            subtype: 0,
            bytes: bytes.to_vec(),
        }),
    }
}
