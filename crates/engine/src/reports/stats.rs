//! Counts and sizes of collections, databases and the server.

use crate::engine::Engine;
use crate::error::Result;
use crate::reports::field_names::readable;
use memory::Usage;
use store::Namespace;
use value::Document;

/// The files of MongoDB's storage engine grow by this many bytes (`allocation_size` of WiredTiger's files).
const FILE_STEP_BYTES: u64 = 4_096;

/// Bytes on disk as MongoDB reports them, which has a file for each collection and each index.
pub(super) fn file_bytes(bytes: u64) -> u64 {
    bytes.next_multiple_of(FILE_STEP_BYTES)
}

/// Counts and sizes of a collection.
#[derive(Clone, Debug, Default)]
pub struct CollectionReport {
    /// Documents in all collections, as their heads count them.
    pub documents: u64,
    /// Their bytes as BSON.
    pub data_bytes: u64,
    /// Bytes on disk of the documents, compressed.
    pub storage_bytes: u64,
    /// Name and bytes on disk of each index.
    pub indexes: Vec<(String, u64)>,
    /// Size in bytes and, where given, most documents, if it is capped.
    pub capped: Option<(u64, Option<u64>)>,
}

/// Counts and sizes of a database, as MongoDB reports them: sizes on disk are those of whole files.
#[derive(Clone, Debug, Default)]
pub struct DatabaseReport {
    /// Collections, views not counted.
    pub collections: u64,
    /// Views, which hold no documents of their own.
    pub views: u64,
    /// Documents in all collections, as their heads count them.
    pub documents: u64,
    /// Their bytes as BSON.
    pub data_bytes: u64,
    /// Bytes on disk of the documents, compressed.
    pub storage_bytes: u64,
    /// Indexes, those on `_id` included.
    pub indexes: u64,
    /// Bytes on disk of the indexes.
    pub index_bytes: u64,
}

/// What the server holds and does.
#[derive(Clone, Debug, Default)]
pub struct ServerReport {
    /// Milliseconds since the engine was opened.
    pub uptime_ms: u64,
    /// Open cursors.
    pub open_cursors: usize,
    /// Known sessions.
    pub sessions: usize,
    /// Bytes of the data folder.
    pub disk_bytes: u64,
    /// Bytes of the file system that holds the data folder.
    pub volume_bytes: u64,
    /// Bytes of that file system that are in use.
    pub volume_used_bytes: u64,
    /// Bytes of that file system that are kept free.
    pub disk_reserve_bytes: u64,
    /// Bytes of temporary files.
    pub temporary_bytes: u64,
    /// Whether less than that is free, so that writes that add to the data are refused.
    pub is_disk_low: bool,
    /// Bytes of caches and write buffers.
    pub memory_bytes: u64,
    /// The memory for clients' requests that is held, by holder.
    pub memory: Vec<Usage>,
    /// Bytes of hot files in memory.
    pub file_cache_bytes: u64,
    /// Bytes of records in memory that were read lately.
    pub record_cache_bytes: u64,
    /// Flushes of the log to disk.
    pub flushes: u64,
    /// Commits; many may share one flush.
    pub commits: u64,
}

impl Engine {
    /// Counts and sizes of a collection; all zero if it does not exist.
    pub async fn collection_report(&self, namespace: &Namespace) -> Result<CollectionReport> {
        let Some(collection) = self.existing(namespace).ok().filter(|c| !c.is_view()) else {
            return Ok(CollectionReport::default());
        };
        collection.check_sound()?;
        let stats = collection.stats();
        let stored = collection.stored_bytes().await?;
        let of_index = |id: u32| {
            let found = stored.indexes.iter().find(|(known, _)| *known == id);
            found.map_or(0, |(_, bytes)| *bytes)
        };
        let indexes = collection.indexes();
        let mut sizes: Vec<(String, u64)> = Vec::with_capacity(indexes.len());
        for index in &indexes {
            let name = readable(index.spec().shown_name()).into_owned();
            match sizes.iter_mut().find(|(known, _)| *known == name) {
                Some((_, bytes)) => *bytes += of_index(index.id()),
                None => sizes.push((name, of_index(index.id()))),
            }
        }
        Ok(CollectionReport {
            documents: stats.count,
            data_bytes: stats.data_bytes,
            storage_bytes: stored.documents,
            indexes: sizes,
            capped: collection
                .options()
                .capped
                .as_ref()
                .map(|c| (c.size_bytes, c.documents_max)),
        })
    }

    /// Counts and sizes of a database; all zero if it does not exist.
    pub async fn database_report(&self, database: &str) -> Result<DatabaseReport> {
        let mut report = DatabaseReport::default();
        for entry in self.collections(database) {
            if entry.is_view {
                report.views += 1;
                continue;
            }
            report.collections += 1;
            let namespace = Namespace::new(database, &entry.name);
            // A damaged collection is left out, so that the others can still be reported.
            if self
                .existing(&namespace)
                .is_ok_and(|one| one.check_sound().is_err())
            {
                continue;
            }
            let one = self.collection_report(&namespace).await?;
            report.documents += one.documents;
            report.data_bytes += one.data_bytes;
            report.storage_bytes += file_bytes(one.storage_bytes);
            report.indexes += one.indexes.len() as u64;
            let of_indexes = one.indexes.iter().map(|(_, bytes)| file_bytes(*bytes));
            report.index_bytes += of_indexes.sum::<u64>();
        }
        Ok(report)
    }

    /// How often each collection was used since the start, and how long that took, in the form of MongoDB's `top`.
    pub fn collection_usage(&self) -> Vec<(Namespace, Document)> {
        self.latencies().usage()
    }

    /// The documents of all collections together.
    pub fn document_count(&self) -> u64 {
        let databases = self.store().databases();
        let collections = databases
            .iter()
            .flat_map(|database| self.store().collections(database));
        collections.map(|collection| collection.stats().count).sum()
    }

    /// Commits to the store since it was opened.
    pub fn commits(&self) -> u64 {
        self.kv().commits()
    }

    /// What the server holds and does.
    pub fn server_report(&self) -> ServerReport {
        let engine = self.kv().stats();
        ServerReport {
            uptime_ms: self.started().elapsed().as_millis() as u64,
            open_cursors: self.cursors().count(),
            sessions: self.sessions().count(),
            disk_bytes: engine.disk_bytes,
            volume_bytes: engine.volume_bytes,
            volume_used_bytes: engine.volume_used_bytes,
            disk_reserve_bytes: engine.disk_reserve_bytes,
            is_disk_low: engine.is_disk_low,
            temporary_bytes: self.spill().map_or(0, |spill| spill.bytes()),
            memory_bytes: engine.memory_bytes,
            memory: self.memory().usage(),
            file_cache_bytes: self.file_cache().chunk_bytes(),
            record_cache_bytes: self.store().record_cache_bytes() as u64,
            flushes: engine.flushes,
            commits: engine.commits,
        }
    }

    /// Checks every record of a collection against its indexes, counts, sizes and change log.
    pub async fn validate(&self, namespace: &Namespace, full: bool) -> Result<store::ValidateReport> {
        let mut report = self.existing(namespace)?.validate(full).await?;
        for (name, _) in &mut report.index_entries {
            *name = readable(name).into_owned();
        }
        Ok(report)
    }

    /// Rewrites a collection's files, so that they hold only live data. Returns the number of bytes freed.
    pub async fn compact(&self, namespace: &Namespace) -> Result<u64> {
        Ok(self.existing(namespace)?.compact().await?)
    }
}
