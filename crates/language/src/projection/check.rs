//! Checking the paths, conditions and operators of a projection.

use super::parse::ProjectionPlace;
use crate::filter::{Node, Predicate};
use crate::path_depth::check_path_depth;
use crate::{Code, Error, Result};
use value::Value;

/// Checks a dotted path, which has no positional part.
pub(super) fn check_path(path: &str, place: ProjectionPlace) -> Result<()> {
    if place == ProjectionPlace::Stage && path.ends_with(".$") {
        return Err(Error::new(
            Code::POSITIONAL_IN_STAGE,
            "Cannot use positional projection in aggregation projection",
        ));
    }
    check_position(path)?;
    check_field_path(path)
}

/// Refuses a positional part that is not the last.
pub(super) fn check_position(path: &str) -> Result<()> {
    if !path.contains(".$.") {
        return Ok(());
    }
    Err(Error::new(
        Code::location(31_394),
        "As of 4.4, it's illegal to specify positional operator in the middle of a path.Positional projection may only be \
         used at the end, for example: a.b.$. If the query previously used a form like a.b.$.d, remove the parts following \
         the '$' and the results will be equivalent.",
    ))
}

/// Checks the names of a dotted path.
pub(super) fn check_field_path(path: &str) -> Result<()> {
    if path.is_empty() {
        return Err(Error::new(
            Code::location(40_352),
            "FieldPath cannot be constructed with empty string",
        ));
    }
    if path.ends_with('.') {
        return Err(Error::new(
            Code::location(40_353),
            "FieldPath must not end with a '.'.",
        ));
    }
    check_path_depth(path.split('.').count())?;
    path.split('.').try_for_each(crate::expression::check_field_name)
}

/// Checks the name of a field within the object form of a path. A positional part is checked with the whole path.
pub(super) fn check_nested_name(name: &str, place: ProjectionPlace) -> Result<()> {
    match place {
        ProjectionPlace::Find if name.ends_with(".$") => Ok(()),
        _ => check_path(name, place),
    }
}

/// The error that there is no such metadata.
pub(super) fn refuse_meta(operand: &Value) -> Error {
    match operand.as_ref().as_str() {
        Some(
            name @ ("textScore" | "score" | "scoreDetails" | "searchScore" | "geoNearDistance"
            | "geoNearPoint" | "recordId" | "sortKey"),
        ) => Error::new(
            Code::location(40_218),
            format!("query requires {name} metadata, but it is not available"),
        ),
        Some(name) => Error::new(
            Code::location(17_308),
            format!("Unsupported argument to $meta: {name}"),
        ),
        None => Error::new(Code::location(17_307), "$meta only supports string arguments"),
    }
}

/// The error that no expression has an operator, which has a code of its own where it stands alone in a projection.
pub(super) fn unknown_expression(operator: &str) -> Error {
    Error::new(Code::location(31_325), format!("Unknown expression {operator}"))
}

/// Refuses a query of which MongoDB does not say at which position it matched: one with a condition that is not on fields alone.
pub(super) fn check_positioned(query: &Node) -> Result<()> {
    let not_here = |name: &str| format!("{name} is not allowed in this context");
    let not_allowed = |name: &str| Error::new(Code::QUERY_FEATURE_NOT_ALLOWED, not_here(name));
    match query {
        Node::And(nodes) | Node::Or(nodes) | Node::Nor(nodes) => nodes.iter().try_for_each(check_positioned),
        Node::Expr(_) => Err(not_allowed("$expr")),
        Node::JsonSchema(_) => Err(not_allowed("$jsonSchema")),
        Node::Where(_) => Err(Error::bad_value(not_here("$where"))),
        Node::Text(_) => Err(Error::bad_value(not_here("$text"))),
        Node::Field { predicate, .. } => check_predicate(predicate),
        Node::SampleRate(_) | Node::AlwaysTrue | Node::AlwaysFalse => Ok(()),
    }
}

fn check_predicate(predicate: &Predicate) -> Result<()> {
    match predicate {
        Predicate::Near(_) => Err(Error::new(
            Code::location(5_626_500),
            "$geoNear, $near, and $nearSphere are not allowed in this context",
        )),
        Predicate::ElemMatchObject(node) => check_positioned(node),
        Predicate::ElemMatchValue(inner) | Predicate::Not(inner) => {
            inner.iter().try_for_each(check_predicate)
        }
        _ => Ok(()),
    }
}
