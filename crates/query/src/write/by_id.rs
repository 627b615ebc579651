//! Statements that fix `_id`: no plan is needed, and neighbours go to the committer together.

use language::filter::{Comparison, Filter, Node, Predicate};
use value::Value;
use value::collation::has_text;

/// The `_id` that every matching document has, if the filter says so.
pub(super) fn fixed_id(filter: &Filter) -> Option<Value> {
    of_node(filter.root())
        .filter(|id| !matches!(id, Value::Array(_) | Value::Regex(_) | Value::Undefined))
        .cloned()
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
