//! Writing objects: one sibling more, and those gone that its writer has seen.

use super::form::{Form, document_of, value_of};
use super::large;
use super::notes::{ObjectNotes, SiblingNotes};
use super::{Found, Object, Sibling, bytes_of_term, term_of_key};
use crate::clock::{Clock, Dot};
use crate::content::{Content, LargeValue};
use crate::error::{Result, RiakError};
use crate::limits::{RETRIES_MAX, VALUE_BYTES_MAX};
use crate::server::Server;
use engine::{EditOutcome, Namespace, Notes, Resolve, Revision, RevisionHash, RevisionedCollection};
use http::header::{IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, Precondition, StatusCode, read_precondition};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

/// What must hold of the object as it is.
#[derive(Clone, Debug, Default)]
pub(crate) enum Condition {
    #[default]
    Nothing,
    /// It does not exist.
    Missing,
    /// It is as it was when this clock was read.
    Unchanged,
    /// What the headers of a request by HTTP ask of it.
    Asked(Box<HeaderMap>),
}

/// What a deletion found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deleted {
    /// Siblings, of which those are gone now that the clock has seen.
    Now,
    /// None; with the clock of the object where it was deleted before and that is told.
    Before(Option<Clock>),
}

/// One write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Put {
    pub(crate) content: Content,
    /// What the writer has seen.
    pub(crate) context: Clock,
    pub(crate) condition: Condition,
    /// Whether siblings are kept that the writer has not seen.
    pub(crate) keeps_siblings: bool,
}

/// Writes an object; gives it back as it is then.
pub(crate) async fn put(
    server: &Arc<Server>,
    (collection, namespace): (&RevisionedCollection, &Namespace),
    key: &[u8],
    put: Put,
) -> Result<Object> {
    let large = put.content.large.clone();
    let written = put_once(server, (collection, namespace), key, put).await;
    if let (Some(large), true) = (large, written.is_err())
        && !may_name(collection, key, &large).await
    {
        large::remove(server, namespace, &large);
    }
    written
}

/// Whether an object may name a value although its write has failed: one that could not be flushed is there all the same.
async fn may_name(collection: &RevisionedCollection, key: &[u8], value: &LargeValue) -> bool {
    let names = |object: Object| {
        let mut siblings = object.siblings.iter();
        siblings.any(|sibling| sibling.file == Some(value.file))
    };
    Object::read(collection, key).await.map_or(true, names)
}

async fn put_once(
    server: &Arc<Server>,
    (collection, namespace): (&RevisionedCollection, &Namespace),
    key: &[u8],
    put: Put,
) -> Result<Object> {
    if put.content.value.len() > VALUE_BYTES_MAX {
        return Err(too_large());
    }
    let begun = Instant::now();
    let _alone = server.lock(&collection.uuid(), key).await;
    for _ in 0..RETRIES_MAX {
        let found = Found::find(collection, key).await?;
        if put.keeps_siblings && found.siblings_noted() >= server.siblings_max {
            // Without the values, so that what is refused costs little.
            check_count(server, found.unseen(collection, &put.context).await? + 1)?;
        }
        let object = found.object(collection).await?;
        check_condition(&object, &put.condition, &put.context)?;
        let (resolve, next) = next(server, &object, &put)?;
        if let Some(revision) = commit(collection, resolve).await? {
            let mut next = next;
            if let Some(new) = next.siblings.first_mut() {
                new.revision = revision;
            }
            server.stats.put(begun);
            let is_left = |known: &&Sibling| {
                next.siblings
                    .iter()
                    .any(|left| left.revision.hash == known.revision.hash)
            };
            let ended: Vec<&Sibling> = object.siblings.iter().filter(|known| !is_left(known)).collect();
            let left: Vec<&Sibling> = next.siblings.iter().collect();
            large::remove_ended(server, namespace, &ended, &left);
            return Ok(next);
        }
    }
    Err(busy())
}

/// Writes what is made of an object and the next event, in place of all its siblings.
pub(crate) async fn replace(
    server: &Server,
    collection: &RevisionedCollection,
    key: &[u8],
    mut make: impl FnMut(&Object, &Dot) -> Result<Content>,
) -> Result<()> {
    let _alone = server.lock(&collection.uuid(), key).await;
    for _ in 0..RETRIES_MAX {
        let object = Object::read(collection, key).await?;
        let dot = Dot {
            actor: object.actor.clone(),
            counter: next_counter(server, &object),
        };
        let put = Put {
            content: make(&object, &dot)?,
            context: object.clock(),
            ..Put::default()
        };
        if put.content.value.len() > VALUE_BYTES_MAX {
            return Err(too_large());
        }
        let (resolve, _) = next(server, &object, &put)?;
        if commit(collection, resolve).await?.is_some() {
            return Ok(());
        }
    }
    Err(busy())
}

/// Deletes the siblings of an object that the clock has seen, all where there is no clock.
pub(crate) async fn delete(
    server: &Arc<Server>,
    (collection, namespace): (&RevisionedCollection, &Namespace),
    key: &[u8],
    context: Option<&Clock>,
    condition: &Condition,
) -> Result<Deleted> {
    let _alone = server.lock(&collection.uuid(), key).await;
    for _ in 0..RETRIES_MAX {
        let object = Object::read(collection, key).await?;
        if !object.exists() {
            return Ok(Deleted::Before(object.deletion(server)));
        }
        check_condition(&object, condition, &object.clock())?;
        let is_seen = |sibling: &&Sibling| context.is_none_or(|context| context.covers(&sibling.dot));
        let ended: Vec<Revision> = object
            .siblings
            .iter()
            .filter(is_seen)
            .map(|sibling| sibling.revision.clone())
            .collect();
        if ended.is_empty() {
            return Ok(Deleted::Now);
        }
        let mut notes = object.notes.clone();
        notes.counter = next_counter(server, &object);
        notes
            .siblings
            .retain(|known| ended.iter().all(|revision| revision.hash != known.hash));
        let left: Vec<&Content> = object
            .siblings
            .iter()
            .filter(|sibling| !ended.contains(&sibling.revision))
            .map(|sibling| &sibling.content)
            .collect();
        notes.deleted_ms = left.is_empty().then(|| server.engine.now_ms());
        let resolve = Resolve {
            id: object.id.clone(),
            leaves: revisions(&object),
            ended,
            document: None,
            notes: Some(notes_of(&notes, &left)?),
        };
        if commit(collection, resolve).await?.is_some() {
            let (gone, left): (Vec<&Sibling>, Vec<&Sibling>) = object.siblings.iter().partition(is_seen);
            large::remove_ended(server, namespace, &gone, &left);
            return Ok(Deleted::Now);
        }
    }
    Err(busy())
}

fn check_condition(object: &Object, condition: &Condition, context: &Clock) -> Result<()> {
    match condition {
        Condition::Nothing => Ok(()),
        Condition::Missing if object.exists() => Err(RiakError::precondition("match_found")),
        Condition::Missing => Ok(()),
        Condition::Unchanged if !object.exists() => Err(RiakError::precondition("notfound")),
        Condition::Unchanged if *context != object.clock() => Err(RiakError::precondition("modified")),
        Condition::Unchanged => Ok(()),
        Condition::Asked(headers) if is_met(object, headers) => Ok(()),
        Condition::Asked(_) => Err(RiakError::precondition("412 Precondition Failed")),
    }
}

/// Whether the conditions of a request that writes hold (RFC 9110, section 13.2.2).
fn is_met(object: &Object, headers: &HeaderMap) -> bool {
    if !object.exists() {
        return !headers.contains_key(IF_MATCH);
    }
    match read_precondition(headers, &format!("\"{}\"", object.tag()), object.modified()) {
        Precondition::Holds => true,
        // A date after which it was not changed is for those who read.
        Precondition::NotModified => !headers.contains_key(IF_NONE_MATCH),
        Precondition::Failed => false,
    }
}

/// What is to be committed, and the object that comes of it.
fn next(server: &Server, object: &Object, put: &Put) -> Result<(Resolve, Object)> {
    let is_ended = |sibling: &Sibling| !put.keeps_siblings || put.context.covers(&sibling.dot);
    let ended: Vec<Revision> = object
        .siblings
        .iter()
        .filter(|sibling| is_ended(sibling))
        .map(|sibling| sibling.revision.clone())
        .collect();
    let kept = || object.siblings.iter().filter(|sibling| !is_ended(sibling));
    check_count(server, kept().count() + 1)?;
    let counter = next_counter(server, object);
    let mut content = put.content.clone();
    content.modified_ms = Some(server.engine.now_ms());
    let generation = ended.first().map_or(0, |followed| followed.generation) + 1;
    let (document, form) = document_of(&object.id, &content, generation);
    let hash = new_hash()?;
    let is_given_back = form == Form::File || value_of(&document, form).0 == content.value;
    let new = SiblingNotes {
        hash: hash.clone(),
        counter,
        form,
        value: (!is_given_back).then(|| content.value.clone()),
        metadata: Content {
            value: bytes::Bytes::new(),
            large: None,
            ..content.clone()
        },
    };
    let mut notes = object.notes.clone();
    notes.counter = counter;
    notes.deleted_ms = None;
    notes.siblings.retain(|known| {
        kept().any(|sibling| sibling.revision.hash == known.hash) || is_ancestor_kept(known, object, &ended)
    });
    notes.siblings.insert(0, new);
    // The store says the generation.
    let unknown = Revision {
        generation: 0,
        hash: hash.clone(),
    };
    let mut siblings = vec![Sibling {
        revision: unknown,
        dot: Dot {
            actor: object.actor.clone(),
            counter,
        },
        file: content.large.as_ref().map(|large| large.file),
        content,
    }];
    siblings.extend(kept().cloned());
    let contents: Vec<&Content> = siblings.iter().map(|sibling| &sibling.content).collect();
    let resolve = Resolve {
        id: object.id.clone(),
        leaves: revisions(object),
        ended,
        document: Some((document, hash)),
        notes: Some(notes_of(&notes, &contents)?),
    };
    let next = Object {
        id: object.id.clone(),
        siblings,
        notes,
        actor: object.actor.clone(),
    };
    Ok((resolve, next))
}

/// Refuses more siblings than an object may have.
fn check_count(server: &Server, count: usize) -> Result<()> {
    if count <= server.siblings_max {
        return Ok(());
    }
    let message = format!(
        "{{too_many_siblings,{count}}}: the object has siblings that this put has not seen; read it and put one with the clock that comes with it"
    );
    Err(RiakError::new(StatusCode::SERVICE_UNAVAILABLE, message))
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

async fn commit(collection: &RevisionedCollection, resolve: Resolve) -> Result<Option<Revision>> {
    match collection.resolve(vec![resolve], true).await?.pop() {
        Some(EditOutcome::Written(revision)) => Ok(Some(revision)),
        Some(EditOutcome::Refused(error)) => Err(error.into()),
        Some(EditOutcome::Conflict) | None => Ok(None),
    }
}

fn notes_of(notes: &ObjectNotes, contents: &[&Content]) -> Result<Notes> {
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

fn revisions(object: &Object) -> Vec<Revision> {
    object
        .siblings
        .iter()
        .map(|sibling| sibling.revision.clone())
        .collect()
}

/// The number of the next event. The first is a time, so that an object whose deletion was forgotten does not count again
/// what clients have seen before.
fn next_counter(server: &Server, object: &Object) -> u64 {
    match object.notes.counter {
        0 => server.engine.now_ms().max(1),
        counter => counter + 1,
    }
}

fn new_hash() -> Result<RevisionHash> {
    let mut digest = [0; 16];
    getrandom::fill(&mut digest)
        .map_err(|error| RiakError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(RevisionHash::Digest(digest))
}

fn too_large() -> RiakError {
    let message = format!("Object too large to be stored; {VALUE_BYTES_MAX} bytes are the most");
    RiakError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

fn busy() -> RiakError {
    RiakError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "the object is changed by others all the time; try again",
    )
}
