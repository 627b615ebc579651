//! Statements whose filter fixes `_id`: they need no plan, and neighbours go to the committer together. The rest of the
//! filter is matched by the committer.

use language::filter::{Comparison, Filter, Node, Predicate};
use language::metrics;
use std::sync::Arc;
use value::Value;
use value::collation::has_text;

/// The `_id` that every matching document has; `None` if the filter does not fix it. Equality with an array, a regex or
/// undefined may match other ids, and under a collation other strings may be equal too.
pub(super) fn fixed_id(filter: &Filter) -> Option<Value> {
    of_node(filter.root())
        .filter(|id| !matches!(id, Value::Array(_) | Value::Regex(_) | Value::Undefined))
        .cloned()
}

/// Notes that a statement looked up its document by `_id`, and whether it was found.
pub(super) fn note(found: bool) {
    metrics::note(|metrics| {
        metrics.planned(Arc::new("IDHACK"));
        metrics.examined(u64::from(found), u64::from(found));
    });
}

fn of_node(node: &Node) -> Option<&Value> {
    match node {
        Node::Field {
            name,
            predicate:
                Predicate::Compare {
                    op: Comparison::Eq,
                    value,
                },
            collation,
            ..
        } if name == "_id" && (collation.is_none() || !has_text(value.as_ref())) => Some(value),
        Node::And(nodes) => nodes.iter().find_map(of_node),
        _ => None,
    }
}
