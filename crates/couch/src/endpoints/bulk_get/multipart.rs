//! Multipart answers, in which each document is a part, with its attachments as parts of that
//! (`src/chttpd/src/chttpd_db.erl`, `bulk_get_ret_multipart`).

use super::{Entry, Refused, parse, write_what_failed};
use crate::endpoints::document::{OpenRevisions, ReadOptions, opened, related, send};
use crate::respond;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::{Revision, RevisionedSnapshot};
use http::{Body, BodySender, HeaderMap, Response, accepts_type};
use peer::related::boundary;
use value::Value;

/// The head of a part that reports an error.
const ERROR: &str = "Content-Type: application/json; error=\"true\"";

/// The media type of the parts together, where the client wants such an answer and takes no JSON.
pub(super) fn wanted(headers: &HeaderMap) -> Option<&'static str> {
    let kinds = ["multipart/mixed", "multipart/related"];
    let wanted = kinds.into_iter().find(|kind| accepts_type(headers, kind));
    wanted.filter(|_| !accepts_type(headers, "application/json"))
}

/// Answers with the documents, part by part.
pub(super) fn answer(
    database: Database,
    asked: Vec<Value>,
    options: ReadOptions,
    kind: &'static str,
) -> Response {
    let boundary = boundary();
    let content_type = format!("{kind}; boundary=\"{boundary}\"");
    let (sender, body) = Body::channel(None);
    send(sender, |sender| async move {
        let parts = Parts {
            snapshot: database.snapshot().await?,
            database,
            boundary,
            sender,
        };
        for asked in &asked {
            if !parts.send_asked(asked, &options).await? {
                return Ok(false);
            }
        }
        let end = match asked.is_empty() {
            true => String::new(),
            false => format!("\r\n--{}--\r\n", parts.boundary),
        };
        Ok(parts.sender.send(end).await)
    });
    respond::with_type(body, &content_type)
}

struct Parts {
    database: Database,
    snapshot: RevisionedSnapshot,
    boundary: String,
    sender: BodySender,
}

impl Parts {
    /// Sends the documents that one entry names; false where the client has gone.
    async fn send_asked(&self, asked: &Value, options: &ReadOptions) -> Result<bool> {
        let entry = match parse(&self.database, asked) {
            Ok(entry) => entry,
            Err(Refused { id, revision, error }) => {
                return Ok(self.send_failure(id.as_deref(), &revision, &error).await);
            }
        };
        let Entry {
            id,
            open,
            attachments_since,
        } = entry;
        let options = ReadOptions {
            attachments_since,
            ..options.clone()
        };
        let key = ids::resolve(&self.snapshot, &id).await?;
        let history = self.snapshot.history(key.as_ref()).await?;
        let opened = match (&history, &open) {
            (None, OpenRevisions::All) => Vec::new(),
            _ => opened(history.as_ref(), &open, options.latest)?,
        };
        if opened.is_empty() {
            let revision = Value::from("undefined");
            return Ok(self
                .send_failure(Some(&id), &revision, &CouchError::missing())
                .await);
        }
        for opened in opened {
            let found = match (&history, opened.place) {
                (Some(history), Some(at)) => related(&self.snapshot, history, at, &options).await?,
                _ => None,
            };
            let is_taken = match found {
                Some(found) => {
                    let head = head(&id, &opened.revision, &found.content_type());
                    self.begin(&head).await && found.send(&self.database.files(), &self.sender).await?
                }
                None => {
                    let revision = &opened.revision;
                    let text = format!(r#"{{"rev":"{revision}","error":"not_found","reason":"missing"}}"#);
                    self.begin(ERROR).await && self.sender.send(text).await
                }
            };
            if !is_taken {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Begins a part with this head.
    async fn begin(&self, head: &str) -> bool {
        let text = format!("\r\n--{}\r\n{head}\r\n\r\n", self.boundary);
        self.sender.send(text).await
    }

    async fn send_failure(&self, id: Option<&str>, revision: &Value, error: &CouchError) -> bool {
        let mut text = String::new();
        write_what_failed(id, revision, error, &mut text);
        self.begin(ERROR).await && self.sender.send(text).await
    }
}

/// The head of a document's part. One with attachments names the document, unless its id cannot stand in a head.
fn head(id: &str, revision: &Revision, content_type: &str) -> String {
    let is_named = content_type.starts_with("multipart/") && !id.contains(char::is_control);
    match is_named {
        true => format!("X-Doc-Id: {id}\r\nX-Rev-Id: {revision}\r\nContent-Type: {content_type}"),
        false => format!("Content-Type: {content_type}"),
    }
}
