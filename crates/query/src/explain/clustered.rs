//! The stage that finds documents by `_id` in a clustered collection: in MongoDB they are stored in its order.

use super::stage::Stage;
use crate::execute::ExecutionCounters;
use crate::plan::facts::FieldKind;
use crate::plan::interval::Interval;
use crate::plan::{Access, Plan};
use language::filter::Filter;
use store::Order;
use value::Value;
use value::key::Direction;

/// Whether a plan reads nothing but the order of the `_id`s.
pub fn is_by_id(plan: &Plan) -> bool {
    match &plan.access {
        Access::Id(_) => true,
        Access::Index(scan) => {
            let ascends = matches!(
                scan.facts.fields.as_slice(),
                [field] if field.kind == FieldKind::Ordered(Direction::Ascending)
            );
            scan.facts.shown_name == "_id_" && ascends && scan.clip.is_none()
        }
        _ => false,
    }
}

/// The stage of such a plan.
pub fn scan(plan: &Plan, filter: &Filter, counters: &ExecutionCounters) -> Stage {
    let (order, ends) = match &plan.access {
        Access::Id(id) => (Order::Forward, Some((id.clone(), id.clone()))),
        Access::Index(scan) => (
            scan.order,
            scan.bounds.first().and_then(|ids| ends(ids.as_slice())),
        ),
        _ => (Order::Forward, None),
    };
    let name = if ends.is_some() {
        "CLUSTERED_IXSCAN"
    } else {
        "COLLSCAN"
    };
    let mut stage = Stage::new(name, counters.matched, counters.documents);
    if !filter.is_empty() {
        stage = stage.with("filter", filter.to_document());
    }
    let direction = match order {
        Order::Forward => "forward",
        Order::Backward => "backward",
    };
    stage = stage.with("direction", direction);
    if let Some((first, last)) = ends {
        stage = stage.with("minRecord", first).with("maxRecord", last);
    }
    stage.counting("docsExamined", counters.documents)
}

/// The first and the last `_id` that are read; `None` if all are.
fn ends(intervals: &[Interval]) -> Option<(Value, Value)> {
    let (first, last) = (intervals.first()?, intervals.last()?);
    match (&first.low.value, &last.high.value) {
        (Value::MinKey, Value::MaxKey) => None,
        (first, last) => Some((first.clone(), last.clone())),
    }
}
