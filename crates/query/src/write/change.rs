//! The transformation that the committer runs on a document: match again, change, validate.

use super::insert::check_nesting;
use super::report::Report;
use super::{Validator, WriteError};
use crate::{QueryError, Result};
use language::expression::Variables;
use language::filter::Filter;
use language::interruption::{self, Interruption};
use std::sync::Arc;
use store::{DOCUMENT_BYTES_MAX, Present, StoreError, Transform, Transformed};
use update::stored::check_stored;
use update::{Applied, Update, seed_document, too_large};
use value::{Document, DocumentBuf, ObjectId, Value, ValueRef};

/// What a statement does to each document that matches.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) filter: Arc<Filter>,
    pub(super) kind: ChangeKind,
    pub(super) variables: Arc<Variables>,
    pub(super) validator: Option<Arc<Validator>>,
    /// That of the statement's operation, since the committer works for many.
    pub(super) interruption: Interruption,
}

/// The kinds of change.
#[derive(Clone, Debug)]
pub(super) enum ChangeKind {
    Update(Arc<Update>),
    Delete,
}

/// The transformation of one document, and what it does if there is none.
pub(super) struct ChangeOne {
    pub(super) change: Arc<Change>,
    pub(super) missing: Missing,
    /// The document as it was found, if the filter is random. Unless it has changed, it counts as matched.
    pub(super) drawn: Option<DocumentBuf>,
    pub(super) report: Report,
}

/// What a change does if there is no document to change.
#[derive(Clone, Debug)]
pub(super) enum Missing {
    /// Nothing.
    Stays,
    /// The transformation makes the document: an upsert whose filter fixes `_id`.
    IsMade {
        /// The collection's full name, for the error of a document that is there but does not match.
        namespace: String,
    },
    /// This document, which was made before, is inserted: an upsert that found nothing.
    Becomes {
        /// The document.
        document: DocumentBuf,
        /// As above.
        namespace: String,
    },
}

impl Transform for ChangeOne {
    fn transform(&mut self, present: Option<Present<'_>>) -> Result<Transformed, StoreError> {
        // The committer may run a transformation more than once; only the last run counts.
        self.report.clear();
        let changed = interruption::within(&self.change.interruption, || match present {
            Some(present) => self.change_present(present.document),
            None => self.make(),
        });
        changed.map_err(|error| self.report.refuse(error))
    }
}

impl ChangeOne {
    fn change_present(&self, present: &DocumentBuf) -> Result<Transformed, WriteError> {
        let is_drawn = self
            .drawn
            .as_ref()
            .is_some_and(|drawn| drawn.bytes() == present.bytes());
        let transformed = self.change.apply(present, is_drawn)?;
        match (&transformed, &self.missing) {
            // The upsert would insert an `_id` that this document has, though it does not match the rest of the filter.
            (Transformed::NotMatched, Missing::IsMade { namespace } | Missing::Becomes { namespace, .. }) => {
                Err(WriteError::Store(id_is_taken(namespace.clone(), present)))
            }
            _ => Ok(transformed),
        }
    }

    fn make(&self) -> Result<Transformed, WriteError> {
        let document = match &self.missing {
            Missing::Stays => return Ok(Transformed::NotMatched),
            Missing::IsMade { .. } => self.change.new_document()?.1,
            Missing::Becomes { document, .. } => document.clone(),
        };
        self.report.tell_upserted(document.clone());
        Ok(Transformed::Put(document))
    }
}

/// The `_id` that an upsert would insert belongs to a document that does not match.
fn id_is_taken(namespace: String, present: &DocumentBuf) -> StoreError {
    let id = present
        .as_raw()
        .get("_id")
        .map_or(Value::Null, ValueRef::to_value);
    StoreError::DuplicateKey {
        namespace,
        index: "_id_".to_owned(),
        pattern: Document::new().with("_id", 1),
        key: Document::new().with("_id", id),
        collation: None,
    }
}

impl Change {
    /// The document that was found, if matching it again could have another result; otherwise `None`.
    pub(super) fn drawn(&self, found: &DocumentBuf) -> Option<DocumentBuf> {
        self.filter.is_random().then(|| found.clone())
    }

    /// Matches and changes the document. `is_drawn` means that a random filter has already matched it as it is.
    fn apply(&self, present: &DocumentBuf, is_drawn: bool) -> Result<Transformed, WriteError> {
        let mut position = None;
        if !self.filter.matches_positioned(present.as_ref(), &mut position)? && !is_drawn {
            return Ok(Transformed::NotMatched);
        }
        let ChangeKind::Update(update) = &self.kind else {
            return Ok(Transformed::Delete);
        };
        let mut document = present.to_document();
        match update.apply(&mut document, position, false, &self.variables)? {
            Applied::Unchanged => Ok(Transformed::Unchanged),
            Applied::Changed => {
                let new = encode(&document, false)?;
                if let Some(validator) = &self.validator {
                    validator.check_update(new.as_ref(), present.as_ref())?;
                }
                Ok(Transformed::Put(new))
            }
        }
    }

    /// The document that an upsert makes if nothing matches, and its `_id`.
    pub(super) fn new_document(&self) -> Result<(Value, DocumentBuf), WriteError> {
        let ChangeKind::Update(update) = &self.kind else {
            return Err(
                QueryError::failed_to_parse("Cannot specify both upsert=true and remove=true").into(),
            );
        };
        let mut document = seed_document(update, &self.filter.equalities())?;
        update.apply(&mut document, None, true, &self.variables)?;
        let id = put_id_first(&mut document);
        check_stored(&document)?;
        let new = encode(&document, true)?;
        if let Some(validator) = &self.validator {
            validator.check_insert(new.as_ref())?;
        }
        Ok((id, new))
    }
}

/// Gives a document an `_id` if it has none, and puts it first.
fn put_id_first(document: &mut Document) -> Value {
    let id = document
        .remove("_id")
        .unwrap_or_else(|| Value::ObjectId(ObjectId::generate()));
    document.insert_at(0, "_id", id.clone());
    id
}

fn encode(document: &Document, is_insert: bool) -> Result<DocumentBuf> {
    let new = DocumentBuf::from(document);
    if new.bytes().len() > DOCUMENT_BYTES_MAX {
        return Err(too_large(is_insert).into());
    }
    check_nesting(&new)?;
    Ok(new)
}
