//! Where in a filter `$near` may stand.

use super::{Node, Predicate};
use crate::{Error, Result};
use geometry::Near;
use value::{Document, Value};

/// Refuses `$near` anywhere but once in the top conjunction.
pub(super) fn check_near(root: &Node) -> Result<()> {
    let top = match root {
        Node::And(children) => children.as_slice(),
        other => std::slice::from_ref(other),
    };
    let at_top = top.iter().filter(|node| is_near(node)).count();
    if at_top > 1 {
        return Err(Error::bad_value("Too many geoNear expressions"));
    }
    if top.iter().any(|node| !is_near(node) && holds_near(node)) {
        return Err(Error::bad_value("geo $near must be top-level expr"));
    }
    Ok(())
}

/// Refuses `$near` beside a text search, since both would decide the order.
pub(super) fn check_beside_text(query: &Document) -> Result<()> {
    let asks_near = |value: &Value| match value {
        Value::Document(operators) => operators
            .iter()
            .next()
            .is_some_and(|(first, _)| Near::is_operator(first)),
        _ => false,
    };
    if query.contains("$text") && query.iter().any(|(_, value)| asks_near(value)) {
        return Err(Error::bad_value("text and geoNear not allowed in same query"));
    }
    Ok(())
}

/// Whether the filter has a `$near` condition.
pub(super) fn asks_near(root: &Node) -> bool {
    is_near(root) || holds_near(root)
}

fn is_near(node: &Node) -> bool {
    matches!(
        node,
        Node::Field {
            predicate: Predicate::Near(_),
            ..
        }
    )
}

fn holds_near(node: &Node) -> bool {
    match node {
        Node::And(nodes) | Node::Or(nodes) | Node::Nor(nodes) => nodes.iter().any(holds_near),
        Node::Field { predicate, .. } => predicate_holds_near(predicate),
        _ => false,
    }
}

fn predicate_holds_near(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Near(_) => true,
        Predicate::ElemMatchObject(node) => holds_near(node),
        Predicate::ElemMatchValue(inner) | Predicate::Not(inner) => inner.iter().any(predicate_holds_near),
        _ => false,
    }
}
