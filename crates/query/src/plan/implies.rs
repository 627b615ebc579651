//! Whether every document that one filter matches is matched by another: what makes a partial index usable.

use super::leaves::{Conjunction, Leaf};
use super::predicate::{key_set, matches_missing};
use language::filter::{Node, Predicate};
use std::borrow::Cow;
use value::collation::Collation;

/// Whether all that the conjunction matches also matches `wanted`. False where that is not plain to see.
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
        // Each branch of a disjunction may see to it in its own way.
        _ => conjunction.alternatives.iter().any(|branches| {
            branches.iter().all(|branch| {
                // Without the disjunction itself, so that the search ends.
                implies(&conjunction.without(branches).and(branch), wanted)
            })
        }),
    }
}

/// The collation is that of what is wanted.
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
    // One of the document's values lies in the leaf's keys; if all of those satisfy what is wanted, so does it.
    let wanted_keys = key_set(&wanted, true);
    if wanted_keys.exact {
        let keys = key_set(&given, true).keys;
        return keys.intersect(&wanted_keys.keys.complement()).is_none();
    }
    leaf.element.is_none() && format!("{wanted:?}") == format!("{given:?}")
}
