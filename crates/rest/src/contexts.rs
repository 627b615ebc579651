//! What is kept between requests for a while, by ids that clients get.

use crate::limits::CONTEXTS_MAX;
use http::StatusCode;
use indices::error::{ElasticError, Result};
use memory::Share;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Shared = Arc<dyn Any + Send + Sync>;

struct Context {
    kept: Shared,
    until: Instant,
    /// The memory of what is kept.
    _share: Share,
}

/// All searches that go on, by their ids.
#[derive(Default)]
pub struct Contexts(Mutex<HashMap<String, Context>>);

impl std::fmt::Debug for Contexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Contexts({})", self.0.lock().len())
    }
}

/// Nothing is kept under an id, or no longer.
pub fn missing(id: &str) -> ElasticError {
    let reason = format!("No search context found for id [{id}]");
    ElasticError::new(StatusCode::NOT_FOUND, "search_context_missing_exception", reason)
}

impl Contexts {
    /// Keeps something that takes the memory of this share.
    pub fn put(&self, kept: Shared, keep_alive: Duration, share: Share) -> Result<String> {
        let mut all = self.0.lock();
        let now = Instant::now();
        all.retain(|_, context| context.until > now);
        if all.len() >= CONTEXTS_MAX {
            let reason = format!(
                "Trying to create too many scroll contexts. Must be less than or equal to: [{CONTEXTS_MAX}]. This limit can be set by \
                 changing the [search.max_open_scroll_context] setting."
            );
            return Err(ElasticError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "rejected_execution_exception",
                reason,
            ));
        }
        // Random, so that a client who has one id cannot guess another's.
        let mut random = [0; 24];
        getrandom::fill(&mut random)
            .map_err(|error| ElasticError::failed(format!("no random numbers: {error}")))?;
        let id = value::hex(&random);
        let until = now.checked_add(keep_alive).unwrap_or(now);
        let context = Context {
            kept,
            until,
            _share: share,
        };
        all.insert(id.clone(), context);
        Ok(id)
    }

    /// What is kept under an id, which is kept on for a while.
    pub fn get(&self, id: &str, keep_alive: Option<Duration>) -> Result<Shared> {
        let mut all = self.0.lock();
        let now = Instant::now();
        let context = all
            .get_mut(id)
            .filter(|context| context.until > now)
            .ok_or_else(|| missing(id))?;
        if let Some(until) = keep_alive.and_then(|keep| now.checked_add(keep)) {
            context.until = until;
        }
        Ok(context.kept.clone())
    }

    /// Forgets what is kept under an id; whether anything was.
    pub fn remove(&self, id: &str) -> bool {
        self.0.lock().remove(id).is_some()
    }

    /// Forgets all; how many there were.
    pub fn clear(&self) -> usize {
        let mut all = self.0.lock();
        let count = all.len();
        all.clear();
        count
    }
}
