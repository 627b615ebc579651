//! Reading documents with their attachments in parts of their own (`src/chttpd/src/chttpd_db.erl`, `send_doc_efficiently`,
//! `send_docs_multipart`).

use super::get::opened;
use super::options::{OpenRevisions, ReadOptions};
use super::room::Room;
use crate::attachments::{Attachment, Loaded, Related, Wanted};
use crate::call::Call;
use crate::outgoing::{self, ShownHistory};
use crate::respond;
use access::database::Database;
use access::error::Result;
use engine::files::Files;
use engine::{DocumentHistory, Revision, RevisionedSnapshot};
use http::{Body, BodySender, Method, Response};
use peer::related::boundary;
use value::ValueRef;

/// A revision with the attachments that the client lacks; `None` if its body is not kept.
pub(crate) async fn related(
    snapshot: &RevisionedSnapshot,
    history: &DocumentHistory,
    at: usize,
    options: &ReadOptions,
) -> Result<Option<Related>> {
    let Some(body) = snapshot.body(history, at).await? else {
        return Ok(None);
    };
    let wanted = Wanted {
        since: Some(options.known_generation(history, at)),
        encoding: true,
    };
    let attachments: Vec<Attachment> = wanted.of(body.as_raw());
    let node = &history.tree.nodes()[at];
    let mut json = String::new();
    outgoing::write_loaded(
        body.as_raw(),
        &node.revision,
        node.deleted,
        Some(ShownHistory {
            history,
            at,
            shown: options.shown,
        }),
        &Loaded::following(&attachments),
        &mut json,
    );
    Ok(Some(Related::new(json, attachments)))
}

/// One document as `multipart/related`.
pub(super) fn document(call: &Call, database: &Database, related: Related) -> Response {
    let content_type = related.content_type();
    let (sender, body) = Body::channel(Some(related.length()));
    if call.method != Method::HEAD {
        let files = database.files();
        send(
            sender,
            |sender| async move { related.send(&files, &sender).await },
        );
    }
    respond::with_type(body, &content_type)
}

/// The revisions that `open_revs` opens as `multipart/mixed`.
pub(super) async fn open_revisions(
    database: &Database,
    snapshot: &RevisionedSnapshot,
    id: ValueRef<'_>,
    open: &OpenRevisions,
    options: &ReadOptions,
) -> Result<Response> {
    let history = snapshot.history(id).await?;
    let mut parts = Vec::new();
    let mut missing = Vec::new();
    let mut room = Room::of(database.collection.memory());
    for opened in opened(history.as_ref(), open, options.latest)? {
        let related = match (&history, opened.place) {
            (Some(history), Some(at)) => related(snapshot, history, at, options).await?,
            _ => None,
        };
        match related {
            Some(related) => {
                room.add(related.json_bytes())?;
                parts.push(Part::Found(related));
            }
            None => missing.push(opened.revision),
        }
    }
    missing.sort_unstable();
    parts.extend(missing.into_iter().map(Part::Missing));
    let outer = boundary();
    let content_type = format!("multipart/mixed; boundary=\"{outer}\"");
    let (sender, body) = Body::channel(None);
    let files = database.files();
    send(sender, |sender| async move {
        let _room = room;
        send_parts(parts, &outer, &files, &sender).await
    });
    Ok(respond::with_type(body, &content_type))
}

/// A part of the answer.
#[derive(Debug)]
enum Part {
    Found(Related),
    /// There is no such revision.
    Missing(Revision),
}

/// False where nobody takes them any more.
async fn send_parts(parts: Vec<Part>, outer: &str, files: &Files, sender: &BodySender) -> Result<bool> {
    let mut is_taken = sender.send(format!("--{outer}")).await;
    for part in parts {
        is_taken = is_taken
            && match part {
                Part::Found(related) => {
                    let head = format!("\r\nContent-Type: {}\r\n\r\n", related.content_type());
                    sender.send(head).await && related.send(files, sender).await?
                }
                Part::Missing(revision) => {
                    let head = "\r\nContent-Type: application/json; error=\"true\"\r\n\r\n";
                    sender.send(format!(r#"{head}{{"missing":"{revision}"}}"#)).await
                }
            }
            && sender.send(format!("\r\n--{outer}")).await;
        if !is_taken {
            return Ok(false);
        }
    }
    Ok(sender.send("--").await)
}

/// Sends a body from a task of its own; one that cannot be made to its end is cut off.
pub(crate) fn send<W, F>(sender: BodySender, write: W)
where
    W: FnOnce(BodySender) -> F,
    F: Future<Output = Result<bool>> + Send + 'static,
{
    let writing = write(sender.clone());
    tokio::spawn(async move {
        if let Err(error) = writing.await {
            tracing::error!(%error, "an answer with attachments was cut off");
            sender.give_up().await;
        }
    });
}
