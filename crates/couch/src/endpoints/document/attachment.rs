//! One attachment by itself (`src/chttpd/src/chttpd_db.erl`, `db_attachment_req`).

use super::{Put, put, ranges, send};
use crate::attachments::{
    Attachment, AttachmentReader, AttachmentWriter, MEMBER, NewAttachment, Settings, TYPE_DEFAULT,
    check_name, is_gzip,
};
use crate::call::Call;
use crate::incoming::{Incoming, parse_revision};
use crate::respond;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::Revision;
use engine::files::Files;
use http::{Body, HeaderValue, Method, Response, StatusCode, accepts_encoding, header, if_none_match};
use peer::related::{boundary, part_end};
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

/// A revision of a document.
struct Opened {
    body: DocumentBuf,
    deleted: bool,
}

/// The revision that is meant: the one named, or the winner.
async fn open(database: &Database, id: &str, revision: Option<&Revision>) -> Result<Opened> {
    let snapshot = database.snapshot().await?;
    let key = ids::resolve(&snapshot, id).await?;
    if database.hides_others() {
        database.require_own(&snapshot, key.as_ref()).await?;
    }
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
    Ok(Opened {
        body,
        deleted: history.tree.nodes()[at].deleted,
    })
}

fn named(body: &DocumentBuf, name: &str) -> Result<Attachment> {
    let mut all = Attachment::all(body.as_raw()).into_iter();
    all.find(|attachment| attachment.name == name)
        .ok_or_else(|| CouchError::not_found("Document is missing attachment"))
}

async fn get(call: &Call, id: &str, name: &str) -> Result<Response> {
    let database = call.database()?;
    let revision = call.query.get("rev").map(parse_revision).transpose()?;
    let opened = open(&database, id, revision.as_ref()).await?;
    let attachment = named(&opened.body, name)?;
    let tag = format!("\"{}\"", attachment.digest.trim_start_matches("md5-"));
    if if_none_match(&call.headers, &tag) {
        let mut response = respond::empty(StatusCode::NOT_MODIFIED);
        respond::tag(&mut response, &tag);
        return Ok(response);
    }
    let sent = Sent::choose(call, &attachment)?;
    let files = database.files();
    if let Sent::Parts(ranges) = sent {
        let mut response = byte_ranges(files, attachment, ranges);
        sandbox(call, &mut response);
        return Ok(response);
    }
    let length = sent.length(&attachment);
    let body = match (&call.method, &sent) {
        // The length is told, the bytes are not sent.
        (&Method::HEAD, _) => Body::channel(length).1,
        (_, Sent::Decoded) => AttachmentReader::decoded(&files, &attachment)
            .await?
            .into_body(length),
        (_, Sent::Part(range)) => {
            let reader = AttachmentReader::stored(&files, &attachment, Some(range.clone())).await?;
            reader.into_body(length)
        }
        _ => AttachmentReader::stored(&files, &attachment, None)
            .await?
            .into_body(length),
    };
    let mut response = respond::with_type(body, &attachment.content_type);
    sandbox(call, &mut response);
    let headers = response.headers_mut();
    let accepted = if attachment.is_encoded() { "none" } else { "bytes" };
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static(accepted));
    match &sent {
        Sent::Encoded => {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        Sent::Part(range) => {
            if let Ok(told) = HeaderValue::from_str(&content_range(range, attachment.stored_length())) {
                headers.insert(header::CONTENT_RANGE, told);
            }
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        }
        _ => {}
    }
    respond::tag(&mut response, &tag);
    Ok(response)
}

/// A user who may upload an attachment must not run scripts with the rights of those who look at it: as the section `csp` of the
/// settings says, and whatever else a browser might take it for.
fn sandbox(call: &Call, response: &mut Response) {
    let config = &call.server.config;
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if config.is_off("csp", "attachments_enable") {
        return;
    }
    let given = config.get("csp", "attachments_header_value");
    let policy = given.and_then(|given| HeaderValue::from_str(&given).ok());
    let policy = policy.unwrap_or(HeaderValue::from_static("sandbox"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
}

/// What of an attachment is sent, and in which form.
#[derive(Clone, Debug, PartialEq)]
enum Sent {
    /// All of it, which is stored as it is.
    Plain,
    /// All of it, compressed as it is stored.
    Encoded,
    /// All of it, decompressed on its way.
    Decoded,
    /// A part.
    Part(Range<u64>),
    /// Several parts.
    Parts(Vec<Range<u64>>),
}

impl Sent {
    fn choose(call: &Call, attachment: &Attachment) -> Result<Sent> {
        let whole = match attachment.is_encoded() {
            true if accepts_encoding(&call.headers, "gzip") => Sent::Encoded,
            true if accepts_encoding(&call.headers, "identity") => Sent::Decoded,
            false if accepts_encoding(&call.headers, "identity") => Sent::Plain,
            _ => {
                let reason = "unsupported encoding";
                return Err(CouchError::new(
                    StatusCode::NOT_ACCEPTABLE,
                    "not_acceptable",
                    reason,
                ));
            }
        };
        let Some(length) = whole.length(attachment) else {
            return Ok(whole);
        };
        let ranges = ranges::parse(call.header("range"), length)?;
        Ok(match (&whole, ranges) {
            (Sent::Plain, Some(mut ranges)) => match (ranges.len(), ranges.pop()) {
                (1, Some(range)) => Sent::Part(range),
                (_, last) => {
                    ranges.extend(last);
                    Sent::Parts(ranges)
                }
            },
            _ => whole,
        })
    }

    /// The bytes that are sent; `None` if that is not known, because a client did not say how much it compressed.
    fn length(&self, attachment: &Attachment) -> Option<u64> {
        let length = u64::try_from(attachment.length).unwrap_or(0);
        match self {
            Sent::Plain | Sent::Encoded => Some(attachment.stored_length()),
            Sent::Decoded => (length != attachment.stored_length()).then_some(length),
            Sent::Part(range) => Some(range.end - range.start),
            Sent::Parts(_) => None,
        }
    }
}

fn content_range(range: &Range<u64>, length: u64) -> String {
    format!("bytes {}-{}/{length}", range.start, range.end - 1)
}

/// Several parts as `multipart/byteranges`.
fn byte_ranges(files: Files, attachment: Attachment, ranges: Vec<Range<u64>>) -> Response {
    let boundary = boundary();
    let content_type = format!("multipart/byteranges; boundary=\"{boundary}\"");
    let (sender, body) = Body::channel(None);
    send(sender, |sender| async move {
        let mut is_taken = sender.send(format!("--{boundary}")).await;
        for range in ranges {
            let told = content_range(&range, attachment.stored_length());
            let head = format!(
                "\r\nContent-Type: {}\r\nContent-Range: {told}\r\n\r\n",
                attachment.content_type
            );
            let mut reader = AttachmentReader::stored(&files, &attachment, Some(range)).await?;
            is_taken = is_taken
                && sender.send(head).await
                && reader.send(&sender).await?
                && sender.send(part_end(&boundary)).await;
            if !is_taken {
                return Ok(false);
            }
        }
        Ok(sender.send("--").await)
    });
    let mut response = respond::with_type(body, &content_type);
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    response
}

async fn put_attachment(call: &mut Call, id: &str, name: &str) -> Result<Response> {
    check_name(name)?;
    let database = call.database()?;
    database.check_id(id)?;
    database.require_write(id)?;
    let is_encoded = call.header("content-encoding").map_or(Ok(false), is_gzip)?;
    let revision = put::named_revision(call, None)?;
    let mut document = present(&database, id, revision.as_ref()).await?;
    let content_type = call.header("content-type").unwrap_or(TYPE_DEFAULT).to_owned();
    let new = NewAttachment {
        document: id,
        name,
        content_type: &content_type,
        is_encoded,
        sent_length: call.body.length(),
        ..NewAttachment::default()
    };
    let settings = Settings::of(&call.server.config);
    let mut writer = AttachmentWriter::create(&database.files(), &settings, new).await?;
    while let Some(piece) = call.body.chunk().await? {
        writer.write(&piece).await?;
    }
    let generation = revision.as_ref().map_or(1, |revision| revision.generation + 1);
    let attachment = writer
        .finish(i64::try_from(generation).unwrap_or(i64::MAX))
        .await?;
    document.made = vec![attachment.file.clone()];
    let kept = document.kept.get_or_insert_default();
    kept.retain(|kept| kept.name != name);
    kept.insert(0, attachment);
    document.revision = revision;
    let put = Put::new(call, &database, id);
    let mut response = put.answer_with(StatusCode::CREATED, document).await?;
    respond::location(&mut response, &call.url(&[&database.name, id, name]));
    Ok(response)
}

async fn delete(call: &mut Call, id: &str, name: &str) -> Result<Response> {
    let database = call.database()?;
    database.require_write(id)?;
    let revision = put::named_revision(call, None)?;
    let opened = open(&database, id, revision.as_ref()).await;
    let opened = opened.map_err(|error| match &revision {
        Some(_) if error.status == StatusCode::NOT_FOUND => missing_revision(),
        _ => error,
    })?;
    named(&opened.body, name)?;
    let mut document = present(&database, id, revision.as_ref()).await?;
    document
        .kept
        .get_or_insert_default()
        .retain(|kept| kept.name != name);
    document.revision = revision;
    let put = Put::new(call, &database, id);
    let mut response = put.answer_with(StatusCode::OK, document).await?;
    response.headers_mut().remove(header::LOCATION);
    Ok(response)
}

/// The revision that is to be changed is not there.
fn missing_revision() -> CouchError {
    CouchError::new(StatusCode::CONFLICT, "not_found", "missing_rev")
}

/// The document that the attachment is put to: the revision named, which stays a deletion where it is one, or a new one.
pub(super) async fn present(database: &Database, id: &str, revision: Option<&Revision>) -> Result<Incoming> {
    let Some(revision) = revision else {
        return Ok(Incoming::default());
    };
    let Opened { body, deleted } = match open(database, id, Some(revision)).await {
        Err(error) if error.status == StatusCode::NOT_FOUND => return Err(missing_revision()),
        opened => opened?,
    };
    let mut document = Incoming::of_body(body.as_raw(), MEMBER);
    document.kept = Some(Attachment::all(body.as_raw()));
    document.deleted = deleted;
    Ok(document)
}
