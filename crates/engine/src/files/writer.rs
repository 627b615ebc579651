//! Writing a file.

use super::chunk::{ChunkBuilder, is_file_id};
use super::digest::Digester;
use super::entry::id_text;
use super::live::LiveGuard;
use super::{CHUNK_BYTES_DEFAULT, DigestKind, Digests, FileEntry, FileError, Files};
use crate::context::Context;
use crate::error::Error;
use crate::write::WriteOptions;
use code::Code;
use memory::{Holder, Share};
use std::sync::Arc;
use std::time::Duration;
use store::{
    Collection, CommitOptions, Durability, Outcome, PlacedDocument, Present, Target, Transformed, WriteOp,
};
use tokio::task::JoinHandle;
use value::date::now_ms;
use value::{Document, DocumentBuf, ObjectId, Value};

/// The bytes of chunks of one file that are committed together. Chunks that are too small to be placed in the store
/// before stay in memory until then, within the memory limit of all uploads.
const COMMIT_BYTES: usize = 16 * 1024 * 1024;

/// A first chunk up to this size is not counted in the memory of uploads, so that small files do not wait for large ones.
const UNCOUNTED_BYTES: usize = 16 * 1024;

/// How long an upload waits for the memory of a chunk.
const ROOM_TIME_MAX: Duration = Duration::from_secs(60);

/// The most chunks that a file may have: their numbers are 32-bit integers.
pub(super) const CHUNKS_MAX: u64 = i32::MAX as u64;

/// The greatest size of chunks: with its other fields, a chunk has to fit into a document.
const CHUNK_BYTES_MAX: u32 = 15 * 1024 * 1024;

/// A file to create.
#[derive(Clone, Debug, Default)]
pub struct NewFile {
    /// Its id; `None` makes an ObjectId.
    pub id: Option<Value>,
    /// The name, which other versions may have too.
    pub name: String,
    /// Its media type.
    pub content_type: Option<String>,
    /// What else is kept with it.
    pub metadata: Document,
    /// Bytes of a chunk; `None` for [`CHUNK_BYTES_DEFAULT`].
    pub chunk_bytes: Option<u32>,
    /// The digests that are computed and kept besides BLAKE3.
    pub digests: Vec<DigestKind>,
}

/// What must hold of a name when a new version of it is finished.
#[derive(Clone, Debug)]
pub enum Condition {
    /// No file has the name.
    Absent,
    /// The file with this id is the newest version.
    Newest(Value),
}

/// A file being written. Dropped before it is finished, it leaves nothing behind, unless it is a resumable upload.
#[derive(Debug)]
pub struct FileWriter {
    pub(super) files: Files,
    chunks: Arc<Collection>,
    /// The `rewrites` of the chunks before the first was written.
    rewrites: u64,
    pub(super) entry: FileEntry,
    pub(super) digester: Digester,
    /// The chunk that is being filled.
    pub(super) chunk: Option<ChunkBuilder>,
    /// The chunk that is stored already and is written again, longer.
    pub(super) replaced: Option<ObjectId>,
    /// The memory of the last chunk, for the next one.
    memory: Vec<u8>,
    /// Full chunks in order, not yet committed.
    ready: Vec<Ready>,
    ready_bytes: usize,
    /// The share for the ready chunks in memory.
    ahead: Share,
    /// The share for the chunk that is being filled.
    pub(super) room: Share,
    commit: Option<JoinHandle<Result<(), FileError>>>,
    pub(super) live: Option<LiveGuard>,
    /// Whether chunks are to be removed if the writer is dropped.
    pub(super) is_cleaned_up: bool,
    /// Bytes that the file was declared to have.
    pub(super) declared_length: Option<u64>,
    /// Whether it is a part of a file, which is made of it and others later.
    pub(super) is_part: bool,
}

/// A full chunk.
#[derive(Debug)]
enum Ready {
    /// Its bytes are placed in the store.
    Placed(PlacedDocument),
    /// It is in memory.
    New(DocumentBuf),
    /// It replaces a shorter one that an interrupted upload left.
    Replacement(ObjectId, DocumentBuf),
}

impl Files {
    /// Begins a file. The bucket is made if it does not exist.
    pub async fn create(&self, new: NewFile) -> Result<FileWriter, FileError> {
        let id = new
            .id
            .clone()
            .unwrap_or_else(|| Value::ObjectId(ObjectId::generate()));
        let live = self.engine.live_uploads().enter(&self.bucket, &id);
        let live = live.ok_or(FileError::Busy)?;
        if new.id.is_some() && self.find_id(&id).await?.is_some() {
            return Err(FileError::Exists(id_text(&id)));
        }
        let mut writer = self.writer(id, new, live).await?;
        writer.is_cleaned_up = true;
        Ok(writer)
    }

    pub(super) async fn writer(
        &self,
        id: Value,
        new: NewFile,
        live: LiveGuard,
    ) -> Result<FileWriter, FileError> {
        if !is_file_id(&id) {
            let message = format!("a {} cannot be the id of a file", id.type_of().alias());
            return Err(Error::new(Code::BAD_VALUE, message).into());
        }
        let chunk_bytes = new.chunk_bytes.unwrap_or(CHUNK_BYTES_DEFAULT);
        if !(1..=CHUNK_BYTES_MAX).contains(&chunk_bytes) {
            let message = format!("a chunk has from 1 to {CHUNK_BYTES_MAX} bytes, not {chunk_bytes}");
            return Err(Error::new(Code::BAD_VALUE, message).into());
        }
        let mut entry = FileEntry::new(id, new.name, chunk_bytes);
        entry.content_type = new.content_type;
        entry.metadata = new.metadata;
        let chunks = self.make().await?;
        Ok(FileWriter {
            files: self.clone(),
            rewrites: chunks.rewrites(),
            chunks,
            entry,
            digester: Digester::new(&new.digests),
            chunk: None,
            replaced: None,
            memory: Vec::new(),
            ready: Vec::new(),
            ready_bytes: 0,
            ahead: self.engine.memory().share(Holder::Uploads),
            room: self.engine.memory().share(Holder::Uploads),
            commit: None,
            live: Some(live),
            is_cleaned_up: false,
            declared_length: None,
            is_part: false,
        })
    }
}

impl FileWriter {
    /// The file's id.
    pub fn id(&self) -> &Value {
        &self.entry.id
    }

    /// Bytes taken so far.
    pub fn length(&self) -> u64 {
        self.entry.length
    }

    /// Takes bytes. Returns when there is room for more, so that a slow disk slows down the sender.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), FileError> {
        let received = self.entry.length + bytes.len() as u64;
        if let Some(declared) = self.declared_length.filter(|declared| *declared < received) {
            return Err(FileError::TooLong { declared, received });
        }
        self.digester.update(bytes);
        let chunk_bytes = self.entry.chunk_bytes as usize;
        while !bytes.is_empty() {
            if self.chunk.is_none() {
                self.begin_chunk(bytes.len()).await?;
            }
            let Some(chunk) = &mut self.chunk else { break };
            let (now, later) = bytes.split_at((chunk_bytes - chunk.len()).min(bytes.len()));
            if chunk.len() + now.len() > UNCOUNTED_BYTES {
                make_room(&mut self.room, chunk_bytes).await?;
            }
            chunk.extend(now);
            bytes = later;
            let is_full = chunk.len() == chunk_bytes;
            self.entry.length += now.len() as u64;
            if is_full {
                self.end_chunk().await?;
            }
        }
        Ok(())
    }

    async fn begin_chunk(&mut self, wanted: usize) -> Result<(), FileError> {
        let chunk_bytes = u64::from(self.entry.chunk_bytes);
        let number = self.entry.length / chunk_bytes;
        let number = i32::try_from(number).map_err(|_| FileError::TooManyChunks(CHUNKS_MAX * chunk_bytes))?;
        // A small file that comes in one piece gets what it needs, another room for a whole chunk.
        let whole = if number == 0 { wanted } else { usize::MAX };
        let capacity = whole.min(self.entry.chunk_bytes as usize);
        if capacity > UNCOUNTED_BYTES {
            make_room(&mut self.room, self.entry.chunk_bytes as usize).await?;
        }
        let chunk = ChunkBuilder::new(
            ObjectId::generate(),
            &self.entry.id,
            number,
            capacity,
            std::mem::take(&mut self.memory),
        );
        self.chunk = Some(chunk);
        Ok(())
    }

    async fn end_chunk(&mut self) -> Result<(), FileError> {
        let Some(chunk) = self.chunk.take() else {
            return Ok(());
        };
        let chunk_bytes = chunk.len();
        let is_in_memory = self.end(chunk).await?;
        self.ready_bytes += chunk_bytes;
        let ahead = self.ahead.bytes() + chunk_bytes;
        let has_room = !is_in_memory || self.ahead.fit(ahead);
        if !has_room {
            // It is there: others have that much less, until it is committed.
            self.ahead.charge(ahead);
        }
        if has_room && self.ready_bytes < COMMIT_BYTES {
            return Ok(());
        }
        self.commit_ready().await
    }

    /// Makes a chunk ready to be committed, placed in the store if possible. Returns true if it stays in memory.
    async fn end(&mut self, mut chunk: ChunkBuilder) -> Result<bool, FileError> {
        chunk.seal();
        if let Some(id) = self.replaced.filter(|id| *id == chunk.id()) {
            self.ready.push(Ready::Replacement(id, chunk.into_document()));
            return Ok(true);
        }
        if let Some(placed) = self.chunks.place(chunk.document()).await? {
            self.memory = chunk.into_memory();
            self.ready.push(Ready::Placed(placed));
            return Ok(false);
        }
        self.ready.push(Ready::New(chunk.into_document()));
        Ok(true)
    }

    /// Begins to commit what is ready, once what was ready before is committed.
    async fn commit_ready(&mut self) -> Result<(), FileError> {
        self.committed().await?;
        if self.ready.is_empty() {
            return Ok(());
        }
        self.ready_bytes = 0;
        let ready = std::mem::take(&mut self.ready);
        let chunks = self.chunks.clone();
        let next = self.files.engine.memory().share(Holder::Uploads);
        let ahead = std::mem::replace(&mut self.ahead, next);
        self.commit = Some(tokio::spawn(async move {
            let writes = ready.into_iter().map(Ready::into_write).collect();
            let committed = commit_all(&chunks, writes).await;
            drop(ahead);
            committed
        }));
        Ok(())
    }

    async fn committed(&mut self) -> Result<(), FileError> {
        match self.commit.take() {
            // Only a panic ends the task without an answer.
            Some(commit) => commit.await.unwrap_or(Err(store::StoreError::Interrupted.into())),
            None => Ok(()),
        }
    }

    /// Commits all chunks, the last one too; not flushed.
    pub(super) async fn commit_rest(&mut self) -> Result<(), FileError> {
        if let Some(chunk) = self.chunk.take() {
            self.end(chunk).await?;
        }
        // Many wait for one commit; none of them needs it any more.
        self.memory = Vec::new();
        self.room.charge(0);
        self.commit_ready().await?;
        self.committed().await
    }

    /// Ends the file: writes its entry and flushes everything. The digests in `declared` must be those of the written bytes, and
    /// `condition` must hold; otherwise nothing is kept.
    pub async fn finish(
        mut self,
        declared: &Digests,
        condition: Option<&Condition>,
    ) -> Result<FileEntry, FileError> {
        let digests = self.digester.clone().finish();
        if let Some(kind) = digests.difference(declared) {
            self.is_cleaned_up = true;
            return Err(FileError::DigestMismatch(kind));
        }
        self.commit_rest().await?;
        self.entry.digests = digests;
        self.put_entry(condition).await?;
        self.is_cleaned_up = false;
        let nothing = FileEntry::new(Value::Null, String::new(), CHUNK_BYTES_DEFAULT);
        Ok(std::mem::replace(&mut self.entry, nothing))
    }

    async fn put_entry(&mut self, condition: Option<&Condition>) -> Result<(), FileError> {
        let files = self.files.clone();
        let finishing = &files.engine.live_uploads().finishing;
        // A file that is finished under a condition excludes all others between the check and the write; files
        // without a condition commit together.
        let (_alone, _shared) = match condition {
            Some(condition) => {
                let alone = finishing.write().await;
                self.check(condition).await?;
                (Some(alone), None)
            }
            None => (None, Some(finishing.read().await)),
        };
        self.entry.uploaded_ms = self.newest_ms().await?;
        let document = DocumentBuf::from(&self.entry.to_document());
        let namespace = files.bucket.files();
        let entry = files.entry(&document)?;
        let (context, options) = (Context::default(), WriteOptions::default());
        // From here on the entry may be written, whether anybody waits for the answer or not, so its chunks have to stay.
        let is_cleaned_up = std::mem::replace(&mut self.is_cleaned_up, false);
        let inserted = files
            .engine
            .insert(&context, &namespace, vec![document], &options)
            .await;
        let refused = match inserted {
            Ok(reply) => reply.failures.into_iter().next().map(|failure| failure.error),
            Err(error) => Some(error),
        };
        let Some(error) = refused else {
            self.note_verified(entry);
            return Ok(());
        };
        // One that could not be flushed is there, and of another's file the chunks have the same id.
        self.is_cleaned_up = is_cleaned_up && matches!(files.find_id(&self.entry.id).await, Ok(None));
        match error.code == Code::DUPLICATE_KEY {
            true => Err(FileError::Exists(id_text(&self.entry.id))),
            false => Err(error.into()),
        }
    }

    /// The present, or just after the newest version if the clock has gone back since that one was written.
    async fn newest_ms(&self) -> Result<i64, FileError> {
        let now = now_ms();
        let before = match &self.entry.name {
            Some(name) => self.files.find(name, -1).await?,
            None => None,
        };
        Ok(before.map_or(now, |before| now.max(before.uploaded_ms.saturating_add(1))))
    }

    /// Notes that the file is verified: its digest was just computed from its bytes, so readers need not compute it again.
    fn note_verified(&self, entry: FileEntry) {
        let rewrites = self.chunks.rewrites();
        // Chunks of an upload that was interrupted may have been changed meanwhile.
        if self.declared_length.is_none() && self.rewrites == rewrites {
            entry.set_verified(rewrites);
            self.files.keep_newest(entry);
        }
    }

    async fn check(&self, condition: &Condition) -> Result<(), FileError> {
        let name = self.entry.name.as_deref().unwrap_or_default();
        let newest = self.files.find(name, -1).await?;
        let holds = match (condition, newest) {
            (Condition::Absent, newest) => newest.is_none(),
            (Condition::Newest(id), Some(newest)) => value::compare(id.as_ref(), newest.id.as_ref()).is_eq(),
            (Condition::Newest(_), None) => false,
        };
        if holds {
            Ok(())
        } else {
            Err(FileError::ConditionFailed)
        }
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        let commit = self.commit.take();
        if !self.is_cleaned_up && commit.is_none() {
            return;
        }
        let (files, id, live) = (self.files.clone(), self.entry.id.clone(), self.live.take());
        let is_cleaned_up = self.is_cleaned_up;
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(async move {
            if let Some(commit) = commit {
                // Whether it was made or not: nobody else may write to the upload, or look how far it has come, before.
                let _ = commit.await;
            }
            if is_cleaned_up && let Err(error) = files.delete_chunks(&id).await {
                tracing::warn!(bucket = %files.bucket, %error, "an unfinished upload was not removed; the sweep tries again");
            }
            drop(live);
        });
    }
}

impl Ready {
    fn into_write(self) -> WriteOp {
        match self {
            Ready::Placed(document) => WriteOp::InsertPlaced(document),
            Ready::New(document) => WriteOp::Insert(document),
            Ready::Replacement(id, document) => {
                let target = Target::Id(Value::ObjectId(id));
                WriteOp::modify(target, move |_: Option<Present<'_>>| {
                    Ok(Transformed::Put(document.clone()))
                })
            }
        }
    }
}

/// Waits for the memory of a whole chunk, unless it is there. Nothing else is held meanwhile, so that the memory waited for is
/// always freed.
async fn make_room(room: &mut Share, chunk_bytes: usize) -> Result<(), FileError> {
    if room.bytes() >= chunk_bytes {
        return Ok(());
    }
    let waited = room.wait(chunk_bytes, ROOM_TIME_MAX).await;
    waited.map_err(|full| Error::from(full).into())
}

async fn commit_all(collection: &Arc<Collection>, writes: Vec<WriteOp>) -> Result<(), FileError> {
    let options = CommitOptions {
        durability: Durability::Soon,
        ..CommitOptions::default()
    };
    for outcome in collection.commit(writes, options).await? {
        if let Outcome::Failed(error) = outcome {
            return Err(error.into());
        }
    }
    Ok(())
}
