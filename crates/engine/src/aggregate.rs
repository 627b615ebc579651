//! Running aggregation pipelines.

use value::{Document, Value};

/// What a pipeline reads.
#[derive(Clone, Debug)]
pub enum AggregateSource {
    /// A collection or view.
    Collection(store::Namespace),
    /// No collection: the first stage makes the documents (`$documents`, `$currentOp` …).
    Database(String),
}

/// A pipeline as a client asks it.
#[derive(Clone, Debug, Default)]
pub struct AggregateRequest {
    /// The stages.
    pub pipeline: Vec<Value>,
    /// Documents in the first batch; none for the default.
    pub batch_size: Option<u64>,
    /// The index to use.
    pub hint: Option<Value>,
    /// Variables that all stages see.
    pub variables: Document,
    /// Whether large stages may use the disk.
    pub allow_disk_use: bool,
}
