//! `_bulk_get`: revisions of many documents at once (`src/chttpd/src/chttpd_db.erl`, `bulk_get_*`).

use crate::call::Call;
use crate::database::Database;
use crate::endpoints::document::{OpenRevisions, ReadOptions, opened, write_revision};
use crate::error::{CouchError, Result};
use crate::ids;
use crate::incoming::parse_revision;
use crate::stream::{self, Output};
use engine::RevisionedSnapshot;
use http::{Method, Response};
use json::write_string;
use std::fmt::Write as _;
use value::{Document, Value};

/// `POST /{db}/_bulk_get`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    call.check_is_json()?;
    let mut options = ReadOptions::parse(&call.query)?;
    options.limit_revisions(database.collection.revisions_kept());
    let body = call.json_object().await?;
    let Some(Value::Array(asked)) = body.get("docs").cloned() else {
        return Err(CouchError::bad_request("Missing JSON list of 'docs'."));
    };
    stream::respond_with(&call.operation, |mut output| async move {
        let written = write_all(&database, &asked, &options, &mut output).await;
        (output, written)
    })
    .await
}

async fn write_all(
    database: &Database,
    asked: &[Value],
    options: &ReadOptions,
    output: &mut Output,
) -> Result<()> {
    let snapshot = database.snapshot().await?;
    output.text.push_str(r#"{"results": ["#);
    for (position, asked) in asked.iter().enumerate() {
        output.text.push_str(if position > 0 { "," } else { "" });
        write_one(database, &snapshot, asked, options, &mut output.text).await?;
        if !output.end_row().await {
            return Ok(());
        }
    }
    output.text.push_str("]}");
    Ok(())
}

async fn write_one(
    database: &Database,
    snapshot: &RevisionedSnapshot,
    asked: &Value,
    options: &ReadOptions,
    out: &mut String,
) -> Result<()> {
    let (id, found) = match parse(database, asked) {
        Ok((id, open)) => (id, open),
        Err(Refused { id, revision, error }) => {
            write_head(id.as_deref(), out);
            write_error(id.as_deref(), revision.as_deref(), &error, out);
            out.push_str("]}");
            return Ok(());
        }
    };
    write_head(Some(&id), out);
    let key = ids::resolve(snapshot, &id).await?;
    let history = snapshot.history(key.as_ref()).await?;
    let opened = match (&history, &found) {
        (None, OpenRevisions::All) => Vec::new(),
        _ => opened(history.as_ref(), &found, options.latest)?,
    };
    if opened.is_empty() {
        write_error(Some(&id), Some("undefined"), &CouchError::missing(), out);
    }
    for (position, opened) in opened.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        let start = out.len();
        let written = match (&history, opened.place) {
            (Some(history), Some(at)) => {
                out.push_str(r#"{"ok":"#);
                write_revision(database, snapshot, history, at, options, out).await?
            }
            _ => false,
        };
        if written {
            out.push('}');
        } else {
            out.truncate(start);
            write_error(
                Some(&id),
                Some(&opened.revision.to_string()),
                &CouchError::missing(),
                out,
            );
        }
    }
    out.push_str("]}");
    Ok(())
}

/// An entry that cannot be answered, with what it names.
struct Refused {
    id: Option<String>,
    revision: Option<String>,
    error: CouchError,
}

/// The id and the revisions that one entry asks for; all leaves, where it names none.
fn parse(database: &Database, asked: &Value) -> Result<(String, OpenRevisions), Refused> {
    let wrong = || Refused {
        id: None,
        revision: None,
        error: CouchError::bad_request("document id missed"),
    };
    let Value::Document(asked) = asked else {
        return Err(wrong());
    };
    let text = |document: &Document, name: &str| match document.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    let id = text(asked, "id").ok_or_else(wrong)?;
    let revision = text(asked, "rev");
    if let Err(error) = database.check_placed(&id) {
        return Err(Refused {
            id: Some(id),
            revision,
            error,
        });
    }
    let Some(revision) = revision else {
        return Ok((id, OpenRevisions::All));
    };
    match parse_revision(&revision) {
        Ok(parsed) => Ok((id, OpenRevisions::These(vec![parsed]))),
        Err(error) => Err(Refused {
            id: Some(id),
            revision: Some(revision),
            error,
        }),
    }
}

fn write_head(id: Option<&str>, out: &mut String) {
    out.push_str(r#"{"id":"#);
    match id {
        Some(id) => write_string(id, out),
        None => out.push_str("null"),
    }
    out.push_str(r#","docs":["#);
}

fn write_error(id: Option<&str>, revision: Option<&str>, error: &CouchError, out: &mut String) {
    out.push_str(r#"{"error":{"id":"#);
    match id {
        Some(id) => write_string(id, out),
        None => out.push_str("null"),
    }
    out.push_str(r#","rev":"#);
    match revision {
        Some(revision) => write_string(revision, out),
        None => out.push_str("null"),
    }
    // Writing to a String cannot fail.
    let _ = write!(out, r#","error":"{}","reason":"#, error.error);
    write_string(&error.reason, out);
    out.push_str("}}");
}
