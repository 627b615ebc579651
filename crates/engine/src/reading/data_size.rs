//! `dataSize`: the size of a part of a collection.

use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::reading::find::FindRequest;
use code::Code;
use std::cmp::Ordering;
use store::{Index, IndexState, Namespace, StoreError};
use value::{Document, Value, compare};

/// A `dataSize` request.
#[derive(Clone, Debug, Default)]
pub struct DataSizeRequest {
    /// The fields of the range; an index must begin with them.
    pub key_pattern: Document,
    /// The first key, and the first after the range; `None` for the whole collection.
    pub range: Option<(Document, Document)>,
    /// Counting ends after this many bytes.
    pub bytes_max: Option<u64>,
    /// Counting ends after this many documents.
    pub documents_max: Option<u64>,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataSize {
    /// The documents that were counted.
    pub documents: u64,
    /// Their bytes as BSON.
    pub bytes: u64,
    /// Whether counting ended early.
    pub is_cut: bool,
}

impl DataSizeRequest {
    fn has_limits(&self) -> bool {
        self.bytes_max.is_some() || self.documents_max.is_some()
    }

    fn is_past_limit(&self, size: &DataSize) -> bool {
        self.bytes_max.is_some_and(|max| size.bytes > max)
            || self.documents_max.is_some_and(|max| size.documents > max)
    }
}

impl Engine {
    /// The documents of a collection, or of a range of an index, and their bytes; zero if it does not exist.
    pub async fn data_size(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &DataSizeRequest,
    ) -> Result<DataSize> {
        if self.reads_as_view(namespace) {
            return Err(StoreError::IsView(namespace.to_string()).into());
        }
        let report = self.collection_report(namespace).await?;
        if report.documents == 0 {
            return Ok(DataSize::default());
        }
        let find = match &request.range {
            None if !request.has_limits() => {
                return Ok(DataSize {
                    documents: report.documents,
                    bytes: report.data_bytes,
                    is_cut: false,
                });
            }
            None => FindRequest::default(),
            Some((min, max)) => match self.range(namespace, &request.key_pattern, min, max)? {
                Some(find) => find,
                None => return Ok(DataSize::default()),
            },
        };
        let mut size = DataSize::default();
        let mut reply = self.find(context, namespace, &find).await?;
        loop {
            for document in &reply.batch {
                size.documents += 1;
                size.bytes += document.bytes().len() as u64;
                if request.is_past_limit(&size) {
                    size.is_cut = true;
                    self.close_cursor(reply.id);
                    return Ok(size);
                }
            }
            if reply.id == 0 {
                return Ok(size);
            }
            reply = self.get_more(context, reply.id, namespace, None, None).await?;
        }
    }

    /// The query for a range of an index that begins with the key pattern. Without a pattern the fields of the range
    /// are taken. `None` if the range is empty.
    fn range(
        &self,
        namespace: &Namespace,
        pattern: &Document,
        min: &Document,
        max: &Document,
    ) -> Result<Option<FindRequest>> {
        let names = if pattern.is_empty() { min } else { pattern };
        let begins = |key: &Document| {
            let mut fields = key.iter();
            names.iter().all(|(name, direction)| {
                fields.next().is_some_and(|(own, own_direction)| {
                    let same =
                        pattern.is_empty() || compare(direction.as_ref(), own_direction.as_ref()).is_eq();
                    own == name && same
                })
            })
        };
        let indexes = self.existing(namespace)?.indexes();
        let mut indexes = indexes.iter().filter(|index| has_all_once(index));
        let index = indexes.find(|index| begins(&index.spec().key));
        let index = index.ok_or_else(|| {
            let message = "couldn't find valid index containing key pattern";
            Error::new(Code::OPERATION_FAILED, message)
        })?;
        let key = &index.spec().key;
        if !is_before(key, min, max) {
            return Ok(None);
        }
        Ok(Some(FindRequest {
            hint: Some(Value::from(index.spec().name.as_str())),
            min: extended(key, min),
            max: extended(key, max),
            ..FindRequest::default()
        }))
    }
}

/// Whether an index has each document once, in the order of its values.
fn has_all_once(index: &Index) -> bool {
    let spec = index.spec();
    let lacks_some = spec.sparse || spec.hidden || spec.partial_filter.is_some();
    let is_of_values = spec.key.iter().all(|(_, kind)| kind.as_ref().is_number())
        && index.wildcard().is_none()
        && index.collation().is_none();
    index.state() == IndexState::Ready && !lacks_some && is_of_values && !index.is_multikey()
}

fn is_descending(direction: &Value) -> bool {
    direction
        .as_ref()
        .as_f64()
        .is_some_and(|direction| direction < 0.0)
}

/// Whether one bound comes before the other in the order of the index.
fn is_before(key: &Document, min: &Document, max: &Document) -> bool {
    let ordered = key.iter().map(|(name, direction)| {
        let bound = |of: &Document| of.get(name).cloned().unwrap_or(Value::MinKey);
        let order = compare(bound(min).as_ref(), bound(max).as_ref());
        if is_descending(direction) {
            order.reverse()
        } else {
            order
        }
    });
    ordered.fold(Ordering::Equal, Ordering::then).is_lt()
}

/// A bound on the first fields of an index as one on all fields: the first key that begins with it.
fn extended(key: &Document, bound: &Document) -> Document {
    let field = |(name, direction): (&str, &Value)| {
        let lowest = if is_descending(direction) {
            Value::MaxKey
        } else {
            Value::MinKey
        };
        (name.to_owned(), bound.get(name).cloned().unwrap_or(lowest))
    };
    key.iter().map(field).collect()
}
