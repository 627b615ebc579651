//! Explaining how documents are found, for a find or for a command that changes, counts or lists what it finds.

use super::Verbosity;
use super::stage::Stage;
use super::stages::{Asked, Source, stages};
use crate::Result;
use crate::execute::{Execution, FIRST_BATCH, FindSpec, Paused, Prepared, Run, Task, known_count};
use crate::plan::{Access, Plan, Shape};
use language::expression::Variables;
use language::filter::Filter;
use std::sync::Arc;
use std::time::Instant;
use store::Collection;
use update::{Applied, Update};
use value::{Document, DocumentBuf, Value};

/// Why the documents are found.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// To be returned to the client.
    Find,
    /// To be counted.
    Count,
    /// For the values of a path.
    Distinct,
    /// To be changed.
    Update(Trial),
    /// To be deleted; also returned, if it is a `findAndModify`.
    Delete {
        /// Whether the deleted document is returned.
        gives: bool,
    },
}

/// An update that is tried on the documents, to see which of them it would change.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The update.
    pub update: Arc<Update>,
    /// Its variables.
    pub variables: Arc<Variables>,
    /// Whether it makes a document if there is none to change.
    pub upserts: bool,
    /// What it returns to the client.
    pub gives: Returned,
}

/// The document that a change returns to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// None: it is an `update`.
    Nothing,
    /// The document before the change.
    Old,
    /// The document after the change, also if the change made it.
    New,
}

/// The result of running the query to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// The number of documents that were found.
    pub(super) found: u64,
    /// The number of those that the update would change.
    pub(super) changed: u64,
}

impl Purpose {
    /// The number of found documents that the command returns. A count returns none: its stage shows how many it counted.
    pub(super) fn returned(&self, outcome: Outcome) -> u64 {
        match self {
            Purpose::Find | Purpose::Distinct => outcome.found,
            Purpose::Count => 0,
            Purpose::Delete { gives } => outcome.found * u64::from(*gives),
            Purpose::Update(trial) => match trial.gives {
                Returned::Nothing => 0,
                Returned::Old => outcome.found,
                Returned::New => outcome.found + trial.upserted(outcome),
            },
        }
    }
}

impl Trial {
    /// The number of documents that would be made.
    pub(super) fn upserted(&self, outcome: Outcome) -> u64 {
        u64::from(self.upserts && outcome.found == 0)
    }

    /// Whether the update would change a document that was found.
    fn changes(&self, filter: &Filter, found: &DocumentBuf) -> Result<bool> {
        let mut position = None;
        filter.matches_positioned(found.as_ref(), &mut position)?;
        let mut document = found.to_document();
        let applied = self
            .update
            .apply(&mut document, position, false, &self.variables)?;
        Ok(matches!(applied, Applied::Changed))
    }
}

/// How a find runs, or would run, in MongoDB's fields. Nothing is changed. Without a collection nothing is found.
pub async fn explain(
    collection: Option<&Arc<Collection>>,
    namespace: &str,
    mut spec: FindSpec,
    purpose: Purpose,
    verbosity: Verbosity,
) -> Result<Document> {
    if matches!(purpose, Purpose::Count) {
        spec.projection = None;
    }
    let task = Task {
        fresh: true,
        records_only: matches!(purpose, Purpose::Count),
        ..Task::new(spec)
    };
    let began = Instant::now();
    let mut asked = Asked {
        spec: &task.spec,
        purpose: &purpose,
        source: Source::Nowhere,
    };
    let ran = |outcome: Outcome| {
        (verbosity > Verbosity::QueryPlanner).then(|| (outcome, began.elapsed().as_millis() as u64))
    };
    let unread = || {
        let plan = Arc::new(Plan::of(Access::Nothing));
        Prepared::only(Execution::new(plan, &task, 1))
    };
    let Some(collection) = collection else {
        let ran = ran(Outcome::default());
        return Ok(describe(namespace, &asked, &unread(), ran, verbosity));
    };
    let snapshot = collection.snapshot().await?;
    if matches!(purpose, Purpose::Count)
        && let Some(found) = known_count(&snapshot, &task.spec)
    {
        asked.source = Source::Known;
        let ran = ran(Outcome { found, changed: 0 });
        return Ok(describe(namespace, &asked, &unread(), ran, verbosity));
    }
    asked.source = Source::Plan;
    let results = task
        .spec
        .results_max()
        .map_or(FIRST_BATCH, |max| usize::try_from(max).unwrap_or(usize::MAX));
    let first = Run {
        snapshot: &snapshot,
        task: &task,
        wanted: results.clamp(1, FIRST_BATCH),
    };
    let mut prepared = first.prepare(collection).await?;
    let outcome = if verbosity > Verbosity::QueryPlanner {
        run_to_end(first, &mut prepared.execution, &purpose).await?
    } else {
        Outcome::default()
    };
    Ok(describe(namespace, &asked, &prepared, ran(outcome), verbosity))
}

/// Runs an execution as far as the query needs it.
async fn run_to_end(run: Run<'_>, execution: &mut Execution, purpose: &Purpose) -> Result<Outcome> {
    let spec = &run.task.spec;
    let enough = spec.results_max().unwrap_or(u64::MAX);
    let (mut found, mut changed) = (0u64, 0);
    loop {
        let wanted = usize::try_from(enough - found)
            .unwrap_or(usize::MAX)
            .min(FIRST_BATCH);
        let paused = execution.fill(&Run { wanted, ..run }).await?;
        while found < enough
            && let Some(one) = execution.take()
        {
            found += 1;
            if let Purpose::Update(trial) = purpose {
                changed += u64::from(trial.changes(&spec.filter, &one.document)?);
            }
        }
        if paused == Paused::Exhausted || found >= enough {
            return Ok(Outcome {
                found: found.saturating_sub(spec.skip),
                changed,
            });
        }
    }
}

fn describe(
    namespace: &str,
    asked: &Asked<'_>,
    prepared: &Prepared,
    ran: Option<(Outcome, u64)>,
    verbosity: Verbosity,
) -> Document {
    let Asked { spec, purpose, .. } = *asked;
    let winner = stages(
        &prepared.execution,
        asked,
        ran.map_or_else(Outcome::default, |(outcome, _)| outcome),
    );
    let mut shown = Document::new();
    shown.push("queryPlanner", query_planner(namespace, asked, prepared, &winner));
    if let Some((outcome, time_ms)) = ran {
        let returned = purpose.returned(outcome);
        let mut stats = statistics(&prepared.execution, &winner, returned, time_ms);
        if verbosity == Verbosity::AllPlansExecution {
            let others: Value = prepared
                .rejected
                .iter()
                .map(|execution| {
                    // It only ran against the winner: what it found was not changed.
                    let outcome = Outcome {
                        found: execution.counters.results,
                        changed: 0,
                    };
                    let stage = stages(execution, asked, outcome);
                    Value::from(statistics(execution, &stage, purpose.returned(outcome), 0))
                })
                .collect();
            stats.push("allPlansExecution", others);
        }
        shown.push("executionStats", stats);
    }
    let shape = Shape::new(&spec.filter, &spec.ordering, None, spec.variables.collation());
    shown.push(
        "queryShapeHash",
        format!("{0}{0}{0}{0}{0}{0}{0}{0}", shape.hash()),
    );
    shown
}

fn query_planner(namespace: &str, asked: &Asked<'_>, prepared: &Prepared, winner: &Stage) -> Document {
    let mut shown = Document::new()
        .with("namespace", namespace)
        .with("parsedQuery", asked.spec.filter.to_document())
        .with("indexFilterSet", prepared.filtered);
    if let Some((shape, indexes)) = &prepared.shape {
        let names: Vec<&str> = indexes.iter().map(|known| known.facts.name.as_str()).collect();
        shown.push("queryHash", shape.hash());
        shown.push("planCacheShapeHash", shape.hash());
        shown.push("planCacheKey", shape.key(&names));
    }
    shown.push("optimizationTimeMillis", 0);
    for name in [
        "maxIndexedOrSolutionsReached",
        "maxIndexedAndSolutionsReached",
        "maxScansToExplodeReached",
        "prunedSimilarIndexes",
    ] {
        shown.push(name, false);
    }
    let mut plan = winner.plan();
    plan.insert_at(0, "isCached", false);
    shown.push("winningPlan", plan);
    let rejected: Value = prepared
        .rejected
        .iter()
        .map(|execution| {
            let mut plan = stages(execution, asked, Outcome::default()).plan();
            plan.insert_at(0, "isCached", false);
            Value::from(plan)
        })
        .collect();
    shown.push("rejectedPlans", rejected);
    if !prepared.unsuited.is_empty() {
        let unsuited = prepared.unsuited.iter();
        let unsuited: Document = unsuited
            .map(|(name, why)| (name.clone(), Value::from(why.to_string())))
            .collect();
        shown.push("indexesNotUsed", unsuited);
    }
    shown
}

fn statistics(execution: &Execution, stage: &Stage, returned: u64, time_ms: u64) -> Document {
    let counters = &execution.counters;
    Document::new()
        .with("executionSuccess", true)
        .with("nReturned", Value::count(returned))
        .with("executionTimeMillis", Value::count(time_ms))
        .with("totalKeysExamined", Value::count(execution.keys()))
        .with("totalDocsExamined", Value::count(counters.documents))
        .with("executionStages", stage.execution(time_ms, true))
}
