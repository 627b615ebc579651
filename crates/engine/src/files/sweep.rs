//! Removing what unfinished uploads left.
//!
//! Chunks without an entry belong to an upload that is under way, or to one that never ended. The server marks the chunks that
//! it writes itself ([`super::chunk::SERVER`]), and removes them when the writer goes away. If the process was killed before
//! that, marked chunks from before the start have no writer any more, since a store has one process.
//! An upload that a driver (or a restore of a dump) writes chunk by chunk counts as abandoned when no chunk was added for
//! [`ORPHANS_KEPT_MS`].

use super::access::{chunk_key, index_on};
use super::chunk::SERVER;
use super::orphans::CHUNKS_SUFFIX;
use super::{Bucket, FileError, Files, Upload};
use crate::context::Context;
use crate::engine::Engine;
use crate::reading::find::FindRequest;
use std::ops::Bound;
use std::sync::Arc;
use store::{Collection, Index, KeyRange, Order, PageLimit, RecordId, Sequence, Snapshot};
use value::date::now_ms;
use value::{Document, ObjectId, Value, ValueRef, doc, key};

/// Chunks without entry that a driver wrote are removed when none was added for this long.
pub const ORPHANS_KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// The uploads that the sweep reads at a time, and the most expired ones that it drops in one round.
pub(super) const UPLOADS_PAGE: u64 = 100;

/// Chunks of one file, as their index shows them.
struct Stored {
    file: Value,
    encoded: Vec<u8>,
    first: RecordId,
}

impl Engine {
    /// One round of the sweep of unfinished uploads in all buckets, now. Returns the number of chunks removed.
    pub async fn sweep_files(&self) -> Result<u64, FileError> {
        let mut removed = 0;
        for database in self.databases() {
            for collection in self.collections(&database) {
                if let Some(name) = collection.name.strip_suffix(CHUNKS_SUFFIX) {
                    let files = self.files(Bucket::new(&database, name));
                    files.sweep_whole().await?;
                    files.sweep_expired().await?;
                    removed += files.sweep_orphans().await?;
                }
            }
        }
        Ok(removed)
    }
}

impl Files {
    /// Drops resumable uploads that were not continued in time, and the records of those that were finished.
    async fn sweep_expired(&self) -> Result<(), FileError> {
        let request = FindRequest {
            filter: doc! {"expires": in_the_past()},
            limit: Some(UPLOADS_PAGE),
            batch_size: Some(UPLOADS_PAGE),
            single_batch: true,
            ..FindRequest::default()
        };
        let (context, uploads) = (Context::default(), self.bucket.uploads());
        let reply = self.engine.find(&context, &uploads, &request).await?;
        for upload in reply.batch.iter().filter_map(Upload::from_document) {
            // If it is held, a client has continued it after all.
            if let Ok(_held) = self.hold_upload(upload.id) {
                self.drop_upload(upload.id, if_expired(upload.id), true).await?;
            }
        }
        Ok(())
    }

    async fn sweep_orphans(&self) -> Result<u64, FileError> {
        let Some(chunks) = self.chunks().filter(|chunks| !chunks.is_view()) else {
            return Ok(0);
        };
        let Some(index) = index_on(&chunks, &chunk_key()) else {
            return Ok(0);
        };
        // A bucket in which a sweep found no orphans is read again only after its chunks or entries have changed:
        // deleting an entry makes orphans too.
        let entries = self.engine.store().collection(&self.bucket.files());
        let heads = (
            chunks.head(),
            entries.map_or(Sequence::START, |entries| entries.head()),
        );
        let orphans = self.engine.orphans();
        if orphans.seen.lock().clean.get(&chunks.uuid()) == Some(&heads) {
            return Ok(0);
        }
        let (mut removed, mut found, mut after) = (0, 0, Vec::new());
        while let Some(stored) = next_file(&chunks, &index, &after).await? {
            if self.is_orphan(&stored).await? {
                found += 1;
                removed += self.sweep_orphan(&chunks, &index, &stored).await?;
            }
            after = stored.encoded;
            // Lets other tasks run between two files, however many there are.
            tokio::task::yield_now().await;
        }
        if found == 0 {
            orphans.seen.lock().clean.insert(chunks.uuid(), heads);
        }
        Ok(removed)
    }

    /// Whether no entry, no live writer and no resumable upload has these chunks.
    async fn is_orphan(&self, stored: &Stored) -> Result<bool, FileError> {
        // The order matters: a writer puts the entry before it stops being live, so a file that is finished right now
        // is found either here or below.
        if self.engine.live_uploads().is_live(&self.bucket, &stored.encoded) {
            return Ok(false);
        }
        let is_there = async |namespace: store::Namespace| match self.engine.store().collection(&namespace) {
            Some(collection) => {
                let found = collection.snapshot().await?.by_id(stored.file.as_ref()).await?;
                Ok::<bool, FileError>(found.is_some())
            }
            None => Ok(false),
        };
        Ok(!is_there(self.bucket.uploads()).await? && !is_there(self.bucket.files()).await?)
    }

    async fn sweep_orphan(
        &self,
        chunks: &Arc<Collection>,
        index: &Index,
        stored: &Stored,
    ) -> Result<u64, FileError> {
        let snapshot = chunks.snapshot().await?;
        let at_start = self.engine.orphans().at_start.get(&chunks.uuid());
        let is_old = at_start.is_some_and(|head| head.is_after_insert_of(stored.first));
        let has_ended = is_old && is_servers_own(&snapshot, stored.first).await?;
        if !has_ended && !self.has_waited(&snapshot, index, chunks, stored).await? {
            return Ok(0);
        }
        let removed = self.delete_chunks(&stored.file).await?;
        tracing::info!(bucket = %self.bucket, file = ?stored.file, chunks = removed, "removed an unfinished upload");
        Ok(removed)
    }

    /// Whether no chunk was added for [`ORPHANS_KEPT_MS`]. Drivers note no time in chunks, so it counts from when a
    /// sweep first saw the last chunk; a new one starts it again.
    async fn has_waited(
        &self,
        snapshot: &Snapshot,
        index: &Index,
        chunks: &Collection,
        stored: &Stored,
    ) -> Result<bool, FileError> {
        let range = KeyRange::prefix(&stored.encoded);
        let page = snapshot.entries(index, &range, Order::Backward, one()).await?;
        let Some(last) = page.iter().next().map(|entry| entry.record) else {
            return Ok(false);
        };
        let now_ms = now_ms();
        let key = (chunks.uuid(), stored.encoded.clone());
        let mut seen = self.engine.orphans().seen.lock();
        let known = seen.waiting.entry(key.clone()).or_insert((last, now_ms));
        if known.0 != last {
            *known = (last, now_ms);
        }
        let has_waited = now_ms - known.1 >= ORPHANS_KEPT_MS;
        if has_waited {
            seen.waiting.remove(&key);
        }
        Ok(has_waited)
    }
}

fn in_the_past() -> Document {
    doc! {"$lt": Value::DateTime(now_ms())}
}

/// The filter for an upload that is still expired: since it was found, a client may have continued it, and stopped again.
fn if_expired(id: ObjectId) -> Document {
    doc! {"_id": id, "expires": in_the_past()}
}

/// The first chunk after those of the file with this encoded id, and its file.
async fn next_file(chunks: &Collection, index: &Index, after: &[u8]) -> Result<Option<Stored>, FileError> {
    let low = match after {
        [] => Bound::Unbounded,
        // An excluded bound excludes all keys that begin with it: all chunks of that file.
        after => Bound::Excluded(after.to_vec()),
    };
    let range = KeyRange {
        low,
        high: Bound::Unbounded,
    };
    let snapshot = chunks.snapshot().await?;
    let page = snapshot.entries(index, &range, Order::Forward, one()).await?;
    let Some(first) = page.iter().next().map(|entry| entry.record) else {
        return Ok(None);
    };
    let record = snapshot.by_record(first).await?;
    let file = record.and_then(|record| Some(record.document.as_raw().get("files_id")?.to_value()));
    let file = file.unwrap_or(Value::Null);
    let mut encoded = Vec::new();
    key::encode(file.as_ref(), key::Direction::Ascending, &mut encoded);
    Ok(Some(Stored { file, encoded, first }))
}

/// Whether the server wrote the file whose first chunk this is for itself.
async fn is_servers_own(snapshot: &Snapshot, first: RecordId) -> Result<bool, FileError> {
    let record = snapshot.by_record(first).await?;
    Ok(record
        .is_some_and(|record| matches!(record.document.as_raw().get(SERVER), Some(ValueRef::Bool(true)))))
}

fn one() -> PageLimit {
    PageLimit {
        entries: 1,
        ..PageLimit::default()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::{NewFile, NewUpload, UploadKind};
    use super::*;
    use kv::{Kv, Simulation};
    use std::time::Duration;

    #[tokio::test]
    async fn an_upload_that_goes_on_when_it_was_found_to_have_expired_is_kept() {
        let engine = Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap();
        let files = engine.files(Bucket::new("db", "fs"));
        let new = NewUpload {
            file: NewFile {
                name: "a".to_owned(),
                ..NewFile::default()
            },
            length: None,
            kept_ms: 0,
            kind: UploadKind::Whole,
            description: None,
        };
        let id = files.begin_upload(new).await.unwrap().id;
        tokio::time::sleep(Duration::from_millis(5)).await;
        let mut writer = files.resume_upload(id).await.unwrap().unwrap();
        writer.write(b"more").await.unwrap();
        writer.pause(3_600_000).await.unwrap();
        assert!(!files.drop_upload(id, if_expired(id), true).await.unwrap());
        assert_eq!(files.upload(id).await.unwrap().unwrap().offset, 4);

        let writer = files.resume_upload(id).await.unwrap().unwrap();
        writer.pause(0).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        files.sweep_expired().await.unwrap();
        assert!(files.upload(id).await.unwrap().is_none());
    }
}
