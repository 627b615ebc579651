//! Which element of an array the positional `$` means.
//!
//! MongoDB sorts the conditions of a query before it looks at documents (`sortMatchExpressionTree` of its
//! `src/mongo/db/query/compiler/rewrites/matcher/expression_optimizer.cpp`), and the last one that an array's element satisfied
//! says which. So it does not depend on the order in which they were written.

use super::{Position, count};
use crate::Result;
use crate::filter::{BitTest, Comparison, Node, Predicate};
use std::cmp::Ordering;
use value::{DocumentRef, Value};

impl Node {
    /// Whether the document satisfies the condition, and where.
    pub(in crate::filter) fn matches_positioned(
        &self,
        document: DocumentRef<'_>,
        position: &mut Position,
    ) -> Result<bool> {
        match self {
            Node::Field {
                path,
                predicate,
                collation,
                ..
            } => predicate.matches_path(document, path, collation.as_ref(), position),
            Node::And(children) => {
                count(children)?;
                let mut deciding: Option<&Node> = None;
                for child in children {
                    let mut found = None;
                    if !child.matches_positioned(document, &mut found)? {
                        return Ok(false);
                    }
                    if found.is_some() && deciding.is_none_or(|other| order(other, child).is_le()) {
                        (deciding, *position) = (Some(child), found);
                    }
                }
                Ok(true)
            }
            Node::Or(children) if are_one_list(children) => {
                count(children)?;
                let mut matches = false;
                for child in children {
                    let mut found = None;
                    matches |= child.matches_positioned(document, &mut found)?;
                    // Of a list of values, the first element that is in it counts.
                    *position = match (*position, found) {
                        (Some(known), Some(found)) => Some(known.min(found)),
                        (known, found) => known.or(found),
                    };
                }
                Ok(matches)
            }
            // What else one of several conditions was true for, MongoDB does not remember.
            other => other.matches(document),
        }
    }
}

/// Whether the conditions ask for values and patterns on one path, and so come to one `$in`.
fn are_one_list(children: &[Node]) -> bool {
    let mut names = children.iter().map(|child| match child {
        Node::Field {
            name,
            predicate: Predicate::Regex(_),
            ..
        } => Some(name),
        Node::Field {
            name,
            predicate:
                Predicate::Compare {
                    op: Comparison::Eq,
                    value,
                },
            ..
        } if !matches!(value, Value::Regex(_)) => Some(name),
        _ => None,
    });
    let first = names.next().flatten();
    first.is_some() && names.all(|name| name == first)
}

/// MongoDB's order of conditions: by kind, path, and what is below.
fn order(a: &Node, b: &Node) -> Ordering {
    rank(a)
        .cmp(&rank(b))
        .then_with(|| path(a).cmp(path(b)))
        .then_with(|| match (predicate(a), predicate(b)) {
            (Some(a), Some(b)) => order_below(a, b),
            _ => Ordering::Equal,
        })
}

/// The order of two `$elemMatch` on one path; others have nothing below that would say which element.
fn order_below(a: &Predicate, b: &Predicate) -> Ordering {
    match (a, b) {
        (Predicate::ElemMatchObject(a), Predicate::ElemMatchObject(b)) => {
            order_lists(conditions(a), conditions(b), order)
        }
        (Predicate::ElemMatchValue(a), Predicate::ElemMatchValue(b)) => {
            let order = |a: &Predicate, b: &Predicate| predicate_rank(a).cmp(&predicate_rank(b));
            order_lists(a, b, order)
        }
        _ => Ordering::Equal,
    }
}

fn conditions(node: &Node) -> &[Node] {
    match node {
        Node::And(children) => children,
        single => std::slice::from_ref(single),
    }
}

fn order_lists<T>(a: &[T], b: &[T], order: impl Fn(&T, &T) -> Ordering) -> Ordering {
    let sorted = |list: &'_ [T]| {
        let mut places: Vec<usize> = (0..list.len()).collect();
        places.sort_by(|a, b| order(&list[*a], &list[*b]));
        places
    };
    let pairs = sorted(a).into_iter().zip(sorted(b));
    let mut orders = pairs.map(|(left, right)| order(&a[left], &b[right]));
    let first = orders.find(|order| order.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn path(node: &Node) -> &str {
    match node {
        Node::Field {
            predicate: Predicate::Not(_),
            ..
        } => "",
        Node::Field { name, .. } => name,
        _ => "",
    }
}

fn predicate(node: &Node) -> Option<&Predicate> {
    match node {
        Node::Field { predicate, .. } => Some(predicate),
        _ => None,
    }
}

/// The place of a condition's kind in MongoDB's `MatchExpression::MatchType`.
fn rank(node: &Node) -> u8 {
    match node {
        Node::And(_) => 0,
        Node::Or(_) => 1,
        Node::Field { predicate, .. } => predicate_rank(predicate),
        Node::Nor(_) => 19,
        Node::Where(_) => 22,
        Node::Expr(_) | Node::SampleRate(_) => 23,
        Node::AlwaysFalse => 24,
        Node::AlwaysTrue => 25,
        Node::Text(_) => 27,
        Node::JsonSchema(_) => 28,
    }
}

fn predicate_rank(predicate: &Predicate) -> u8 {
    match predicate {
        Predicate::ElemMatchObject(_) => 2,
        Predicate::ElemMatchValue(_) => 3,
        Predicate::Size(_) => 4,
        Predicate::Compare { op, .. } => match op {
            Comparison::Eq => 5,
            Comparison::Lte => 6,
            Comparison::Lt => 7,
            Comparison::Gt => 8,
            Comparison::Gte => 9,
        },
        Predicate::Regex(_) => 10,
        Predicate::Mod { .. } => 11,
        Predicate::Exists => 12,
        Predicate::In { .. } => 13,
        Predicate::Bits(bits) => match bits.test {
            BitTest::AllSet => 14,
            BitTest::AllClear => 15,
            BitTest::AnySet => 16,
            BitTest::AnyClear => 17,
        },
        Predicate::Not(_) => 18,
        Predicate::Type(_) => 20,
        Predicate::Geo(_) => 21,
        Predicate::Near(_) => 26,
    }
}
