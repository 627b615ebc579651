//! Listing the plans for a query that may be the best.

use super::catalog::KnownIndex;
use super::facts::FieldKind;
use super::implies::implies;
use super::index_bounds::{IndexBounds, check_complete, index_bounds};
use super::interval::Intervals;
use super::leaves::{Conjunction, has_number};
use super::query::Query;
use super::sort::{Ordering, SortPattern};
use super::sort_fit::{SortFit, sort_fit};
use super::tree::{Access, Candidates, IndexScan, Plan};
use super::wildcard::expand;
use crate::Result;
use language::filter::Node;
use language::interruption::steps;
use std::sync::Arc;
use store::Order;

/// The plans among which the best is found, at least one.
pub fn candidates(query: &Query<'_>, indexes: &[KnownIndex]) -> Result<Candidates> {
    let conjunction = query.conjunction();
    if conjunction.never {
        return Ok(Candidates::only(Plan::of(Access::Nothing)));
    }
    if let Ordering::Natural(order) = query.ordering {
        return Ok(Candidates::only(full_scan(query, &conjunction, *order)));
    }
    let mut found = Candidates {
        plans: Vec::new(),
        unsuited: Vec::new(),
    };
    for known in expand(&conjunction, indexes).iter() {
        match check_complete(&known.facts, &conjunction, |partial| {
            implies(&conjunction, partial.root())
        }) {
            Ok(()) => found
                .plans
                .extend(of_index(query, &conjunction, known).map(Arc::new)),
            Err(why) => found.unsuited.push((known.facts.name.clone(), why)),
        }
    }
    for branches in &conjunction.alternatives {
        found
            .plans
            .extend(of_branches(query, &conjunction, branches, indexes)?.map(Arc::new));
    }
    if found.plans.is_empty() {
        found
            .plans
            .push(Arc::new(full_scan(query, &conjunction, Order::Forward)));
    }
    Ok(found)
}

/// The plan that reads every document.
pub fn full_scan(query: &Query<'_>, conjunction: &Conjunction<'_>, order: Order) -> Plan {
    Plan {
        residual: conjunction.leaves_over(&[]),
        sort: query.ordering.pattern().cloned(),
        ..Plan::of(Access::Collection(order))
    }
}

/// The plan that scans this index, if it is of use for the filter or the sort.
fn of_index(query: &Query<'_>, conjunction: &Conjunction<'_>, known: &KnownIndex) -> Option<Plan> {
    // Most indexes are of no use for a query, which is found out before bounds are made.
    let is_bounded = known.facts.wildcard_path.is_some()
        || (known.facts.fields.first()).is_some_and(|first| conjunction.on(&first.name).next().is_some());
    if !is_bounded && query.ordering.pattern().is_none() {
        return None;
    }
    let bounds = index_bounds(&known.facts, conjunction);
    let plan = forced(query, conjunction, known, &bounds);
    // Without a bound on its first field the whole index is read and then the documents, which costs more than a
    // collection scan, unless it saves a sort.
    (bounds.leading || (plan.sort.is_none() && query.ordering.pattern().is_some())).then_some(plan)
}

/// The plan that scans this index, useful or not.
pub fn forced(
    query: &Query<'_>,
    conjunction: &Conjunction<'_>,
    known: &KnownIndex,
    bounds: &IndexBounds,
) -> Plan {
    if bounds.fields.iter().any(Intervals::is_none) {
        return Plan::of(Access::Nothing);
    }
    let scan = |bounds: Vec<Intervals>, order| {
        Arc::new(IndexScan::new(
            known.index.clone(),
            known.facts.clone(),
            bounds,
            order,
        ))
    };
    let mut plan = Plan {
        residual: conjunction.leaves_over(&bounds.ensured),
        ..Plan::of(Access::Nothing)
    };
    match query
        .ordering
        .pattern()
        .map(|sort| (sort, sort_fit(&known.facts, &bounds.fields, sort)))
    {
        None => plan.access = Access::Index(scan(bounds.fields.clone(), Order::Forward)),
        Some((_, SortFit::Sorted { order })) => {
            plan.access = Access::Index(scan(bounds.fields.clone(), order));
        }
        Some((sort, SortFit::Merged { order, fields })) => {
            let scans = taken_apart(&bounds.fields, fields)
                .into_iter()
                .map(|bounds| scan(bounds, order));
            plan.access = Access::Merge(scans.collect(), sort.clone());
        }
        Some((sort, SortFit::Unsorted)) => {
            plan.access = Access::Index(scan(bounds.fields.clone(), Order::Forward));
            plan.sort = Some(sort.clone());
        }
    }
    make_use_of_keys(&mut plan, query);
    plan
}

/// Every combination of the single values of the first `fields` fields, each as the bounds of one scan. Within such a scan
/// these fields are constant, so its keys are sorted by the fields after them, and the scans can be merged.
fn taken_apart(bounds: &[Intervals], fields: usize) -> Vec<Vec<Intervals>> {
    let mut all = vec![Vec::with_capacity(bounds.len())];
    for (position, bound) in bounds.iter().enumerate() {
        let choices: Vec<Intervals> = if position < fields {
            bound
                .as_slice()
                .iter()
                .map(|point| Intervals::from(vec![point.clone()]))
                .collect()
        } else {
            vec![bound.clone()]
        };
        all = all
            .into_iter()
            .flat_map(|begun| {
                choices.iter().map(move |choice| {
                    let mut longer = begun.clone();
                    longer.push(choice.clone());
                    longer
                })
            })
            .collect();
    }
    all
}

/// Marks plans that need no documents, or need them only for those that a sort leaves.
fn make_use_of_keys(plan: &mut Plan, query: &Query<'_>) {
    let Access::Index(scan) = &plan.access else { return };
    // A residual condition needs the document. A record with several keys has arrays, whose elements are in different keys; and
    // with a collation, the keys do not hold the strings themselves.
    if plan.residual || scan.repeats() || scan.facts.collation.is_some() {
        return;
    }
    let has = |name: &str| {
        scan.facts.fields.iter().any(|field| {
            field.name == name && !has_number(name) && matches!(field.kind, FieldKind::Ordered(_))
        })
    };
    let sort_in_keys =
        |sort: &SortPattern| sort.collation().is_none() && sort.fields().iter().all(|field| has(&field.name));
    let sortable = plan.sort.as_ref().is_none_or(sort_in_keys);
    plan.covered = sortable
        && query
            .needed
            .is_some_and(|needed| needed.iter().all(|name| has(name)));
    plan.sort_keys = sortable && plan.sort.is_some() && query.results_max.is_some();
}

/// The plan that finds each branch of a disjunction by an index, which need not be the same for all.
pub fn of_branches(
    query: &Query<'_>,
    conjunction: &Conjunction<'_>,
    branches: &[Node],
    indexes: &[KnownIndex],
) -> Result<Option<Plan>> {
    let mut scans: Vec<Arc<IndexScan>> = Vec::new();
    let mut sorted: Vec<Option<Arc<IndexScan>>> = Vec::new();
    let mut residual = false;
    // Each branch replaces the disjunction: a document that satisfies the branch satisfies the whole.
    let rest = conjunction.without(branches);
    for node in branches {
        steps(branch_steps(&rest, indexes))?;
        let branch = rest.and(node);
        if branch.never {
            continue;
        }
        // A branch without an index would need a full scan, with which the scans for the others save nothing.
        let Some(best) = best_scan(query, &branch, indexes) else {
            return Ok(None);
        };
        if best.bounds.fields.iter().any(Intervals::is_none) {
            continue;
        }
        residual |= branch.leaves_over(&best.bounds.ensured);
        scans.push(Arc::new(IndexScan::new(
            best.known.index.clone(),
            best.known.facts.clone(),
            best.bounds.fields.clone(),
            best.order.unwrap_or(Order::Forward),
        )));
        sorted.push(best.order.map(|_| scans[scans.len() - 1].clone()));
    }
    if scans.is_empty() {
        return Ok(Some(Plan::of(Access::Nothing)));
    }
    let mut plan = Plan {
        residual,
        ..Plan::of(Access::Nothing)
    };
    match query.ordering.pattern() {
        Some(sort) if sorted.iter().all(Option::is_some) => plan.access = Access::Merge(scans, sort.clone()),
        Some(sort) => {
            plan.access = Access::Union(scans);
            plan.sort = Some(sort.clone());
        }
        None => plan.access = Access::Union(scans),
    }
    Ok(Some(plan))
}

/// The steps, about, that it takes to find a scan for one branch of a disjunction; `rest` is the rest of the filter.
pub fn branch_steps(rest: &Conjunction<'_>, indexes: &[KnownIndex]) -> usize {
    /// The number of other disjunctions that are copied in one step.
    const COPIED_IN_A_STEP: usize = 64;
    let conditions = rest.leaves.len() + 1;
    conditions * (indexes.len() + 1) + rest.alternatives.len() / COPIED_IN_A_STEP
}

/// The scan that finds a branch of a disjunction by the index that suits it best.
pub fn indexed_branch(
    query: &Query<'_>,
    branch: &Conjunction<'_>,
    indexes: &[KnownIndex],
) -> Option<Arc<IndexScan>> {
    let best = best_scan(query, branch, indexes)?;
    let (index, facts) = (best.known.index.clone(), best.known.facts.clone());
    let order = best.order.unwrap_or(Order::Forward);
    Some(Arc::new(IndexScan::new(index, facts, best.bounds.fields, order)))
}

struct Best {
    known: KnownIndex,
    bounds: IndexBounds,
    /// The direction in which the scan is in the query's order, if there is one.
    order: Option<Order>,
}

/// The scan with the tightest bounds, judged only by their form; one in the order of the sort is preferred.
fn best_scan(query: &Query<'_>, branch: &Conjunction<'_>, indexes: &[KnownIndex]) -> Option<Best> {
    let complete = |known: &KnownIndex| {
        check_complete(&known.facts, branch, |partial| implies(branch, partial.root())).is_ok()
    };
    expand(branch, indexes)
        .iter()
        .filter(|known| complete(known))
        .filter_map(|known| {
            let bounds = index_bounds(&known.facts, branch);
            if !bounds.leading {
                return None;
            }
            let fit = query
                .ordering
                .pattern()
                .map(|sort| sort_fit(&known.facts, &bounds.fields, sort));
            let order = match fit {
                Some(SortFit::Sorted { order }) => Some(order),
                _ => None,
            };
            Some(Best {
                known: known.clone(),
                bounds,
                order,
            })
        })
        .min_by_key(|best| (best.order.is_none(), looseness(&best.bounds)))
}

/// How loose bounds are: looser if fewer leading fields have single values, then if fewer fields are bounded at all.
fn looseness(bounds: &IndexBounds) -> (std::cmp::Reverse<usize>, std::cmp::Reverse<usize>) {
    let points = bounds.fields.iter().take_while(|bound| bound.is_points()).count();
    let bounded = bounds.fields.iter().filter(|bound| !bound.is_all()).count();
    (std::cmp::Reverse(points), std::cmp::Reverse(bounded))
}

impl Plan {
    /// A plan with only this access: no residual filter, no sort.
    pub fn of(access: Access) -> Plan {
        Plan {
            access,
            residual: false,
            sort: None,
            covered: false,
            sort_keys: false,
        }
    }
}
