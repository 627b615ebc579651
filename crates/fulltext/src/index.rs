//! The folder of an index, and writing it.

use crate::entry::{DocumentEntry, EntryDocument};
use crate::error::Result;
use crate::opened::Opened;
use crate::reader::Reader;
use crate::schema::{Fields, TIME, schema};
use crate::tokens::{TOKENIZER, Terms};
use crate::waiting::Waiting;
use std::path::{Path, PathBuf};
use tantivy::directory::MmapDirectory;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, MergeCandidate, MergePolicy};
use tantivy::store::Compressor;
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{
    IndexReader, IndexSettings, IndexSortByField, IndexWriter, Order, ReloadPolicy, SegmentMeta, Term,
};

/// The memory that a writer needs at least.
pub const WRITER_BYTES_MIN: usize = 15_000_000;

/// Segments that are merged at once at least.
const MERGED_SEGMENTS_MIN: usize = 8;
/// Segments with fewer entries count as equally small.
const SMALL_SEGMENT_ENTRIES: u32 = 20_000;
/// Segments with more entries are large, unless the index has more of them than [`LARGE_SEGMENTS`]; large ones are not merged.
const LARGE_SEGMENT_ENTRIES: usize = 200_000;
const LARGE_SEGMENTS: usize = 64;

/// An index in a folder.
#[derive(Clone)]
pub struct Index {
    folder: PathBuf,
    index: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    opened: Opened,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Index({})", self.folder.display())
    }
}

impl Index {
    /// The index in this folder, which is made if there is none. One that cannot be read is made anew.
    pub fn open(folder: &Path) -> Result<Index> {
        if let Ok(index) = Index::open_present(folder) {
            return Ok(index);
        }
        Index::create(folder)
    }

    /// A new index in place of what is in this folder.
    pub fn create(folder: &Path) -> Result<Index> {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        Index::open_present(folder)
    }

    fn open_present(folder: &Path) -> Result<Index> {
        let (schema, fields) = schema();
        let settings = IndexSettings {
            sort_by_field: Some(IndexSortByField {
                field: TIME.to_owned(),
                order: Order::Desc,
            }),
            // Nothing is stored in it.
            docstore_compression: Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let index = tantivy::Index::builder()
            .schema(schema)
            .settings(settings)
            .open_or_create(directory)?;
        index.tokenizers().register(TOKENIZER, TextAnalyzer::from(Terms));
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Index {
            folder: folder.to_owned(),
            index,
            reader,
            fields,
            opened: Opened::default(),
        })
    }

    /// What was committed last, with the note of that commit; `None` if there was none.
    pub fn reader(&self) -> Result<(Reader, Option<String>)> {
        let note = self.index.load_metas()?.payload;
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        self.opened.keep_only(&searcher);
        Ok((Reader::new(searcher, self.fields, self.opened.clone()), note))
    }

    /// A writer that has this much memory. There is one at a time.
    pub fn writer(&self, memory_bytes: usize) -> Result<Writer> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(memory_bytes.max(WRITER_BYTES_MIN))
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer = self.index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(Merges));
        // The engine numbers operations from the last commit's number on. Without this, the first one has that number too: a deletion
        // counts as done in segments from which the commit has taken something, and is lost where they are merged.
        writer.run([])?;
        // Files that a commit left which did not end have the names that this writer's may get.
        writer.garbage_collect_files().wait()?;
        Ok(Writer {
            writer,
            fields: self.fields,
            waiting: Waiting::default(),
        })
    }
}

/// Which segments are merged: such as are equally large, until they are a small part of the index. A merge of the largest keeps as
/// much memory resident as its files have, and a search goes through some dozens of segments as fast as through a few.
#[derive(Debug)]
struct Merges;

impl MergePolicy for Merges {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let entries: usize = segments.iter().map(|segment| segment.num_docs() as usize).sum();
        let mut policy = LogMergePolicy::default();
        policy.set_min_num_segments(MERGED_SEGMENTS_MIN);
        policy.set_min_layer_size(SMALL_SEGMENT_ENTRIES);
        policy.set_max_docs_before_merge(LARGE_SEGMENT_ENTRIES.max(entries / LARGE_SEGMENTS));
        policy.set_del_docs_ratio_before_merge(0.3);
        policy.compute_merge_candidates(segments)
    }
}

/// Writes an index.
pub struct Writer {
    writer: IndexWriter<EntryDocument>,
    fields: Fields,
    waiting: Waiting,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Writer")
    }
}

impl Writer {
    /// Adds an entry. Where the document may have one already, `replaces` takes that away.
    pub fn put(&mut self, entry: DocumentEntry, replaces: bool) -> Result<()> {
        if replaces {
            self.delete(entry.id());
        }
        let place = self.waiting.enter(entry.bytes());
        self.writer.add_document(entry.document(self.fields, place))?;
        Ok(())
    }

    /// Takes away the entry of a document.
    pub fn delete(&mut self, id: &[u8]) {
        self.writer
            .delete_term(Term::from_field_bytes(self.fields.id, id));
    }

    /// Makes all that was done durable, with a note.
    pub fn commit(&mut self, note: &str) -> Result<()> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(note);
        prepared.commit()?;
        Ok(())
    }

    /// Ends it when the merges that run are done.
    pub fn finish(self) -> Result<()> {
        Ok(self.writer.wait_merging_threads()?)
    }
}
