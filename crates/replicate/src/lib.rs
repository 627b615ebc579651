//! Replication: bringing what one store has and another lacks from the first to the second.
//!
//! A [`replicate`] run reads the changes of a *source* after the last checkpoint, page by page; asks the *target*
//! which of those revisions it lacks; reads these from the source with their ancestry; writes them to the target as
//! they are; and records in both how far it has come. The algorithm is that of the CouchDB replication protocol
//! (`src/docs/src/replication/protocol.rst`), and the checkpoints are those that CouchDB 3 writes, so that either
//! side can be any store that speaks it.
//!
//! What must hold: a checkpoint is written only when the target has flushed everything up to it, so a run that is cut
//! off anywhere loses nothing; a document that the target refuses is counted and listed; memory is bounded by the
//! pages, batches and documents under way, not by the size of either store or of any attachment.
//!
//! Left to others: how a store is reached ([`Peer`]), who may start a run, and when one is tried again (though
//! [`Backoff`] says how long to wait).

mod backoff;
mod batch;
mod checkpoint;
mod document;
mod error;
mod options;
mod peer;
mod progress;
mod session;
mod statistics;

pub use backoff::Backoff;
pub use checkpoint::{Log, REPLICATION_ID_VERSION, common_ancestor};
pub use document::{Document, FollowingAttachment, StreamedDocument};
pub use error::{PeerError, PeerErrorKind, ReplicateError};
pub use options::{Filter, Options};
pub use peer::{Changes, ChangesQuery, Missing, Peer, ReadCounts, Refusal, Revisions, Row};
pub use progress::{Progress, Snapshot};
pub use session::{Outcome, replicate};
pub use statistics::Statistics;
