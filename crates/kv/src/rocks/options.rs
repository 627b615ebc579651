//! The engine's settings, each with the reason or the measurement behind it.

use super::descriptors::descriptors_max;
use rocksdb::{
    BlockBasedOptions, BottommostLevelCompaction, Cache, CompactOptions, CompactionPri, DBCompressionType,
    LogLevel, Options, WriteBufferManager, WriteOptions,
};

const MIB: usize = 1 << 20;

/// The least memory that the engine works with; a smaller budget is raised to it.
const MEMORY_BYTES_MIN: usize = 16 * MIB;

/// A write buffer larger than this loses to cache misses in its skip list.
const WRITE_BUFFER_BYTES_MAX: usize = 32 * MIB;

/// The most log that is read again at a start, in some tenths of a second.
const LOG_BYTES_MAX: u64 = 64 * MIB as u64;

const BLOCK_BYTES: usize = 16 << 10;

/// Entries from one whole key of a block to the next. With 4 instead of 16, thousands of look-ups at a time take a
/// fifth less time, for 5 % more on disk; tables of hashes in blocks cost more and win less.
const ENTRIES_BETWEEN_WHOLE_KEYS: i32 = 4;
const DICTIONARY_BYTES: i32 = 16 << 10;
const DICTIONARY_SAMPLE_BYTES: i32 = 16 * DICTIONARY_BYTES;

/// The bytes of blocks that a new table keeps in memory until its dictionary is trained. Without this bound each running
/// compaction would keep a whole table.
const DICTIONARY_BUFFER_BYTES: usize = 4 * MIB;
const TABLE_BYTES: u64 = 32 * MIB as u64;

/// Tables that are kept open; a quarter of the process's descriptors where that is less, and never fewer than the
/// engine takes.
const OPEN_TABLES_MAX: usize = 512;
const OPEN_TABLES_MIN: usize = 20;

const FILTER_BITS_PER_KEY: f64 = 10.0;

/// New tables that are gathered before they are merged into the level below. With 8 instead of 4 a bulk load
/// spends half as much on merging; with 12 the look-ups of new keys lose what is won.
const NEW_TABLES: i32 = 8;

/// zstd's level: 3 packs 2 % better and takes half as long again.
const ZSTD_LEVEL: i32 = 1;

/// How the one memory budget is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    /// Block cache, with filters, indexes and the write buffers charged to it.
    pub(super) cache_bytes: usize,
    /// All write buffers.
    pub(super) write_bytes: usize,
    pub(super) write_buffer_bytes: usize,
}

impl Memory {
    /// Divides the budget. A quarter is left for what no cache counts: the buffers of compactions, open tables, and
    /// what the allocator loses between blocks of different sizes. Nearly half of the cache goes to the write buffers: the smaller they
    /// are, the more often the same entries are merged, and records are kept in a cache of their own beside this one.
    pub(super) fn divide(budget_bytes: usize) -> Memory {
        let cache_bytes = (budget_bytes / 4 * 3).max(MEMORY_BYTES_MIN);
        let write_bytes = (cache_bytes * 15 / 32).min(4 * WRITE_BUFFER_BYTES_MAX);
        let write_buffer_bytes = (write_bytes / 3).min(WRITE_BUFFER_BYTES_MAX);
        Memory {
            cache_bytes,
            write_bytes,
            write_buffer_bytes,
        }
    }

    /// What is kept free on the disk by default, so that the write buffers can still become tables, and
    /// tables be merged.
    pub(super) fn disk_reserve_bytes(self) -> u64 {
        2 * self.write_bytes as u64 + LOG_BYTES_MAX / 4
    }
}

/// The block cache: reads 1.4 times faster than the LRU cache. No estimate of an entry's size is given
/// because blocks, filters and the write buffers' charges differ too much.
pub(super) fn cache(memory: Memory) -> Cache {
    Cache::new_hyper_clock_cache(memory.cache_bytes, 0)
}

/// The bytes at the beginning of a key for which the write buffer remembers where it inserted last.
const HINTED_KEY_BYTES: usize = 4;

/// All settings of the database. Errors: the engine does not know a setting by its name.
pub(super) fn database(memory: Memory, cache: &Cache) -> Result<Options, rocksdb::Error> {
    // Settings that have a name but no function; the functions below leave them as they are. Look-ups of many keys in a
    // write buffer go on from the key before: a fifth faster. The place of the last insertion is remembered for each beginning of
    // keys, which is a shard and what it keeps there (documents, an index): one after the other in a collection, they are inserted
    // near it, a tenth faster.
    let named = format!(
        "memtable_batch_lookup_optimization=true;\
         memtable_insert_with_hint_prefix_extractor=capped:{HINTED_KEY_BYTES};\
         bottommost_compression_opts={{max_dict_buffer_bytes={DICTIONARY_BUFFER_BYTES}}}"
    );
    let mut options = Options::default().get_options_from_string(named)?;
    options.create_if_missing(true);
    set_write_path(&mut options, memory, cache);
    set_tables(&mut options, cache);
    set_background(&mut options);
    set_housekeeping(&mut options);
    Ok(options)
}

fn set_write_path(options: &mut Options, memory: Memory, cache: &Cache) {
    let buffers =
        WriteBufferManager::new_write_buffer_manager_with_cache(memory.write_bytes, false, cache.clone());
    options.set_write_buffer_manager(&buffers);
    // Several small buffers beat one large: faster with random keys and half the memory.
    options.set_write_buffer_size(memory.write_buffer_bytes);
    options.set_max_write_buffer_number(4);
    // A log file that is used again does not change its size at each flush: one device flush instead of two.
    options.set_recycle_log_file_num(4);
    options.set_max_total_wal_size(LOG_BYTES_MAX);
    // A filter in the write buffer spares the search for keys that are new.
    options.set_memtable_whole_key_filtering(true);
    options.set_memtable_prefix_bloom_ratio(0.05);
}

fn set_tables(options: &mut Options, cache: &Cache) {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_block_size(BLOCK_BYTES);
    table.set_block_restart_interval(ENTRIES_BETWEEN_WHOLE_KEYS);
    table.set_format_version(6);
    // Ribbon filters would be a third smaller, but building them takes an eighth of a bulk load's time.
    table.set_bloom_filter(FILTER_BITS_PER_KEY, false);
    table.set_whole_key_filtering(true);
    table.set_optimize_filters_for_memory(true);
    // Filters and indexes count against the budget, and go last.
    table.set_cache_index_and_filter_blocks(true);
    table.set_cache_index_and_filter_blocks_with_high_priority(true);
    table.set_pin_l0_filter_and_index_blocks_in_cache(true);
    options.set_block_based_table_factory(&table);

    options.set_compression_type(DBCompressionType::Lz4);
    options.set_bottommost_compression_type(DBCompressionType::Zstd);
    options.set_bottommost_compression_options(-14, ZSTD_LEVEL, 0, DICTIONARY_BYTES, true);
    options.set_bottommost_zstd_max_train_bytes(DICTIONARY_SAMPLE_BYTES, true);
    options.set_target_file_size_base(TABLE_BYTES);
    options.set_max_bytes_for_level_base(4 * TABLE_BYTES);
    options.set_level_zero_file_num_compaction_trigger(NEW_TABLES);
    options.set_level_zero_slowdown_writes_trigger(3 * NEW_TABLES);
    options.set_level_zero_stop_writes_trigger(5 * NEW_TABLES);
    options.set_level_compaction_dynamic_level_bytes(true);
    options.set_compaction_pri(CompactionPri::MinOverlappingRatio);
}

fn set_background(options: &mut Options) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = cores.clamp(2, 4);
    // 2..=4, so it fits.
    options.set_max_background_jobs(jobs as i32);
    // A rewrite of a whole shard is one job; two parts of it at a time use two cores.
    options.set_max_subcompactions(2);
    options.set_bytes_per_sync(MIB as u64);
    options.set_max_file_opening_threads(2);
}

fn set_housekeeping(options: &mut Options) {
    let tables = (descriptors_max() / 4).clamp(OPEN_TABLES_MIN, OPEN_TABLES_MAX);
    // At most 512, so it fits.
    options.set_max_open_files(tables as i32);
    // Opening reads no table for statistics.
    options.set_skip_stats_update_on_db_open(true);
    options.set_stats_dump_period_sec(0);
    options.set_stats_persist_period_sec(0);
    options.set_log_level(LogLevel::Warn);
    options.set_keep_log_file_num(2);
    options.set_max_log_file_size(4 * MIB);
    options.set_max_manifest_file_size(16 * MIB);
}

/// How a batch is written: to the log without a flush, which the flusher makes for all that wait. While the engine is stalled, the
/// write waits.
pub(super) fn write() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.set_sync(false);
    // Batches are sorted, so each key's place is near that of the key before it.
    options.set_memtable_insert_hint_per_batch(true);
    options
}

/// As [`write`], but a stalled engine refuses the write: for threads that must not wait.
pub(super) fn write_unless_stalled() -> WriteOptions {
    let mut options = write();
    options.set_no_slowdown(true);
    options
}

/// How a shard's files are rewritten.
pub(super) fn compaction() -> CompactOptions {
    let mut options = CompactOptions::default();
    options.set_exclusive_manual_compaction(false);
    options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_buffers_take_the_smaller_part_of_every_budget() {
        for budget_bytes in [0, 64 * MIB, 128 * MIB, 1024 * MIB, 64 << 30] {
            let memory = Memory::divide(budget_bytes);
            assert!(memory.write_bytes * 2 < memory.cache_bytes, "{memory:?}");
            assert!(memory.write_buffer_bytes * 3 <= memory.write_bytes, "{memory:?}");
            assert!(
                (2 * MIB..=WRITE_BUFFER_BYTES_MAX).contains(&memory.write_buffer_bytes),
                "{memory:?}"
            );
        }
    }
}
