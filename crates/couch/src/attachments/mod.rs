//! Attachments: files of a document.
//!
//! The document keeps of each its media type, length, MD5 digest, the generation in which it came (`revpos`) and the id of a
//! file in the bucket `COLLECTION.attachments`; its bytes are chunks there, as those of every file, compressed by gzip where
//! the media type is worth it. Files that no revision names any more are removed by `_compact`.
//!
//! [`AttachmentWriter`] and [`AttachmentReader`] are the ways in and out, neither of which holds an attachment whole; [`load`]
//! does, for documents that are asked for with attachments in their JSON.

mod following;
mod load;
mod merge;
mod reader;
mod related;
mod settings;
mod sweep;
mod writer;

pub(crate) use following::Following;
pub(crate) use load::{Loaded, Wanted, load};
pub(crate) use merge::{Merge, merge};
pub(crate) use reader::AttachmentReader;
pub(crate) use related::Related;
pub(crate) use settings::Settings;
pub(crate) use sweep::sweep;
pub(crate) use writer::{AttachmentWriter, NewAttachment};

use access::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::{DigestKind, FileEntry, FileError};
use std::fmt::Write as _;
use value::{Document, RawDocument, Value, ValueRef};

/// The member of a document that holds its attachments.
pub(crate) const MEMBER: &str = "_attachments";
/// The media type where none is given (`src/couch/src/couch_att.erl`).
pub(crate) const TYPE_DEFAULT: &str = "application/octet-stream";

/// The one encoding in which attachments are stored.
const GZIP: &str = "gzip";
/// The member that holds the length of the stored bytes.
const ENCODED_LENGTH: &str = "encodedLength";

/// One attachment as the document keeps it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) content_type: String,
    /// The generation in which it came.
    pub(crate) revpos: i64,
    /// `md5-` and the digest of the stored bytes in base64.
    pub(crate) digest: String,
    /// Bytes before compression; where a client sent it compressed and did not say, as it was sent.
    pub(crate) length: i64,
    /// The stored bytes, where they are compressed by gzip.
    pub(crate) encoded_length: Option<i64>,
    /// The id of its file.
    pub(crate) file: Value,
}

impl Attachment {
    pub(crate) fn of(name: &str, content_type: &str, revpos: i64, entry: &FileEntry) -> Attachment {
        let digest = entry.digests.get(DigestKind::Md5).unwrap_or_default();
        Attachment {
            name: name.to_owned(),
            content_type: content_type.to_owned(),
            revpos,
            digest: format!("md5-{}", BASE64_STANDARD.encode(digest)),
            length: i64::try_from(entry.length).unwrap_or(i64::MAX),
            encoded_length: None,
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
            encoded_length: number(ENCODED_LENGTH),
            file: kept.get("file")?.to_value(),
        })
    }

    /// The member of `_attachments` that the document keeps.
    fn kept(&self) -> Document {
        let mut kept = Document::new()
            .with("content_type", self.content_type.as_str())
            .with("revpos", Value::Int64(self.revpos))
            .with("digest", self.digest.as_str())
            .with("length", Value::Int64(self.length));
        if let Some(encoded) = self.encoded_length {
            kept.push("encoding", GZIP);
            kept.push(ENCODED_LENGTH, Value::Int64(encoded));
        }
        kept.push("file", self.file.clone());
        kept
    }

    /// Whether it is stored compressed.
    pub(crate) fn is_encoded(&self) -> bool {
        self.encoded_length.is_some()
    }

    /// Bytes that are stored.
    pub(crate) fn stored_length(&self) -> u64 {
        u64::try_from(self.encoded_length.unwrap_or(self.length)).unwrap_or(0)
    }

    /// Appends the attachment: its bytes in base64 where they were loaded, else that they follow, else a stub.
    pub(crate) fn write(&self, loaded: &Loaded, out: &mut String) {
        json::write_string(&self.name, out);
        out.push_str(r#":{"content_type":"#);
        json::write_string(&self.content_type, out);
        // Writing to a String cannot fail.
        let _ = write!(out, r#","revpos":{},"digest":"{}""#, self.revpos, self.digest);
        let _ = match loaded.data.get(&self.name) {
            Some(data) => write!(out, r#","data":"{data}""#),
            None if loaded.following.contains(&self.name) => {
                write!(out, r#","length":{},"follows":true"#, self.length)
            }
            None => write!(out, r#","length":{},"stub":true"#, self.length),
        };
        if let Some(encoded) = self.encoded_length.filter(|_| loaded.encoding) {
            let _ = write!(out, r#","encoding":"{GZIP}","encoded_length":{encoded}"#);
        }
        out.push('}');
    }
}

/// All attachments of a document as it keeps them.
pub(crate) fn kept(attachments: &[Attachment]) -> Document {
    attachments.iter().fold(Document::new(), |kept, attachment| {
        kept.with(attachment.name.as_str(), attachment.kept())
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

/// What a file's error says of an attachment that was declared otherwise.
fn file_of(error: FileError) -> CouchError {
    match error {
        FileError::DigestMismatch(_) => writer::mismatch(),
        other => other.into(),
    }
}

/// Whether a content encoding is gzip; others than that and none at all are refused, as CouchDB does.
pub(crate) fn is_gzip(encoding: &str) -> Result<bool> {
    match encoding.trim().to_ascii_lowercase().as_str() {
        "identity" => Ok(false),
        GZIP => Ok(true),
        _ => Err(CouchError::new(
            http::StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_content_type",
            "Only gzip and identity content-encodings are supported",
        )),
    }
}
