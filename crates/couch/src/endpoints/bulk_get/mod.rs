//! `_bulk_get`: revisions of many documents at once (`src/chttpd/src/chttpd_db.erl`, `bulk_get_*`).

mod multipart;

use crate::call::Call;
use crate::endpoints::document::{OpenRevisions, ReadOptions, opened, write_revision};
use crate::incoming::parse_revision;
use crate::query::Query;
use crate::stream::{self, Output};
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::{Revision, RevisionedSnapshot};
use http::{Method, Response};
use json::write_string;
use std::fmt::Write as _;
use value::Value;

/// `POST /{db}/_bulk_get`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    call.check_is_json()?;
    check_query(&call.query)?;
    let mut options = ReadOptions::parse(&call.query)?;
    options.limit_revisions(database.collection.revisions_kept());
    let body = call.json_object().await?;
    let Some(Value::Array(asked)) = body.get("docs").cloned() else {
        return Err(CouchError::bad_request("Missing JSON list of 'docs'."));
    };
    if let Some(kind) = multipart::wanted(&call.headers) {
        return Ok(multipart::answer(database, asked, options, kind));
    }
    stream::respond_with(&call.operation, |mut output| async move {
        let written = write_all(&database, &asked, &options, &mut output).await;
        (output, written)
    })
    .await
}

/// Refuses parameters of which each entry has its own, or that are of writing.
fn check_query(query: &Query) -> Result<()> {
    const REFUSED: [&str; 5] = ["open_revs", "new_edits", "w", "rev", "atts_since"];
    match query.iter().find(|(name, _)| REFUSED.contains(name)) {
        Some((name, _)) => Err(CouchError::bad_request(format!(
            "\"{name}\" query parameter is not acceptable"
        ))),
        None => Ok(()),
    }
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
        output.begin_read(&database.collection).await?;
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
    let Entry {
        id,
        open: found,
        attachments_since,
    } = match parse(database, asked) {
        Ok(entry) => entry,
        Err(Refused { id, revision, error }) => {
            write_head(id.as_deref(), out);
            write_error(id.as_deref(), &revision, &error, out);
            out.push_str("]}");
            return Ok(());
        }
    };
    let options = &ReadOptions {
        attachments_since,
        ..options.clone()
    };
    write_head(Some(&id), out);
    let key = ids::resolve(snapshot, &id).await?;
    let history = snapshot.history(key.as_ref()).await?;
    let opened = match (&history, &found) {
        (None, OpenRevisions::All) => Vec::new(),
        _ => opened(history.as_ref(), &found, options.latest)?,
    };
    if opened.is_empty() {
        write_error(Some(&id), &Value::from("undefined"), &CouchError::missing(), out);
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
            let revision = Value::from(opened.revision.to_string());
            write_error(Some(&id), &revision, &CouchError::missing(), out);
        }
    }
    out.push_str("]}");
    Ok(())
}

/// What one entry asks for.
struct Entry {
    id: String,
    /// All leaves, where it names no revision.
    open: OpenRevisions,
    /// The revisions that its client has, where it wants later attachments.
    attachments_since: Option<Vec<Revision>>,
}

/// An entry that cannot be answered, with what it names.
struct Refused {
    id: Option<String>,
    /// The wrong one, where a revision is what is wrong.
    revision: Value,
    error: Box<CouchError>,
}

fn parse(database: &Database, asked: &Value) -> Result<Entry, Refused> {
    let wrong = |reason: &'static str| Refused {
        id: None,
        revision: Value::Null,
        error: Box::new(CouchError::bad_request(reason)),
    };
    let asked = match asked {
        Value::Document(asked) if !asked.is_empty() => asked,
        _ => return Err(wrong("document must be a JSON object")),
    };
    let id = match asked.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(_) => return Err(wrong("Document id must be a string")),
        None => return Err(wrong("document id missed")),
    };
    let refused = |revision: &Value, error| Refused {
        id: Some(id.clone()),
        revision: revision.clone(),
        error: Box::new(error),
    };
    database
        .check_id(&id)
        .map_err(|error| refused(&Value::Null, error))?;
    let read = |given: &Value| match given {
        Value::String(text) => parse_revision(text).map_err(|error| refused(given, error)),
        other => Err(refused(other, CouchError::bad_request("Invalid rev format"))),
    };
    let open = match asked.get("rev") {
        None => OpenRevisions::All,
        Some(given) => OpenRevisions::These(vec![read(given)?]),
    };
    let attachments_since = match asked.get("atts_since") {
        None => None,
        Some(Value::Array(known)) if known.is_empty() => None,
        Some(Value::Array(known)) => Some(known.iter().map(read).collect::<Result<_, _>>()?),
        Some(other) => {
            // So CouchDB writes it.
            let reason = "att_since value must be array of revs.";
            return Err(refused(other, CouchError::bad_request(reason)));
        }
    };
    Ok(Entry {
        id,
        open,
        attachments_since,
    })
}

fn write_head(id: Option<&str>, out: &mut String) {
    out.push_str(r#"{"id":"#);
    match id {
        Some(id) => write_string(id, out),
        None => out.push_str("null"),
    }
    out.push_str(r#","docs":["#);
}

fn write_error(id: Option<&str>, revision: &Value, error: &CouchError, out: &mut String) {
    out.push_str(r#"{"error":"#);
    write_what_failed(id, revision, error, out);
    out.push('}');
}

fn write_what_failed(id: Option<&str>, revision: &Value, error: &CouchError, out: &mut String) {
    out.push_str(r#"{"id":"#);
    match id {
        Some(id) => write_string(id, out),
        None => out.push_str("null"),
    }
    out.push_str(r#","rev":"#);
    json::write(revision.as_ref(), out);
    // Writing to a String cannot fail.
    let _ = write!(out, r#","error":"{}","reason":"#, error.error);
    write_string(&error.reason, out);
    out.push('}');
}
