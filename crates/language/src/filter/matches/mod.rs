//! Trees against documents.
//!
//! Nothing here allocates for a document unless it is already decoded and `$elemMatch` looks into nested arrays.

mod bits;
mod position;
mod single;

use super::{Node, Predicate};
use crate::Result;
use crate::interruption::{COMPARISONS_PER_STEP, steps};
use value::collation::Collation;
use value::path::{self, FieldPath, Reached};
use value::{DocumentRef, ValueRef};

pub(super) use single::compare;

/// The place in the outermost array of the element that satisfied a condition: what the positional `$` means.
pub(super) type Position = Option<usize>;

impl Node {
    /// Whether the document satisfies the condition.
    pub(super) fn matches(&self, document: DocumentRef<'_>) -> Result<bool> {
        match self {
            Node::Field {
                path,
                predicate,
                collation,
                ..
            } => predicate.matches_path(document, path, collation.as_ref(), &mut None),
            Node::And(children) => {
                count(children)?;
                for child in children {
                    if !child.matches(document)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Or(children) => {
                count(children)?;
                for child in children {
                    if child.matches(document)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Nor(children) => {
                count(children)?;
                for child in children {
                    if child.matches(document)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Expr(condition) => condition.matches(document),
            Node::Where(condition) => condition.matches(document),
            Node::Text(condition) => condition.matches(document),
            Node::JsonSchema(schema) => schema.matches(document),
            Node::SampleRate(rate) => Ok(value::random::unit() < *rate),
            Node::AlwaysTrue => Ok(true),
            Node::AlwaysFalse => Ok(false),
        }
    }
}

/// Counts what looking at these conditions takes: a filter may have very many.
fn count<T>(conditions: &[T]) -> Result<()> {
    steps(conditions.len() / COMPARISONS_PER_STEP)
}

impl Predicate {
    /// Whether one of the values that the path reaches satisfies the predicate.
    fn matches_path(
        &self,
        document: DocumentRef<'_>,
        path: &FieldPath,
        collation: Option<&Collation>,
        position: &mut Position,
    ) -> Result<bool> {
        if let Predicate::Not(predicates) = self {
            count(predicates)?;
            for predicate in predicates {
                if !predicate.matches_path(document, path, collation, &mut None)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        match path.parts() {
            [name] => self.matches_field(document.get(name), collation, position),
            _ => self.matches_reached(document, path, collation, position),
        }
    }

    /// A path of one name: by far the commonest.
    fn matches_field(
        &self,
        value: Option<ValueRef<'_>>,
        collation: Option<&Collation>,
        position: &mut Position,
    ) -> Result<bool> {
        if let Some(ValueRef::Array(array)) = value
            && self.looks_into_arrays()
        {
            for (at, element) in array.iter().enumerate() {
                steps(1)?;
                if self.matches_single(Some(element), collation, position)? {
                    *position = Some(at);
                    return Ok(true);
                }
            }
        }
        self.matches_single(value, collation, position)
    }

    fn matches_reached(
        &self,
        document: DocumentRef<'_>,
        path: &FieldPath,
        collation: Option<&Collation>,
        position: &mut Position,
    ) -> Result<bool> {
        let mut outcome = Ok(false);
        let mut test = |reached: Reached<'_>| {
            outcome = steps(1).and_then(|()| self.matches_single(reached.value, collation, position));
            if matches!(outcome, Ok(true)) && reached.array_position.is_some() {
                *position = reached.array_position;
            }
            !matches!(outcome, Ok(false))
        };
        if self.looks_into_arrays() {
            path::visit_expanded(document, path, &mut test);
        } else {
            path::visit(document, path, &mut test);
        }
        outcome
    }

    /// Whether an array at the path's end is tried element by element, and not only whole.
    fn looks_into_arrays(&self) -> bool {
        !matches!(
            self,
            Predicate::Exists
                | Predicate::Size(_)
                | Predicate::ElemMatchObject(_)
                | Predicate::ElemMatchValue(_)
                | Predicate::Near(_)
        )
    }
}
