//! How the planner uses wildcard indexes: for each path in a filter, as an index on that path.
//!
//! The keys of a wildcard index are pairs of a path and a value. For a condition on `a.b`, it is used as an index on
//! `{$_path: 1, "a.b": 1}`, where the first field has one value. It has no documents that lack the path, and none of
//! its values is a non-empty document.

use super::catalog::KnownIndex;
use super::facts::{FieldFacts, FieldKind, IndexFacts};
use super::interval::{Cut, Interval, Intervals};
use super::leaves::{Conjunction, Leaf, has_number};
use super::predicate::{KeySet, documents, key_set, matches_missing};
use language::filter::Predicate;
use std::borrow::Cow;
use std::sync::Arc;
use store::Wildcard;
use value::collation::Collation;
use value::{Document, Value};

/// The name of the path in the keys.
const PATH_FIELD: &str = "$_path";

/// The indexes; each wildcard index is replaced by one for each path of the conjunction that it holds.
pub fn expand<'k>(conjunction: &Conjunction<'_>, indexes: &'k [KnownIndex]) -> Cow<'k, [KnownIndex]> {
    if indexes.iter().all(|known| known.index.wildcard().is_none()) {
        return Cow::Borrowed(indexes);
    }
    let expanded = indexes.iter().flat_map(|known| match known.index.wildcard() {
        None => vec![known.clone()],
        Some(wildcard) => on_paths(conjunction, known, wildcard),
    });
    Cow::Owned(expanded.collect())
}

/// A wildcard index as indexes on single paths: one for each path of a condition that it can answer.
pub fn on_paths(conjunction: &Conjunction<'_>, known: &KnownIndex, wildcard: &Wildcard) -> Vec<KnownIndex> {
    let mut paths: Vec<&str> = Vec::new();
    for leaf in &conjunction.leaves {
        let named = known.facts.fields.iter().any(|field| field.name == leaf.path);
        let serves = || serves(wildcard, &leaf.path, known.facts.collation.as_ref(), conjunction);
        if !named && !paths.contains(&leaf.path.as_str()) && serves() {
            paths.push(&leaf.path);
        }
    }
    paths
        .into_iter()
        .map(|path| KnownIndex {
            index: known.index.clone(),
            facts: Arc::new(on_path(&known.facts, path)),
        })
        .collect()
}

fn serves(
    wildcard: &Wildcard,
    path: &str,
    collation: Option<&Collation>,
    conjunction: &Conjunction<'_>,
) -> bool {
    if has_number(path) || !wildcard.holds(path) {
        return false;
    }
    let mut of_values = conjunction
        .on(path)
        .filter(|(_, leaf)| keys(leaf, collation).is_some());
    if of_values.any(|(_, leaf)| !is_exists(leaf)) {
        return true;
    }
    wildcard.holds_all_below(path) && conjunction.on(path).any(|(_, leaf)| is_exists(leaf))
}

fn is_exists(leaf: &Leaf<'_>) -> bool {
    matches!(leaf.predicate, Predicate::Exists)
}

fn on_path(facts: &IndexFacts, path: &str) -> IndexFacts {
    let mut on_path = IndexFacts {
        fields: Vec::with_capacity(facts.fields.len() + 1),
        key: Document::new(),
        sparse: true,
        wildcard_path: Some(path.to_owned()),
        ..facts.clone()
    };
    for (field, (name, direction)) in facts.fields.iter().zip(facts.key.iter()) {
        let FieldKind::Wildcard(order) = field.kind else {
            on_path.fields.push(field.clone());
            on_path.key.push(name, direction.clone());
            continue;
        };
        on_path.fields.push(FieldFacts {
            name: PATH_FIELD.to_owned(),
            kind: FieldKind::Path,
            multikey: false,
        });
        on_path.key.push(PATH_FIELD, 1);
        on_path.fields.push(FieldFacts {
            name: path.to_owned(),
            kind: FieldKind::Ordered(order),
            multikey: field.multikey,
        });
        on_path.key.push(path, direction.clone());
    }
    on_path
}

/// The values of its path that a condition allows; `None` if documents that satisfy it may have no entry there.
pub fn keys(leaf: &Leaf<'_>, collation: Option<&Collation>) -> Option<KeySet> {
    let predicate = leaf.on_keys_of(collation)?;
    let set = key_set(&predicate, true);
    if is_exists(leaf) {
        return Some(set);
    }
    let complete = !matches_missing(&leaf.path, leaf.predicate) && set.keys.intersect(&documents()).is_none();
    complete.then_some(set)
}

/// The paths whose entries are wanted: the path itself, and all below it if the conditions only ask whether it
/// exists.
pub fn paths(path: &str, collation: Option<&Collation>, conjunction: &Conjunction<'_>) -> Intervals {
    let mut known = conjunction
        .on(path)
        .filter(|(_, leaf)| keys(leaf, collation).is_some());
    let one = Interval::point(Value::from(path));
    if known.any(|(_, leaf)| !is_exists(leaf)) {
        return Intervals::from(vec![one]);
    }
    // The character after the dot is the end of all paths that begin with this one and a dot.
    let below = Interval::new(Cut::before(format!("{path}.")), Cut::before(format!("{path}/")));
    Intervals::from(vec![one, below])
}
