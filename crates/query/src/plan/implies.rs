//! Whether every document that one filter matches is matched by another: what makes a partial index usable.

use super::leaves::{Conjunction, Leaf};
use super::predicate::{key_set, matches_missing};
use language::filter::{Node, Predicate};

/// Whether all that the conjunction matches also matches `wanted`. False where that is not plain to see.
pub fn implies(conjunction: &Conjunction<'_>, wanted: &Node) -> bool {
    if conjunction.never {
        return true;
    }
    match wanted {
        Node::AlwaysTrue => true,
        Node::And(nodes) => nodes.iter().all(|node| implies(conjunction, node)),
        Node::Or(nodes) if nodes.iter().any(|node| implies(conjunction, node)) => true,
        Node::Field { name, predicate, .. }
            if conjunction.on(name).any(|(_, leaf)| ensures(leaf, predicate)) =>
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

fn ensures(leaf: &Leaf<'_>, wanted: &Predicate) -> bool {
    // The condition of an index knows no collation.
    let texts = leaf.predicate.depends_on_collation() || wanted.depends_on_collation();
    if leaf.collation.is_some() && texts {
        return false;
    }
    if matches!(wanted, Predicate::Exists) {
        return !matches_missing(&leaf.path, leaf.predicate);
    }
    if let (Predicate::Type(given), Predicate::Type(wanted)) = (leaf.predicate, wanted) {
        return given.iter().all(|kind| wanted.contains(kind));
    }
    // One of the document's values lies in the leaf's keys; if all of those satisfy what is wanted, so does it.
    let wanted_keys = key_set(wanted, true);
    if wanted_keys.exact {
        let keys = key_set(leaf.predicate, true).keys;
        return keys.intersect(&wanted_keys.keys.complement()).is_none();
    }
    leaf.element.is_none() && format!("{wanted:?}") == format!("{:?}", leaf.predicate)
}
