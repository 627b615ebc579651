//! Notes: what a protocol keeps of a document besides its fields, and the terms under which it is found.

use super::group::Group;
use super::types::Notes;
use crate::{StoreError, keys};
use bytes::Bytes;
use value::{Document, DocumentBuf, Value, ValueRef};

impl Notes {
    fn encode(&self) -> Vec<u8> {
        let pair = |(name, value): &(String, Value)| Value::Array(vec![Value::from(name), value.clone()]);
        let terms: Value = self.terms.iter().map(pair).collect();
        let stored = Document::new()
            .with("content", self.content.clone())
            .with("terms", terms);
        keys::write_body(&DocumentBuf::from(&stored))
    }

    /// Reads what was stored; `None` if it has another form.
    pub(crate) fn decode(bytes: &Bytes) -> Option<Notes> {
        let mut stored = keys::read_body(bytes)?.to_document();
        let Some(Value::Document(content)) = stored.remove("content") else {
            return None;
        };
        let Some(Value::Array(terms)) = stored.remove("terms") else {
            return None;
        };
        let pair = |term: Value| match term {
            Value::Array(pair) => match <[Value; 2]>::try_from(pair).ok()? {
                [Value::String(name), value] => Some((name, value)),
                _ => None,
            },
            _ => None,
        };
        Some(Notes {
            content,
            terms: terms.into_iter().map(pair).collect::<Option<_>>()?,
        })
    }
}

impl Group<'_> {
    async fn notes(&mut self, id: ValueRef<'_>) -> Result<Option<Notes>, StoreError> {
        let key = keys::notes(id);
        if let Some(known) = self.overlay.notes.get(&key) {
            return Ok(known.clone());
        }
        let bytes = self.snapshot.get(&key).await?;
        let notes =
            bytes.map(|bytes| Notes::decode(&bytes).ok_or_else(|| self.corrupt("the notes of a document")));
        notes.transpose()
    }

    /// Puts the notes of a document, and its terms in place of those before.
    pub(super) async fn put_notes(&mut self, id: ValueRef<'_>, notes: Notes) -> Result<(), StoreError> {
        let before = self.notes(id).await?.unwrap_or_default();
        for (name, value) in before.terms.iter().filter(|term| !notes.terms.contains(term)) {
            self.batch.delete(&keys::term(name, value.as_ref(), id));
        }
        for (name, value) in notes.terms.iter().filter(|term| !before.terms.contains(term)) {
            let entry = Document::new()
                .with("term", value.clone())
                .with("id", id.to_value());
            let key = keys::term(name, value.as_ref(), id);
            self.batch
                .put(&key, &keys::write_body(&DocumentBuf::from(&entry)));
        }
        let key = keys::notes(id);
        self.batch.put(&key, &notes.encode());
        self.overlay.notes.insert(key, Some(notes));
        Ok(())
    }

    /// Removes the notes of a document of which nothing is left.
    pub(super) async fn forget_notes(&mut self, id: ValueRef<'_>) -> Result<(), StoreError> {
        let Some(before) = self.notes(id).await? else {
            return Ok(());
        };
        for (name, value) in &before.terms {
            self.batch.delete(&keys::term(name, value.as_ref(), id));
        }
        let key = keys::notes(id);
        self.batch.delete(&key);
        self.overlay.notes.insert(key, None);
        Ok(())
    }
}
