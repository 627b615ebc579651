//! Collections of documents on kv: catalog, commits, indexes, change log, ids
