//! What is kept of an object beside its document: the clock, and of each sibling what the document does not say.
//!
//! The notes name siblings by their revisions. A revision that is not among them came by another protocol; it has the metadata
//! of the nearest of its ancestors that is.

use super::form::Form;
use crate::content::{Content, Link};
use bytes::Bytes;
use engine::{Notes, Revision, RevisionHash, Terms};
use value::raw::DocumentWriter;
use value::{ArrayRef, DocumentBuf, DocumentRef, ValueRef};

/// The notes of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectNotes {
    /// The number of the last event.
    pub(crate) counter: u64,
    /// When its last sibling was deleted by Riak's protocols.
    pub(crate) deleted_ms: Option<u64>,
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

/// About how many bytes the notes of an object with one sibling take.
const NOTES_BYTES: usize = 512;

impl ObjectNotes {
    /// The notes as the store keeps them.
    pub(crate) fn to_notes(&self, terms: Terms) -> Notes {
        let mut out = Vec::with_capacity(NOTES_BYTES);
        let mut notes = DocumentWriter::new(&mut out);
        notes.put("counter", ValueRef::Int64(self.counter as i64));
        if let Some(deleted_ms) = self.deleted_ms {
            notes.put("deleted", ValueRef::DateTime(deleted_ms as i64));
        }
        notes.put_array("siblings", |siblings| {
            for (at, sibling) in self.siblings.iter().enumerate() {
                siblings.put_document(&at.to_string(), |notes| sibling.write(notes));
            }
        });
        notes.finish();
        Notes {
            content: DocumentBuf::from_validated(out.into()),
            terms,
        }
    }

    /// Reads them; what has another form is not there.
    pub(crate) fn of(notes: &DocumentBuf) -> ObjectNotes {
        let mut read = ObjectNotes::default();
        for (name, value) in notes.as_raw().iter() {
            match (name, value) {
                ("counter", ValueRef::Int64(counter)) => read.counter = counter as u64,
                ("deleted", ValueRef::DateTime(ms)) => read.deleted_ms = u64::try_from(ms).ok(),
                ("siblings", ValueRef::Array(siblings)) => {
                    read.siblings = siblings.iter().filter_map(SiblingNotes::of).collect();
                }
                _ => {}
            }
        }
        read
    }

    /// The form of a revision's value, and the value where the notes have it: no more is read of them.
    pub(crate) fn value_of(notes: &DocumentBuf, revision: &Revision) -> Option<(Form, Option<Bytes>)> {
        let Some(ValueRef::Array(siblings)) = notes.as_raw().get("siblings") else {
            return None;
        };
        let hash = revision.hash.to_string();
        siblings.iter().find_map(|sibling| {
            let ValueRef::Document(DocumentRef::Raw(sibling)) = sibling else {
                return None;
            };
            match sibling.get("revision") {
                Some(ValueRef::String(known)) if known == hash => {}
                _ => return None,
            }
            let Some(ValueRef::String(form)) = sibling.get("form") else {
                return None;
            };
            Some((
                Form::parse(form)?,
                sibling.get("value").and_then(bytes_of).map(Bytes::from),
            ))
        })
    }

    pub(crate) fn of_revision(&self, revision: &Revision) -> Option<&SiblingNotes> {
        self.of_hash(&revision.hash)
    }

    pub(crate) fn of_hash(&self, hash: &RevisionHash) -> Option<&SiblingNotes> {
        self.siblings.iter().find(|sibling| sibling.hash == *hash)
    }
}

impl SiblingNotes {
    fn write(&self, out: &mut DocumentWriter<'_>) {
        let metadata = &self.metadata;
        out.put("revision", ValueRef::String(&self.hash.to_string()));
        out.put("counter", ValueRef::Int64(self.counter as i64));
        out.put("form", ValueRef::String(self.form.name()));
        let optional = [
            ("type", &metadata.content_type),
            ("charset", &metadata.charset),
            ("encoding", &metadata.encoding),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                out.put(name, text(value));
            }
        }
        if let Some(modified_ms) = metadata.modified_ms {
            out.put("modified", ValueRef::DateTime(modified_ms as i64));
        }
        fn pair((name, value): &(Vec<u8>, Vec<u8>)) -> [&[u8]; 2] {
            [name, value]
        }
        put_lists(out, "meta", metadata.user_meta.iter().map(pair));
        put_lists(out, "indexes", metadata.indexes.iter().map(pair));
        fn link(link: &Link) -> [&[u8]; 3] {
            [&link.bucket[..], &link.key, &link.tag]
        }
        put_lists(out, "links", metadata.links.iter().map(link));
        if let Some(value) = &self.value {
            out.put("value", text(value));
        }
    }

    fn of(value: ValueRef<'_>) -> Option<SiblingNotes> {
        let ValueRef::Document(DocumentRef::Raw(document)) = value else {
            return None;
        };
        let (mut hash, mut form, mut counter, mut own_value) = (None, None, None, None);
        let mut metadata = Content::default();
        for (name, value) in document.iter() {
            match (name, value) {
                ("revision", ValueRef::String(text)) => hash = Some(RevisionHash::parse(text)),
                ("counter", ValueRef::Int64(number)) => counter = Some(number as u64),
                ("form", ValueRef::String(text)) => form = Form::parse(text),
                ("type", value) => metadata.content_type = bytes_of(value),
                ("charset", value) => metadata.charset = bytes_of(value),
                ("encoding", value) => metadata.encoding = bytes_of(value),
                ("modified", ValueRef::DateTime(ms)) => metadata.modified_ms = u64::try_from(ms).ok(),
                ("meta", ValueRef::Array(pairs)) => {
                    let pairs = lists::<2>(pairs);
                    metadata.user_meta = pairs.map(|[name, value]| (name, value)).collect();
                }
                ("indexes", ValueRef::Array(pairs)) => {
                    let pairs = lists::<2>(pairs);
                    metadata.indexes = pairs.map(|[index, term]| (index, term)).collect();
                }
                ("links", ValueRef::Array(links)) => {
                    let links = lists::<3>(links);
                    metadata.links = links
                        .map(|[bucket, key, tag]| Link { bucket, key, tag })
                        .collect();
                }
                ("value", value) => own_value = bytes_of(value).map(Bytes::from),
                _ => {}
            }
        }
        Some(SiblingNotes {
            hash: hash?,
            counter: counter?,
            form: form?,
            metadata,
            value: own_value,
        })
    }
}

/// Puts lists of bytes, where there are any.
fn put_lists<'a, const N: usize>(
    out: &mut DocumentWriter<'_>,
    name: &str,
    lists: impl ExactSizeIterator<Item = [&'a [u8]; N]>,
) {
    if lists.len() == 0 {
        return;
    }
    out.put_array(name, |out| {
        for (at, list) in lists.enumerate() {
            out.put_array(&at.to_string(), |out| {
                for (at, bytes) in list.iter().enumerate() {
                    out.put(&at.to_string(), text(bytes));
                }
            });
        }
    });
}

/// The lists of `N` byte strings that an array has.
fn lists<const N: usize>(array: ArrayRef<'_>) -> impl Iterator<Item = [Vec<u8>; N]> {
    array.iter().filter_map(|list| match list {
        ValueRef::Array(list) => {
            let parts = list.iter().map(bytes_of).collect::<Option<Vec<_>>>()?;
            parts.try_into().ok()
        }
        _ => None,
    })
}

/// Bytes as a text where they are one, so that notes can be read by people.
fn text(bytes: &[u8]) -> ValueRef<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => ValueRef::String(text),
        Err(_) => ValueRef::Binary { subtype: 0, bytes },
    }
}

fn bytes_of(value: ValueRef<'_>) -> Option<Vec<u8>> {
    match value {
        ValueRef::String(text) => Some(text.as_bytes().to_vec()),
        ValueRef::Binary { bytes, .. } => Some(bytes.to_vec()),
        _ => None,
    }
}
