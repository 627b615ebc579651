//! All groups that are in use.

use super::{Group, Progress, Render};
use crate::design::Definition;
use crate::limits::{PAGES_BYTES, PAGES_SHARE_OF_MEMORY, RUNS_BYTES, RUNS_SHARE_OF_MEMORY};
use crate::query::KeptRuns;
use crate::tree::KeptPages;
use crate::{Error, ReduceLimit, Result, ScriptLimits};
use memory::Budget;
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::Collection;

/// What names of derived pages of views begin with; the signature follows.
const DERIVED_PREFIX: &str = "view:";

/// The collection's UUID and the signature.
type GroupKey = ([u8; 16], String);

/// The view groups of a store.
pub struct Views {
    render: Arc<dyn Render>,
    limits: ScriptLimits,
    /// The time that scripts have, which may change.
    time_ms: Arc<AtomicU64>,
    reductions: Arc<RwLock<ReduceLimit>>,
    memory: Budget,
    kept: Arc<KeptRuns>,
    pages: Arc<KeptPages>,
    groups: Mutex<HashMap<GroupKey, Arc<Group>>>,
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views").finish_non_exhaustive()
    }
}

impl Views {
    /// No group is in use yet.
    pub fn new(render: Arc<dyn Render>, limits: ScriptLimits) -> Views {
        Views {
            render,
            limits,
            time_ms: Arc::new(AtomicU64::new(limits.time_ms)),
            reductions: Arc::default(),
            memory: Budget::default(),
            kept: Arc::new(KeptRuns::new(RUNS_BYTES)),
            pages: Arc::new(KeptPages::new(PAGES_BYTES)),
            groups: Mutex::default(),
        }
    }

    /// What updates gather, and what their functions take, comes out of this memory; decoded pages, and reductions of leaves,
    /// are kept in parts of it.
    #[must_use]
    pub fn within(self, memory: Budget) -> Views {
        let kept = KeptRuns::new(RUNS_BYTES.min(memory.bytes() / RUNS_SHARE_OF_MEMORY));
        let pages = KeptPages::new(PAGES_BYTES.min(memory.bytes() / PAGES_SHARE_OF_MEMORY));
        Views {
            memory,
            kept: Arc::new(kept),
            pages: Arc::new(pages),
            ..self
        }
    }

    /// Limits reductions from now on. What was reduced before stays as it is.
    pub fn limit_reductions(&self, limit: ReduceLimit) {
        *self.reductions.write() = limit;
    }

    /// Gives scripts so much time, in threads that begin from now on.
    pub fn limit_time(&self, time_ms: u64) {
        self.time_ms.store(time_ms, Ordering::Relaxed);
    }

    /// The time that scripts have, which may change.
    pub fn time_ms(&self) -> Arc<AtomicU64> {
        self.time_ms.clone()
    }

    /// The limits of scripts.
    pub fn limits(&self) -> ScriptLimits {
        ScriptLimits {
            time_ms: self.time_ms.load(Ordering::Relaxed),
            ..self.limits
        }
    }

    /// The group of a design document, made where it does not exist.
    pub async fn group(
        &self,
        collection: &Arc<Collection>,
        id: &str,
        body: &Map<String, Value>,
    ) -> Result<Arc<Group>> {
        if collection.options().capped.is_some() {
            return Err(Error::Capped);
        }
        let partitioned = collection.options().is_partitioned();
        let definition = Definition::parse(id, body, partitioned, self.limits(), &self.memory)?;
        definition.program.limit_reductions(self.reductions.clone());
        definition.program.limit_time(self.time_ms.clone());
        let key = (collection.uuid(), definition.signature.clone());
        if let Some(group) = self.groups.lock().get(&key)
            && !group.derived.is_dropped()
        {
            return Ok(group.clone());
        }
        let name = format!("{DERIVED_PREFIX}{}", definition.signature);
        let group = Arc::new(Group {
            collection: collection.clone(),
            derived: collection.open_derived(&name).await?,
            definition,
            design: Value::Object(body.clone()).to_string(),
            render: self.render.clone(),
            memory: self.memory.clone(),
            kept: self.kept.clone(),
            pages: self.pages.of_new_group(),
            updating: tokio::sync::Mutex::default(),
            progress: Mutex::new(None),
            members: tokio::sync::OnceCell::new(),
            reached: Mutex::default(),
        });
        let mut groups = self.groups.lock();
        groups.retain(|_, group| !group.derived.is_dropped());
        // Another call may have been first. One group for each definition, since its lock is what keeps updates apart.
        Ok(groups.entry(key).or_insert(group).clone())
    }

    /// The group that can answer at once instead of one that was never complete: that of an earlier version of the same
    /// design document that has this view. If there is none, the group itself.
    pub async fn standing_in(&self, group: Arc<Group>, view: &str) -> Result<Arc<Group>> {
        if group.is_complete().await? {
            return Ok(group);
        }
        for derived in group.collection.derived() {
            if !derived.name().starts_with(DERIVED_PREFIX) || derived.name() == group.derived.name() {
                continue;
            }
            let snapshot = derived.snapshot().await?;
            let Some(state) = super::GroupState::decode(snapshot.state()).filter(|state| state.complete)
            else {
                continue;
            };
            let Ok(body) = serde_json::from_str::<Map<String, Value>>(&state.design) else {
                continue;
            };
            let is_earlier = body.get("_id").and_then(Value::as_str) == Some(&group.definition.id);
            let has_view = body.get("views").and_then(|views| views.get(view)).is_some();
            if is_earlier && has_view {
                let earlier = self.group(&group.collection, &group.definition.id, &body).await?;
                if earlier.definition.partitioned == group.definition.partitioned {
                    return Ok(earlier);
                }
            }
        }
        Ok(group)
    }

    /// Removes the rows of all design documents of a collection but these.
    pub async fn clean_up(
        &self,
        collection: &Arc<Collection>,
        kept: &[(String, Map<String, Value>)],
    ) -> Result<()> {
        let partitioned = collection.options().is_partitioned();
        let names = kept.iter().filter_map(|(id, body)| {
            let definition = Definition::parse(id, body, partitioned, self.limits(), &self.memory).ok()?;
            Some(format!("{DERIVED_PREFIX}{}", definition.signature))
        });
        let names: Vec<String> = names.collect();
        for derived in collection.derived() {
            if derived.name().starts_with(DERIVED_PREFIX) && !names.iter().any(|name| name == derived.name())
            {
                collection.drop_derived(derived.name()).await?;
            }
        }
        self.groups.lock().retain(|_, group| !group.derived.is_dropped());
        Ok(())
    }

    /// The updates under way.
    pub fn tasks(&self) -> Vec<Progress> {
        let groups = self.groups.lock();
        groups.values().filter_map(|group| group.progress()).collect()
    }
}
