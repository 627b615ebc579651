//! Notes: what a protocol keeps with a document besides its fields, and the terms under which the document is found.

use super::group::Group;
use super::types::{Notes, Terms};
use crate::{StoreError, keys};
use bytes::Bytes;
use kv::Batch;
use value::{DocumentBuf, DocumentRef, Value, ValueRef};

/// The bytes, about, that notes take besides their content.
const BESIDE_CONTENT_BYTES: usize = 128;

impl Notes {
    fn encode(&self) -> Vec<u8> {
        keys::write_sealed(self.content.bytes().len() + BESIDE_CONTENT_BYTES, |notes| {
            notes.put("content", ValueRef::Document(self.content.as_ref()));
            notes.put_array("terms", |terms| {
                for (at, (name, value)) in self.terms.iter().enumerate() {
                    terms.put_array(&at.to_string(), |pair| {
                        pair.put("0", ValueRef::String(name));
                        pair.put("1", value.as_ref());
                    });
                }
            });
        })
    }

    /// The content of stored notes, sharing their memory; `None` if they have another form.
    pub(crate) fn read_content(stored: &Bytes) -> Option<DocumentBuf> {
        let stored = keys::read_body(stored)?;
        let ValueRef::Document(DocumentRef::Raw(content)) = stored.as_raw().get("content")? else {
            return None;
        };
        Some(DocumentBuf::from_validated(
            stored.bytes().slice_ref(content.as_bytes()),
        ))
    }

    /// The terms of stored notes; `None` if they have another form.
    pub(crate) fn read_terms(stored: &Bytes) -> Option<Terms> {
        let Value::Array(terms) = keys::read_body(stored)?.as_raw().get("terms")?.to_value() else {
            return None;
        };
        let pair = |term: Value| match term {
            Value::Array(pair) => match <[Value; 2]>::try_from(pair).ok()? {
                [Value::String(name), value] => Some((name, value)),
                _ => None,
            },
            _ => None,
        };
        terms.into_iter().map(pair).collect()
    }
}

/// Puts a document under a term of its notes.
pub(crate) fn put_term(batch: &mut Batch, name: &str, value: ValueRef<'_>, id: ValueRef<'_>) {
    let term = keys::term(name, value, id);
    let entry = keys::write_sealed(term.len() + BESIDE_CONTENT_BYTES, |entry| {
        entry.put("term", value);
        entry.put("id", id);
    });
    batch.put(&term, &entry);
}

impl Group<'_> {
    /// The terms of a document's notes; `None` if there are no notes.
    async fn terms(&mut self, key: &[u8]) -> Result<Option<Terms>, StoreError> {
        if let Some(known) = self.overlay.notes.get(key) {
            return Ok(known.clone());
        }
        let stored = self.snapshot.get(key).await?;
        let read =
            |stored: Bytes| Notes::read_terms(&stored).ok_or_else(|| self.corrupt("the notes of a document"));
        stored.map(read).transpose()
    }

    /// Puts the notes of a document, and its terms in place of those before.
    pub(super) async fn put_notes(&mut self, id: ValueRef<'_>, notes: &Notes) -> Result<(), StoreError> {
        let key = keys::notes(id);
        let before = self.terms(&key).await?.unwrap_or_default();
        self.replace_notes(id, key, &before, notes);
        Ok(())
    }

    /// Puts the notes of a document that was never there.
    pub(super) async fn put_first_notes(
        &mut self,
        id: ValueRef<'_>,
        notes: &Notes,
    ) -> Result<(), StoreError> {
        // Documents that a capped collection evicted leave their notes behind; other notes are removed with the last trace of their document.
        if self.capped.is_some() {
            return self.put_notes(id, notes).await;
        }
        self.replace_notes(id, keys::notes(id), &[], notes);
        Ok(())
    }

    fn replace_notes(&mut self, id: ValueRef<'_>, key: Vec<u8>, before: &[(String, Value)], notes: &Notes) {
        for (name, value) in before.iter().filter(|term| !notes.terms.contains(term)) {
            self.batch.delete(&keys::term(name, value.as_ref(), id));
        }
        for (name, value) in notes.terms.iter().filter(|term| !before.contains(term)) {
            put_term(&mut self.batch, name, value.as_ref(), id);
        }
        self.batch.put(&key, &notes.encode());
        self.overlay.notes.insert(key, Some(notes.terms.clone()));
    }

    /// Removes the notes of a document that leaves no trace.
    pub(super) async fn forget_notes(&mut self, id: ValueRef<'_>) -> Result<(), StoreError> {
        let key = keys::notes(id);
        let Some(before) = self.terms(&key).await? else {
            return Ok(());
        };
        for (name, value) in &before {
            self.batch.delete(&keys::term(name, value.as_ref(), id));
        }
        self.batch.delete(&key);
        self.overlay.notes.insert(key, None);
        Ok(())
    }
}
