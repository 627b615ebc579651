//! What flows from phase to phase.

use crate::error::Result;
use crate::names::Bucket;
use engine::Record;
use memory::Share;
use serde_json::{Value, json};
use std::sync::Arc;
use value::DocumentBuf;

/// One of the things that a phase takes or gives.
#[derive(Clone, Debug)]
pub(crate) enum PhaseItem {
    /// An object's name.
    Input(Input),
    /// What a function gave.
    Value(Value),
}

/// An object's name, with what is said of it.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) bucket: Bucket,
    pub(crate) key: Vec<u8>,
    /// What a function gets beside the object.
    pub(crate) data: Option<Value>,
    /// Its document and what Riak's protocols keep of it besides, where they were read with the name.
    pub(crate) read: Option<Box<(Record, Option<DocumentBuf>)>>,
    /// The memory of the page that it was read with, where that is much: held until the last of them has been worked on.
    pub(crate) held: Option<Arc<Share>>,
}

impl PhaseItem {
    /// The item as clients and functions see it.
    pub(crate) fn into_json(self) -> Value {
        match self {
            PhaseItem::Value(value) => value,
            PhaseItem::Input(input) => input.to_json(),
        }
    }

    /// The object that it names, if any.
    pub(crate) fn into_input(self) -> std::result::Result<Input, Value> {
        match self {
            PhaseItem::Input(input) => Ok(input),
            PhaseItem::Value(value) => {
                let mut input = Input::of_json(&value).and_then(Result::ok).ok_or(value)?;
                // A null in a function's result stands for nothing.
                input.data = input.data.filter(|data| !data.is_null());
                Ok(input)
            }
        }
    }
}

impl Input {
    /// An object whose document is not read yet.
    pub(crate) fn named(bucket: Bucket, key: Vec<u8>, data: Option<Value>) -> Input {
        Input {
            bucket,
            key,
            data,
            read: None,
            held: None,
        }
    }

    /// `[bucket, key]`, with data and a bucket type where there are any; `None` where it has another form.
    pub(crate) fn of_json(value: &Value) -> Option<Result<Input>> {
        let text = |value: &Value| value.as_str().map(|text| text.as_bytes().to_vec());
        let parts = value.as_array()?;
        let (bucket, key, data, kind) = match parts.as_slice() {
            [bucket, key] => (bucket, key, None, None),
            [bucket, key, data] => (bucket, key, Some(data), None),
            [bucket, key, data, kind] => (bucket, key, Some(data), Some(text(kind)?)),
            _ => return None,
        };
        // A name within a bucket type may also come as `[type, bucket]`.
        let (kind, name) = match bucket.as_array().map(Vec::as_slice) {
            Some([kind, name]) => (Some(text(kind)?), text(name)?),
            Some(_) => return None,
            None => (kind, text(bucket)?),
        };
        let key = text(key)?;
        let bucket = Bucket::new(kind.as_deref(), &name);
        Some(bucket.map(|bucket| Input::named(bucket, key, data.cloned())))
    }

    fn to_json(&self) -> Value {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (name, key) = (shown(&self.bucket.name), shown(&self.key));
        match (&self.data, self.bucket.is_default_type()) {
            (None, true) => json!([name, key]),
            (Some(data), true) => json!([name, key, data]),
            (data, false) => json!([name, key, data, shown(&self.bucket.kind)]),
        }
    }
}

/// About how much memory a value takes.
pub(crate) fn size_of(value: &Value) -> usize {
    const BYTES_MIN: usize = 32;
    BYTES_MIN
        + match value {
            Value::String(text) => text.len(),
            Value::Array(elements) => elements.iter().map(size_of).sum(),
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| BYTES_MIN + name.len() + size_of(value))
                .sum(),
            _ => 0,
        }
}
