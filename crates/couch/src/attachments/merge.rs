//! The attachments that a document brings, and those that it keeps of the revision before.

use super::{Attachment, AttachmentWriter, Following, NewAttachment, Settings, TYPE_DEFAULT, check_name};
use access::database::Database;
use access::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::{Revision, RevisionedSnapshot};
use http::StatusCode;
use std::collections::HashMap;
use value::{Document, Value};

/// The document whose attachments are brought together.
#[derive(Debug)]
pub(crate) struct Merge<'a> {
    pub(crate) database: &'a Database,
    pub(crate) settings: Settings,
    pub(crate) id: &'a str,
    /// The revisions that the new one follows, the newest first; none if it follows the present one.
    pub(crate) ancestors: Vec<Revision>,
    /// The generation of the new revision.
    pub(crate) generation: u64,
    /// Whether another store made the revision.
    pub(crate) given: bool,
    /// Where attachments come from that are in parts of their own.
    pub(crate) following: Option<&'a mut Following>,
}

/// Keeps what the document brings and finds what it names by stubs. The files that were made are put into `made`, before an
/// error too, so that whoever does not write the document can remove them.
pub(crate) async fn merge(
    mut document: Merge<'_>,
    brought: &Document,
    made: &mut Vec<Value>,
) -> Result<Vec<Attachment>> {
    let generation = i64::try_from(document.generation).unwrap_or(i64::MAX);
    let names: Vec<&str> = brought.iter().map(|(name, _)| name).collect();
    let mut present = None;
    let mut all = Vec::with_capacity(brought.len());
    for (position, (name, properties)) in brought.iter().enumerate() {
        check_name(name)?;
        let Value::Document(properties) = properties else {
            return Err(CouchError::doc_validation("attachments must be JSON objects"));
        };
        if is_true(properties, "stub") {
            if present.is_none() {
                present = Some(by_name(attachments_of(&document).await?));
            }
            let revpos = number(properties, "revpos")?;
            let mut known = present.iter().filter_map(|present| present.get(name)).flatten();
            // A generation that the stub names must be that in which the attachment came.
            let known =
                known.find(|known| revpos.is_none_or(|revpos| u64::try_from(known.revpos) == Ok(revpos)));
            all.push(known.cloned().ok_or_else(|| missing_stub(document.id, name))?);
            continue;
        }
        let revpos = match document.given {
            true => given_revpos(properties, generation),
            false => generation,
        };
        let others = names.get(position + 1..).unwrap_or_default();
        let attachment = match is_true(properties, "follows") {
            true => document.following(name, properties, others, revpos).await?,
            false => document.inline(name, properties, revpos).await?,
        };
        made.push(attachment.file.clone());
        all.push(attachment);
    }
    Ok(all)
}

/// Attachments by their names, of which there may be a hundred thousand; those of several revisions share one.
fn by_name(attachments: Vec<Attachment>) -> HashMap<String, Vec<Attachment>> {
    let mut named: HashMap<String, Vec<Attachment>> = HashMap::new();
    for attachment in attachments {
        named.entry(attachment.name.clone()).or_default().push(attachment);
    }
    named
}

fn is_true(properties: &Document, name: &str) -> bool {
    properties.get(name) == Some(&Value::Bool(true))
}

fn missing_stub(id: &str, name: &str) -> CouchError {
    CouchError::new(
        StatusCode::PRECONDITION_FAILED,
        "missing_stub",
        format!("Invalid attachment stub in {id} for {name}"),
    )
}

fn content_type(properties: &Document) -> &str {
    match properties.get("content_type") {
        Some(Value::String(content_type)) => content_type,
        _ => TYPE_DEFAULT,
    }
}

impl Merge<'_> {
    /// An attachment whose bytes are in the document.
    async fn inline(&self, name: &str, properties: &Document, revpos: i64) -> Result<Attachment> {
        let invalid = || CouchError::bad_request(format!("Invalid attachment data for {name}"));
        let Some(Value::String(data)) = properties.get("data") else {
            return Err(invalid());
        };
        let bytes = decode(data).ok_or_else(invalid)?;
        let new = NewAttachment {
            document: self.id,
            name,
            content_type: content_type(properties),
            sent_length: Some(bytes.len() as u64),
            ..NewAttachment::default()
        };
        let mut writer = AttachmentWriter::create(&self.database.files(), &self.settings, new).await?;
        writer.write(&bytes).await?;
        writer.finish(revpos).await
    }

    /// An attachment whose bytes follow the document.
    async fn following(
        &mut self,
        name: &str,
        properties: &Document,
        others: &[&str],
        revpos: i64,
    ) -> Result<Attachment> {
        let Some(parts) = self.following.as_deref_mut() else {
            return Err(CouchError::bad_request(format!(
                "the bytes of the attachment {name} do not follow: send the document as multipart/related"
            )));
        };
        let is_encoded = is_encoded(properties)?;
        let length = number(properties, "length")?;
        let encoded_length = match is_encoded {
            true => number(properties, "encoded_length")?.or(length),
            false => length,
        };
        let new = NewAttachment {
            document: self.id,
            name,
            content_type: content_type(properties),
            is_encoded,
            sent_length: encoded_length,
            length,
            digest: match properties.get("digest") {
                Some(Value::String(digest)) => Some(digest),
                _ => None,
            },
        };
        parts
            .store(&self.database.files(), &self.settings, new, others, revpos)
            .await
    }
}

/// The bytes that base64 stands for, which many encoders break into lines.
fn decode(data: &str) -> Option<Vec<u8>> {
    let is_broken = data.contains(|c: char| c.is_ascii_whitespace());
    let decoded = match is_broken {
        true => BASE64_STANDARD.decode(data.split_ascii_whitespace().collect::<String>()),
        false => BASE64_STANDARD.decode(data),
    };
    decoded.ok()
}

/// Whether the bytes come compressed.
fn is_encoded(properties: &Document) -> Result<bool> {
    match properties.get("encoding") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::String(encoding)) => super::is_gzip(encoding),
        Some(_) => Err(CouchError::bad_request(
            "the encoding of an attachment must be a string",
        )),
    }
}

/// A member that is a number, where it is there.
fn number(properties: &Document, name: &str) -> Result<Option<u64>> {
    let wrong = || {
        CouchError::bad_request(format!(
            "the {name} of an attachment must be a whole number, at least 0"
        ))
    };
    let number = match properties.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Int32(number)) => i64::from(*number),
        Some(Value::Int64(number)) => *number,
        Some(_) => return Err(wrong()),
    };
    u64::try_from(number).map(Some).map_err(|_| wrong())
}

/// The generation in which another store got the attachment; 0 where it does not say.
fn given_revpos(properties: &Document, generation: i64) -> i64 {
    match properties.get("revpos") {
        Some(Value::Int32(revpos)) if *revpos > 0 => i64::from(*revpos).min(generation),
        _ => 0,
    }
}

/// The attachments of the newest revision that the new one follows and that is kept; where none is, those of all leaves.
async fn attachments_of(document: &Merge<'_>) -> Result<Vec<Attachment>> {
    let snapshot: RevisionedSnapshot = document.database.snapshot().await?;
    let key = access::ids::resolve(&snapshot, document.id).await?;
    let Some(history) = snapshot.history(key.as_ref()).await? else {
        return Ok(Vec::new());
    };
    for place in document
        .ancestors
        .iter()
        .filter_map(|ancestor| history.tree.find(ancestor))
    {
        if let Some(body) = snapshot.body(&history, place).await? {
            return Ok(Attachment::all(body.as_raw()));
        }
    }
    let mut all = Vec::new();
    for place in history.tree.leaves() {
        if let Some(body) = snapshot.body(&history, place).await? {
            all.extend(Attachment::all(body.as_raw()));
        }
    }
    Ok(all)
}
