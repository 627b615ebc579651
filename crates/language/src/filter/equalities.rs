//! The values that a query requires, which an upsert puts into a new document.

use super::{Comparison, Node, Predicate};
use value::Value;

/// The equalities that every matching document satisfies by its fields' whole values.
pub(super) fn of(root: &Node) -> Vec<(&str, &Value)> {
    let mut found = Vec::new();
    collect(root, &mut found);
    found
}

fn collect<'n>(node: &'n Node, found: &mut Vec<(&'n str, &'n Value)>) {
    match node {
        Node::And(children) => children.iter().for_each(|child| collect(child, found)),
        Node::Field {
            name,
            predicate:
                Predicate::Compare {
                    op: Comparison::Eq,
                    value,
                },
            ..
        } => found.push((name, value)),
        _ => {}
    }
}
