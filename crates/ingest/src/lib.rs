//! Elasticsearch's ingest pipelines: processors that change documents before they are stored.
//!
//! A [`Pipeline`] is parsed once from its definition, which refuses what is not known, and run on a [`Context`]: a document
//! with where it is to go. Each processor (`processors`, a file a kind) changes the context or fails; what then happens is said
//! by `ignore_failure` and `on_failure`, and whether it runs at all by `if`, a script of Painless.
//!
//! What must hold: no document makes a processor panic or run without end, or grows beyond what could be stored; a pipeline
//! knows nothing but the document and the time, and other pipelines by the [`Host`] that it is handed.
//!
//! Left to others: where pipelines are kept, what indices run them, and the writing of documents.

mod context;
mod error;
mod grok;
mod limits;
mod options;
mod pipeline;
mod processors;
mod template;

pub use context::Context;
pub use error::{Failure, PipelineError};
pub use grok::named_patterns as grok_patterns;
pub use pipeline::{Host, PIPELINES_DEPTH_MAX, Pipeline, Step, StepStatus};
pub use processors::PROCESSORS;
