//! An ordered key-value store of shards: embedded (RocksDB) and simulated
