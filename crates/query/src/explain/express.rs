//! What MongoDB answers without planning: a document by its `_id`, or the one that an index finds for a value. It is a single stage.

use super::find::{Outcome, Purpose};
use super::stage::Stage;
use super::stages::Asked;
use crate::execute::{Execution, FindSpec};
use crate::plan::facts::FieldKind;
use crate::plan::interval::Intervals;
use crate::plan::leaves::is_plain_id;
use crate::plan::{Access, IndexScan, Ordering, Plan};
use language::filter::{Comparison, Node, Predicate};
use value::shell;

/// The single stage; `None` for what is planned.
pub fn stage(execution: &Execution, asked: &Asked<'_>, outcome: Outcome) -> Option<Stage> {
    let Asked { spec, purpose, .. } = *asked;
    let plan = execution.plan();
    if !is_plain(plan, spec) {
        return None;
    }
    let index = match &plan.access {
        Access::Id(_) if asked.clustered => None,
        Access::Id(_) => Some(("{ _id: 1 }".to_owned(), "_id_")),
        Access::Index(scan) if matches!(purpose, Purpose::Find) && finds_one(scan, spec) => {
            let key = shell::document((&scan.facts.key).into());
            Some((key, scan.facts.shown_name.as_str()))
        }
        _ => return None,
    };
    let counters = &execution.counters;
    let (name, returned) = match purpose {
        Purpose::Find if index.is_none() => ("EXPRESS_CLUSTERED_IXSCAN", counters.matched),
        Purpose::Find => ("EXPRESS_IXSCAN", counters.matched),
        Purpose::Update(trial) if !trial.upserts => ("EXPRESS_UPDATE", purpose.returned(outcome)),
        Purpose::Delete { .. } => ("EXPRESS_DELETE", purpose.returned(outcome)),
        Purpose::Update(_) | Purpose::Count | Purpose::Distinct(_) => return None,
    };
    let mut stage = Stage::new(name, returned, counters.documents.max(execution.keys()));
    if let Some((key, name)) = index {
        stage = stage.with("keyPattern", key).with("indexName", name);
    }
    stage = stage
        .counting("keysExamined", execution.keys())
        .counting("docsExamined", counters.documents);
    Some(match purpose {
        Purpose::Update(_) => changing(stage, outcome.changed, 0),
        Purpose::Delete { .. } => changing(stage, 0, outcome.found),
        Purpose::Find | Purpose::Count | Purpose::Distinct(_) => stage,
    })
}

fn changing(stage: Stage, modified: u64, deleted: u64) -> Stage {
    stage
        .counting("nWouldModify", modified)
        .counting("nWouldUpsert", 0)
        .counting("nWouldDelete", deleted)
}

/// Whether nothing is asked of the document but to be there, and perhaps to be shown in part.
fn is_plain(plan: &Plan, spec: &FindSpec) -> bool {
    let is_simple = spec.projection.as_ref().is_none_or(|shown| shown.is_simple());
    is_simple && spec.skip == 0 && !spec.return_key && !spec.show_record_id && plan.sort.is_none()
}

/// Whether the scan is of a single value, and gives at most one document.
fn finds_one(scan: &IndexScan, spec: &FindSpec) -> bool {
    let facts = &scan.facts;
    let is_unique = facts.unique && facts.fields.len() == 1;
    let is_ordinary = facts.wildcard_path.is_none()
        && facts
            .fields
            .iter()
            .all(|field| matches!(field.kind, FieldKind::Ordered(_)));
    // The index on `_id` is read so only where strings are compared by a collation.
    (is_unique || spec.limit == Some(1))
        && is_ordinary
        && facts.shown_name != "_id_"
        && scan.clip.is_none()
        && spec.hint.is_none()
        && !spec.tailable
        && matches!(spec.ordering, Ordering::Any)
        && is_equality(spec)
        && scan.bounds.first().is_some_and(Intervals::is_point)
}

/// Whether the filter is a single value of one field, which a key of an index tells exactly.
fn is_equality(spec: &FindSpec) -> bool {
    let Node::Field { predicate, .. } = spec.filter.root() else {
        return false;
    };
    match predicate {
        Predicate::Compare {
            op: Comparison::Eq,
            value,
        } => is_plain_id(value),
        _ => false,
    }
}
