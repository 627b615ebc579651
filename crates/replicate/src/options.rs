//! What is asked of a run.

use serde_json::{Map, Value};
use std::time::Duration;

/// Which changes of the source are replicated.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Filter {
    /// All.
    #[default]
    All,
    /// Those of these documents.
    Ids(Vec<String>),
    /// Those of documents that match a selector.
    Selector(Value),
    /// Those that a filter of the source passes, `design/name` or a built-in one, with these parameters.
    Named {
        /// The filter.
        name: String,
        /// The parameters.
        parameters: Map<String, Value>,
    },
}

/// How a run is done.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the run goes on with changes as they happen.
    pub continuous: bool,
    /// The parameters with which a missing target is made; `None` if the target must exist.
    pub create_target: Option<Map<String, Value>>,
    /// Which changes.
    pub filter: Filter,
    /// From where to start when no checkpoint is found.
    pub since: Option<Value>,
    /// Whether only the winning revision of each document is replicated, not its conflicts.
    pub winners_only: bool,
    /// Whether the run records how far it has come.
    pub use_checkpoints: bool,
    /// How often it does.
    pub checkpoint_interval: Duration,
    /// The batches under way at once.
    pub batches: usize,
    /// The changes of a batch.
    pub batch_rows: usize,
}

impl Default for Options {
    /// CouchDB's defaults (`src/couch_replicator/src/couch_replicator_parse.erl`).
    fn default() -> Options {
        Options {
            continuous: false,
            create_target: None,
            filter: Filter::All,
            since: None,
            winners_only: false,
            use_checkpoints: true,
            checkpoint_interval: Duration::from_secs(30),
            batches: 4,
            batch_rows: 500,
        }
    }
}
