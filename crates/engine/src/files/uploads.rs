//! Uploads that may be interrupted and continued later, even after a restart of the server.
//!
//! Such an upload is a document in `BUCKET.uploads`, which describes the file and says how long the upload is kept. Its offset
//! follows from its chunks, so nothing else has to be written while bytes arrive.

use super::access::{chunk_key, index_on};
use super::chunk::{Chunk, ChunkBuilder};
use super::digest::Digester;
use super::live::{LiveGuard, encoded};
use super::reader::read_by_index;
use super::writer::CHUNKS_MAX;
use super::{
    CHUNK_BYTES_DEFAULT, Condition, DigestKind, Digests, FileEntry, FileError, FileWriter, Files, NewFile,
};
use crate::context::Context;
use crate::error::Error;
use crate::reading::find::FindRequest;
use crate::write::{UpdateStatement, WriteOptions};
use code::Code;
use store::{KeyRange, Order, PageLimit};
use value::date::now_ms;
use value::{Document, DocumentBuf, ObjectId, Value, doc};

/// A resumable upload to begin.
#[derive(Clone, Debug)]
pub struct NewUpload {
    /// The file; its id is made here.
    pub file: NewFile,
    /// Bytes that it will have; `None` if that is declared later ([`FileWriter::declare_length`]).
    pub length: Option<u64>,
    /// How long the upload is kept while no bytes arrive, in milliseconds.
    pub kept_ms: u64,
    /// What it becomes.
    pub kind: UploadKind,
    /// The client's description, which is returned with the upload.
    pub description: Option<String>,
}

/// What an upload becomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum UploadKind {
    /// A file.
    #[default]
    Whole,
    /// A part of the file that [`Files::join_uploads`] makes of it and others.
    Part,
    /// It has become a file, of the parts that its client named so.
    Joined(String),
}

/// A resumable upload.
#[derive(Clone, Debug)]
pub struct Upload {
    /// The id of the file that it will be.
    pub id: ObjectId,
    /// The file's name.
    pub name: String,
    /// Its media type.
    pub content_type: Option<String>,
    /// What else is kept with it.
    pub metadata: Document,
    /// Bytes that it will have, where that is known.
    pub length: Option<u64>,
    /// Bytes that are stored.
    pub offset: u64,
    /// When it is dropped if no bytes arrive, in milliseconds since 1970.
    pub expires_ms: i64,
    /// What it becomes.
    pub kind: UploadKind,
    /// The client's description, as it was given.
    pub description: Option<String>,
    chunk_bytes: u32,
    digests: Vec<DigestKind>,
    kept_ms: u64,
}

impl Files {
    /// Begins an upload.
    ///
    /// # Errors
    /// [`FileError::TooManyChunks`] if the length exceeds that of the largest file.
    pub async fn begin_upload(&self, new: NewUpload) -> Result<Upload, FileError> {
        let upload = Upload::new(ObjectId::generate(), new);
        check_length(upload.length.unwrap_or(0), upload.chunk_bytes)?;
        self.keep_upload(&upload).await?;
        Ok(upload)
    }

    /// Writes the document of an upload.
    pub(super) async fn keep_upload(&self, upload: &Upload) -> Result<(), FileError> {
        let document = DocumentBuf::from(&upload.to_document());
        let (context, options) = (Context::default(), WriteOptions::default());
        let inserted = self
            .engine
            .insert(&context, &self.bucket.uploads(), vec![document], &options)
            .await?;
        match inserted.failures.into_iter().next() {
            Some(failure) => Err(failure.error.into()),
            None => Ok(()),
        }
    }

    /// An upload that is not finished, or was joined of parts; `None` if there is none with this id.
    pub async fn upload(&self, id: ObjectId) -> Result<Option<Upload>, FileError> {
        let Some(mut upload) = self.find_upload(doc! {"_id": id}).await? else {
            return Ok(None);
        };
        let last = self.last_chunk(&Value::ObjectId(id)).await?;
        upload.offset = last.map_or(0, |last| {
            last.number as u64 * u64::from(upload.chunk_bytes) + last.data.len() as u64
        });
        Ok(Some(upload))
    }

    /// The upload whose document matches the filter.
    pub(super) async fn find_upload(&self, filter: Document) -> Result<Option<Upload>, FileError> {
        let request = FindRequest {
            filter,
            limit: Some(1),
            single_batch: true,
            ..FindRequest::default()
        };
        let reply = self
            .engine
            .find(&Context::default(), &self.bucket.uploads(), &request)
            .await?;
        Ok(reply.batch.first().and_then(Upload::from_document))
    }

    /// Continues an upload at its offset. Fails with [`FileError::Busy`] while another writer has it, with
    /// [`FileError::Joined`] if it was made of parts.
    pub async fn resume_upload(&self, id: ObjectId) -> Result<Option<FileWriter>, FileError> {
        let live = self.hold_upload(id)?;
        let Some(upload) = self.upload(id).await? else {
            return Ok(None);
        };
        if let UploadKind::Joined(_) = upload.kind {
            return Err(FileError::Joined);
        }
        if self.find_id(&Value::ObjectId(id)).await?.is_some() {
            // A crash brought the upload back after it had become a file.
            self.delete_in(&self.bucket.uploads(), doc! {"_id": id}, false)
                .await?;
            return Ok(None);
        }
        let digester = match live.resume(upload.offset) {
            Some(digester) => digester,
            None => self.digest_again(&upload).await?,
        };
        let file = Value::ObjectId(id);
        let last = match upload.offset % u64::from(upload.chunk_bytes) {
            0 => None,
            _ => self.last_chunk(&file).await?,
        };
        let new = NewFile {
            id: None,
            name: upload.name,
            content_type: upload.content_type,
            metadata: upload.metadata,
            chunk_bytes: Some(upload.chunk_bytes),
            digests: upload.digests,
        };
        let mut writer = self.writer(file, new, live).await?;
        writer.digester = digester;
        writer.entry.length = upload.offset;
        writer.declared_length = upload.length;
        writer.is_part = upload.kind == UploadKind::Part;
        if let Some(last) = last {
            writer.go_on_with(&last);
        }
        Ok(Some(writer))
    }

    /// Drops an upload with its chunks. Returns false if none is open. Fails with [`FileError::Busy`] while a
    /// writer has it.
    pub async fn abandon_upload(&self, id: ObjectId) -> Result<bool, FileError> {
        let _held = self.hold_upload(id)?;
        // One that was joined is a file: it is deleted as such.
        let open = doc! {"_id": id, "joined": doc! {"$exists": false}};
        self.drop_upload(id, open, true).await
    }

    /// Keeps all others from an upload, as long as the guard lives.
    pub(super) fn hold_upload(&self, id: ObjectId) -> Result<LiveGuard, FileError> {
        let live = self.engine.live_uploads();
        live.enter(&self.bucket, &Value::ObjectId(id))
            .ok_or(FileError::Busy)
    }

    /// Drops an upload that the caller holds, if its document matches the filter, and those of its chunks that no file has. Returns
    /// whether it matched.
    pub(super) async fn drop_upload(
        &self,
        id: ObjectId,
        filter: Document,
        journaled: bool,
    ) -> Result<bool, FileError> {
        let file = Value::ObjectId(id);
        let removed = self.delete_in(&self.bucket.uploads(), filter, journaled).await?;
        if removed > 0 && self.find_id(&file).await?.is_none() {
            self.delete_chunks(&file).await?;
        }
        Ok(removed > 0)
    }

    /// Ends an upload that has all its bytes: it becomes a file.
    pub async fn finish_upload(
        &self,
        writer: FileWriter,
        declared: &Digests,
        condition: Option<&Condition>,
    ) -> Result<FileEntry, FileError> {
        let id = writer.id().clone();
        let entry = writer.finish(declared, condition).await?;
        // Without flush: where a crash brings the upload back, the sweep sees that its file is finished.
        self.delete_in(&self.bucket.uploads(), doc! {"_id": id}, false)
            .await?;
        Ok(entry)
    }

    /// The stored chunk of a file with the highest number.
    async fn last_chunk(&self, file: &Value) -> Result<Option<Chunk>, FileError> {
        let Some(chunks) = self.chunks() else {
            return Ok(None);
        };
        let Some(index) = index_on(&chunks, &chunk_key()) else {
            return self.last_chunk_without_index(file).await;
        };
        let snapshot = chunks.snapshot().await?;
        let range = KeyRange::prefix(&encoded(file));
        let limit = PageLimit {
            entries: 1,
            ..PageLimit::default()
        };
        let page = snapshot.entries(&index, &range, Order::Backward, limit).await?;
        let Some(entry) = page.iter().next() else {
            return Ok(None);
        };
        let record = snapshot.by_record(entry.record).await?;
        Ok(record.and_then(|record| Chunk::read(&record.document)))
    }

    /// The same where the index is being built, or was dropped: an upload would begin again, over what is there.
    async fn last_chunk_without_index(&self, file: &Value) -> Result<Option<Chunk>, FileError> {
        let request = FindRequest {
            filter: doc! {"files_id": doc! {"$eq": file.clone()}},
            sort: doc! {"n": -1},
            limit: Some(1),
            single_batch: true,
            ..FindRequest::default()
        };
        let (context, chunks) = (Context::default(), self.bucket.chunks());
        let reply = self.engine.find(&context, &chunks, &request).await?;
        Ok(reply.batch.first().and_then(Chunk::read))
    }

    /// The digests of the stored bytes of an upload, computed by reading them.
    async fn digest_again(&self, upload: &Upload) -> Result<Digester, FileError> {
        let mut digester = Digester::new(&upload.digests);
        for number in 0..upload.chunks() {
            let chunk = self.stored_chunk(upload, number).await?;
            digester.update(&chunk.data);
        }
        Ok(digester)
    }

    pub(super) async fn stored_chunk(&self, upload: &Upload, number: u64) -> Result<Chunk, FileError> {
        let file = encoded(&Value::ObjectId(upload.id));
        let missing = || {
            Error::new(
                Code::INTERNAL_ERROR,
                format!("chunk {number} of an upload is missing"),
            )
        };
        let chunks = self.chunks().ok_or_else(missing)?;
        let index = index_on(&chunks, &chunk_key()).ok_or_else(missing)?;
        let snapshot = chunks.snapshot().await?;
        let found = read_by_index(&snapshot, &index, &file, number, 1).await?;
        let chunk = found.and_then(|chunks| chunks.into_iter().next());
        Ok(chunk.ok_or_else(missing)?)
    }

    async fn keep_upload_until(
        &self,
        id: &Value,
        expires_ms: i64,
        length: Option<u64>,
    ) -> Result<(), FileError> {
        let mut changed = doc! {"expires": Value::DateTime(expires_ms)};
        if let Some(length) = length {
            changed.push("length", length as i64);
        }
        let statement = UpdateStatement {
            filter: doc! {"_id": id.clone()},
            update: Some(Value::Document(doc! {"$set": changed})),
            ..UpdateStatement::default()
        };
        let (context, options) = (Context::default(), WriteOptions::default());
        // Flushed: so are, with it, all chunks before it.
        self.engine
            .update(&context, &self.bucket.uploads(), vec![statement], &options)
            .await?;
        Ok(())
    }
}

/// Refuses a length that no file with chunks of this size may have.
fn check_length(length: u64, chunk_bytes: u32) -> Result<(), FileError> {
    let bytes_max = CHUNKS_MAX * u64::from(chunk_bytes);
    match length > bytes_max {
        true => Err(FileError::TooManyChunks(bytes_max)),
        false => Ok(()),
    }
}

impl FileWriter {
    /// Continues where the last stored chunk ends.
    fn go_on_with(&mut self, last: &Chunk) {
        let Value::ObjectId(id) = last.id else { return };
        let capacity = self.entry.chunk_bytes as usize;
        self.room.charge(capacity);
        let mut chunk = ChunkBuilder::new(id, &self.entry.id, last.number as i32, capacity, Vec::new());
        chunk.extend(&last.data);
        self.replaced = Some(chunk.id());
        self.chunk = Some(chunk);
    }

    /// Interrupts a resumable upload: all bytes taken are on the disk when this returns. Returns how many bytes the
    /// upload has, and until when it is kept.
    pub async fn pause(mut self, kept_ms: u64) -> Result<(u64, i64), FileError> {
        self.commit_rest().await?;
        let expires_ms = now_ms().saturating_add_unsigned(kept_ms);
        self.files
            .keep_upload_until(&self.entry.id, expires_ms, self.declared_length)
            .await?;
        if let Some(live) = &self.live {
            live.pause(self.entry.length, self.digester.clone());
        }
        Ok((self.entry.length, expires_ms))
    }

    /// Declares how many bytes a resumable upload will have, if that was not known when it began. It is kept by
    /// [`FileWriter::pause`].
    ///
    /// # Errors
    /// [`FileError::OtherLength`] where another length was declared, [`FileError::TooLong`] where more bytes came,
    /// [`FileError::TooManyChunks`] if the length exceeds that of the largest file.
    pub fn declare_length(&mut self, length: u64) -> Result<(), FileError> {
        check_length(length, self.entry.chunk_bytes)?;
        if let Some(declared) = self.declared_length.filter(|declared| *declared != length) {
            return Err(FileError::OtherLength { declared, length });
        }
        if self.entry.length > length {
            return Err(FileError::TooLong {
                declared: length,
                received: self.entry.length,
            });
        }
        self.declared_length = Some(length);
        Ok(())
    }

    /// Whether it can be finished: all declared bytes came, and they are a file, not a part of one.
    pub fn can_finish(&self) -> bool {
        self.declared_length == Some(self.entry.length) && !self.is_part
    }
}

impl Upload {
    /// An upload without any stored bytes.
    pub(super) fn new(id: ObjectId, new: NewUpload) -> Upload {
        Upload {
            id,
            name: new.file.name,
            content_type: new.file.content_type,
            metadata: new.file.metadata,
            length: new.length,
            offset: 0,
            expires_ms: now_ms().saturating_add_unsigned(new.kept_ms),
            kind: new.kind,
            description: new.description,
            chunk_bytes: new.file.chunk_bytes.unwrap_or(CHUNK_BYTES_DEFAULT),
            digests: new.file.digests,
            kept_ms: new.kept_ms,
        }
    }

    /// The chunks that are stored.
    pub(super) fn chunks(&self) -> u64 {
        self.offset.div_ceil(self.chunk_bytes.into())
    }

    fn to_document(&self) -> Document {
        let mut document = doc! {
            "_id": self.id,
            "filename": self.name.as_str(),
            "chunkSize": self.chunk_bytes as i32,
            "expires": Value::DateTime(self.expires_ms),
            "keptMs": self.kept_ms as i64,
            "metadata": self.metadata.clone(),
        };
        if let Some(content_type) = &self.content_type {
            document.push("contentType", content_type.as_str());
        }
        if let Some(length) = self.length {
            document.push("length", length as i64);
        }
        if let Some(description) = &self.description {
            document.push("description", description.as_str());
        }
        match &self.kind {
            UploadKind::Whole => {}
            UploadKind::Part => document.push("part", true),
            UploadKind::Joined(parts) => document.push("joined", parts.as_str()),
        }
        let names = self.digests.iter().map(|kind| Value::from(kind.name()));
        document.push("digests", Value::Array(names.collect()));
        document
    }

    pub(super) fn from_document(document: &DocumentBuf) -> Option<Upload> {
        let document = document.to_document();
        let text = |name: &str| {
            document
                .get(name)
                .and_then(|value| value.as_str())
                .map(str::to_owned)
        };
        let number = |name: &str| document.get(name).and_then(Value::as_i64_exact);
        let Some(Value::ObjectId(id)) = document.get("_id") else {
            return None;
        };
        let Some(Value::DateTime(expires_ms)) = document.get("expires") else {
            return None;
        };
        let names = document
            .get("digests")
            .and_then(|digests| digests.as_array())
            .unwrap_or_default();
        let is_named = |kind: &DigestKind| names.iter().any(|name| name.as_str() == Some(kind.name()));
        Some(Upload {
            id: *id,
            name: text("filename")?,
            content_type: text("contentType"),
            metadata: document
                .get("metadata")
                .and_then(|metadata| metadata.as_document())
                .cloned()
                .unwrap_or_default(),
            length: number("length").map(u64::try_from).transpose().ok()?,
            offset: 0,
            expires_ms: *expires_ms,
            kind: match text("joined") {
                Some(parts) => UploadKind::Joined(parts),
                None if document.get("part") == Some(&Value::Bool(true)) => UploadKind::Part,
                None => UploadKind::Whole,
            },
            description: text("description"),
            chunk_bytes: number("chunkSize")?.try_into().ok().filter(|bytes| *bytes > 0)?,
            digests: DigestKind::ALL.into_iter().filter(is_named).collect(),
            kept_ms: number("keptMs")?.try_into().ok()?,
        })
    }
}
