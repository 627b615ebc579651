//! The task that writes an index: it follows the change log, and commits now and then.
//!
//! What a commit holds is on the store's disk before: an index never knows of a change that a crash could take back.

use crate::error::{IndexingError, Result};
use crate::keys::{changed, key_of};
use crate::record::sequence_number;
use crate::source::Source;
use crate::state::{Following, Indexes, Published, note, of_note};
use engine::{Change, ChangeKind, Order, PageLimit, RevisionedSnapshot, Sequence};
use fulltext::{WRITER_BYTES_MIN, Writer};
use memory::{Budget, Holder, Share};
use parking_lot::Mutex;
use search::{Layout, Mapping};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Changes between two commits at most.
const COMMIT_CHANGES: usize = 50_000;
/// The time between two commits at most, while there are changes.
const COMMIT_TIME: Duration = Duration::from_secs(1);
/// How long is waited for more changes before they are taken.
const GATHER_TIME: Duration = Duration::from_millis(200);
/// How long a writer is kept without changes.
const IDLE_TIME: Duration = Duration::from_secs(30);
/// How long is waited after an error.
const PAUSE_TIME: Duration = Duration::from_secs(2);
/// Changes that are taken together.
const PAGE_CHANGES: usize = 2000;
const PAGE_BYTES: usize = 4 << 20;
/// The memory of a writer.
const WRITER_BYTES: usize = 24 << 20;

/// Begins to keep the index of a collection, where there is a folder for it. A capped collection has none: the change log does
/// not tell of the documents that it drops.
pub fn begin<S: Source>(source: &S) {
    let following = source.following();
    if source.collection().is_capped() {
        following.set_opened();
    } else if following.indexes.folder.is_some() {
        following.start(|| run(source.clone(), following.indexes.clone()));
    }
}

/// The same, and waits until what an earlier start has left of it is there.
pub async fn begin_opened<S: Source>(source: &S) {
    begin(source);
    source.following().opened().await;
}

/// Follows a collection until it is dropped.
async fn run<S: Source>(source: S, indexes: Indexes) {
    let Some(folder) = &indexes.folder else { return };
    let mut follower = Follower {
        folder: folder.join(source.folder_name()),
        documents_min: indexes.documents_min,
        source,
        memory: indexes.memory.clone(),
        layout: Layout::default(),
        reached: Sequence::START,
        is_new: true,
    };
    while let Err(error) = follower.follow().await {
        if follower.source.collection().is_dropped() {
            follower.following().publish(None);
        } else {
            follower.following().fail(follower.source.collection());
            let index = follower.source.name();
            tracing::warn!(
                index,
                reason = %error,
                "the full-text index is not brought up to date"
            );
        }
        tokio::time::sleep(PAUSE_TIME).await;
    }
}

struct Follower<S> {
    source: S,
    folder: PathBuf,
    documents_min: u64,
    memory: Budget,
    layout: Layout,
    /// How far its changes are in the writer.
    reached: Sequence,
    /// Whether nothing was committed yet.
    is_new: bool,
}

impl<S: Source> Follower<S> {
    fn following(&self) -> &Following {
        self.source.following()
    }

    async fn follow(&mut self) -> Result<()> {
        let opened = self.open(false).await;
        self.following().set_opened();
        let mut opened = opened?;
        loop {
            if !self.source.collection().changed_after(&self.reached).await {
                self.following().publish(None);
                drop(opened);
                let folder = self.folder.clone();
                return blocking(move || match std::fs::remove_dir_all(folder) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
                    _ => Ok(()),
                })
                .await;
            }
            let snapshot = self.source.collection().snapshot().await?;
            if self.is_new && snapshot.count() < self.documents_min {
                tokio::time::sleep(COMMIT_TIME).await;
                continue;
            }
            drop(snapshot);
            if !self.write(&opened).await? {
                opened = self.open(true).await?;
            }
        }
    }

    /// Opens the index where it was left, or anew.
    async fn open(&mut self, anew: bool) -> Result<fulltext::Index> {
        self.following().publish(None);
        let folder = self.folder.clone();
        let (mut opened, reader, found) = blocking(move || {
            let opened = match anew {
                true => fulltext::Index::create(&folder)?,
                false => fulltext::Index::open(&folder)?,
            };
            let (reader, found) = opened.reader()?;
            Ok((opened, reader, found))
        })
        .await?;
        let known = found
            .as_ref()
            .and_then(|note| of_note(self.source.collection(), note));
        self.is_new = known.is_none();
        match known {
            Some((layout, reached)) => {
                (self.layout, self.reached) = (layout, reached);
                self.publish(reader);
            }
            None => {
                (self.layout, self.reached) = (Layout::default(), Sequence::START);
                if found.is_some() {
                    let folder = self.folder.clone();
                    opened = blocking(move || fulltext::Index::create(&folder)).await?;
                }
            }
        }
        Ok(opened)
    }

    fn publish(&self, reader: fulltext::Reader) {
        self.following().publish(Some(Published {
            reader,
            layout: self.layout.clone(),
            reached: self.reached.clone(),
            collection: self.source.collection().clone(),
            tail: Mutex::default(),
            memory: self.memory.clone(),
        }));
    }

    /// Writes until nothing has changed for a while; false where the index must be made anew.
    async fn write(&mut self, opened: &fulltext::Index) -> Result<bool> {
        let mut share = self.memory.share(Holder::Indexing);
        share
            .wait(WRITER_BYTES, Duration::MAX)
            .await
            .map_err(|full| IndexingError::Memory(full.to_string()))?;
        let to_open = opened.clone();
        let bytes = share.bytes().max(WRITER_BYTES_MIN);
        let mut writer = blocking(move || to_open.writer(bytes)).await?;
        loop {
            let snapshot = self.source.collection().snapshot().await?;
            // Of a later state: all fields of the snapshot's documents are in it.
            let mapping = self.source.mapping().await?;
            let Some(layout) = self.laid_out(&mapping, &snapshot).await? else {
                return Ok(false);
            };
            self.layout = layout;
            let (written, fits) = self.take_in(opened, writer, &snapshot, &mapping).await?;
            writer = written;
            if !fits {
                return Ok(false);
            }
            let changed = self.source.collection().changed_after(&self.reached);
            match tokio::time::timeout(IDLE_TIME, changed).await {
                Ok(true) if !share.is_wanted() => tokio::time::sleep(GATHER_TIME).await,
                _ => break,
            }
        }
        finish(writer, share).await;
        Ok(true)
    }

    /// The layout with what the mapping has besides; `None` where what is in the index does not fit any more.
    async fn laid_out(&self, mapping: &Mapping, snapshot: &RevisionedSnapshot) -> Result<Option<Layout>> {
        let purges = snapshot.newest_purges(1).await?;
        if self.reached > Sequence::START && purges.iter().any(|purge| purge.sequence > self.reached) {
            return Ok(None);
        }
        Ok(match self.reached == Sequence::START {
            true => Some(Layout::new(mapping)),
            false => self.layout.extended(mapping),
        })
    }

    /// Takes in what the snapshot has, and commits it.
    async fn take_in(
        &mut self,
        opened: &fulltext::Index,
        mut writer: Writer,
        snapshot: &RevisionedSnapshot,
        mapping: &Arc<Mapping>,
    ) -> Result<(Writer, bool)> {
        let limit = PageLimit {
            entries: PAGE_CHANGES,
            bytes: PAGE_BYTES,
        };
        // Of an index from the start, no document has an entry: the log names each once.
        let may_replace = !self.is_new;
        let (mut pending, mut committed) = (0, Instant::now());
        loop {
            let page = snapshot.change_page(&self.reached, Order::Forward, limit).await?;
            let is_last = page.is_last || page.changes.is_empty();
            pending += page.changes.len();
            match page.changes.last() {
                Some(last) if !is_last => self.reached = last.sequence.clone(),
                _ => self.reached = snapshot.head(),
            }
            let (mapping, mut layout) = (mapping.clone(), std::mem::take(&mut self.layout));
            (writer, self.layout) = blocking(move || {
                for change in &page.changes {
                    put(&mut writer, &mut layout, &mapping, change, may_replace)?;
                }
                Ok((writer, layout))
            })
            .await?;
            if is_last || pending >= COMMIT_CHANGES || committed.elapsed() >= COMMIT_TIME {
                writer = self.commit(opened, writer).await?;
                (pending, committed) = (0, Instant::now());
            }
            if is_last {
                return Ok((writer, true));
            }
        }
    }

    async fn commit(&mut self, opened: &fulltext::Index, mut writer: Writer) -> Result<Writer> {
        self.source.collection().flush().await?;
        let note = note(self.source.collection(), &self.layout, &self.reached);
        let opened = opened.clone();
        let (writer, reader) = blocking(move || {
            writer.commit(&note)?;
            let (reader, _) = opened.reader()?;
            Ok((writer, reader))
        })
        .await?;
        self.is_new = false;
        self.publish(reader);
        Ok(writer)
    }
}

fn put(
    writer: &mut Writer,
    layout: &mut Layout,
    mapping: &Mapping,
    change: &Change,
    may_replace: bool,
) -> fulltext::Result<()> {
    let (key, has_before) = changed(change);
    match &change.kind {
        ChangeKind::Put(record) => {
            layout.note_unmapped(record.document.as_ref(), mapping);
            let (number, sequence) = (record.id.0, sequence_number(record));
            let entry = layout.entry(mapping, key_of(record), number, sequence, &record.document);
            writer.put(entry, may_replace && has_before)
        }
        ChangeKind::Deleted { .. } => {
            writer.delete(&key);
            Ok(())
        }
    }
}

/// Lets a writer end its merges on a thread of its own, which a stop of the server does not wait for.
async fn finish(writer: Writer, share: Share) {
    let (sender, ended) = tokio::sync::oneshot::channel::<()>();
    let thread = std::thread::Builder::new().name("fulltext".to_owned());
    let spawned = thread.spawn(move || {
        if let Err(error) = writer.finish() {
            tracing::warn!(%error, "the merges of a full-text index failed");
        }
        drop(share);
        drop(sender);
    });
    if spawned.is_ok() {
        drop(ended.await);
    }
}

/// Runs what reads and writes files on a thread that may wait.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> fulltext::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(error.into()),
        Err(error) => Err(IndexingError::Failed(error.to_string())),
    }
}
