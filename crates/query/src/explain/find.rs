//! Explaining how documents are found, for a find or for a command that changes, counts or lists what it finds.

use super::Verbosity;
use super::stage::Stage;
use super::stages::stages;
use crate::Result;
use crate::execute::{Execution, FIRST_BATCH, FindSpec, Paused, Prepared, Run, Task};
use crate::plan::{Access, Plan, Shape};
use std::sync::Arc;
use std::time::Instant;
use store::Collection;
use value::{Document, Value};

/// What the documents are found for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be given to the client.
    Find,
    /// To be counted.
    Count,
    /// For the values of a path.
    Distinct,
    /// To be changed.
    Update,
    /// To be deleted.
    Delete,
}

/// How a find runs, or would run, in MongoDB's fields; nothing is changed. Without a collection there is nothing to
/// find.
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
    let Some(collection) = collection else {
        let plan = Arc::new(Plan::of(Access::Nothing));
        let prepared = Prepared::only(Execution::new(plan, &task, 1));
        return Ok(describe(
            namespace, &task.spec, &purpose, prepared, None, verbosity,
        ));
    };
    let snapshot = collection.snapshot().await?;
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
    let mut ran = None;
    if verbosity > Verbosity::QueryPlanner {
        let given = run_to_end(first, &mut prepared.execution).await?;
        ran = Some((given, began.elapsed().as_millis() as u64));
    }
    Ok(describe(
        namespace, &task.spec, &purpose, prepared, ran, verbosity,
    ))
}

/// Runs an execution as far as the query needs it; how many results there are.
async fn run_to_end(run: Run<'_>, execution: &mut Execution) -> Result<u64> {
    let spec = &run.task.spec;
    let enough = spec.results_max().unwrap_or(u64::MAX);
    let mut found = 0u64;
    loop {
        let wanted = usize::try_from(enough - found)
            .unwrap_or(usize::MAX)
            .min(FIRST_BATCH);
        let paused = execution.fill(&Run { wanted, ..run }).await?;
        while found < enough && execution.take().is_some() {
            found += 1;
        }
        if paused == Paused::Exhausted || found >= enough {
            return Ok(found.saturating_sub(spec.skip));
        }
    }
}

fn describe(
    namespace: &str,
    spec: &FindSpec,
    purpose: &Purpose,
    prepared: Prepared,
    ran: Option<(u64, u64)>,
    verbosity: Verbosity,
) -> Document {
    let winner = stages(
        &prepared.execution,
        spec,
        purpose,
        ran.map_or(0, |(given, _)| given),
    );
    let mut shown = Document::new();
    shown.push(
        "queryPlanner",
        query_planner(namespace, spec, purpose, &prepared, &winner),
    );
    if let Some((given, time_ms)) = ran {
        let mut stats = statistics(&prepared.execution, &winner, given, time_ms);
        if verbosity == Verbosity::AllPlansExecution {
            let others: Value = prepared
                .rejected
                .iter()
                .map(|execution| {
                    let stage = stages(execution, spec, purpose, execution.counters.results);
                    Value::from(statistics(execution, &stage, execution.counters.results, 0))
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

fn query_planner(
    namespace: &str,
    spec: &FindSpec,
    purpose: &Purpose,
    prepared: &Prepared,
    winner: &Stage,
) -> Document {
    let mut shown = Document::new()
        .with("namespace", namespace)
        .with("parsedQuery", spec.filter.to_document())
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
            let mut plan = stages(execution, spec, purpose, 0).plan();
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

fn statistics(execution: &Execution, stage: &Stage, given: u64, time_ms: u64) -> Document {
    let counters = &execution.counters;
    Document::new()
        .with("executionSuccess", true)
        .with("nReturned", Value::count(given))
        .with("executionTimeMillis", Value::count(time_ms))
        .with("totalKeysExamined", Value::count(execution.keys()))
        .with("totalDocsExamined", Value::count(counters.documents))
        .with("executionStages", stage.execution(time_ms, true))
}
