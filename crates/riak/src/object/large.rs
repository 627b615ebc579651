//! Values that no document can hold: files, which the document names as CouchDB's attachments are, so that CouchDB's clients
//! see them and replications carry them.
//!
//! A file is written before the revision that names it, and removed when no sibling names it any more. One that is being read
//! then is removed when the last reader has ended. What a crash leaves in between is removed by `_compact`.

use super::Sibling;
use super::form::CONTENT_TYPE;
use crate::content::{Content, LargeValue};
use crate::error::{Result, RiakError};
use crate::server::Server;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use engine::Namespace;
use engine::files::{Bucket, DigestKind, Digests, FileError, FileReader, FileWriter, Files, NewFile};
use http::{Body, RequestBody, StatusCode};
use std::sync::Arc;
use value::{DocumentBuf, DocumentRef, ObjectId, Value, ValueRef, doc};

/// The field of a document that names its files.
pub(super) const ATTACHMENTS: &str = "_attachments";
/// The name of the file that is the value.
const NAME: &str = "value";

impl LargeValue {
    /// The member of `_attachments` that the document keeps, in a revision of this generation.
    pub(super) fn kept(&self, content_type: &str, generation: u64) -> value::Document {
        let generation = i64::try_from(generation).unwrap_or(i64::MAX);
        let length = i64::try_from(self.length).unwrap_or(i64::MAX);
        let file = doc! {"content_type": content_type, "revpos": (Value::Int64(generation)), "digest": (self.digest.as_str()),
        "length": (Value::Int64(length)), "file": (Value::ObjectId(self.file))};
        value::Document::new().with(NAME, file)
    }

    /// The value that a document is; `None` where another protocol has added something to it.
    pub(super) fn of(document: &DocumentBuf) -> Option<LargeValue> {
        let is_own = |name: &str| ["_id", CONTENT_TYPE, ATTACHMENTS].contains(&name);
        match (document.as_raw().get(ATTACHMENTS)?, LargeValue::named(document)) {
            (ValueRef::Document(kept), Some(value))
                if kept.iter().count() == 1 && document.as_raw().iter().all(|(name, _)| is_own(name)) =>
            {
                Some(value)
            }
            _ => None,
        }
    }

    /// The value that a document names, whatever else is in it.
    pub(super) fn named(document: &DocumentBuf) -> Option<LargeValue> {
        let Some(ValueRef::Document(DocumentRef::Raw(kept))) = document.as_raw().get(ATTACHMENTS) else {
            return None;
        };
        let Some(ValueRef::Document(DocumentRef::Raw(kept))) = kept.get(NAME) else {
            return None;
        };
        // What a replication brought may be compressed: then it is not the value.
        if kept.get("encoding").is_some() {
            return None;
        }
        let length = match kept.get("length")? {
            ValueRef::Int64(length) => u64::try_from(length).ok()?,
            _ => return None,
        };
        match (kept.get("file")?, kept.get("digest")?) {
            (ValueRef::ObjectId(file), ValueRef::String(digest)) => Some(LargeValue {
                file,
                length,
                digest: digest.to_owned(),
            }),
            _ => None,
        }
    }

    /// Opens it; `None` where it is gone, since the object was written again meanwhile.
    pub(crate) async fn open(&self, server: &Arc<Server>, namespace: &Namespace) -> Result<Option<Reading>> {
        let files = files(server, namespace);
        let reading = Held::new(server, files.clone(), self.file);
        let Some(entry) = files.find_id(&Value::ObjectId(self.file)).await? else {
            return Ok(None);
        };
        Ok(Some(Reading {
            reader: files.open(&entry, 0..entry.length)?,
            length: entry.length,
            _held: reading,
        }))
    }
}

/// The files of the values of a collection: those of its attachments.
fn files(server: &Server, namespace: &Namespace) -> Files {
    let name = format!("{}.attachments", namespace.collection);
    server.engine.files(Bucket::new(&namespace.database, name))
}

/// Keeps a value that begins so as a file.
pub(crate) async fn store(
    server: &Server,
    namespace: &Namespace,
    key: &[u8],
    first: Bytes,
    rest: Option<RequestBody>,
) -> Result<LargeValue> {
    let new = NewFile {
        name: format!("{}/{NAME}", String::from_utf8_lossy(key)),
        digests: vec![DigestKind::Md5],
        ..NewFile::default()
    };
    let mut writer: FileWriter = files(server, namespace).create(new).await?;
    writer.write(&first).await?;
    if let Some(mut rest) = rest {
        while let Some(piece) = rest.chunk().await? {
            writer.write(&piece).await?;
        }
    }
    let Value::ObjectId(file) = *writer.id() else {
        return Err(RiakError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "a file of another id",
        ));
    };
    let entry = writer.finish(&Digests::default(), None).await?;
    let digest = entry.digests.get(DigestKind::Md5).unwrap_or_default();
    Ok(LargeValue {
        file,
        length: entry.length,
        digest: format!("md5-{}", BASE64_STANDARD.encode(digest)),
    })
}

/// Removes the values of siblings that are gone, unless one that is left names the same.
pub(super) fn remove_ended(
    server: &Arc<Server>,
    namespace: &Namespace,
    ended: &[&Sibling],
    left: &[&Sibling],
) {
    for gone in ended.iter().filter_map(|sibling| sibling.content.large.as_ref()) {
        if !left.iter().any(|sibling| sibling.file == Some(gone.file)) {
            remove(server, namespace, gone);
        }
    }
}

/// Removes a value that no object names, now or when nobody reads it any more.
pub(crate) fn remove(server: &Arc<Server>, namespace: &Namespace, value: &LargeValue) {
    if server.readers.may_delete(value.file) {
        delete(files(server, namespace), value.file);
    }
}

fn delete(files: Files, file: ObjectId) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    runtime.spawn(async move {
        if let Err(error) = files.delete(&Value::ObjectId(file)).await {
            tracing::warn!(bucket = %files.bucket(), %error, "the file of an old value was not removed; _compact tries again");
        }
    });
}

/// Keeps a file while it is read.
#[derive(Debug)]
struct Held {
    server: Arc<Server>,
    files: Files,
    file: ObjectId,
}

impl Held {
    fn new(server: &Arc<Server>, files: Files, file: ObjectId) -> Held {
        server.readers.begin(file);
        Held {
            server: server.clone(),
            files,
            file,
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.server.readers.end(self.file) {
            delete(self.files.clone(), self.file);
        }
    }
}

/// The bytes of a value, read as they are asked for.
#[derive(Debug)]
pub(crate) struct Reading {
    reader: FileReader,
    pub(crate) length: u64,
    _held: Held,
}

impl Reading {
    /// The next bytes; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>> {
        Ok(self.reader.next().await?)
    }
}

/// What an answer is made of.
#[derive(Debug)]
pub(crate) enum Piece {
    Bytes(Bytes),
    Value(Box<Reading>),
}

impl Piece {
    pub(crate) fn length(&self) -> u64 {
        match self {
            Piece::Bytes(bytes) => bytes.len() as u64,
            Piece::Value(reading) => reading.length,
        }
    }

    /// The value of a content.
    pub(crate) async fn of(server: &Arc<Server>, namespace: &Namespace, content: &Content) -> Result<Piece> {
        let Some(large) = &content.large else {
            return Ok(Piece::Bytes(content.value.clone()));
        };
        // Boxed, since few values are large.
        let reading = Box::pin(large.open(server, namespace)).await?.ok_or_else(gone)?;
        Ok(Piece::Value(Box::new(reading)))
    }
}

/// Pieces one after the other as a body, which is read as the client takes it.
pub(crate) fn body_of(pieces: Vec<Piece>) -> Body {
    if pieces.iter().all(|piece| matches!(piece, Piece::Bytes(_))) {
        let bytes = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Bytes(bytes) => Some(bytes),
            Piece::Value(_) => None,
        });
        return Body::pieces(bytes);
    }
    let (sender, body) = Body::channel(Some(pieces.iter().map(Piece::length).sum()));
    tokio::spawn(async move {
        for piece in pieces {
            let mut reading = match piece {
                Piece::Bytes(bytes) if sender.send(bytes.clone()).await => continue,
                Piece::Bytes(_) => return,
                Piece::Value(reading) => reading,
            };
            loop {
                match reading.next().await {
                    Ok(Some(bytes)) if sender.send(bytes.clone()).await => {}
                    Ok(Some(_)) => return,
                    Ok(None) => break,
                    Err(error) => {
                        tracing::error!(error = error.message, "a value could not be read to its end");
                        return sender.give_up().await;
                    }
                }
            }
        }
    });
    body
}

fn gone() -> RiakError {
    RiakError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "the value was replaced while it was to be read; try again",
    )
}

impl From<FileError> for RiakError {
    fn from(error: FileError) -> RiakError {
        match error {
            FileError::Engine(error) => error.into(),
            FileError::Deleted(_) => gone(),
            FileError::TooManyChunks(_) => RiakError::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
            other => RiakError::new(StatusCode::INTERNAL_SERVER_ERROR, other.to_string()),
        }
    }
}
