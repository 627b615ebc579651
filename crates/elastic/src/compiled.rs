//! Ingest pipelines that were compiled.

use ingest::Pipeline;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Pipelines that were compiled, each with its definition.
#[derive(Debug, Default)]
pub(crate) struct Compiled(Mutex<HashMap<String, (Value, Arc<Pipeline>)>>);

impl Compiled {
    /// The pipeline of this name and definition.
    pub(crate) fn get(&self, name: &str, definition: &Value) -> Option<Arc<Pipeline>> {
        let mut compiled = self.0.lock();
        if let Some((known, pipeline)) = compiled.get(name)
            && known == definition
        {
            return Some(pipeline.clone());
        }
        // One that is kept was parsed when it was put.
        let pipeline = Arc::new(Pipeline::parse(definition).ok()?);
        compiled.insert(name.to_owned(), (definition.clone(), pipeline.clone()));
        Some(pipeline)
    }
}
