//! What a write comes to on the document that is there: the edit that is to be committed, or a result without one.

use super::{Change, Write, Written, whole};
use crate::documents::{check_id, find};
use crate::error::{ElasticError, Result};
use crate::index::Index;
use crate::routing::{self, ROUTING, Routing};
use crate::scripts::Operation;
use engine::{Edit, EditOrigin, Record, Revision, RevisionPath, RevisionedSnapshot};
use http::StatusCode;
use indexing::{change_number, sequence_number};
use value::{Document, DocumentBuf, Value};

/// A write that is ready to be committed.
pub(super) struct Prepared {
    pub(super) edit: Edit,
    pub(super) result: &'static str,
    /// The revision that ends, where the new one does not follow it.
    ends: Option<Revision>,
}

/// What remains to be done for a write.
pub(super) enum Step {
    Commit(Box<Prepared>),
    Done(Box<Written>),
}

/// The end of the branch that a new one takes the place of.
pub(super) fn ended(prepared: &Prepared) -> Option<Edit> {
    let revision = prepared.ends.clone()?;
    let id = prepared.edit.document.as_raw().get("_id")?.to_value();
    Some(Edit {
        document: DocumentBuf::from(&Document::new().with("_id", id)),
        deleted: true,
        origin: EditOrigin::After(Some(revision)),
    })
}

/// Makes the edit of a write on this snapshot; `routing` is how the index places its documents.
pub(super) async fn prepare(
    index: &Index,
    routing: Routing,
    snapshot: &RevisionedSnapshot,
    write: &Write,
) -> Result<Step> {
    check_id(&write.id)?;
    routing.check(&index.name, Some(&write.id), write.routing.as_deref())?;
    let (id, record) = match write.is_new {
        true => (Value::from(write.id.as_str()), None),
        false => find(snapshot, &write.id).await?,
    };
    let kept = record.as_ref().and_then(|record| routing::kept(&record.document));
    // An id is one document, whatever its routing; but only who has the right one is led to it.
    let is_led = record.is_none() || routing.leads(&write.id, write.routing.as_deref(), kept);
    check_condition(index, write, record.as_ref())?;
    check_version(index, write, record.as_ref())?;
    let commit = |document: &DocumentBuf, deleted: bool, result: &'static str| {
        let revision = record.as_ref().map(Record::revision);
        let routing = match (&write.change, deleted) {
            (_, true) => None,
            // One that is changed in part stays where it is.
            (Change::Update(_), false) => kept.or(write.routing.as_deref()),
            _ => write.routing.as_deref(),
        };
        let document = whole(id.as_ref(), routing, document);
        let version = write.version.map(|version| version.number);
        // A revision follows the one before it; a version may leave numbers out, and then begins a branch of its own.
        let (origin, ends) =
            match version.filter(|version| *version != revision.as_ref().map_or(0, |r| r.generation) + 1) {
                None => (EditOrigin::After(revision), None),
                Some(version) => {
                    let made = Revision::of(revision.as_ref(), deleted, Some(document.as_raw()));
                    let made = Revision {
                        generation: version,
                        ..made
                    };
                    (EditOrigin::Given(RevisionPath::of(made)), revision)
                }
            };
        let edit = Edit {
            document,
            deleted,
            origin,
        };
        Step::Commit(Box::new(Prepared { edit, result, ends }))
    };
    let present = match &write.change {
        Change::Put { .. } => record.as_ref(),
        Change::Delete | Change::Update(_) => record.as_ref().filter(|_| is_led),
    };
    Ok(match (&write.change, present) {
        (Change::Put { create: true, .. }, Some(record)) => {
            let reason = format!(
                "[{}]: version conflict, document already exists (current version [{}])",
                write.id,
                record.generation()
            );
            return Err(conflict(index, reason));
        }
        (Change::Put { document, .. }, Some(_)) => commit(document, false, "updated"),
        (Change::Put { document, .. }, None) => commit(document, false, "created"),
        (Change::Delete, Some(_)) => commit(&DocumentBuf::from(&Document::new()), true, "deleted"),
        (Change::Delete, None) => Step::Done(Box::new(Written {
            id: write.id.clone(),
            version: 1,
            sequence: change_number(&snapshot.head()),
            result: "not_found",
            document: None,
        })),
        (Change::Update(update), None) => {
            let made = if update.doc_as_upsert {
                &update.part
            } else {
                &update.upsert
            };
            let missing = || {
                let reason = format!("[_doc][{}]: document missing", write.id);
                ElasticError::new(StatusCode::NOT_FOUND, "document_missing_exception", reason)
                    .with("index_uuid", index.uuid())
                    .with("shard", "0")
                    .with("index", index.name.as_str())
            };
            let made = made.as_ref().ok_or_else(missing)?;
            if !is_led {
                let reason = format!("[{}]: the document already exists with another routing", write.id);
                return Err(conflict(index, reason));
            }
            match update.script.as_ref().filter(|_| update.scripted_upsert) {
                None => commit(&DocumentBuf::from(made), false, "created"),
                Some(script) => {
                    let context = script_context(index, write, None).with("op", "create");
                    match script.change(made.clone(), context)? {
                        Operation::Put(document) => commit(&DocumentBuf::from(&document), false, "created"),
                        Operation::Nothing | Operation::Delete => Step::Done(Box::new(Written {
                            id: write.id.clone(),
                            version: 0,
                            sequence: 0,
                            result: "noop",
                            document: None,
                        })),
                    }
                }
            }
        }
        (Change::Update(update), Some(record)) => {
            let mut document = record.document.to_document();
            document.remove("_id");
            document.remove(ROUTING);
            let unchanged = || {
                Step::Done(Box::new(Written {
                    id: write.id.clone(),
                    version: record.generation(),
                    sequence: sequence_number(record),
                    result: "noop",
                    document: Some(record.document.clone()),
                }))
            };
            if let Some(script) = &update.script {
                return Ok(
                    match script.change(document, script_context(index, write, Some(record)))? {
                        Operation::Put(document) => commit(&DocumentBuf::from(&document), false, "updated"),
                        Operation::Delete => commit(&DocumentBuf::from(&Document::new()), true, "deleted"),
                        Operation::Nothing => unchanged(),
                    },
                );
            }
            let has_changed = update
                .part
                .as_ref()
                .is_some_and(|part| merge(&mut document, part));
            if !has_changed && update.detect_noop {
                unchanged()
            } else {
                commit(&DocumentBuf::from(&document), false, "updated")
            }
        }
    })
}

/// What a script sees of a document besides its source.
fn script_context(index: &Index, write: &Write, record: Option<&Record>) -> Document {
    let mut context = Document::new()
        .with("_index", index.name.as_str())
        .with("_id", write.id.as_str())
        .with("_type", "_doc")
        .with("_now", value::date::now_ms());
    let kept = record.map(|record| routing::kept(&record.document));
    if let Some(routing) = kept.unwrap_or(write.routing.as_deref()) {
        context.push(ROUTING, routing);
    }
    if let Some(record) = record {
        context.push("_version", Value::count(record.generation()));
    }
    context
}

/// Puts the members of a part into a document; objects are merged. Whether anything is different.
fn merge(document: &mut Document, part: &Document) -> bool {
    let mut has_changed = false;
    for (name, value) in part.iter() {
        match (document.get_mut(name), value) {
            (Some(Value::Document(present)), Value::Document(inner)) => has_changed |= merge(present, inner),
            (Some(present), value) => {
                let is_same = present.type_of() == value.type_of()
                    && value::compare(present.as_ref(), value.as_ref()).is_eq();
                if !is_same {
                    *present = value.clone();
                    has_changed = true;
                }
            }
            (None, value) => {
                document.push(name, value.clone());
                has_changed = true;
            }
        }
    }
    has_changed
}

fn check_condition(index: &Index, write: &Write, record: Option<&Record>) -> Result<()> {
    let Some((sequence, term)) = write.condition else {
        return Ok(());
    };
    let present = record.map(sequence_number);
    if present == Some(sequence) && term == 1 {
        return Ok(());
    }
    let found = match present {
        Some(present) => format!("current document has seqNo [{present}] and primary term [1]"),
        None => "but no document was found".to_owned(),
    };
    let reason = format!(
        "[{}]: version conflict, required seqNo [{sequence}], primary term [{term}]. {found}",
        write.id
    );
    Err(conflict(index, reason))
}

fn check_version(index: &Index, write: &Write, record: Option<&Record>) -> Result<()> {
    let (Some(version), Some(record)) = (write.version, record) else {
        return Ok(());
    };
    let present = record.generation();
    let (is_fine, word) = match version.or_equal {
        true => (version.number >= present, "higher than"),
        false => (version.number > present, "higher or equal to"),
    };
    match is_fine {
        true => Ok(()),
        false => {
            let reason = format!(
                "[{}]: version conflict, current version [{present}] is {word} the one provided [{}]",
                write.id, version.number
            );
            Err(conflict(index, reason))
        }
    }
}

fn conflict(index: &Index, reason: String) -> ElasticError {
    ElasticError::new(StatusCode::CONFLICT, "version_conflict_engine_exception", reason)
        .with("index_uuid", index.uuid())
        .with("shard", "0")
        .with("index", index.name.as_str())
}
