//! A file's entry: its document in `BUCKET.files`.

use super::digest::from_hex;
use super::{Bucket, CHUNK_BYTES_DEFAULT, DigestKind, Digests, FileError};
use std::sync::atomic::{AtomicU64, Ordering};
use value::{Document, DocumentBuf, Value, hex};

/// The metadata field that holds the media type.
const CONTENT_TYPE: &str = "contentType";

/// The entry of a file.
#[derive(Debug)]
pub struct FileEntry {
    /// Its id, any BSON value.
    pub id: Value,
    /// Its name; drivers may leave it out.
    pub name: Option<String>,
    /// Bytes of the file.
    pub length: u64,
    /// Bytes of each chunk except the last.
    pub chunk_bytes: u32,
    /// When it was finished, in milliseconds since 1970: the order of versions of one name.
    pub uploaded_ms: i64,
    /// Its media type, where one was given.
    pub content_type: Option<String>,
    /// Digests of its bytes; files that drivers wrote have none.
    pub digests: Digests,
    /// What else its writer keeps with it.
    pub metadata: Document,
    /// The document that it was read from, if any.
    source: Option<DocumentBuf>,
    /// One more than the `rewrites` of the chunks when its bytes were last verified against its digest; 0 if never.
    verified: AtomicU64,
}

impl FileEntry {
    /// The entry of an empty file.
    pub(super) fn new(id: Value, name: String, chunk_bytes: u32) -> FileEntry {
        FileEntry {
            id,
            name: Some(name),
            length: 0,
            chunk_bytes,
            uploaded_ms: 0,
            content_type: None,
            digests: Digests::default(),
            metadata: Document::new(),
            source: None,
            verified: AtomicU64::new(0),
        }
    }

    /// The entry that a document of `BUCKET.files` is.
    pub(super) fn from_document(bucket: &Bucket, document: &DocumentBuf) -> Result<FileEntry, FileError> {
        let source = document.clone();
        let document = &document.to_document();
        let id = document.get("_id").cloned().unwrap_or(Value::Null);
        let damaged = |what: String| FileError::Damaged {
            bucket: bucket.to_string(),
            file: id_text(&id),
            what,
        };
        let integer = |name: &str| document.get(name).and_then(|value| value.as_ref().as_i64_exact());
        let length = integer("length").and_then(|length| u64::try_from(length).ok());
        let length = length.ok_or_else(|| damaged("its entry has no length".to_owned()))?;
        let chunk_bytes = integer("chunkSize").unwrap_or(CHUNK_BYTES_DEFAULT.into());
        let chunk_bytes = u32::try_from(chunk_bytes).ok().filter(|bytes| *bytes > 0);
        let chunk_bytes =
            chunk_bytes.ok_or_else(|| damaged("its entry has no usable chunkSize".to_owned()))?;
        let metadata = match document.get("metadata") {
            Some(Value::Document(metadata)) => metadata.clone(),
            _ => Document::new(),
        };
        // Older drivers kept the media type beside the metadata.
        let content_type = text(&metadata, CONTENT_TYPE).or_else(|| text(document, CONTENT_TYPE));
        Ok(FileEntry {
            name: text(document, "filename"),
            length,
            chunk_bytes,
            uploaded_ms: match document.get("uploadDate") {
                Some(Value::DateTime(ms)) => *ms,
                _ => 0,
            },
            content_type,
            digests: digests(&metadata),
            metadata,
            source: Some(source),
            verified: AtomicU64::new(0),
            id,
        })
    }

    /// The document of `BUCKET.files`.
    pub(super) fn to_document(&self) -> Document {
        let mut document = Document::with_capacity(6);
        document.push("_id", self.id.clone());
        document.push("length", self.length as i64);
        document.push("chunkSize", self.chunk_bytes as i32);
        document.push("uploadDate", Value::DateTime(self.uploaded_ms));
        if let Some(name) = &self.name {
            document.push("filename", name.as_str());
        }
        let mut metadata = self.metadata.clone();
        if let Some(content_type) = &self.content_type {
            metadata.set(CONTENT_TYPE, content_type.as_str());
        }
        for (kind, digest) in self.digests.iter() {
            metadata.set(kind.name(), hex(digest));
        }
        if !metadata.is_empty() {
            document.push("metadata", metadata);
        }
        document
    }

    /// The number of chunks.
    pub fn chunks(&self) -> u64 {
        self.length.div_ceil(self.chunk_bytes.into())
    }

    /// Bytes of a chunk.
    pub(super) fn chunk_length(&self, number: u64) -> u64 {
        let start = number * u64::from(self.chunk_bytes);
        self.length.saturating_sub(start).min(self.chunk_bytes.into())
    }

    /// Whether its bytes were verified against its digest when the chunks had these `rewrites`.
    pub(super) fn is_verified(&self, rewrites: u64) -> bool {
        self.verified.load(Ordering::Relaxed) == rewrites + 1
    }

    pub(super) fn set_verified(&self, rewrites: u64) {
        self.verified.store(rewrites + 1, Ordering::Relaxed);
    }

    /// Whether both were read from the same bytes.
    pub(super) fn is_same(&self, other: &FileEntry) -> bool {
        self.source.is_some() && self.source == other.source
    }

    /// The error that the file is damaged, and how.
    pub(super) fn damaged(&self, bucket: &Bucket, what: String) -> FileError {
        FileError::Damaged {
            bucket: bucket.to_string(),
            file: id_text(&self.id),
            what,
        }
    }
}

/// An id in messages.
pub(super) fn id_text(id: &Value) -> String {
    value::json::id_text(id.as_ref()).into_owned()
}

fn text(document: &Document, name: &str) -> Option<String> {
    match document.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn digests(metadata: &Document) -> Digests {
    let mut digests = Digests::default();
    for kind in DigestKind::ALL {
        if let Some(digest) = text(metadata, kind.name()).and_then(|hex| from_hex(kind, &hex)) {
            digests.set(kind, digest);
        }
    }
    digests
}
