//! What a write comes to on the document that is there: the edit that is to be committed, or a result without one.

use super::{Change, Update, Write, Written, whole};
use crate::documents::{check_id, find};
use crate::error::{ElasticError, Result, kinds};
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
    let record = record.as_ref();
    let kept = record.and_then(|record| routing::kept(&record.document));
    // An id is one document, whatever its routing; but only who has the right one is led to it.
    let is_led = record.is_none() || routing.leads(&write.id, write.routing.as_deref(), kept);
    let changes_what_is_there = matches!(&write.change, Change::Update(_));
    // An update that finds nothing to change is told so before its condition is.
    if record.is_some() || !changes_what_is_there {
        check_condition(index, write, record)?;
    }
    check_version(index, write, record)?;
    let on = On {
        index,
        write,
        id,
        record,
        kept,
    };
    let led = record.filter(|_| is_led);
    match (&write.change, led) {
        (Change::Put { create: true, .. }, _) if let Some(record) = record => {
            let reason = format!(
                "[{}]: version conflict, document already exists (current version [{}])",
                write.id,
                record.generation()
            );
            Err(conflict(index, reason))
        }
        (Change::Put { document, .. }, _) => Ok(on.put(document)),
        (Change::Delete, Some(_)) => Ok(on.delete()),
        (Change::Delete, None) => Ok(on.done("not_found", 1, change_number(&snapshot.head()), None)),
        (Change::Update(update), Some(record)) => on.update(update, record),
        (Change::Update(update), None) => on.upsert(update, is_led),
    }
}

/// A write on the document that is there, if one is.
struct On<'w> {
    index: &'w Index,
    write: &'w Write,
    id: Value,
    record: Option<&'w Record>,
    /// The routing that it is kept with.
    kept: Option<&'w str>,
}

impl On<'_> {
    fn put(&self, document: &DocumentBuf) -> Step {
        let result = if self.record.is_some() {
            "updated"
        } else {
            "created"
        };
        self.commit(document, false, result)
    }

    fn delete(&self) -> Step {
        self.commit(&DocumentBuf::from(&Document::new()), true, "deleted")
    }

    fn commit(&self, document: &DocumentBuf, deleted: bool, result: &'static str) -> Step {
        let revision = self.record.map(Record::revision);
        let asked = self.write.routing.as_deref();
        let routing = match (&self.write.change, deleted) {
            (_, true) => None,
            // One that is changed in part stays where it is.
            (Change::Update(_), false) => self.kept.or(asked),
            _ => asked,
        };
        let document = whole(self.id.as_ref(), routing, document);
        let next = revision.as_ref().map_or(0, |revision| revision.generation) + 1;
        // A revision follows the one before it; a version may leave numbers out, and then begins a branch of its own.
        let version = self.write.version.map(|version| version.number);
        let (origin, ends) = match version.filter(|version| *version != next) {
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
    }

    /// Nothing is to be committed.
    fn done(&self, result: &'static str, version: u64, sequence: u64, document: Option<DocumentBuf>) -> Step {
        Step::Done(Box::new(Written {
            id: self.write.id.clone(),
            version,
            sequence,
            result,
            document,
        }))
    }

    /// Changes the document that is there in part.
    fn update(&self, update: &Update, record: &Record) -> Result<Step> {
        let unchanged = || {
            let document = Some(record.document.clone());
            self.done("noop", record.generation(), sequence_number(record), document)
        };
        let mut document = record.document.to_document();
        document.remove("_id");
        document.remove(ROUTING);
        if let Some(script) = &update.script {
            let context = script_context(self.index, self.write, Some(record));
            return Ok(match script.change(document, context)? {
                Operation::Put(document) => self.put(&DocumentBuf::from(&document)),
                Operation::Delete => self.delete(),
                Operation::Nothing => unchanged(),
            });
        }
        let part = update.part.as_ref();
        let has_changed = part.is_some_and(|part| merge(&mut document, part));
        Ok(match !has_changed && update.detect_noop {
            true => unchanged(),
            false => self.put(&DocumentBuf::from(&document)),
        })
    }

    /// Makes the document that a change in part has for where there is none.
    fn upsert(&self, update: &Update, is_led: bool) -> Result<Step> {
        let made = match update.doc_as_upsert {
            true => &update.part,
            false => &update.upsert,
        };
        let id = &self.write.id;
        let missing = || {
            let reason = format!("[_doc][{id}]: document missing");
            ElasticError::new(StatusCode::NOT_FOUND, "document_missing_exception", reason)
                .with("index_uuid", self.index.uuid())
                .with("shard", "0")
                .with("index", self.index.name.as_str())
        };
        let made = made.as_ref().ok_or_else(missing)?;
        if !is_led {
            let reason = format!("[{id}]: the document already exists with another routing");
            return Err(conflict(self.index, reason));
        }
        let Some(script) = update.script.as_ref().filter(|_| update.scripted_upsert) else {
            return Ok(self.put(&DocumentBuf::from(made)));
        };
        let context = script_context(self.index, self.write, None).with("op", "create");
        Ok(match script.change(made.clone(), context)? {
            Operation::Put(document) => self.put(&DocumentBuf::from(&document)),
            Operation::Nothing | Operation::Delete => self.done("noop", 0, 0, None),
        })
    }
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
    ElasticError::new(StatusCode::CONFLICT, kinds::CONFLICT, reason)
        .with("index_uuid", index.uuid())
        .with("shard", "0")
        .with("index", index.name.as_str())
}
