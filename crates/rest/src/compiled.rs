//! Compiled ingest pipelines, and the compiled scripts that they name.

use ingest::Pipeline;
use painless::Script;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Compiled pipelines and scripts, each with its source.
#[derive(Debug, Default)]
pub struct Compiled {
    pipelines: Mutex<HashMap<String, (Value, Arc<Pipeline>)>>,
    scripts: Mutex<HashMap<String, (String, Arc<Script>)>>,
}

impl Compiled {
    /// The pipeline of this name and definition.
    pub fn pipeline(&self, name: &str, definition: &Value) -> Option<Arc<Pipeline>> {
        // One that is kept was parsed when it was put.
        kept(&self.pipelines, name, definition, || {
            Pipeline::parse_as(name, definition).ok()
        })
    }

    /// The script of this id and source.
    pub fn script(&self, id: &str, source: &str) -> Option<Arc<Script>> {
        kept(&self.scripts, id, &source.to_owned(), || {
            Script::compile(source).ok()
        })
    }
}

/// What was made of this, or is now.
fn kept<K: Clone + PartialEq, V>(
    all: &Mutex<HashMap<String, (K, Arc<V>)>>,
    name: &str,
    of: &K,
    make: impl FnOnce() -> Option<V>,
) -> Option<Arc<V>> {
    let mut all = all.lock();
    if let Some((known, made)) = all.get(name)
        && known == of
    {
        return Some(made.clone());
    }
    let made = Arc::new(make()?);
    all.insert(name.to_owned(), (of.clone(), made.clone()));
    Some(made)
}
