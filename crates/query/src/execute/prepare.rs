//! Choosing a plan for a find, and beginning to run it.

use super::execution::{Execution, Paused};
use super::find::FindSpec;
use super::run::Run;
use crate::Result;
use crate::plan::cache::{WORKS_MIN, WORSE_FACTOR};
use crate::plan::catalog::{KnownIndex, whole_indexes};
use crate::plan::index_bounds::Unsuited;
use crate::plan::{Access, Candidates, IndexFilters, Ordering, Plan, PlanCache, Shape, hinted};
use language::metrics;
use std::sync::Arc;
use store::Collection;
use value::Value;

/// The chosen execution, and what it was chosen from.
#[derive(Debug)]
pub struct Prepared {
    /// The execution, which may have begun.
    pub execution: Execution,
    /// Those that ran against it, best first.
    pub rejected: Vec<Execution>,
    /// Indexes that could not be used, and why.
    pub unsuited: Vec<(String, Unsuited)>,
    /// Whether an index filter was in force.
    pub filtered: bool,
    /// The query's shape and the collection's indexes; `None` if no plan was chosen, as by `_id`.
    pub shape: Option<(Shape, Arc<[KnownIndex]>)>,
    /// Whether the plan was remembered from an earlier query.
    pub remembered: bool,
}

impl Run<'_> {
    /// Chooses the plan that first has the wanted results, and begins to run it.
    pub async fn prepare(&self, collection: &Collection) -> Result<Prepared> {
        let Run { snapshot, task, .. } = *self;
        let spec = &task.spec;
        if let Some(plan) = by_id(spec).filter(|_| !snapshot.has_repeats(collection)) {
            let plan = Arc::new(plan);
            metrics::note(|metrics| metrics.planned(plan.clone()));
            return Ok(Prepared::only(Execution::new(plan, task, 1)));
        }
        let indexes = whole_indexes(collection, snapshot);
        let allowed = IndexFilters::of(collection)
            .allowed(spec)
            .map(|allowed| only(&indexes, &allowed));
        let filtered = allowed.is_some();
        let mut query = task.query();
        if filtered {
            // As in MongoDB, an index filter overrides a hint.
            query.hint = None;
        }
        let Candidates { plans, unsuited } = hinted::plans(&query, allowed.as_deref().unwrap_or(&indexes))?;
        let shape = Shape::new(
            &spec.filter,
            &spec.ordering,
            task.needed.as_deref(),
            spec.variables.collation(),
        );
        let mut prepared = self.choose(collection, &plans, &shape, &indexes).await?;
        metrics::note(|metrics| {
            metrics.planned(prepared.execution.plan().clone());
            metrics.shaped(shape.number());
        });
        if !task.fresh {
            note_use(collection, prepared.execution.plan());
        }
        prepared.unsuited = unsuited;
        prepared.filtered = filtered;
        prepared.shape = Some((shape, indexes));
        Ok(prepared)
    }

    /// Takes the plan that won last time for this shape, as long as it does well; otherwise lets the candidates race.
    async fn choose(
        &self,
        collection: &Collection,
        plans: &[Arc<Plan>],
        shape: &Shape,
        indexes: &[KnownIndex],
    ) -> Result<Prepared> {
        if let [one] = plans {
            return Ok(Prepared::only(self.execution(one)));
        }
        let cache = PlanCache::of(collection);
        let mut began = None;
        if !self.task.fresh
            && let Some(known) = cache.get(shape, indexes)
            && let Some(plan) = plans.iter().find(|plan| plan.signature() == known.signature)
        {
            let mut execution = self.execution(plan);
            // The remembered plan runs alone until it costs several times as much as when it won. Then the shape is
            // forgotten, and the plan goes on in the race with what it has found.
            let mut budget = known.works.saturating_mul(WORSE_FACTOR).max(WORKS_MIN);
            match execution.advance(self, &mut budget).await {
                Ok(Paused::Filled | Paused::Exhausted) => {
                    return Ok(Prepared {
                        remembered: true,
                        ..Prepared::only(execution)
                    });
                }
                Ok(Paused::Spent) => began = Some(execution),
                // Its sort needs more memory than last time; another plan may not need any.
                Err(error) if error.is_out_of_memory() => {}
                Err(error) => return Err(error),
            }
            cache.forget(shape);
        }
        let race = self.race(plans, began).await?;
        let winner = &race.winner;
        // A plan that won without running says nothing about its cost.
        if !self.task.fresh && (winner.counters.works() > 0 || winner.is_finished()) {
            cache.put(
                shape.clone(),
                winner.plan().signature(),
                winner.counters.works(),
                indexes,
            );
        }
        Ok(Prepared {
            rejected: race.losers,
            ..Prepared::only(race.winner)
        })
    }
}

/// Counts one use of a plan's indexes, or one scan of the collection.
fn note_use(collection: &Collection, plan: &Plan) {
    for scan in plan.scans().iter().take(1) {
        scan.index.note_use();
    }
    if matches!(plan.access, Access::Collection(_)) {
        PlanCache::of(collection).note_collection_scan();
    }
}

/// The plan of a find by `_id` alone, which needs no choice; `None` for all others.
fn by_id(spec: &FindSpec) -> Option<Plan> {
    let simple = spec.hint.is_none()
        && spec.min.is_none()
        && spec.max.is_none()
        && !spec.return_key
        && match spec.ordering {
            Ordering::Natural(_) => false,
            Ordering::Any => true,
            // One document needs no sort. But MongoDB computes its sort keys, which may fail, unless the filter is just an `_id`.
            Ordering::By(_) => spec.skip == 0 && spec.filter.is_written_by_id(),
        };
    if !simple {
        return None;
    }
    match spec.filter.root() {
        language::filter::Node::Field {
            name,
            predicate,
            collation,
            ..
        } if name == "_id" && (collation.is_none() || !predicate.depends_on_collation()) => match predicate {
            language::filter::Predicate::Compare {
                op: language::filter::Comparison::Eq,
                value,
            } if crate::plan::leaves::is_plain_id(value) => Some(Plan::of(Access::Id(value.clone()))),
            _ => None,
        },
        _ => None,
    }
}

/// The indexes whose name or key pattern is allowed.
fn only(indexes: &[KnownIndex], allowed: &[Value]) -> Vec<KnownIndex> {
    let is_allowed = |known: &&KnownIndex| {
        allowed.iter().any(|which| match which {
            Value::String(name) => *name == known.facts.name,
            Value::Document(key) => hinted::same_key(&known.facts.key, key),
            _ => false,
        })
    };
    indexes.iter().filter(is_allowed).cloned().collect()
}

impl Prepared {
    pub(crate) fn only(execution: Execution) -> Prepared {
        Prepared {
            execution,
            rejected: Vec::new(),
            unsuited: Vec::new(),
            filtered: false,
            shape: None,
            remembered: false,
        }
    }
}
