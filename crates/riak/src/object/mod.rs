//! Objects: a document, its branches as siblings, and the notes that go with it.
//!
//! [`read`](Object::read) gives an object with all its siblings, whoever wrote them; [`write`](write::put) adds one and ends those
//! that its writer has seen, in one commit with the notes.

mod change;
mod form;
pub(crate) mod large;
mod notes;
mod terms;
mod write;

pub(crate) use terms::{bytes_of_term, term_of_key};
pub(crate) use write::{Condition, Deleted, Put, delete, put, put_together, replace};

use crate::clock::{Clock, Dot};
use crate::content::{Content, LargeValue, Link, vtag};
use crate::error::{Result, RiakError};
use crate::names::find;
use crate::server::Server;
use bytes::Bytes;
use engine::{Record, Revision, RevisionedCollection, RevisionedSnapshot};
use form::{Form, content_type_of};
use http::StatusCode;
use memory::{Budget, Holder, Share};
use notes::{ObjectNotes, SiblingNotes};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use value::{DocumentBuf, ObjectId, Value, ValueRef};

/// Siblings that take no more are not counted.
const UNCOUNTED_BYTES: usize = 1 << 20;

/// An object as it is.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) id: Value,
    /// Those that are not deleted, the newest first; empty if the object is deleted or was never written.
    pub(crate) siblings: Vec<Sibling>,
    notes: ObjectNotes,
    actor: Vec<u8>,
    /// The memory of many siblings.
    _held: Option<Arc<Share>>,
}

/// The memory of siblings: there may be a hundred, each as long as a document.
struct Held {
    bytes: usize,
    share: Share,
}

impl Held {
    fn of(memory: &Budget) -> Held {
        Held {
            bytes: 0,
            share: memory.share(Holder::Documents),
        }
    }

    fn add(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        if self.bytes <= UNCOUNTED_BYTES {
            return Ok(());
        }
        let held = self.share.set(self.bytes);
        held.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()))
    }
}

/// One version of an object.
#[derive(Clone, Debug)]
pub(crate) struct Sibling {
    pub(crate) revision: Revision,
    /// The event that wrote it.
    dot: Dot,
    pub(crate) content: Content,
    /// The file that its document names as a value, even where it is no longer all that the document says.
    file: Option<ObjectId>,
}

impl Sibling {
    pub(crate) fn vtag(&self) -> String {
        vtag(self.revision.hash.as_bytes())
    }

    /// When it was written; a time that nobody knows may be now.
    pub(crate) fn modified(&self) -> SystemTime {
        let modified = self.content.modified_ms.map(Duration::from_millis);
        modified.map_or_else(SystemTime::now, |modified| SystemTime::UNIX_EPOCH + modified)
    }
}

/// An object whose siblings are still to be read.
struct Found<'s> {
    snapshot: &'s RevisionedSnapshot,
    id: Value,
    record: Option<Record>,
    notes: Option<DocumentBuf>,
}

impl<'s> Found<'s> {
    async fn find(
        collection: &RevisionedCollection,
        snapshot: &'s RevisionedSnapshot,
        key: &[u8],
    ) -> Result<Found<'s>> {
        let (id, record) = find(snapshot, key).await?;
        // Of what a capped collection evicted there may be notes still, of others none without a trace of their document.
        let is_traced =
            record.is_some() || collection.is_capped() || snapshot.deletion(id.as_ref()).await?.is_some();
        let notes = match is_traced {
            true => snapshot.notes(id.as_ref()).await?,
            false => None,
        };
        Ok(Found {
            snapshot,
            id,
            record,
            notes,
        })
    }

    async fn object(self, collection: &RevisionedCollection) -> Result<Object> {
        Object::of(collection, self.snapshot, self.id, self.record, self.notes).await
    }

    /// How many siblings there are at most, but for those that other protocols made.
    fn siblings_noted(&self) -> usize {
        match self
            .notes
            .as_ref()
            .and_then(|notes| notes.as_raw().get("siblings"))
        {
            Some(ValueRef::Array(siblings)) => siblings.iter().count(),
            _ => 0,
        }
    }

    /// How many siblings that Riak's protocols wrote a clock has not seen.
    async fn unseen(&self, collection: &RevisionedCollection, context: &Clock) -> Result<usize> {
        let (Some(record), Some(notes)) = (&self.record, &self.notes) else {
            return Ok(0);
        };
        let notes = ObjectNotes::of(notes);
        let history = self.snapshot.history_of(record).await?;
        let actor = &collection.uuid()[..8];
        let is_unseen = |leaf: &usize| {
            let node = &history.tree.nodes()[*leaf];
            let known = notes.of_revision(&node.revision).filter(|_| !node.deleted);
            known.is_some_and(|known| {
                !context.covers(&Dot {
                    actor: actor.to_vec(),
                    counter: known.counter,
                })
            })
        };
        Ok(history.tree.leaves().into_iter().filter(is_unseen).count())
    }
}

impl Object {
    /// Reads the object of a key.
    pub(crate) async fn read(collection: &RevisionedCollection, key: &[u8]) -> Result<Object> {
        let snapshot = collection.snapshot().await?;
        let found = Found::find(collection, &snapshot, key).await?;
        found.object(collection).await
    }

    /// The object of a document that was read.
    pub(crate) async fn of(
        collection: &RevisionedCollection,
        snapshot: &RevisionedSnapshot,
        id: Value,
        record: Option<Record>,
        notes: Option<DocumentBuf>,
    ) -> Result<Object> {
        let actor = collection.uuid()[..8].to_vec();
        let record = match record {
            Some(record) if !record.has_tree() => {
                return Ok(Object::of_line(actor, id, &record, notes.as_ref()));
            }
            record => record,
        };
        let mut object = Object {
            id,
            siblings: Vec::new(),
            notes: notes.as_ref().map(ObjectNotes::of).unwrap_or_default(),
            actor,
            _held: None,
        };
        let Some(record) = record else {
            return Ok(object);
        };
        let history = snapshot.history_of(&record).await?;
        let mut held = Held::of(collection.memory());
        for leaf in history.tree.leaves() {
            let node = &history.tree.nodes()[leaf];
            if node.deleted {
                continue;
            }
            let Some(document) = snapshot.body(&history, leaf).await? else {
                continue;
            };
            let found = match object.notes.of_revision(&node.revision) {
                Some(known) => sibling(node.revision.clone(), known, &object.actor, &document),
                None => {
                    let mut ancestors = history.tree.path(leaf).map(|at| &history.tree.nodes()[at]);
                    let known = ancestors
                        .by_ref()
                        .take_while(|node| !node.deleted)
                        .find_map(|node| object.notes.of_revision(&node.revision));
                    foreign(&node.revision, known, &document)
                }
            };
            held.add(found.content.memory_bytes())?;
            object.siblings.push(found);
        }
        object._held = Some(Arc::new(held.share));
        Ok(object)
    }

    /// The object of a document whose revisions are one line, so that it has no siblings.
    pub(crate) fn of_line(actor: Vec<u8>, id: Value, record: &Record, notes: Option<&DocumentBuf>) -> Object {
        let notes = notes.map(ObjectNotes::of).unwrap_or_default();
        let own = record.revision();
        let only = match notes.of_hash(&own.hash) {
            Some(known) => sibling(own, known, &actor, &record.document),
            None => {
                let known = record.ancestors().find_map(|hash| notes.of_hash(&hash));
                foreign(&own, known, &record.document)
            }
        };
        Object {
            id,
            siblings: vec![only],
            notes,
            actor,
            _held: None,
        }
    }

    /// The value of such an object and nothing else of it, which is much quicker; `None` where that cannot be.
    pub(crate) fn value_of_line(record: &Record, notes: Option<&DocumentBuf>) -> Option<Bytes> {
        match ObjectNotes::value_of(notes?, &record.revision())? {
            (Form::File, _) => None,
            (_, Some(value)) => Some(value),
            (form, None) => Some(form::value_of(&record.document, form).0),
        }
    }

    /// The links of all siblings, in order and each once.
    pub(crate) fn links(&self) -> Vec<&Link> {
        let links = self.siblings.iter().flat_map(|sibling| &sibling.content.links);
        let mut links: Vec<&Link> = links.collect();
        links.sort();
        links.dedup();
        links
    }

    /// The bytes of all siblings' values.
    pub(crate) fn bytes(&self) -> u64 {
        self.siblings.iter().map(|sibling| sibling.content.length()).sum()
    }

    /// The entity tag: of one sibling its own, of several one of them all.
    pub(crate) fn tag(&self) -> String {
        match self.siblings.as_slice() {
            [only] => only.vtag(),
            _ => vtag(&blake3::hash(&self.clock().encode()).as_bytes()[..16]),
        }
    }

    /// When the last of the siblings was written.
    pub(crate) fn modified(&self) -> SystemTime {
        let times = self.siblings.iter().map(Sibling::modified);
        times.max().unwrap_or_else(SystemTime::now)
    }

    pub(crate) fn exists(&self) -> bool {
        !self.siblings.is_empty()
    }

    /// The clock of an object that was there once, for as long as that is told.
    pub(crate) fn deletion(&self, server: &Server) -> Option<Clock> {
        let is_deleted = self.siblings.is_empty() && self.notes.counter > 0;
        let is_told = |told: Duration| {
            let deleted = self.notes.deleted_ms.map(Duration::from_millis);
            deleted.is_some_and(|deleted| Duration::from_millis(server.engine.now_ms()) < deleted + told)
        };
        (is_deleted && server.deletions_told.is_none_or(is_told)).then(|| self.clock())
    }

    /// All that a client has seen who reads the object now.
    pub(crate) fn clock(&self) -> Clock {
        let own = (self.notes.counter > 0).then(|| Dot {
            actor: self.actor.clone(),
            counter: self.notes.counter,
        });
        let foreign = self.siblings.iter().map(|sibling| sibling.dot.clone());
        own.into_iter().chain(foreign).collect()
    }
}

fn sibling(revision: Revision, known: &SiblingNotes, actor: &[u8], document: &DocumentBuf) -> Sibling {
    let mut content = known.metadata.clone();
    match (known.form, &known.value) {
        (Form::File, _) => content.large = LargeValue::of(document),
        (_, Some(value)) => content.value = value.clone(),
        (form, None) => content.value = form::value_of(document, form).0,
    }
    Sibling {
        file: LargeValue::named(document).map(|large| large.file),
        revision,
        dot: Dot {
            actor: actor.to_vec(),
            counter: known.counter,
        },
        content,
    }
}

/// A revision that another protocol wrote, with the metadata of the one that it follows.
fn foreign(revision: &Revision, known: Option<&SiblingNotes>, document: &DocumentBuf) -> Sibling {
    let form = known.map_or_else(|| Form::of_document(document), |known| known.form);
    let mut content = known.map(|known| known.metadata.clone()).unwrap_or_default();
    content.large = match form {
        Form::File => LargeValue::of(document),
        _ => None,
    };
    let (value, kind) = match &content.large {
        Some(_) => (Bytes::new(), content_type_of(document)),
        None => form::value_of(document, form),
    };
    content.value = value;
    content.modified_ms = None;
    if let Some(kind) = kind
        && (matches!(form, Form::Bytes | Form::State | Form::File) || !content.is_json())
    {
        content.content_type = Some(kind);
    }
    if content.is_json() {
        content.charset = None;
    }
    Sibling {
        file: LargeValue::named(document).map(|large| large.file),
        revision: revision.clone(),
        dot: Dot {
            actor: [b"rev", revision.hash.as_bytes()].concat(),
            counter: revision.generation,
        },
        content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_long_siblings_are_refused_where_there_is_no_memory() {
        // Documents have three sixteenths.
        let memory = Budget::new(16 << 20);
        let mut held = Held::of(&memory);
        held.add(2 << 20).unwrap();
        let refused = held.add(2 << 20).unwrap_err();
        assert!(refused.message.contains("--memory"), "{refused:?}");
        let mut short = Held::of(&memory);
        short.add(UNCOUNTED_BYTES).unwrap();
        assert_eq!(short.share.bytes(), 0);
    }
}
