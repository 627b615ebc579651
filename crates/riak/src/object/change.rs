//! What a put makes of an object: a new sibling in place of those that its writer has seen.

use super::form::{Form, document_of, value_of};
use super::large;
use super::notes::{ObjectNotes, SiblingNotes};
use super::{Object, Put, Sibling, bytes_of_term, term_of_key};
use crate::clock::Dot;
use crate::content::Content;
use crate::error::{Result, RiakError};
use crate::random::random;
use crate::server::Server;
use bytes::Bytes;
use engine::{Namespace, Notes, Resolve, Revision, RevisionHash};
use http::StatusCode;
use std::collections::HashSet;
use std::sync::Arc;

/// An object before a put, and after it.
#[derive(Debug)]
pub(super) struct Change {
    before: Object,
    after: Object,
}

impl Change {
    /// What is to be committed for a put, and the object after it.
    pub(super) fn of(server: &Server, before: Object, put: &Put) -> Result<(Resolve, Change)> {
        let (ended, kept) = divided(&before, put);
        check_count(server, kept.len() + 1)?;
        let ended: Vec<Revision> = ended.iter().map(|sibling| sibling.revision.clone()).collect();
        let mut content = put.content.clone();
        content.modified_ms = Some(server.engine.now_ms());
        let generation = ended.first().map_or(0, |followed| followed.generation) + 1;
        let (document, form) = document_of(&before.id, &content, generation);
        let (counter, hash) = (next_counter(server, &before), new_hash()?);
        // The value stands in the document byte for byte.
        let is_given_back =
            matches!(form, Form::File | Form::Bytes) || value_of(&document, form).0 == content.value;
        let new = SiblingNotes {
            hash: hash.clone(),
            counter,
            form,
            value: (!is_given_back).then(|| content.value.clone()),
            metadata: Content {
                value: Bytes::new(),
                large: None,
                ..content.clone()
            },
        };
        let notes = next_notes(&before, &kept, &ended, new);
        // The store says the generation.
        let revision = Revision {
            generation: 0,
            hash: hash.clone(),
        };
        let own = Sibling {
            revision,
            dot: Dot {
                actor: before.actor.clone(),
                counter,
            },
            file: content.large.as_ref().map(|large| large.file),
            content,
        };
        let siblings: Vec<Sibling> = std::iter::once(own).chain(kept.into_iter().cloned()).collect();
        let contents: Vec<&Content> = siblings.iter().map(|sibling| &sibling.content).collect();
        let resolve = Resolve {
            id: before.id.clone(),
            leaves: revisions(&before),
            ended,
            document: Some((document, hash)),
            notes: Some(stored_notes(&notes, &contents)?),
        };
        let after = Object {
            id: before.id.clone(),
            siblings,
            notes,
            actor: before.actor.clone(),
            _held: before._held.clone(),
        };
        Ok((resolve, Change { before, after }))
    }

    /// The bytes of the values that the object had before.
    pub(super) fn bytes_before(&self) -> usize {
        let siblings = self.before.siblings.iter();
        siblings.map(|sibling| sibling.content.value.len()).sum()
    }

    /// The object, now that the new sibling is written as this revision. The files of those that are gone are removed.
    pub(super) fn done(self, server: &Arc<Server>, namespace: &Namespace, revision: Revision) -> Object {
        let Change { before, mut after } = self;
        if let Some(new) = after.siblings.first_mut() {
            new.revision = revision;
        }
        let is_left = |known: &Sibling| {
            let mut siblings = after.siblings.iter();
            siblings.any(|left| left.revision.hash == known.revision.hash)
        };
        let ended: Vec<&Sibling> = before.siblings.iter().filter(|known| !is_left(known)).collect();
        let left: Vec<&Sibling> = after.siblings.iter().collect();
        large::remove_ended(server, namespace, &ended, &left);
        after
    }
}

/// The siblings that a put ends, and those that it keeps.
fn divided<'o>(object: &'o Object, put: &Put) -> (Vec<&'o Sibling>, Vec<&'o Sibling>) {
    let is_ended = |sibling: &&Sibling| !put.keeps_siblings || put.context.covers(&sibling.dot);
    object.siblings.iter().partition(is_ended)
}

/// The notes with those of a new sibling, without those of siblings that ended.
fn next_notes(before: &Object, kept: &[&Sibling], ended: &[Revision], new: SiblingNotes) -> ObjectNotes {
    let mut notes = before.notes.clone();
    notes.counter = new.counter;
    notes.deleted_ms = None;
    notes.siblings.retain(|known| {
        let mut kept = kept.iter();
        kept.any(|sibling| sibling.revision.hash == known.hash) || is_ancestor_kept(known, before, ended)
    });
    notes.siblings.insert(0, new);
    notes
}

/// Whether notes of a revision that is no leaf are still those of a sibling which another protocol wrote.
fn is_ancestor_kept(known: &SiblingNotes, object: &Object, ended: &[Revision]) -> bool {
    let is_leaf = object
        .siblings
        .iter()
        .any(|sibling| sibling.revision.hash == known.hash);
    let has_foreign = object.siblings.iter().any(|sibling| {
        object.notes.of_revision(&sibling.revision).is_none() && !ended.contains(&sibling.revision)
    });
    !is_leaf && has_foreign
}

/// Refuses more siblings than an object may have.
pub(super) fn check_count(server: &Server, count: usize) -> Result<()> {
    if count <= server.siblings_max {
        return Ok(());
    }
    let message = format!(
        "{{too_many_siblings,{count}}}: the object has siblings that this put has not seen; read it and put one with the clock that comes with it"
    );
    Err(RiakError::new(StatusCode::SERVICE_UNAVAILABLE, message))
}

/// The notes as the store keeps them, with the terms under which these contents are found.
pub(super) fn stored_notes(notes: &ObjectNotes, contents: &[&Content]) -> Result<Notes> {
    let (mut terms, mut seen) = (Vec::new(), HashSet::new());
    for (index, term) in contents.iter().flat_map(|content| &content.indexes) {
        let name = String::from_utf8_lossy(index).into_owned();
        let term = term_of_key(index, term)?;
        if seen.insert((name.clone(), bytes_of_term(term.as_ref()))) {
            terms.push((name, term));
        }
    }
    Ok(notes.to_notes(terms))
}

/// The revisions of an object's siblings.
pub(super) fn revisions(object: &Object) -> Vec<Revision> {
    object
        .siblings
        .iter()
        .map(|sibling| sibling.revision.clone())
        .collect()
}

/// The number of the next event. The first is a time, so that an object whose deletion was forgotten does not count again
/// what clients have seen before.
pub(super) fn next_counter(server: &Server, object: &Object) -> u64 {
    match object.notes.counter {
        0 => server.engine.now_ms().max(1),
        counter => counter + 1,
    }
}

fn new_hash() -> Result<RevisionHash> {
    Ok(RevisionHash::Digest(random()?))
}
