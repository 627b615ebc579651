//! Inserting documents.

use super::{WriteError, WriteOptions};
use crate::{Code, QueryError};
use std::sync::Arc;
use store::{Collection, DOCUMENT_BYTES_MAX, Outcome, StoreError, WriteOp};
use update::stored::check_ids;
use value::date::since_1970;
use value::raw::{DocumentWriter, NESTING_DEPTH_MAX};
use value::{DocumentBuf, ObjectId, RawDocument, Timestamp, Type, ValueRef};

/// What an insert did.
#[derive(Clone, Debug, Default)]
pub struct Inserted {
    /// The number of documents inserted, including those of retried statements.
    pub count: u64,
    /// Position and reason of each refused document.
    pub failures: Vec<(usize, WriteError)>,
}

/// Inserts documents in one commit. One without `_id` gets an ObjectId.
pub async fn insert(
    collection: &Arc<Collection>,
    documents: Vec<DocumentBuf>,
    options: &WriteOptions,
) -> Result<Inserted, StoreError> {
    let mut inserted = Inserted::default();
    let mut positions = Vec::with_capacity(documents.len());
    let mut ops = Vec::with_capacity(documents.len());
    let mut statements = Vec::new();
    for (position, document) in documents.into_iter().enumerate() {
        match prepare(document, options) {
            Ok(document) => {
                positions.push(position);
                ops.push(WriteOp::Insert(document));
                statements.extend(options.statements.get(position));
            }
            Err(error) => {
                inserted.failures.push((position, error));
                if options.ordered {
                    break;
                }
            }
        }
    }
    if !ops.is_empty() {
        let outcomes = collection.commit(ops, options.commit(statements)).await?;
        add_outcomes(&mut inserted, &positions, outcomes, options.ordered);
    }
    Ok(inserted)
}

fn add_outcomes(inserted: &mut Inserted, positions: &[usize], outcomes: Vec<Outcome>, ordered: bool) {
    let mut refused = Vec::new();
    for (position, outcome) in positions.iter().zip(outcomes) {
        match outcome {
            Outcome::Failed(error) => refused.push((*position, error.into())),
            Outcome::Skipped => {}
            _ => inserted.count += 1,
        }
    }
    // An ordered insert stops at its first failure. The documents before the one that was refused here were committed; if one of
    // these failed, its failure comes first.
    if ordered && !refused.is_empty() {
        inserted.failures.clear();
    }
    inserted.failures.append(&mut refused);
    inserted.failures.sort_by_key(|(position, _)| *position);
}

/// Refuses a document that is nested deeper than one may be.
pub(super) fn check_nesting(document: &DocumentBuf) -> Result<(), QueryError> {
    if document.as_raw().is_deeper_than(NESTING_DEPTH_MAX) {
        let message = format!("Document exceeds maximum nested object depth: {NESTING_DEPTH_MAX}");
        return Err(QueryError::new(Code::OVERFLOW, message));
    }
    Ok(())
}

/// Prepares a document to be stored: puts `_id` first, fills empty timestamps, and checks limits and the validator.
fn prepare(document: DocumentBuf, options: &WriteOptions) -> Result<DocumentBuf, WriteError> {
    check_nesting(&document)?;
    let document = completed(document, options.keeps_empty_timestamps)?;
    let size = document.bytes().len();
    if size > DOCUMENT_BYTES_MAX {
        let message =
            format!("object to insert too large. size in bytes: {size}, max size: {DOCUMENT_BYTES_MAX}");
        return Err(QueryError::new(Code::BSON_OBJECT_TOO_LARGE, message).into());
    }
    if let Some(validator) = &options.validator {
        validator.check_insert(document.as_ref())?;
    }
    Ok(document)
}

/// The document with its `_id` first and empty timestamps of the top level set to now, as MongoDB does, unless they are
/// kept.
fn completed(document: DocumentBuf, keeps_empty_timestamps: bool) -> Result<DocumentBuf, QueryError> {
    let outline = Outline::of(document.as_raw());
    if !outline.has_plain_id {
        check_ids(document.as_ref())?;
    }
    let fills = outline.has_empty_timestamp && !keeps_empty_timestamps;
    if outline.begins_with_id && !fills {
        return Ok(document);
    }
    let raw = document.as_raw();
    let id = raw
        .get("_id")
        .unwrap_or_else(|| ValueRef::ObjectId(ObjectId::generate()));
    Ok(rewritten(raw, id, fills))
}

/// What an insert has to know about the top-level fields. It is read in one pass that decodes no value: most documents need no change,
/// and in bulk these passes cost as much as a tenth of the insert.
struct Outline {
    begins_with_id: bool,
    /// There is one `_id`, of a type whose values are all allowed.
    has_plain_id: bool,
    /// A field other than `_id` holds an empty timestamp.
    has_empty_timestamp: bool,
}

impl Outline {
    fn of(document: RawDocument<'_>) -> Outline {
        let mut outline = Outline {
            begins_with_id: false,
            has_plain_id: false,
            has_empty_timestamp: false,
        };
        let mut ids = 0;
        let mut elements = document.iter();
        let mut is_first = true;
        while let Some((element, name)) = elements.next_raw() {
            let kind = element.first().copied().and_then(Type::from_byte);
            if name == b"_id" {
                ids += 1;
                outline.begins_with_id |= is_first;
                outline.has_plain_id = ids == 1 && kind.is_some_and(is_always_id);
            } else if kind == Some(Type::Timestamp) {
                outline.has_empty_timestamp |= element.ends_with(&[0; 8]);
            }
            is_first = false;
        }
        outline
    }
}

/// Whether each value of the type can be an `_id`.
fn is_always_id(kind: Type) -> bool {
    !matches!(kind, Type::Document | Type::Array | Type::Regex | Type::Undefined)
}

fn is_empty_timestamp(value: ValueRef<'_>) -> bool {
    matches!(
        value,
        ValueRef::Timestamp(Timestamp {
            seconds: 0,
            increment: 0
        })
    )
}

fn rewritten(raw: RawDocument<'_>, id: ValueRef<'_>, fills: bool) -> DocumentBuf {
    let mut out = Vec::with_capacity(raw.as_bytes().len() + 17);
    let mut writer = DocumentWriter::new(&mut out);
    writer.put("_id", id);
    let seconds = since_1970().as_secs() as u32;
    let mut elements = raw.iter();
    while let Some((element, name, value)) = elements.next_element() {
        if name == "_id" {
            continue;
        }
        if fills && is_empty_timestamp(value) {
            writer.put(name, ValueRef::Timestamp(Timestamp::next(seconds)));
        } else {
            writer.put_element(element);
        }
    }
    writer.finish();
    DocumentBuf::from_validated(out.into())
}
