//! Where in a filter `$near` may stand, and how near documents are to it.

use super::{Node, Predicate};
use crate::{Error, Result};
use geometry::Near;
use value::path::{self, Reached};
use value::{Document, DocumentRef, Value, ValueRef};

/// The name by which `$meta` shows how far a document is from the centre of `$near`.
pub const GEO_NEAR_DISTANCE: &str = "geoNearDistance";
/// The name by which `$meta` shows the place that is nearest to it.
pub const GEO_NEAR_POINT: &str = "geoNearPoint";

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

/// How far a document is from the centre of the filter's `$near`, as clients see it, and its place that is nearest.
pub(super) fn nearest(root: &Node, document: DocumentRef<'_>) -> Option<(f64, Value)> {
    let top = match root {
        Node::And(children) => children.as_slice(),
        other => std::slice::from_ref(other),
    };
    let (field, near) = top.iter().find_map(|node| match node {
        Node::Field {
            path,
            predicate: Predicate::Near(condition),
            ..
        } => Some((path, &condition.near)),
        _ => None,
    })?;
    let mut nearest: Option<(f64, Value)> = None;
    path::visit(document, field, &mut |reached: Reached<'_>| {
        let found = reached.value.and_then(|value| near.nearest_place(value));
        if let Some((distance, place)) = found
            && nearest.as_ref().is_none_or(|(known, _)| distance < *known)
        {
            nearest = Some((distance, ValueRef::to_value(place)));
        }
        false
    });
    nearest.map(|(distance, place)| (near.shown(distance), place))
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
