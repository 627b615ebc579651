//! Attachments: files of a document.
//!
//! The document keeps of each its media type, length, MD5 digest, the generation in which it came (`revpos`) and the id of a
//! file in the bucket `COLLECTION.attachments`; its bytes are chunks there, as those of every file. Files that no revision
//! names any more are removed by `_compact`.

mod load;
mod merge;
mod sweep;

pub(crate) use load::{Loaded, Wanted, load};
pub(crate) use merge::merge;
pub(crate) use sweep::sweep;

use crate::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::{DigestKind, Digests, FileEntry, FileError, Files, NewFile};
use std::fmt::Write as _;
use value::{Document, RawDocument, Value, ValueRef};

/// The member of a document that holds its attachments.
pub(crate) const MEMBER: &str = "_attachments";
/// The media type where none is given (`src/couch/src/couch_att.erl`).
pub(crate) const TYPE_DEFAULT: &str = "application/octet-stream";

/// One attachment as the document keeps it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) content_type: String,
    /// The generation in which it came.
    pub(crate) revpos: i64,
    /// `md5-` and the digest in base64.
    pub(crate) digest: String,
    pub(crate) length: i64,
    /// The id of its file.
    pub(crate) file: Value,
}

impl Attachment {
    /// The attachment that a file is.
    pub(crate) fn of(name: &str, content_type: &str, revpos: i64, entry: &FileEntry) -> Attachment {
        let digest = entry.digests.get(DigestKind::Md5).unwrap_or_default();
        Attachment {
            name: name.to_owned(),
            content_type: content_type.to_owned(),
            revpos,
            digest: format!("md5-{}", BASE64_STANDARD.encode(digest)),
            length: i64::try_from(entry.length).unwrap_or(i64::MAX),
            file: entry.id.clone(),
        }
    }

    /// The attachments of a document; what another protocol wrote in their place is none.
    pub(crate) fn all(body: RawDocument<'_>) -> Vec<Attachment> {
        let Some(ValueRef::Document(kept)) = body.get(MEMBER) else {
            return Vec::new();
        };
        kept.iter()
            .filter_map(|(name, kept)| Attachment::read(name, kept))
            .collect()
    }

    fn read(name: &str, kept: ValueRef<'_>) -> Option<Attachment> {
        let kept = kept.as_document()?;
        let number = |field: &str| match kept.get(field) {
            Some(ValueRef::Int64(number)) => Some(number),
            Some(ValueRef::Int32(number)) => Some(i64::from(number)),
            _ => None,
        };
        Some(Attachment {
            name: name.to_owned(),
            content_type: kept.get("content_type")?.as_str()?.to_owned(),
            revpos: number("revpos")?,
            digest: kept.get("digest")?.as_str()?.to_owned(),
            length: number("length")?,
            file: kept.get("file")?.to_value(),
        })
    }

    /// As the document keeps it; without the file's id, which differs between nodes, for the revision's hash.
    fn kept(&self, with_file: bool) -> Document {
        let mut kept = Document::new()
            .with("content_type", self.content_type.as_str())
            .with("revpos", Value::Int64(self.revpos))
            .with("digest", self.digest.as_str())
            .with("length", Value::Int64(self.length));
        if with_file {
            kept.push("file", self.file.clone());
        }
        kept
    }

    /// Appends the attachment: its bytes in base64 where they are given, else a stub.
    pub(crate) fn write(&self, data: Option<&str>, out: &mut String) {
        crate::json::write_string(&self.name, out);
        out.push_str(r#":{"content_type":"#);
        crate::json::write_string(&self.content_type, out);
        // Writing to a String cannot fail.
        let _ = write!(out, r#","revpos":{},"digest":"{}""#, self.revpos, self.digest);
        let _ = match data {
            Some(data) => write!(out, r#","data":"{data}"}}"#),
            None => write!(out, r#","length":{},"stub":true}}"#, self.length),
        };
    }
}

/// All attachments of a document as it keeps them.
pub(crate) fn kept(attachments: &[Attachment], with_file: bool) -> Document {
    attachments.iter().fold(Document::new(), |kept, attachment| {
        kept.with(attachment.name.as_str(), attachment.kept(with_file))
    })
}

/// Refuses a name that no attachment can have.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match name.starts_with('_') {
        true => Err(CouchError::bad_request(format!(
            "Attachment name '{name}' starts with prohibited character '_'"
        ))),
        false => Ok(()),
    }
}

/// A new file for an attachment.
pub(crate) fn new_file(id: &str, name: &str, content_type: &str) -> NewFile {
    NewFile {
        name: format!("{id}/{name}"),
        content_type: Some(content_type.to_owned()),
        digests: vec![DigestKind::Md5],
        ..NewFile::default()
    }
}

/// Keeps the bytes of an attachment.
pub(crate) async fn store(
    files: &Files,
    id: &str,
    name: &str,
    content_type: &str,
    bytes: &[u8],
) -> Result<FileEntry> {
    let mut writer = files.create(new_file(id, name, content_type)).await?;
    writer.write(bytes).await?;
    Ok(writer.finish(&Digests::default(), None).await?)
}

impl From<FileError> for CouchError {
    fn from(error: FileError) -> CouchError {
        match error {
            FileError::Engine(error) => error.into(),
            FileError::TooManyChunks(_) | FileError::TooLong { .. } => CouchError::new(
                http::StatusCode::PAYLOAD_TOO_LARGE,
                "attachment_too_large",
                error.to_string(),
            ),
            FileError::DigestMismatch(_) => CouchError::bad_request(error.to_string()),
            other => CouchError::new(
                http::StatusCode::INTERNAL_SERVER_ERROR,
                "internal_server_error",
                other.to_string(),
            ),
        }
    }
}
