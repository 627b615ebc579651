//! Plans that the client prescribes with a hint, `min` and `max`.

use super::candidates::{candidates, forced, full_scan, of_branches};
use super::catalog::KnownIndex;
use super::facts::FieldKind;
use super::index_bounds::index_bounds;
use super::leaves::Conjunction;
use super::near;
use super::query::{Hint, Query};
use super::sort::Ordering;
use super::text;
use super::tree::{Access, Candidates, Clip, Plan};
use super::wildcard::on_paths;
use crate::{Code, QueryError, Result};
use std::sync::Arc;
use store::Order;
use value::key::{self, Direction};
use value::{Document, Value};

/// The plans for a query that the client allows.
pub fn plans(query: &Query<'_>, indexes: &[KnownIndex]) -> Result<Candidates> {
    if query.hint.is_none() && (query.min.is_some() || query.max.is_some()) {
        return Err(QueryError::new(
            Code::location(51_173),
            "When using min()/max() a hint of which index to use must be provided",
        ));
    }
    if let Some(found) = near::plans(query, indexes)? {
        return Ok(found);
    }
    if let Some(found) = text::plans(query, indexes)? {
        return Ok(found);
    }
    let found = match query.hint {
        Some(hint) => of_hint(query, hint, indexes)?,
        None => candidates(query, indexes)?,
    };
    if !query.allow_full_scan && found.plans.iter().all(|plan| plan.is_full_scan()) {
        return Err(QueryError::new(
            Code::NO_QUERY_EXECUTION_PLANS,
            "error processing query: planner returned error :: caused by :: No indexed plans available, and running with 'notablescan'",
        ));
    }
    Ok(found)
}

fn of_hint(query: &Query<'_>, hint: &Hint, indexes: &[KnownIndex]) -> Result<Candidates> {
    let conjunction = query.conjunction();
    let access = forced_access(query, hint, indexes)?;
    if conjunction.never {
        return Ok(Candidates::only(Plan::of(Access::Nothing)));
    }
    let known = match access {
        Forced::Collection(order) => {
            return Ok(Candidates::only(full_scan(query, &conjunction, order)));
        }
        Forced::Index(known) => known,
    };
    let is_clipped = query.min.is_some() || query.max.is_some();
    if is_clipped && known.index.wildcard().is_some() {
        return Err(incompatible_edge());
    }
    let forced_scan = |known: &KnownIndex| {
        let bounds = index_bounds(&known.facts, &conjunction);
        let mut plan = forced(query, &conjunction, known, &bounds);
        if is_clipped {
            clip(&mut plan, query, known)?;
        }
        Ok(Arc::new(plan))
    };
    let mut plans: Vec<Arc<Plan>> = match known.index.wildcard() {
        None => vec![forced_scan(known)?],
        Some(wildcard) => on_paths(&conjunction, known, wildcard)
            .iter()
            .map(forced_scan)
            .collect::<Result<_>>()?,
    };
    if !is_clipped && let Some(plan) = by_branches(query, &conjunction, known, &plans)? {
        plans = vec![Arc::new(plan)];
    }
    if plans.is_empty() {
        return Err(no_plan("no condition is on a path that the wildcard index holds"));
    }
    Ok(Candidates {
        plans,
        unsuited: Vec::new(),
    })
}

/// The plan that finds each branch of a disjunction by the hinted index; `None` if `others` use the index better.
fn by_branches(
    query: &Query<'_>,
    conjunction: &Conjunction<'_>,
    known: &KnownIndex,
    others: &[Arc<Plan>],
) -> Result<Option<Plan>> {
    let are_bounded = match known.index.wildcard() {
        Some(_) => !others.is_empty(),
        None => index_bounds(&known.facts, conjunction).leading,
    };
    if are_bounded {
        return Ok(None);
    }
    let save_sort = others.iter().any(|plan| plan.sort.is_none());
    for branches in &conjunction.alternatives {
        let plan = of_branches(query, conjunction, branches, std::slice::from_ref(known))?;
        let is_better = |plan: &Plan| plan.sort.is_none() || !save_sort;
        if let Some(plan) = plan.filter(is_better) {
            return Ok(Some(plan));
        }
    }
    Ok(None)
}

/// The access that a hint asks for.
enum Forced<'k> {
    Collection(Order),
    Index(&'k KnownIndex),
}

/// The access that the hint asks for. Fails if the rest of the query contradicts it.
fn forced_access<'k>(query: &Query<'_>, hint: &Hint, indexes: &'k [KnownIndex]) -> Result<Forced<'k>> {
    if let Hint::Natural(order) = *hint {
        if query.min.is_some() || query.max.is_some() {
            return Err(QueryError::new(
                Code::NO_QUERY_EXECUTION_PLANS,
                "error processing query: planner returned error :: caused by :: min and max are incompatible with $natural",
            ));
        }
        return Ok(Forced::Collection(order));
    }
    let known = find_hinted(hint, indexes)?;
    if matches!(query.ordering, Ordering::Natural(_)) {
        return Err(QueryError::bad_value(
            "Sort and hint cannot be used together if one of them is $natural",
        ));
    }
    if known.index.is_text() {
        return Err(no_plan("only a search of texts reads a text index"));
    }
    Ok(Forced::Index(known))
}

fn no_plan(why: &str) -> QueryError {
    QueryError::new(
        Code::NO_QUERY_EXECUTION_PLANS,
        format!("error processing query: the hinted index cannot be used: {why}"),
    )
}

/// The index that a hint names.
pub fn find_hinted<'k>(hint: &Hint, indexes: &'k [KnownIndex]) -> Result<&'k KnownIndex> {
    let meant = |known: &&KnownIndex| match hint {
        Hint::Name(name) => known.facts.name == *name,
        Hint::Key(key) => same_key(&known.facts.key, key),
        Hint::Natural(_) => false,
    };
    let mut found = indexes.iter().filter(|known| !known.facts.hidden).filter(meant);
    let first = found.next().ok_or_else(no_such_index)?;
    // Clients see the index under the collection's collation as the index on `_id`.
    match found.find(|other| !other.index.spec().is_id_under_collation()) {
        None => Ok(first),
        Some(other) => Err(QueryError::new(
            Code::INDEX_NOT_FOUND,
            format!(
                "Hint matched multiple indexes, must hint by index name. Matched: {} and {}",
                first.facts.name, other.facts.name
            ),
        )),
    }
}

/// The error that a hint names no index.
pub fn no_such_index() -> QueryError {
    QueryError::bad_value(
        "error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index",
    )
}

/// Whether key patterns have the same fields with the same values; numbers are compared by value.
pub fn same_key(a: &Document, b: &Document) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b.iter())
            .all(|((x, v), (y, w))| x == y && value::compare(v.as_ref(), w.as_ref()).is_eq())
}

/// Restricts the plan's scans to the keys from `min` to `max`.
fn clip(plan: &mut Plan, query: &Query<'_>, known: &KnownIndex) -> Result<()> {
    let (min, max) = (
        query.min.map(|min| edge(min, known)).transpose()?,
        query.max.map(|max| edge(max, known)).transpose()?,
    );
    if let (Some(min), Some(max)) = (&min, &max)
        && min >= max
    {
        return Err(QueryError::new(
            Code::location(51_175),
            "The value provided for min() does not come before the value provided for max() in the hinted index",
        ));
    }
    // A document with arrays is sorted by its least key, which may be outside of the range.
    if known.facts.is_multikey() && plan.sort.is_none() {
        plan.sort = query.ordering.pattern().cloned();
    }
    let clip = Clip { low: min, high: max };
    let scans = match &mut plan.access {
        Access::Index(scan) => std::slice::from_mut(scan),
        Access::Union(scans) | Access::Merge(scans, _) => scans.as_mut_slice(),
        Access::Nothing | Access::Collection(_) | Access::Id(_) | Access::Near(_) => &mut [],
    };
    for scan in scans {
        Arc::make_mut(scan).clip = Some(clip.clone());
    }
    Ok(())
}

/// The key of `min` or `max`, whose fields must be the index's.
fn edge(edge: &Document, known: &KnownIndex) -> Result<Vec<u8>> {
    if edge.len() != known.facts.fields.len() {
        return Err(incompatible_edge());
    }
    let mut bytes = Vec::new();
    for (field, (name, value)) in known.facts.fields.iter().zip(edge.iter()) {
        let collated = known
            .facts
            .collation
            .as_ref()
            .map(|collation| collation.key_value(value.as_ref()));
        let value = collated.as_ref().unwrap_or(value);
        if field.name != name {
            return Err(incompatible_edge());
        }
        match field.kind {
            FieldKind::Ordered(direction) => key::encode(value.as_ref(), direction, &mut bytes),
            FieldKind::Wildcard(_)
            | FieldKind::Path
            | FieldKind::Sphere
            | FieldKind::Plane(_)
            | FieldKind::Opaque => return Err(incompatible_edge()),
            FieldKind::Hashed => {
                let hash = Value::Int64(key::hash_of_value(value.as_ref()));
                key::encode(hash.as_ref(), Direction::Ascending, &mut bytes);
            }
        }
    }
    Ok(bytes)
}

fn incompatible_edge() -> QueryError {
    QueryError::new(
        Code::location(51_174),
        "The index chosen is not compatible with min/max: its fields must be those of the index hinted",
    )
}
