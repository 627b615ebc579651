//! Making the tree of stages of an execution.

use super::find::{Outcome, Purpose};
use super::stage::Stage;
use super::{Verbosity, clustered, distinct, express};
use crate::execute::{Execution, ExecutionCounters, FindSpec, SORT_BYTES_MAX, ScanCounters, ValuesRead};
use crate::plan::facts::FieldKind;
use crate::plan::{Access, IndexScan, Ordering, Plan, SortPattern, display};
use std::sync::Arc;
use store::Order;
use value::key::Direction;
use value::{Document, Value, doc};

/// What is explained.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The request.
    pub spec: &'a FindSpec,
    /// Its purpose.
    pub purpose: &'a Purpose,
    /// How much of it is told.
    pub verbosity: Verbosity,
    /// Where its results come from.
    pub source: Source,
    /// Whether the collection is clustered.
    pub clustered: bool,
    /// Whether MongoDB answers it without planning.
    pub unplanned: bool,
    /// The values of a `distinct` that an index alone has.
    pub values: Option<&'a ValuesRead>,
}

/// Where documents, or their number, come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// There is no such collection.
    Nowhere,
    /// The number is known without reading the collection.
    Known,
    /// A plan reads them.
    Plan,
}

/// The stages of an execution with this outcome.
pub fn stages(execution: &Execution, asked: &Asked<'_>, outcome: Outcome) -> Stage {
    let Asked {
        spec,
        purpose,
        source,
        ..
    } = *asked;
    match source {
        Source::Plan => planned(execution, asked, outcome),
        Source::Known => Stage::new("RECORD_STORE_FAST_COUNT", 0, 0)
            .counting("nCounted", outcome.found)
            .counting("nSkipped", spec.skip),
        Source::Nowhere => {
            let end = Stage::new("EOF", 0, 0).with("type", "nonExistentNamespace");
            match purpose {
                Purpose::Count => counting(end, spec, outcome),
                // The stages after those that find documents are left out, as in MongoDB.
                Purpose::Find | Purpose::Distinct(_) | Purpose::Update(_) | Purpose::Delete { .. } => end,
            }
        }
    }
}

fn planned(execution: &Execution, asked: &Asked<'_>, outcome: Outcome) -> Stage {
    let Asked { spec, purpose, .. } = *asked;
    let plan = execution.plan();
    let counters = &execution.counters;
    if let (Some(read), Purpose::Distinct(field)) = (asked.values, purpose) {
        return distinct::of_values(read, field);
    }
    if asked.unplanned
        && let Some(stage) = express::stage(execution, asked, outcome)
    {
        return stage;
    }
    let in_order = asked.clustered && clustered::is_by_id(plan);
    let counts = matches!(purpose, Purpose::Count);
    let counted = if counts { count_scan(plan, counters) } else { None };
    let mut stage = match counted {
        _ if in_order => clustered::scan(plan, &spec.filter, counters),
        Some(counted) => counted,
        None => access(execution, spec),
    };
    let fetches = !in_order
        && !matches!(
            plan.access,
            Access::Collection(_) | Access::Id(_) | Access::Near(_) | Access::Nothing
        );
    let fetch_free = plan.covered || (counts && !plan.residual && plan.sort.is_none());
    let fetch = |input: Stage, returned: u64| {
        let mut stage = Stage::new("FETCH", returned, input.returned());
        if plan.residual {
            stage = stage.with("filter", spec.filter.to_document());
        }
        stage
            .counting("docsExamined", counters.documents)
            .counting("alreadyHasObj", 0)
            .over(input)
    };
    if fetches && !fetch_free && !plan.sort_keys {
        stage = fetch(stage, counters.matched);
    }
    stage = text_match(stage, plan, spec);
    if let Some(pattern) = &plan.sort {
        stage = sort(stage, pattern, plan, spec, execution);
    }
    if plan.sort_keys && !plan.covered {
        stage = fetch(stage, counters.results);
    }
    finish(stage, plan, spec, purpose, outcome)
}

/// The stage of a text search above those that read for it, with the parsed search: clients look there for its terms.
fn text_match(input: Stage, plan: &Plan, spec: &FindSpec) -> Stage {
    let condition = spec.filter.text().and_then(|text| text.condition().ok());
    let (Access::Index(scan), Some(condition)) = (&plan.access, condition) else {
        return input;
    };
    let is_text = |field: &store::IndexField| field.kind == store::FieldKind::Text;
    let place = scan.index.fields().iter().position(is_text).unwrap_or(0);
    let prefix = scan.facts.fields.iter().zip(&scan.bounds).take(place);
    let prefix: Document = prefix
        .filter_map(|(field, values)| {
            Some((field.name.clone(), values.as_slice().first()?.low.value.clone()))
        })
        .collect();
    let returned = input.returned();
    Stage::new("TEXT_MATCH", returned, returned)
        .with("indexPrefix", prefix)
        .with("indexName", scan.facts.shown_name.as_str())
        .with("parsedTextQuery", condition.to_document())
        .with("textIndexVersion", 3)
        .counting("docsRejected", 0)
        .over(input)
}

fn sort(input: Stage, pattern: &SortPattern, plan: &Plan, spec: &FindSpec, execution: &Execution) -> Stage {
    let counters = &execution.counters;
    let mut stage = Stage::new("SORT", counters.results, input.returned() + counters.results)
        .with("sortPattern", pattern.to_document())
        .with("memLimit", Value::count(SORT_BYTES_MAX as u64));
    if let Some(max) = spec.results_max() {
        stage = stage.with("limitAmount", Value::count(max));
    }
    stage
        .with("type", if plan.sort_keys { "default" } else { "simple" })
        .counting("totalDataSizeSorted", counters.sorted.1)
        .counting("documentsKept", counters.sorted.0)
        .noting("usedDisk", counters.used_disk)
        .over(input)
}

/// Adds the stages after those that find documents.
fn finish(mut stage: Stage, plan: &Plan, spec: &FindSpec, purpose: &Purpose, outcome: Outcome) -> Stage {
    let given = outcome.found;
    if matches!(purpose, Purpose::Count) {
        return counting(stage, spec, outcome);
    }
    if spec.skip > 0 {
        let returned = stage.returned().saturating_sub(spec.skip);
        stage = Stage::new("SKIP", returned, stage.returned())
            .with("skipAmount", Value::count(spec.skip))
            .over(stage);
    }
    stage = match purpose {
        Purpose::Distinct(field) if plan.covered => distinct::projected(stage, field),
        _ => project(stage, plan, spec),
    };
    // A change of one document needs no limit to end; MongoDB shows one only if there is a sort.
    let ends_by_itself = matches!(purpose, Purpose::Update(_) | Purpose::Delete { .. })
        && matches!(spec.ordering, Ordering::Any);
    if let (Some(limit), None, false) = (spec.limit, &plan.sort, ends_by_itself) {
        let returned = stage.returned().min(limit);
        stage = Stage::new("LIMIT", returned, returned)
            .with("limitAmount", Value::count(limit))
            .over(stage);
    }
    match purpose {
        Purpose::Find | Purpose::Count | Purpose::Distinct(_) => stage,
        Purpose::Update(trial) => Stage::new("UPDATE", purpose.returned(outcome), given)
            .counting("nMatched", given)
            .counting("nWouldModify", outcome.changed)
            .counting("nWouldUpsert", trial.upserted(outcome))
            .over(stage),
        Purpose::Delete { .. } => Stage::new("DELETE", purpose.returned(outcome), given)
            .counting("nWouldDelete", given)
            .over(stage),
    }
}

/// Adds the stage that makes the results out of documents or keys.
fn project(input: Stage, plan: &Plan, spec: &FindSpec) -> Stage {
    let returned = input.returned();
    if spec.return_key {
        return Stage::new("RETURN_KEY", returned, returned).over(input);
    }
    let Some(projection) = &spec.projection else {
        return input;
    };
    let fields = projection.required_fields();
    let name = match &fields {
        Some(_) if plan.covered => "PROJECTION_COVERED",
        Some(fields) if fields.iter().all(|name| !name.contains('.')) => "PROJECTION_SIMPLE",
        _ => "PROJECTION_DEFAULT",
    };
    let mut stage = Stage::new(name, returned, returned);
    // That of a pipeline was made from what its stages need.
    let needed = || {
        let fields = fields?;
        let hides_id = fields.iter().all(|name| name != "_id");
        let shown = fields.into_iter().map(|name| (name, Value::Int32(1)));
        let hidden = hides_id.then(|| ("_id".to_owned(), Value::Int32(0)));
        Some(shown.chain(hidden).collect::<Document>())
    };
    if let Some(transform) = spec.given_projection.clone().or_else(needed) {
        stage = stage.with("transformBy", transform);
    }
    stage.over(input)
}

/// The stage that counts its input, and returns nothing.
fn counting(input: Stage, spec: &FindSpec, outcome: Outcome) -> Stage {
    let returned = input.returned();
    Stage::new("COUNT", 0, returned)
        .counting("nCounted", outcome.found)
        .counting("nSkipped", spec.skip.min(returned))
        .over(input)
}

fn access(execution: &Execution, spec: &FindSpec) -> Stage {
    let plan = execution.plan();
    let counters = &execution.counters;
    match &plan.access {
        Access::Nothing => Stage::new("EOF", 0, 0).with("type", "predicateEvalsToFalse"),
        Access::Id(_) => Stage::new("IDHACK", counters.matched, counters.documents)
            .counting("keysExamined", counters.documents)
            .counting("docsExamined", counters.documents)
            .with("keyPattern", doc! {"_id": 1})
            .with("indexName", "_id_"),
        Access::Collection(order) => {
            let mut stage = Stage::new("COLLSCAN", counters.matched, counters.documents);
            if plan.residual {
                stage = stage.with("filter", spec.filter.to_document());
            }
            stage
                .with("direction", direction(*order))
                .counting("docsExamined", counters.documents)
        }
        Access::Index(scan) => index_scan(scan, counters.scans.first()),
        Access::Near(near) => {
            let input = index_scan(&near.scan, counters.scans.first());
            Stage::new(near.stage_name(), counters.matched, input.returned())
                .with("filter", spec.filter.to_document())
                .with("keyPattern", near.scan.facts.key.clone())
                .with("indexName", near.scan.facts.name.as_str())
                .with("indexVersion", 2)
                .counting("docsExamined", counters.documents)
                .over(input)
        }
        Access::Union(scans) => index_scans("OR", scans, counters),
        Access::Merge(scans, pattern) => {
            index_scans("SORT_MERGE", scans, counters).with("sortPattern", pattern.to_document())
        }
    }
}

/// The stage of several scans, whose records are returned once.
fn index_scans(name: &'static str, scans: &[Arc<IndexScan>], counters: &ExecutionCounters) -> Stage {
    let inputs: Vec<Stage> = scans
        .iter()
        .enumerate()
        .map(|(at, scan)| index_scan(scan, counters.scans.get(at)))
        .collect();
    let tested: u64 = inputs.iter().map(Stage::returned).sum();
    Stage::new(name, tested - counters.repeated.min(tested), tested)
        .counting("dupsTested", tested)
        .counting("dupsDropped", counters.repeated)
        .over_all(inputs)
}

fn index_scan(scan: &IndexScan, counters: Option<&ScanCounters>) -> Stage {
    let counters = counters.copied().unwrap_or_default();
    of_index(Stage::new("IXSCAN", counters.found, counters.keys), scan)
        .with("direction", direction(scan.order))
        .with("indexBounds", bounds(scan))
        .counting("keysExamined", counters.keys)
        .counting("seeks", counters.seeks)
        .counting("dupsTested", if scan.repeats() { counters.found } else { 0 })
        .counting("dupsDropped", 0)
}

/// The bounds of each field. For a scan between `min` and `max`, MongoDB shows none.
pub(super) fn bounds(scan: &IndexScan) -> Document {
    let mut bounds = Document::new();
    let fields = scan.facts.fields.iter().zip(&scan.bounds);
    for (field, set) in fields.filter(|_| scan.clip.is_none()) {
        let descending = field.kind == FieldKind::Ordered(Direction::Descending);
        let shown = display::intervals(set, descending != (scan.order == Order::Backward));
        bounds.push(
            field.name.clone(),
            shown.into_iter().map(Value::from).collect::<Value>(),
        );
    }
    bounds
}

/// Adds the index of a stage.
pub(super) fn of_index(stage: Stage, scan: &IndexScan) -> Stage {
    let facts = &scan.facts;
    let mut multikey_paths = Document::new();
    for field in facts.fields.iter().take(scan.bounds.len()) {
        let paths: Vec<Value> = if field.multikey {
            vec![Value::from(field.name.as_str())]
        } else {
            Vec::new()
        };
        multikey_paths.push(field.name.clone(), Value::Array(paths));
    }
    let mut stage = stage
        .with("keyPattern", facts.key.clone())
        .with("indexName", facts.shown_name.as_str());
    if let Some(collation) = &facts.collation {
        stage = stage.with("collation", collation.description().clone());
    }
    stage
        .with("isMultiKey", facts.is_multikey())
        .with("multiKeyPaths", multikey_paths)
        .with("isUnique", facts.unique)
        .with("isSparse", facts.sparse)
        .with("isPartial", facts.partial.is_some())
        .with("indexVersion", 2)
}

/// The stage with which MongoDB counts the entries in one range of an index without reading documents; `None` if it reads the
/// index as for a find.
fn count_scan(plan: &Plan, counters: &ExecutionCounters) -> Option<Stage> {
    let Access::Index(scan) = &plan.access else {
        return None;
    };
    let is_plain = !plan.residual && plan.sort.is_none() && scan.clip.is_none() && !scan.index.is_text();
    if !is_plain || scan.order == Order::Backward {
        return None;
    }
    let bounds = one_range(scan)?;
    let read = counters.scans.first().copied().unwrap_or_default();
    let returned = read.found.saturating_sub(counters.repeated);
    let stage = Stage::new("COUNT_SCAN", returned, read.keys);
    let stage = of_index(stage, scan).with("indexBounds", bounds);
    Some(stage.counting("keysExamined", read.keys))
}

/// The first and the last key of a scan, if all keys between them are within its bounds: single values of some fields, then one
/// interval, then any values of the other fields.
fn one_range(scan: &IndexScan) -> Option<Document> {
    let (mut start, mut end) = (Document::new(), Document::new());
    let (mut starts_with, mut ends_with) = (true, true);
    let mut are_points = true;
    for (field, values) in scan.facts.fields.iter().zip(&scan.bounds) {
        let descending = field.kind == FieldKind::Ordered(Direction::Descending);
        let [one] = values.as_slice() else {
            return None;
        };
        let low = (one.low.value.clone(), !one.low.after);
        let high = (one.high.value.clone(), one.high.after);
        let (first, last) = if descending { (high, low) } else { (low, high) };
        if are_points {
            are_points = one.is_point();
            (starts_with, ends_with) = (first.1, last.1);
            start.push(field.name.clone(), first.0);
            end.push(field.name.clone(), last.0);
            continue;
        }
        if !values.is_all() {
            return None;
        }
        // If an edge is excluded, so are all keys that begin with it.
        let (from, to) = (
            if starts_with { &first.0 } else { &last.0 },
            if ends_with { &last.0 } else { &first.0 },
        );
        start.push(field.name.clone(), from.clone());
        end.push(field.name.clone(), to.clone());
    }
    let bounds = Document::new()
        .with("startKey", start)
        .with("startKeyInclusive", starts_with)
        .with("endKey", end)
        .with("endKeyInclusive", ends_with);
    Some(bounds)
}

fn direction(order: Order) -> &'static str {
    match order {
        Order::Forward => "forward",
        Order::Backward => "backward",
    }
}
