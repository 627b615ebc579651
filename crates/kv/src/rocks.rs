//! The embedded engine on RocksDB.
