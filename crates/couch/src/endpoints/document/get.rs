//! Reading a document.

use super::options::{OpenRevisions, ReadOptions};
use super::room::Room;
use super::{multipart, public};
use crate::attachments::{self, Attachment};
use crate::call::Call;
use crate::outgoing::{self, Shown, ShownHistory};
use crate::{respond, stream};
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::{DocumentHistory, Revision, RevisionedSnapshot};
use futures::FutureExt;
use http::{BodyError, Response, accepts_type, if_none_match};
use std::fmt::Write as _;
use value::ValueRef;

/// `GET /{db}/{id}`.
pub(crate) async fn run(call: &mut Call, id: &str) -> Result<Response> {
    let database = call.database_of_document()?;
    database.check_placed(id)?;
    if let Err(refusal) = database.require_read(id) {
        return public::answer(call, &database, id, refusal).boxed().await;
    }
    let mut options = ReadOptions::parse(&call.query)?;
    options.limit_revisions(database.collection.revisions_kept());
    let turn = database.collection.turn_to_answer().await;
    let _turn = turn.map_err(BodyError::from)?;
    let snapshot = database.snapshot().await?;
    let id = ids::resolve(&snapshot, id).await?;
    if database.hides_others() {
        database.require_own(&snapshot, id.as_ref()).boxed().await?;
    }
    if let Some(open) = &options.open {
        if accepts_type(&call.headers, "multipart/mixed") {
            return multipart::open_revisions(&database, &snapshot, id.as_ref(), open, &options)
                .boxed()
                .await;
        }
        return open_revisions(&database, &snapshot, id.as_ref(), open, &options)
            .boxed()
            .await;
    }
    match options.revision.as_ref().filter(|_| !options.latest) {
        None if !options.needs_more() => winner(call, &snapshot, id.as_ref()).await,
        // Boxed as all that is seldom asked for: the state of a request is moved.
        revision => {
            one(call, &database, &snapshot, id.as_ref(), revision, &options)
                .boxed()
                .await
        }
    }
}

/// The winning revision, which is what is mostly asked for.
async fn winner(call: &Call, snapshot: &RevisionedSnapshot, id: ValueRef<'_>) -> Result<Response> {
    let Some(record) = snapshot.document(id).await? else {
        return Err(absent(snapshot, id).await?);
    };
    let revision = record.revision();
    let tag = format!("\"{revision}\"");
    if if_none_match(&call.headers, &tag) {
        return Ok(respond::not_modified(&tag));
    }
    let mut text = String::with_capacity(record.document.bytes().len() + 128);
    let raw = record.document.as_raw();
    outgoing::write(raw, &revision, false, None, &mut text);
    let mut response = stream::respond(&call.operation, text);
    respond::tag(&mut response, &tag);
    Ok(response)
}

/// Why there is no document to show.
async fn absent(snapshot: &RevisionedSnapshot, id: ValueRef<'_>) -> Result<CouchError> {
    Ok(match snapshot.deletion(id).await? {
        Some(_) => CouchError::not_found("deleted"),
        None => CouchError::missing(),
    })
}

/// One revision with what else is asked for.
async fn one(
    call: &Call,
    database: &Database,
    snapshot: &RevisionedSnapshot,
    id: ValueRef<'_>,
    revision: Option<&Revision>,
    options: &ReadOptions,
) -> Result<Response> {
    let Some(history) = snapshot.history(id).await? else {
        return Err(CouchError::missing());
    };
    let at = match revision {
        None if history.is_deleted() && !options.deleted => return Err(CouchError::not_found("deleted")),
        None => history.winner,
        Some(revision) => history.tree.find(revision).ok_or_else(CouchError::missing)?,
    };
    let node = &history.tree.nodes()[at];
    let tag = format!("\"{}\"", node.revision);
    // The revisions before it are the same as long as it is; what else is shown of a history may change.
    let others = Shown {
        revs: None,
        ..options.shown
    };
    let has_tag = !others.needs_history();
    if has_tag && if_none_match(&call.headers, &tag) {
        return Ok(respond::not_modified(&tag));
    }
    let mut response = if is_multipart(call, snapshot, &history, at, options).await? {
        let related = multipart::related(snapshot, &history, at, options).await?;
        multipart::document(call, database, related.ok_or_else(CouchError::missing)?)
    } else {
        let mut text = String::new();
        if !write_revision(database, snapshot, &history, at, options, &mut text).await? {
            return Err(CouchError::missing());
        }
        stream::respond(&call.operation, text)
    };
    if has_tag {
        respond::tag(&mut response, &tag);
    }
    Ok(response)
}

/// Whether a document has attachments that are asked for by a client that takes them in parts of their own.
async fn is_multipart(
    call: &Call,
    snapshot: &RevisionedSnapshot,
    history: &DocumentHistory,
    at: usize,
    options: &ReadOptions,
) -> Result<bool> {
    if !options.wants_attachments() || !accepts_type(&call.headers, "multipart/related") {
        return Ok(false);
    }
    let body = snapshot.body(history, at).await?;
    Ok(body.is_some_and(|body| !Attachment::all(body.as_raw()).is_empty()))
}

/// Appends a revision; false where its body is not kept.
pub(crate) async fn write_revision(
    database: &Database,
    snapshot: &RevisionedSnapshot,
    history: &DocumentHistory,
    at: usize,
    options: &ReadOptions,
    out: &mut String,
) -> Result<bool> {
    let Some(body) = snapshot.body(history, at).await? else {
        return Ok(false);
    };
    let node = &history.tree.nodes()[at];
    let more = Some(ShownHistory {
        history,
        at,
        shown: options.shown,
    });
    let wanted = options.wanted_attachments(history, at);
    let loaded = attachments::load(&database.files(), body.as_raw(), wanted).await?;
    outgoing::write_loaded(body.as_raw(), &node.revision, node.deleted, more, &loaded, out);
    Ok(true)
}

/// `open_revs`: an array of the revisions that are there, followed by those that are not.
async fn open_revisions(
    database: &Database,
    snapshot: &RevisionedSnapshot,
    id: ValueRef<'_>,
    open: &OpenRevisions,
    options: &ReadOptions,
) -> Result<Response> {
    let history = snapshot.history(id).await?;
    let mut room = Room::of(database.collection.memory());
    let mut text = String::from("[");
    let mut missing = Vec::new();
    for opened in opened(history.as_ref(), open, options.latest)? {
        let start = text.len();
        let written = match (&history, opened.place) {
            (Some(history), Some(at)) => {
                text.push_str(if start > 1 { r#",{"ok":"# } else { r#"{"ok":"# });
                write_revision(database, snapshot, history, at, options, &mut text).await?
            }
            _ => false,
        };
        if written {
            text.push('}');
            room.add(text.len() - start)?;
        } else {
            text.truncate(start);
            missing.push(opened.revision);
        }
    }
    missing.sort_unstable();
    for revision in missing {
        let start = text.len();
        let comma = if start > 1 { "," } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(text, r#"{comma}{{"missing":"{revision}"}}"#);
        room.add(text.len() - start)?;
    }
    text.push(']');
    Ok(respond::ok(text))
}

/// A revision that is opened, and where it stands.
pub(crate) struct Opened {
    pub(crate) revision: Revision,
    pub(crate) place: Option<usize>,
}

/// The revisions that are opened: leaves, or those asked for, or with `latest` the leaves that follow them. As in CouchDB
/// (`fabric_doc_open_revs`), each is there once, and those that are known come first, in the order of revisions.
pub(crate) fn opened(
    history: Option<&DocumentHistory>,
    open: &OpenRevisions,
    latest: bool,
) -> Result<Vec<Opened>> {
    let at = |history: &DocumentHistory, place: usize| Opened {
        revision: history.tree.nodes()[place].revision.clone(),
        place: Some(place),
    };
    let asked = match (open, history) {
        (OpenRevisions::All, None) => return Err(CouchError::missing()),
        (OpenRevisions::All, Some(history)) => {
            let leaves = history.tree.leaves().into_iter();
            return Ok(in_order(leaves.map(|leaf| at(history, leaf)).collect()));
        }
        (OpenRevisions::These(asked), _) => asked,
    };
    let mut all: Vec<Opened> = Vec::new();
    for revision in asked {
        // Each is looked for among all, and may lead to all leaves.
        engine::steps(1 + history.map_or(0, |history| history.tree.nodes().len()))?;
        let place = history.and_then(|history| history.tree.find(revision));
        match (history, place) {
            (Some(history), Some(place)) if latest => {
                for leaf in history.tree.leaves_from(place) {
                    if all.iter().all(|opened| opened.place != Some(leaf)) {
                        all.push(at(history, leaf));
                    }
                }
            }
            _ => all.push(Opened {
                revision: revision.clone(),
                place,
            }),
        }
    }
    Ok(in_order(all))
}

fn in_order(mut all: Vec<Opened>) -> Vec<Opened> {
    all.sort_unstable_by(|one, other| {
        (one.place.is_none(), &one.revision).cmp(&(other.place.is_none(), &other.revision))
    });
    all.dedup_by(|one, other| one.revision == other.revision);
    all
}
