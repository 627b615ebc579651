//! One attachment by itself (`src/chttpd/src/chttpd_db.erl`, `db_attachment_req`).

use super::put;
use crate::attachments::{Attachment, MEMBER, TYPE_DEFAULT, check_name, new_file};
use crate::call::Call;
use crate::database::Database;
use crate::error::{CouchError, Result};
use crate::incoming::{Incoming, parse_revision};
use crate::{ids, respond};
use engine::files::{Digests, FileReader};
use engine::{DocumentHistory, Revision, RevisionedSnapshot};
use http::{Body, HeaderValue, Method, Response, StatusCode, header, if_none_match};
use std::ops::Range;
use value::DocumentBuf;

/// `/{db}/{id}/{attachment}`.
pub(crate) async fn run(call: &mut Call, id: &str, name: &str) -> Result<Response> {
    match call.method {
        Method::GET | Method::HEAD => get(call, id, name).await,
        Method::PUT => put_attachment(call, id, name).await,
        Method::DELETE => delete(call, id, name).await,
        _ => Err(CouchError::method_not_allowed("DELETE,GET,HEAD,PUT")),
    }
}

/// The body of the revision that is meant: the one named, or the winner.
async fn open(
    snapshot: &RevisionedSnapshot,
    id: &str,
    revision: Option<&Revision>,
) -> Result<(DocumentHistory, DocumentBuf)> {
    let key = ids::resolve(snapshot, id).await?;
    let history = snapshot
        .history(key.as_ref())
        .await?
        .ok_or_else(CouchError::missing)?;
    let at = match revision {
        Some(revision) => history.tree.find(revision).ok_or_else(CouchError::missing)?,
        None if history.is_deleted() => return Err(CouchError::not_found("deleted")),
        None => history.winner,
    };
    let body = snapshot
        .body(&history, at)
        .await?
        .ok_or_else(CouchError::missing)?;
    Ok((history, body))
}

fn named(body: &DocumentBuf, name: &str) -> Result<Attachment> {
    let mut all = Attachment::all(body.as_raw()).into_iter();
    all.find(|attachment| attachment.name == name)
        .ok_or_else(|| CouchError::not_found("Document is missing attachment"))
}

async fn get(call: &Call, id: &str, name: &str) -> Result<Response> {
    let database = Database::of(call)?;
    let revision = call.query.get("rev").map(parse_revision).transpose()?;
    let (_, body) = open(&database.snapshot().await?, id, revision.as_ref()).await?;
    let attachment = named(&body, name)?;
    let tag = format!("\"{}\"", attachment.digest.trim_start_matches("md5-"));
    if if_none_match(&call.headers, &tag) {
        let mut response = respond::empty(StatusCode::NOT_MODIFIED);
        respond::tag(&mut response, &tag);
        return Ok(response);
    }
    let files = database.files();
    let entry = files
        .find_id(&attachment.file)
        .await?
        .ok_or_else(|| CouchError::not_found("Document is missing attachment"))?;
    let length = entry.length;
    let range = range(call.header("range"), length)?;
    let wanted = range.clone().unwrap_or(0..length);
    let mut response = match call.method {
        // The length is told, the bytes are not sent.
        Method::HEAD => Response::new(Body::channel(Some(wanted.end - wanted.start)).1),
        _ => Response::new(streamed(
            files.open(&entry, wanted.clone())?,
            wanted.end - wanted.start,
        )),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("must-revalidate"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert("content-security-policy", HeaderValue::from_static("sandbox"));
    let kind = HeaderValue::from_str(&attachment.content_type);
    headers.insert(
        header::CONTENT_TYPE,
        kind.unwrap_or_else(|_| HeaderValue::from_static(TYPE_DEFAULT)),
    );
    if range.is_some() {
        let told = format!("bytes {}-{}/{length}", wanted.start, wanted.end - 1);
        if let Ok(told) = HeaderValue::from_str(&told) {
            headers.insert(header::CONTENT_RANGE, told);
        }
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    respond::tag(&mut response, &tag);
    Ok(response)
}

/// A body that is read as the client takes it.
fn streamed(mut reader: FileReader, length: u64) -> Body {
    let (sender, body) = Body::channel(Some(length));
    tokio::spawn(async move {
        loop {
            match reader.next().await {
                Ok(Some(piece)) => {
                    if !sender.send(piece).await {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::error!(%error, "an attachment could not be read to its end");
                    return sender.give_up().await;
                }
            }
        }
    });
    body
}

/// The one range that is asked for (RFC 9110, section 14.2); none where there is no such header, or one of another form.
fn range(header: Option<&str>, length: u64) -> Result<Option<Range<u64>>> {
    let unsatisfiable = || {
        CouchError::new(
            StatusCode::RANGE_NOT_SATISFIABLE,
            "requested_range_not_satisfiable",
            "Requested range not satisfiable",
        )
    };
    let Some((first, last)) = header
        .and_then(|header| header.strip_prefix("bytes="))
        .and_then(|ranges| ranges.split_once('-'))
    else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let range = match (number(first), number(last)) {
        (Some(first), Some(last)) => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.trim().is_empty() => first..length,
        (None, Some(suffix)) if first.trim().is_empty() => length.saturating_sub(suffix)..length,
        _ => return Ok(None),
    };
    match range.is_empty() {
        true => Err(unsatisfiable()),
        false => Ok(Some(range)),
    }
}

async fn put_attachment(call: &mut Call, id: &str, name: &str) -> Result<Response> {
    ids::check(id)?;
    check_name(name)?;
    let database = Database::of(call)?;
    database.require_write(call, id)?;
    if call
        .header("content-encoding")
        .is_some_and(|encoding| encoding != "identity")
    {
        return Err(CouchError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_content_type",
            "Only the identity content-encoding is supported",
        ));
    }
    let revision = put::named_revision(call, None)?;
    let mut document = present(&database, id, revision.as_ref()).await?;
    let content_type = call.header("content-type").unwrap_or(TYPE_DEFAULT).to_owned();
    let files = database.files();
    let mut writer = files.create(new_file(id, name, &content_type)).await?;
    while let Some(piece) = call.body.chunk().await? {
        writer.write(&piece).await?;
    }
    let entry = writer.finish(&Digests::default(), None).await?;
    let generation = revision.as_ref().map_or(1, |revision| revision.generation + 1);
    let revpos = i64::try_from(generation).unwrap_or(i64::MAX);
    let attachment = Attachment::of(name, &content_type, revpos, &entry);
    let kept = document.kept.get_or_insert_default();
    kept.retain(|kept| kept.name != name);
    kept.push(attachment);
    document.revision = revision;
    let mut response = put::write(call, &database, id, document).await?;
    respond::location(&mut response, &call.url(&[&database.name, id, name]));
    Ok(response)
}

async fn delete(call: &mut Call, id: &str, name: &str) -> Result<Response> {
    let database = Database::of(call)?;
    database.require_write(call, id)?;
    let revision = put::named_revision(call, None)?;
    let (_, body) = open(&database.snapshot().await?, id, revision.as_ref()).await?;
    named(&body, name)?;
    let mut document = present(&database, id, revision.as_ref()).await?;
    document
        .kept
        .get_or_insert_default()
        .retain(|kept| kept.name != name);
    document.revision = revision;
    let mut response = put::write(call, &database, id, document).await?;
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().remove(header::LOCATION);
    Ok(response)
}

/// The document that the attachment is put to: the revision named, or a new one.
async fn present(database: &Database, id: &str, revision: Option<&Revision>) -> Result<Incoming> {
    let Some(revision) = revision else {
        return Ok(Incoming::default());
    };
    let (_, body) = match open(&database.snapshot().await?, id, Some(revision)).await {
        Err(error) if error.status == StatusCode::NOT_FOUND => return Err(CouchError::conflict()),
        opened => opened?,
    };
    let mut document = Incoming::of_body(body.as_raw(), MEMBER);
    document.kept = Some(Attachment::all(body.as_raw()));
    Ok(document)
}
