//! Writing objects: one sibling more, and those gone that its writer has seen.

use super::change::{Change, check_count, next_counter, revisions, stored_notes};
use super::large;
use super::{Found, Object, Sibling};
use crate::clock::{Clock, Dot};
use crate::content::{Content, LargeValue};
use crate::error::{Result, RiakError};
use crate::limits::{REPLACED_BYTES_TOGETHER_MAX, RETRIES_MAX, VALUE_BYTES_MAX};
use crate::server::Server;
use engine::{EditOutcome, Namespace, Resolve, Revision, RevisionedCollection, RevisionedSnapshot};
use http::header::{IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, Precondition, StatusCode, read_precondition};
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
    /// What a request by HTTP asks of it: by its headers, and that it is as it was when this clock was read.
    Asked {
        headers: Box<HeaderMap>,
        clock: Option<Clock>,
    },
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
    let told = put_once(server, (collection, namespace), key, put).await;
    if let (Some(large), true) = (large, told.is_err())
        && !may_name(collection, key, &large).await
    {
        large::remove(server, namespace, &large);
    }
    told
}

/// Whether an object may name a value although its write has failed: one that could not be flushed is there all the same.
async fn may_name(collection: &RevisionedCollection, key: &[u8], value: &LargeValue) -> bool {
    let names = |object: Object| {
        let mut siblings = object.siblings.iter();
        siblings.any(|sibling| sibling.file == Some(value.file))
    };
    Object::read(collection, key).await.map_or(true, names)
}

/// Writes several objects of a collection in one commit, as far as those that they replace can be held in memory together. No key
/// comes twice. Returns the outcome of each.
pub(crate) async fn put_together(
    server: &Arc<Server>,
    (collection, namespace): (&RevisionedCollection, &Namespace),
    puts: Vec<(Vec<u8>, Put)>,
) -> Result<Vec<Result<Object>>> {
    let begun = Instant::now();
    let keys = puts.iter().map(|(key, _)| key.as_slice()).collect();
    let _alone = server.locks.lock_all(&collection.uuid(), keys).await;
    let snapshot = collection.snapshot().await?;
    let (mut changes, mut resolves) = (Vec::with_capacity(puts.len()), Vec::with_capacity(puts.len()));
    let mut replaced_bytes = 0;
    for (key, put) in &puts {
        if replaced_bytes > REPLACED_BYTES_TOGETHER_MAX {
            changes.push(Ok(None));
            continue;
        }
        let prepared = prepare(server, collection, &snapshot, key, put).await;
        changes.push(prepared.map(|(resolve, change)| {
            replaced_bytes += change.bytes_before();
            resolves.push(resolve);
            Some(change)
        }));
    }
    drop(snapshot);
    let mut outcomes = collection.resolve(resolves, true).await?.into_iter();
    let mut told = Vec::with_capacity(puts.len());
    for ((key, put), change) in puts.iter().zip(changes) {
        let tried = change.map(|change| change.map(|change| (change, written(outcomes.next()))));
        told.push(match tried {
            Ok(Some((change, Ok(Some(revision))))) => {
                server.stats.put(begun);
                Ok(change.done(server, namespace, revision))
            }
            // It was left out, or another protocol has changed its object meanwhile.
            Ok(None | Some((_, Ok(None)))) => {
                put_alone(server, (collection, namespace), key, put, begun).await
            }
            Ok(Some((_, Err(error)))) | Err(error) => Err(error),
        });
    }
    Ok(told)
}

async fn put_once(
    server: &Arc<Server>,
    place: (&RevisionedCollection, &Namespace),
    key: &[u8],
    put: Put,
) -> Result<Object> {
    let begun = Instant::now();
    let _alone = server.locks.lock(&place.0.uuid(), key).await;
    put_alone(server, place, key, &put, begun).await
}

/// Writes an object whose lock is held.
async fn put_alone(
    server: &Arc<Server>,
    (collection, namespace): (&RevisionedCollection, &Namespace),
    key: &[u8],
    put: &Put,
    begun: Instant,
) -> Result<Object> {
    for _ in 0..RETRIES_MAX {
        let snapshot = collection.snapshot().await?;
        let (resolve, change) = prepare(server, collection, &snapshot, key, put).await?;
        drop(snapshot);
        if let Some(revision) = commit(collection, resolve).await? {
            server.stats.put(begun);
            return Ok(change.done(server, namespace, revision));
        }
    }
    Err(busy())
}

/// What is to be committed for a put of an object as it is in this snapshot, and the object after it.
async fn prepare(
    server: &Server,
    collection: &RevisionedCollection,
    snapshot: &RevisionedSnapshot,
    key: &[u8],
    put: &Put,
) -> Result<(Resolve, Change)> {
    if put.content.value.len() > VALUE_BYTES_MAX {
        return Err(too_large());
    }
    let found = Found::find(collection, snapshot, key).await?;
    if put.keeps_siblings && found.siblings_noted() >= server.siblings_max {
        // Without the values, so that what is refused costs little.
        check_count(server, found.unseen(collection, &put.context).await? + 1)?;
    }
    let object = found.object(collection).await?;
    check_condition(&object, &put.condition, &put.context)?;
    Change::of(server, object, put)
}

/// Writes what is made of an object and the next event, in place of all its siblings.
pub(crate) async fn replace(
    server: &Server,
    collection: &RevisionedCollection,
    key: &[u8],
    mut make: impl FnMut(&Object, &Dot) -> Result<Content>,
) -> Result<()> {
    let _alone = server.locks.lock(&collection.uuid(), key).await;
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
        let (resolve, _) = Change::of(server, object, &put)?;
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
    let _alone = server.locks.lock(&collection.uuid(), key).await;
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
            notes: Some(stored_notes(&notes, &left)?),
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
        Condition::Asked { headers, .. } if !is_met(object, headers) => {
            Err(RiakError::precondition("412 Precondition Failed"))
        }
        Condition::Asked {
            clock: Some(clock), ..
        } if !object.exists() || *clock != object.clock() => {
            Err(RiakError::new(StatusCode::CONFLICT, "409 Conflict"))
        }
        Condition::Asked { .. } => Ok(()),
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

async fn commit(collection: &RevisionedCollection, resolve: Resolve) -> Result<Option<Revision>> {
    written(collection.resolve(vec![resolve], true).await?.pop())
}

/// The revision that was written; `None` if the object is another one than was read.
fn written(outcome: Option<EditOutcome>) -> Result<Option<Revision>> {
    match outcome {
        Some(EditOutcome::Written(revision)) => Ok(Some(revision)),
        Some(EditOutcome::Refused(error)) => Err(error.into()),
        Some(EditOutcome::Conflict) | None => Ok(None),
    }
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
