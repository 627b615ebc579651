//! The one boundary that protocols see: databases, collections, operations, errors.
//!
//! A protocol parses its wire format into the requests of this crate ([`FindRequest`], [`UpdateStatement`], …), calls an
//! [`Engine`], and encodes what it returns. Every call takes a [`Context`]: user, session, time limit.
//!
//! What must hold:
//! - nothing of HTTP, OP_MSG or JSON text is known here, and no key or value as `kv` holds them leaves it;
//! - whatever can be listed, killed or timed out (operations, cursors, sessions) is registered in one table each;
//! - every table has a named limit ([`limits`]).
//!
//! Left to others: matching (`language`), planning (`query`), changing (`update`), commits (`store`), who may do what (`auth`,
//! which protocols call).

mod catalog;
mod context;
mod engine;
mod error;
mod open;
mod reading;
mod reports;
mod revisions;
mod running;
mod searching;
mod tables;
mod time_series;
mod users;
mod write;

pub mod files;
pub mod limits;

pub use catalog::collections::{CollectionEntry, CreateRequest, ModifyRequest};
pub use catalog::filter::DocumentFilter;
pub use catalog::index_spec::without_unknown_options;
pub use catalog::indexes::CreatedIndexes;
pub use catalog::modify_index::IndexChange;
pub use catalog::storage_engine::check_storage_engine;
pub use context::{
    Context, Origin, StableApi, beside, on_another_thread, operation_memory, run_until, steps,
};
pub use engine::Engine;
pub use error::{Error, Result};
pub use kv::Archiving;
pub use language::interruption::Client;
pub use language::metrics::Metrics;
pub use open::EngineOptions;
pub use pipeline::{Searched, Searching, WantedOperations};
pub use reading::aggregate::{AggregateRequest, AggregateSource};
pub use reading::at_hand::{AtHand, PlainCollection};
pub use reading::data_size::{DataSize, DataSizeRequest};
pub use reading::explain::{Explained, Verbosity};
pub use reading::find::{CountRequest, DistinctRequest, FindRequest};
pub use reading::hashes::{CollectionHash, DatabaseHash, FileHash};
pub use reading::plan_cache::IndexFilter;
pub use reports::describe::host_name;
pub use reports::stats::{CollectionReport, DatabaseReport, ServerReport};
pub use revisions::{
    Change, ChangeKind, ChangePage, CollatedDefinition, CollatedIndex, CollatedRange, CollatedRow,
    DocumentHistory, DocumentPosition, Edit, EditOrigin, EditOutcome, FoundIds, Notes, Order, PageLimit,
    Record, RecordId, Resolve, Revision, RevisionHash, RevisionPath, RevisionTree, RevisionedCollection,
    RevisionedReport, RevisionedSnapshot, Sequence, Terms,
};
pub use running::checkpoint::{Checkpoint, cut_log, replay};
pub use running::operations::OperationGuard;
pub use running::salvage::salvage;
pub use running::scrub::ScrubReport;
pub use running::set_aside::SetAside;
pub use running::verify::FilesReport;
pub use searching::{SearchIndexes, WhichSearchIndex};
pub use store::ids;
pub use store::{CappedOptions, CollectionOptions, Moment, Namespace, ValidateReport};
pub use store::{PARTITION_BEHIND, PARTITION_END, PartitionStats, partition_of};
pub use store::{Salvaged, SalvagedCollection};
pub use tables::attempts::TooManyAttempts;
pub use tables::cursors::{CursorId, CursorReply, Tailing};
pub use tables::operations::{ConnectionGuard, OperationInfo, shown_command};
pub use tables::profiler::{ProfileChange, ProfileLevel, ProfileSettings};
pub use tables::sessions::SessionId;
pub use time_series::buckets::buckets_name;
pub use time_series::{GRANULARITIES, TimeSeriesChange};

pub use write::{
    DeleteReply, DeleteStatement, FindAndModifyReply, FindAndModifyRequest, InsertReply, UpdateReply,
    UpdateStatement, WriteFailure, WriteOptions,
};
