//! The bounds of an index's keys for a conjunction.

use super::facts::{FieldFacts, FieldKind, IndexFacts};
use super::geo;
use super::interval::{Interval, Intervals};
use super::leaves::{Conjunction, Leaf, has_number};
use super::predicate::{KeySet, key_set, matches_missing};
use super::wildcard;
use language::filter::{Comparison, Predicate};
use value::Value;
use value::collation::Collation;

/// The bounds of one index for a conjunction.
#[derive(Clone, Debug)]
pub struct IndexBounds {
    /// The allowed keys of each field.
    pub fields: Vec<Intervals>,
    /// For each condition of the conjunction, whether the bounds alone ensure it.
    pub ensured: Vec<bool>,
    /// Whether the first field is bounded by some condition (even if it allows every key).
    pub leading: bool,
}

/// Why an index cannot answer a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsuited {
    /// It is hidden from the planner (`hidden: true`).
    Hidden,
    /// It may lack documents that the filter wants.
    Sparse,
    /// The filter does not imply the index's own.
    Partial,
    /// Its collation or kind cannot answer the conjunction; the text says why.
    Kind(String),
}

impl std::fmt::Display for Unsuited {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unsuited::Hidden => out.write_str("the index is hidden"),
            Unsuited::Sparse => out.write_str("the index is sparse and may lack documents that match"),
            Unsuited::Partial => {
                out.write_str("the filter does not imply the index's partialFilterExpression")
            }
            Unsuited::Kind(why) => out.write_str(why),
        }
    }
}

/// Fails if the index may lack a document that the conjunction matches.
pub fn check_complete(
    index: &IndexFacts,
    conjunction: &Conjunction<'_>,
    implies: impl Fn(&language::filter::Filter) -> bool,
) -> Result<(), Unsuited> {
    if index.hidden {
        return Err(Unsuited::Hidden);
    }
    if let Some(why) = &index.unusable {
        return Err(Unsuited::Kind(why.clone()));
    }
    if index.partial.as_deref().is_some_and(|partial| !implies(partial)) {
        return Err(Unsuited::Partial);
    }
    // An index of places lacks documents that have none.
    let is_geo = |field: &&FieldFacts| field.kind.is_geo();
    let asks_place = |field: &FieldFacts| {
        conjunction
            .on(&field.name)
            .any(|(_, leaf)| geo::asks(field.kind, leaf.predicate))
    };
    if index.fields.iter().any(|field| field.kind.is_geo())
        && !index.fields.iter().filter(is_geo).any(asks_place)
    {
        let why = "only geospatial queries can use a geospatial index".to_owned();
        return Err(Unsuited::Kind(why));
    }
    // A sparse index lacks only documents without any of its fields. One condition that a missing field does not
    // satisfy excludes all of them.
    let wants_field = |field: &FieldFacts| {
        conjunction
            .on(&field.name)
            .any(|(_, leaf)| !matches_missing(&leaf.path, leaf.predicate))
    };
    if index.sparse && !index.fields.iter().any(wants_field) {
        return Err(Unsuited::Sparse);
    }
    Ok(())
}

/// The bounds of an index for a conjunction.
pub fn index_bounds(index: &IndexFacts, conjunction: &Conjunction<'_>) -> IndexBounds {
    let mut bounds = IndexBounds {
        fields: Vec::with_capacity(index.fields.len()),
        ensured: vec![false; conjunction.leaves.len()],
        leading: false,
    };
    // The condition that bounds each earlier multikey field.
    let mut bounded: Vec<(&FieldFacts, &Leaf<'_>)> = Vec::new();
    for (position, field) in index.fields.iter().enumerate() {
        if field.kind == FieldKind::Path {
            let path = index.wildcard_path.as_deref().unwrap_or_default();
            bounds
                .fields
                .push(wildcard::paths(path, index.collation.as_ref(), conjunction));
            bounds.leading |= position == 0;
            continue;
        }
        let of_wildcard = index.wildcard_path.as_deref() == Some(field.name.as_str());
        // A number in a path may be an array position or a field name, which keys and matching treat differently.
        // A sparse index has no null key for an array element that lacks the path, so a condition that a missing
        // field satisfies cannot bound it.
        let usable = |(_, leaf): &(usize, &Leaf<'_>)| {
            !(has_number(&field.name)
                || index.sparse && matches_missing(&leaf.path, leaf.predicate)
                || of_wildcard && wildcard::keys(leaf, index.collation.as_ref()).is_none())
        };
        let on_field: Vec<(usize, &Leaf<'_>)> = conjunction.on(&field.name).filter(usable).collect();
        let set = if field.multikey {
            let allowed = on_field.into_iter().filter(|(_, leaf)| {
                bounded
                    .iter()
                    .all(|(earlier, other)| may_combine(earlier, other, field, leaf))
            });
            best(field, index.collation.as_ref(), allowed).map(|best| {
                bounds.ensured[best.number] = best.set.exact;
                bounded.push((field, best.leaf));
                best.set.keys
            })
        } else {
            all_of(field, index.collation.as_ref(), &on_field, &mut bounds.ensured)
        };
        bounds.leading |= position == 0 && set.is_some();
        bounds.fields.push(set.unwrap_or_else(Intervals::all));
    }
    bounds
}

/// The bounds of a field without arrays. A document has one key in it, which all conditions must allow, so the conditions'
/// keys are intersected. `None` if no condition bounds the field.
fn all_of(
    field: &FieldFacts,
    collation: Option<&Collation>,
    leaves: &[(usize, &Leaf<'_>)],
    ensured: &mut [bool],
) -> Option<Intervals> {
    let mut keys: Option<Intervals> = None;
    for (number, leaf) in leaves {
        let Some(set) = field_keys(field, collation, leaf) else {
            continue;
        };
        ensured[*number] = set.exact && leaf.element.is_none();
        keys = Some(match keys {
            Some(known) => known.intersect(&set.keys),
            None => set.keys,
        });
    }
    keys
}

/// A condition and the keys that it allows.
struct Bounding<'c, 'f> {
    /// Its place among the leaves of the conjunction.
    number: usize,
    leaf: &'c Leaf<'f>,
    set: KeySet,
}

/// The condition that bounds a multikey field, the narrowest if there are several. Two conditions may be satisfied by
/// two elements (`[1, 9]` matches `a > 5` and `a < 3`), each with a key of its own: no key need lie within both, so
/// intersecting them would lose the document.
fn best<'c, 'f>(
    field: &FieldFacts,
    collation: Option<&Collation>,
    leaves: impl Iterator<Item = (usize, &'c Leaf<'f>)>,
) -> Option<Bounding<'c, 'f>> {
    leaves
        .filter_map(|(number, leaf)| {
            let mut set = field_keys(field, collation, leaf)?;
            // A key does not say that the same element satisfies the other conditions of the `$elemMatch`.
            set.exact &= leaf.element.is_none();
            Some(Bounding { number, leaf, set })
        })
        .min_by_key(|bounding| width(&bounding.set.keys))
}

/// A rough measure of a set's size.
fn width(keys: &Intervals) -> (u8, usize) {
    let kind = if keys.is_none() {
        0
    } else if keys.is_points() {
        1
    } else if keys.is_all() {
        4
    } else if keys.as_slice().len() == 1 {
        2
    } else {
        3
    };
    (kind, keys.as_slice().len())
}

fn field_keys(field: &FieldFacts, collation: Option<&Collation>, leaf: &Leaf<'_>) -> Option<KeySet> {
    let predicate = leaf.on_keys_of(collation)?;
    match field.kind {
        // The cells of places are in geospatial indexes.
        FieldKind::Ordered(_) if geo::is_place(&predicate) => None,
        FieldKind::Ordered(_) => Some(key_set(&predicate, field.multikey)),
        FieldKind::Sphere | FieldKind::Plane(_) => geo::keys(field.kind, &predicate),
        FieldKind::Hashed => hashed_keys(&predicate),
        FieldKind::Wildcard(_) | FieldKind::Path | FieldKind::Opaque => None,
    }
}

/// The hashes of single values; `None` for other conditions, since hashes keep no order. Never exact: two values may
/// share a hash.
fn hashed_keys(predicate: &Predicate) -> Option<KeySet> {
    let values = match predicate {
        Predicate::Compare {
            op: Comparison::Eq,
            value,
        } => std::slice::from_ref(value),
        Predicate::In { values, regexes } if regexes.is_empty() => values,
        _ => return None,
    };
    if values
        .iter()
        .any(|value| matches!(value, Value::Array(_) | Value::Undefined))
    {
        return None;
    }
    let hash = |value: &Value| Interval::point(Value::Int64(value::key::hash_of_value(value.as_ref())));
    let keys: Vec<Interval> = values.iter().map(hash).collect();
    Some(KeySet {
        keys: Intervals::from(keys),
        exact: false,
    })
}

/// Whether conditions on two multikey fields may both bound the scan: one key must then lie within both bounds.
fn may_combine(earlier: &FieldFacts, other: &Leaf<'_>, field: &FieldFacts, leaf: &Leaf<'_>) -> bool {
    if first_part(&earlier.name) != first_part(&field.name) {
        return true;
    }
    // Both paths may go through the same array. Each of its elements then has keys of its own, and two conditions may
    // be satisfied by different elements. Only conditions of one `$elemMatch` are certain to meet in one key, and only
    // if their paths part right after the element: a part that they share could be an array again.
    match (&other.element, &leaf.element) {
        (Some(a), Some(b)) if a == b => {
            let (x, y) = (&earlier.name[a.prefix..], &field.name[b.prefix..]);
            first_part(x) != first_part(y)
        }
        _ => false,
    }
}

/// The name before the first dot.
pub fn first_part(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
