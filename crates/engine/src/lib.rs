//! The one boundary that protocols see: databases, collections, operations, errors.
//!
//! A protocol parses its wire form into the requests of this crate ([`FindRequest`], [`UpdateStatement`], …), calls an
//! [`Engine`], and encodes what it returns. Every call takes a [`Context`]: who asks, in which session, until when.
//!
//! What must hold:
//! - nothing of HTTP, OP_MSG or JSON text is known here, and nothing of `kv` or of the store's keys leaves it;
//! - whatever can be listed, killed or timed out (operations, cursors, sessions) is registered in one table each;
//! - every table has a named limit ([`limits`]).
//!
//! Left to others: matching, planning and changing (`query`), commits (`store`), who may do what (`auth`, asked by
//! protocols).

mod aggregate;
mod background;
mod capped;
mod checkpoint;
mod collations;
mod collections;
mod context;
mod cursors;
mod data_size;
mod describe;
mod engine;
mod error;
mod explain;
mod filter;
mod find;
mod id_index;
mod index_kinds;
mod index_spec;
mod indexes;
mod listing;
mod modify_index;
mod names;
mod open;
mod operations;
mod partial_filter;
mod plan_cache;
mod profile;
mod reach;
mod revisions;
mod roles;
mod salvage;
mod scrub;
mod sessions;
mod stats;
mod tables;
mod time_series;
mod users;
mod verify;
mod views;
mod write;
mod write_lock;

pub mod files;
pub mod limits;

pub use aggregate::{AggregateRequest, AggregateSource};
pub use checkpoint::{Checkpoint, cut_log};
pub use collections::{CollectionEntry, CreateRequest, ModifyRequest};
pub use context::{Context, Origin, steps};
pub use data_size::{DataSize, DataSizeRequest};
pub use describe::host_name;
pub use engine::Engine;
pub use error::{Error, Result};
pub use explain::{Explained, Verbosity};
pub use filter::DocumentFilter;
pub use find::{CountRequest, DistinctRequest, FindRequest};
pub use indexes::CreatedIndexes;
pub use language::interruption::Client;
pub use language::metrics::Metrics;
pub use modify_index::IndexChange;
pub use open::EngineOptions;
pub use pipeline::WantedOperations;
pub use plan_cache::IndexFilter;
pub use revisions::{
    Change, ChangeKind, ChangePage, CollatedDefinition, CollatedIndex, CollatedRange, CollatedRow,
    DocumentHistory, DocumentPosition, Edit, EditOrigin, EditOutcome, FoundIds, Order, PageLimit, Record,
    Revision, RevisionHash, RevisionPath, RevisionTree, RevisionedCollection, RevisionedReport,
    RevisionedSnapshot, Sequence,
};
pub use salvage::salvage;
pub use scrub::ScrubReport;
pub use stats::{CollectionReport, DatabaseReport, ServerReport};
pub use store::ids;
pub use store::{CappedOptions, CollectionOptions, Moment, Namespace, ValidateReport};
pub use store::{PARTITION_BEHIND, PARTITION_END, PartitionStats, partition_of};
pub use store::{Salvaged, SalvagedCollection};
pub use tables::attempts::TooManyAttempts;
pub use tables::cursors::{CursorId, CursorReply, Tailing};
pub use tables::operations::{ConnectionGuard, OperationGuard, OperationInfo, shown_command};
pub use tables::profiler::{ProfileChange, ProfileLevel, ProfileSettings};
pub use tables::sessions::SessionId;
pub use time_series::buckets::buckets_name;
pub use time_series::{GRANULARITIES, TimeSeriesChange};
pub use verify::FilesReport;

pub use write::{
    DeleteReply, DeleteStatement, FindAndModifyReply, FindAndModifyRequest, InsertReply, UpdateReply,
    UpdateStatement, WriteFailure, WriteOptions,
};
