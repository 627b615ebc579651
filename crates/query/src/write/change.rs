//! What the committer runs on a document: match again, change, validate.

use super::error::refused;
use super::{Validator, WriteError};
use crate::expression::Variables;
use crate::filter::Filter;
use crate::update::{Applied, Update, seed_document};
use crate::{Code, QueryError, Result};
use std::sync::{Arc, Mutex, PoisonError};
use store::{DOCUMENT_BYTES_MAX, Present, StoreError, Transform, Transformed};
use value::{Document, DocumentBuf, ObjectId, Value};

/// What a statement does to each document that it means.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) filter: Arc<Filter>,
    pub(super) kind: ChangeKind,
    pub(super) variables: Arc<Variables>,
    pub(super) validator: Option<Arc<Validator>>,
}

/// The kinds of change.
#[derive(Clone, Debug)]
pub(super) enum ChangeKind {
    Update(Arc<Update>),
    Delete,
}

/// What a transformation tells beside its outcome: the committer hands on only code and words of an error.
#[derive(Debug, Default)]
struct Told {
    upserted: Option<DocumentBuf>,
    invalid: Option<Box<Document>>,
}

/// The other end of what a transformation tells.
#[derive(Clone, Debug, Default)]
pub(super) struct Report(Arc<Mutex<Told>>);

impl Report {
    fn tell(&self, tell: impl FnOnce(&mut Told)) {
        tell(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The document that was made by an upsert.
    pub(super) fn upserted(&self) -> Option<DocumentBuf> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .upserted
            .clone()
    }

    /// The error with the details that could not come with it.
    pub(super) fn error(&self, error: StoreError) -> WriteError {
        let invalid = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .invalid
            .take();
        match (error, invalid) {
            (StoreError::Refused { code, .. }, Some(details))
                if code == Code::DOCUMENT_VALIDATION_FAILURE.0 =>
            {
                WriteError::Validation(details)
            }
            (error, _) => error.into(),
        }
    }
}

/// The transformation of one document, and what it does where there is none.
pub(super) struct ChangeOne {
    pub(super) change: Arc<Change>,
    /// Set where a missing document is to be made; then the `_id` that it must get.
    pub(super) upsert: Option<Upsert>,
    pub(super) report: Report,
}

/// What an upsert knows of the document to be made.
#[derive(Clone, Debug)]
pub(super) struct Upsert {
    pub(super) document: DocumentBuf,
    /// The collection's full name, for the error of a document that is there but does not match.
    pub(super) namespace: String,
}

impl Transform for ChangeOne {
    fn transform(&mut self, present: Option<Present<'_>>) -> Result<Transformed, StoreError> {
        self.report.tell(|told| *told = Told::default());
        match (present, &self.upsert) {
            (Some(present), upsert) => match self.change.apply(present.document, &self.report)? {
                Transformed::NotMatched if upsert.is_some() => Err(self.taken(present.document)),
                transformed => Ok(transformed),
            },
            (None, Some(upsert)) => {
                self.report
                    .tell(|told| told.upserted = Some(upsert.document.clone()));
                Ok(Transformed::Put(upsert.document.clone()))
            }
            (None, None) => Ok(Transformed::NotMatched),
        }
    }
}

impl ChangeOne {
    /// The `_id` of an upsert belongs to a document that does not match.
    fn taken(&self, present: &DocumentBuf) -> StoreError {
        let id = present
            .as_raw()
            .get("_id")
            .map_or(Value::Null, |id| id.to_value());
        StoreError::DuplicateKey {
            namespace: self
                .upsert
                .as_ref()
                .map(|upsert| upsert.namespace.clone())
                .unwrap_or_default(),
            index: "_id_".to_owned(),
            pattern: Document::new().with("_id", 1),
            key: Document::new().with("_id", id),
        }
    }
}

impl Change {
    fn apply(&self, present: &DocumentBuf, report: &Report) -> Result<Transformed, StoreError> {
        let mut position = None;
        if !self
            .filter
            .matches_positioned(present.as_ref(), &mut position)
            .map_err(refused)?
        {
            return Ok(Transformed::NotMatched);
        }
        let ChangeKind::Update(update) = &self.kind else {
            return Ok(Transformed::Delete);
        };
        let mut document = present.to_document();
        match update
            .apply(&mut document, position, false, &self.variables)
            .map_err(refused)?
        {
            Applied::Unchanged => Ok(Transformed::Unchanged),
            Applied::Changed => {
                let new = encode(&document).map_err(refused)?;
                self.validate(&new, Some(present), report)?;
                Ok(Transformed::Put(new))
            }
        }
    }

    fn validate(
        &self,
        new: &DocumentBuf,
        old: Option<&DocumentBuf>,
        report: &Report,
    ) -> Result<(), StoreError> {
        let Some(validator) = &self.validator else {
            return Ok(());
        };
        let checked = match old {
            Some(old) => validator.check_update(new.as_ref(), old.as_ref()),
            None => validator.check_insert(new.as_ref()),
        };
        match checked {
            Ok(()) => Ok(()),
            Err(WriteError::Validation(details)) => {
                report.tell(|told| told.invalid = Some(details));
                Err(refused(QueryError::new(
                    Code::DOCUMENT_VALIDATION_FAILURE,
                    "Document failed validation",
                )))
            }
            Err(WriteError::Query(error)) => Err(refused(error)),
            Err(WriteError::Store(error)) => Err(error),
        }
    }

    /// The document that an upsert makes where nothing matches, and its `_id`.
    pub(super) fn new_document(&self) -> Result<(Value, DocumentBuf), WriteError> {
        let ChangeKind::Update(update) = &self.kind else {
            return Err(
                QueryError::failed_to_parse("Cannot specify both upsert=true and remove=true").into(),
            );
        };
        let mut document = seed_document(update, &self.filter.equalities())?;
        update.apply(&mut document, None, true, &self.variables)?;
        let id = with_id_in_front(&mut document);
        crate::update::stored::check_stored(&document)?;
        let new = encode(&document)?;
        let report = Report::default();
        self.validate(&new, None, &report)
            .map_err(|error| report.error(error))?;
        Ok((id, new))
    }
}

/// Gives a document an `_id` where it has none, and puts it first.
fn with_id_in_front(document: &mut Document) -> Value {
    let id = document
        .remove("_id")
        .unwrap_or_else(|| Value::ObjectId(ObjectId::generate()));
    document.insert_at(0, "_id", id.clone());
    id
}

fn encode(document: &Document) -> Result<DocumentBuf> {
    let new = DocumentBuf::from(document);
    if new.bytes().len() > DOCUMENT_BYTES_MAX {
        return Err(QueryError::new(
            Code(17419),
            format!("Resulting document after update is larger than {DOCUMENT_BYTES_MAX}"),
        ));
    }
    Ok(new)
}
