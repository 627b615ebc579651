//! Collections of documents on a key-value store.
//!
//! Every change of a document, whatever its protocol, goes through [`Collection::commit`]: one committer a shard takes
//! all requests that wait, reads the documents as they are, checks conditions and unique keys, computes index entries,
//! numbers the changes and commits them together. Readers use a [`Snapshot`], page by page.
//!
//! What must hold:
//! - a record, its index entries and its place in the change log are written in one atomic commit;
//! - the sequence numbers of a shard rise with every change, and the change log names each live record once;
//! - counts and sizes in the shard's head agree with the records.
//!
//! Left to others: what filters (`language`) and updates (`update`) mean, since a [`Transform`] is handed in; users and sessions
//! (`engine`).

mod catalog;
mod changes;
mod collection;
mod commit;
mod companions;
mod derived;
mod entry_cache;
mod error;
mod index;
mod keys;
mod limits;
mod partition;
mod purges;
mod record;
mod record_cache;
mod salvage;
mod scan_cache;
mod seal;
mod sequence;
mod snapshot;
mod state;

pub mod ids;
pub mod sweep;

pub use catalog::{CappedOptions, CollectionOptions, Namespace, Store, StoreOptions, to_the_end};
pub use changes::{Change, ChangeKind, ChangePage};
pub use collection::{
    Collection, CollectionStats, Duplicates, ScrubPosition, Scrubbed, StoredBytes, ValidateReport,
};
pub use commit::{
    CommitOptions, Edit, EditOrigin, Image, Notes, Outcome, PlacedDocument, Present, ReplayedKind,
    ReplayedOutcome, Resolve, StatementId, Target, Terms, Transform, Transformed, WriteOp,
};
pub use derived::{Derived, DerivedSnapshot, PageBatch};
pub use error::StoreError;
pub use index::{
    COLLATED, FieldKind, FilterCompiler, Index, IndexEntry, IndexField, IndexSpec, IndexState,
    PARTITIONED_INDEX, Wildcard, digits_of_key,
};
pub use kv::{Durability, KeyRange, Order, PageLimit, after_prefix};
pub use limits::*;
pub use partition::{PARTITION_BEHIND, PARTITION_END, PartitionStats, partition_of, put_partition};
pub use purges::Purge;
pub use record::{Node, Record, RecordId, Revision, RevisionHash, RevisionPath, RevisionTree};
pub use salvage::{Salvaged, SalvagedCollection, salvage};
pub use sequence::{InvalidSequence, Sequence};
pub use snapshot::{
    DocumentHistory, DocumentPage, IndexPage, LocalPage, Moment, PageAhead, RawDocuments, RecordPage,
    Snapshot,
};
