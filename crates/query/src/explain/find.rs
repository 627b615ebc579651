//! Explaining how documents are found, for a find or for a command that changes, counts or lists what it finds.

use super::stage::Stage;
use super::stages::{Asked, Source, stages};
use super::{Verbosity, clustered, express};
use crate::Result;
use crate::execute::{Execution, FIRST_BATCH, FindSpec, Paused, Prepared, Run, Task, ValuesRead};
use crate::execute::{distinct_task, known_count, of_plan, scan_of_all};
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
    /// For the values of this path.
    Distinct(String),
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
            Purpose::Find | Purpose::Distinct(_) => outcome.found,
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

/// How a find runs, or would run.
#[derive(Debug)]
pub struct Explanation {
    /// In MongoDB's fields.
    pub shown: Document,
    /// Whether MongoDB answers the find without its planner, and so shows a single stage whose name begins with `EXPRESS_`.
    pub is_unplanned: bool,
}

/// Explains a find. Nothing is changed. Without a collection nothing is found.
pub async fn explain(
    collection: Option<&Arc<Collection>>,
    namespace: &str,
    mut spec: FindSpec,
    purpose: Purpose,
    verbosity: Verbosity,
) -> Result<Explanation> {
    if matches!(purpose, Purpose::Count) {
        spec.projection = None;
    }
    let task = match &purpose {
        Purpose::Distinct(field) => distinct_task(spec, field),
        _ => Task::new(spec),
    };
    let task = Task {
        fresh: true,
        records_only: matches!(purpose, Purpose::Count),
        ..task
    };
    let began = Instant::now();
    let is_clustered = |collection: &Arc<Collection>| collection.options().kept.contains("clusteredIndex");
    let mut asked = Asked {
        spec: &task.spec,
        purpose: &purpose,
        verbosity,
        source: Source::Nowhere,
        clustered: collection.is_some_and(is_clustered),
        unplanned: false,
        values: None,
    };
    let Some(collection) = collection else {
        let ran = Ran::of(&asked, began, Outcome::default());
        return Ok(without_reading(namespace, &asked, &task, ran));
    };
    let snapshot = collection.snapshot().await?;
    if matches!(purpose, Purpose::Count)
        && let Some(found) = known_count(&snapshot, &task.spec)
    {
        asked.source = Source::Known;
        let ran = Ran::of(&asked, began, Outcome { found, changed: 0 });
        return Ok(without_reading(namespace, &asked, &task, ran));
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
    let (mut prepared, mut values) = prepare(first, collection, &purpose).await?;
    asked.unplanned = express::stage(&prepared.execution, &asked, Outcome::default()).is_some();
    let tried = trials(&prepared, &asked);
    let outcome = run(first, &asked, &mut prepared.execution, values.as_mut()).await?;
    asked.values = values.as_ref();
    let ran = Ran::of(&asked, began, outcome).map(|ran| Ran { tried, ..ran });
    Ok(Explanation {
        shown: describe(namespace, &asked, &prepared, ran),
        is_unplanned: asked.unplanned,
    })
}

/// What came of running the query.
struct Ran {
    outcome: Outcome,
    time_ms: u64,
    /// What the plans had examined when one of them won, that one first; empty if there was only one, or if nobody asks.
    tried: Vec<Value>,
}

impl Ran {
    /// `None` if it was only planned.
    fn of(asked: &Asked<'_>, began: Instant, outcome: Outcome) -> Option<Ran> {
        (asked.verbosity > Verbosity::QueryPlanner).then(|| Ran {
            outcome,
            time_ms: began.elapsed().as_millis() as u64,
            tried: Vec::new(),
        })
    }
}

/// The explanation of what reads no documents.
fn without_reading(namespace: &str, asked: &Asked<'_>, task: &Task, ran: Option<Ran>) -> Explanation {
    Explanation {
        shown: describe(namespace, asked, &unread(task), ran),
        is_unplanned: false,
    }
}

/// An execution that reads nothing.
fn unread(task: &Task) -> Prepared {
    let plan = Arc::new(Plan::of(Access::Nothing));
    Prepared::only(Execution::new(plan, task, 1))
}

/// Chooses the plan; for the values of a path also the scan that jumps from value to value, if an index alone has them.
async fn prepare(
    first: Run<'_>,
    collection: &Arc<Collection>,
    purpose: &Purpose,
) -> Result<(Prepared, Option<ValuesRead>)> {
    let Purpose::Distinct(field) = purpose else {
        return Ok((first.prepare(collection).await?, None));
    };
    if let Some(scan) = scan_of_all(&first, collection, field) {
        return Ok((unread(first.task), Some(ValuesRead::begin(scan))));
    }
    let prepared = first.prepare(collection).await?;
    let values = of_plan(prepared.execution.plan(), field).cloned();
    Ok((prepared, values.map(ValuesRead::begin)))
}

/// Runs what was chosen, if the verbosity asks for that.
async fn run(
    first: Run<'_>,
    asked: &Asked<'_>,
    execution: &mut Execution,
    values: Option<&mut ValuesRead>,
) -> Result<Outcome> {
    match (values, asked.purpose) {
        _ if asked.verbosity == Verbosity::QueryPlanner => Ok(Outcome::default()),
        (Some(values), Purpose::Distinct(field)) => {
            values.read(&first, field).await?;
            Ok(Outcome {
                found: values.values,
                changed: 0,
            })
        }
        _ => run_to_end(first, execution, asked.purpose).await,
    }
}

/// What the plans that ran against each other have examined, the winner first.
fn trials(prepared: &Prepared, asked: &Asked<'_>) -> Vec<Value> {
    if asked.verbosity < Verbosity::AllPlansExecution || rejected(prepared, asked).is_empty() {
        return Vec::new();
    }
    let all = std::iter::once(&prepared.execution).chain(&prepared.rejected);
    all.map(|execution| {
        // Nothing that was found was changed.
        let outcome = Outcome {
            found: execution.counters.results,
            changed: 0,
        };
        let stage = stages(execution, asked, outcome);
        let shown = Document::new()
            .with("nReturned", Value::count(asked.purpose.returned(outcome)))
            .with("executionTimeMillisEstimate", 0);
        Value::from(with_counts(shown, examined(execution, asked), &stage, 0))
    })
    .collect()
}

/// The plans that ran against the winner, as explanations show them.
fn rejected<'p>(prepared: &'p Prepared, asked: &Asked<'_>) -> &'p [Execution] {
    match asked.unplanned {
        true => &[],
        false => &prepared.rejected,
    }
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

fn describe(namespace: &str, asked: &Asked<'_>, prepared: &Prepared, ran: Option<Ran>) -> Document {
    let Asked { spec, purpose, .. } = *asked;
    let outcome = ran.as_ref().map_or_else(Outcome::default, |ran| ran.outcome);
    let winner = stages(&prepared.execution, asked, outcome);
    let mut shown = Document::new();
    shown.push("queryPlanner", query_planner(namespace, asked, prepared, &winner));
    if let Some(Ran { time_ms, tried, .. }) = ran {
        let stats = Document::new()
            .with("executionSuccess", true)
            .with("nReturned", Value::count(purpose.returned(outcome)))
            .with("executionTimeMillis", Value::count(time_ms));
        let read = examined(&prepared.execution, asked);
        let mut stats = with_counts(stats, read, &winner, time_ms);
        if asked.verbosity == Verbosity::AllPlansExecution {
            stats.push("allPlansExecution", Value::Array(tried));
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
        .with("parsedQuery", asked.spec.filter.to_document());
    if let Some(collation) = asked.spec.variables.collation() {
        shown.push("collation", collation.description().clone());
    }
    shown.push("indexFilterSet", prepared.filtered);
    if let Some((shape, indexes)) = prepared.shape.as_ref().filter(|_| !asked.unplanned) {
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
    let rejected: Value = rejected(prepared, asked)
        .iter()
        .map(|execution| {
            let without_values = Asked {
                values: None,
                ..*asked
            };
            let mut plan = stages(execution, &without_values, Outcome::default()).plan();
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

/// The keys and documents that were examined.
fn examined(execution: &Execution, asked: &Asked<'_>) -> (u64, u64) {
    match asked.values {
        Some(read) => (read.counters.keys, read.documents),
        // A clustered collection has no keys of `_id`s.
        None if asked.clustered && clustered::is_by_id(execution.plan()) => (0, execution.counters.documents),
        None => (execution.keys(), execution.counters.documents),
    }
}

/// Adds what an execution has examined.
fn with_counts(shown: Document, (keys, documents): (u64, u64), stage: &Stage, time_ms: u64) -> Document {
    shown
        .with("totalKeysExamined", Value::count(keys))
        .with("totalDocsExamined", Value::count(documents))
        .with("executionStages", stage.execution(time_ms, true))
}
