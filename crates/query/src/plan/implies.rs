//! Whether every document that one filter matches is also matched by another, so that a partial index can be used.

use super::leaves::{Conjunction, Leaf};
use super::predicate::{key_set, matches_missing};
use language::filter::{Node, Predicate};
use std::borrow::Cow;
use value::collation::Collation;

/// Whether every document that the conjunction matches also matches `wanted`. False when in doubt: at worst, an index is not
/// used.
pub fn implies(conjunction: &Conjunction<'_>, wanted: &Node) -> bool {
    if conjunction.never {
        return true;
    }
    match wanted {
        Node::AlwaysTrue => true,
        Node::And(nodes) => nodes.iter().all(|node| implies(conjunction, node)),
        Node::Or(nodes) if nodes.iter().any(|node| implies(conjunction, node)) => true,
        Node::Field {
            name,
            predicate,
            collation,
            ..
        } if conjunction
            .on(name)
            .any(|(_, leaf)| ensures(leaf, predicate, collation.as_ref())) =>
        {
            true
        }
        _ if conjunction.alternatives.is_empty() => false,
        // A disjunction implies it if each of its branches does. The other disjunctions are left out: trying each of their branches
        // with each of this one's would take time proportional to the product of all.
        _ => {
            let alone = conjunction.without_alternatives();
            let by_each =
                |branches: &&[Node]| branches.iter().all(|branch| implies(&alone.and(branch), wanted));
            conjunction.alternatives.iter().any(by_each)
        }
    }
}

/// Whether every document that satisfies the leaf satisfies `wanted` under this collation.
fn ensures(leaf: &Leaf<'_>, wanted: &Predicate, collation: Option<&Collation>) -> bool {
    if matches!(wanted, Predicate::Exists) {
        return !matches_missing(&leaf.path, leaf.predicate);
    }
    if let (Predicate::Type(given), Predicate::Type(wanted)) = (leaf.predicate, wanted) {
        return given.iter().all(|kind| wanted.contains(kind));
    }
    let in_collation = collation.map(|collation| wanted.on_keys_of(collation));
    let (Some(given), Some(wanted)) = (
        leaf.on_keys_of(collation),
        in_collation.map_or(Some(Cow::Borrowed(wanted)), |wanted| wanted.map(Cow::Owned)),
    ) else {
        return false;
    };
    // A document that satisfies the leaf has a value among the leaf's keys. If all of these keys satisfy `wanted`, so
    // does the document.
    let wanted_keys = key_set(&wanted, true);
    if wanted_keys.exact {
        let keys = key_set(&given, true).keys;
        return keys.intersect(&wanted_keys.keys.complement()).is_none();
    }
    // Inexact sets prove nothing about each other, but a condition implies itself.
    leaf.element.is_none() && format!("{wanted:?}") == format!("{given:?}")
}
