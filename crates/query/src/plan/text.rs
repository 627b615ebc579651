//! Plans for `$text`, by the collection's text index.

use super::candidates::{branch_steps, indexed_branch};
use super::catalog::KnownIndex;
use super::implies::implies;
use super::index_bounds::{IndexBounds, index_bounds};
use super::interval::{Cut, Interval, Intervals};
use super::leaves::Conjunction;
use super::query::{Hint, Query};
use super::sort::Ordering;
use super::tree::{Access, Candidates, IndexScan, Plan};
use crate::{Code, QueryError, Result};
use language::filter::Node;
use language::interruption::steps;
use std::sync::Arc;
use store::{FieldKind, Order};
use text::Condition;
use value::Value;

/// The plan for a text search; `None` if the query has none. Fails without a text index.
pub fn plans(query: &Query<'_>, indexes: &[KnownIndex]) -> Result<Option<Candidates>> {
    let Some(condition) = query.filter.text() else {
        return Ok(None);
    };
    check_beside(query)?;
    let known = indexes.iter().find(|known| known.index.is_text());
    if known.is_some_and(|known| known.facts.hidden) {
        return Err(no_plan("the text index is hidden"));
    }
    let Some((known, fields)) = known.and_then(|known| Some((known, known.index.text()?))) else {
        return Err(QueryError::new(
            Code::INDEX_NOT_FOUND,
            "text index required for $text query",
        ));
    };
    let conjunction = query.conjunction();
    let search = TextSearch {
        known,
        condition: condition.on(fields),
    };
    let (access, residual) = if conjunction.never {
        (Access::Nothing, false)
    } else if conjunction.text.is_some() {
        match search.scan(&conjunction)? {
            Some(found) => (Access::Index(found.scan), found.residual),
            None => (Access::Nothing, false),
        }
    } else {
        (search.union(query, &conjunction, indexes)?, true)
    };
    Ok(Some(Candidates::only(Plan {
        residual,
        sort: query.ordering.pattern().cloned(),
        ..Plan::of(access)
    })))
}

/// Refuses options that would prescribe another way to find documents.
fn check_beside(query: &Query<'_>) -> Result<()> {
    let natural =
        matches!(query.ordering, Ordering::Natural(_)) || matches!(query.hint, Some(Hint::Natural { .. }));
    if natural {
        return Err(QueryError::bad_value(
            "text expression not allowed with $natural sort order",
        ));
    }
    match query.hint {
        Some(_) => Err(QueryError::bad_value("text and hint not allowed in same query")),
        None => Ok(()),
    }
}

/// A text search with the index that answers it.
struct TextSearch<'q> {
    known: &'q KnownIndex,
    condition: &'q Condition,
}

/// The scan of a search.
struct Found {
    scan: Arc<IndexScan>,
    /// Whether documents must still be matched.
    residual: bool,
}

impl TextSearch<'_> {
    /// The scan of the terms that are searched; `None` if there are none.
    fn scan(&self, conjunction: &Conjunction<'_>) -> Result<Option<Found>> {
        let facts = &self.known.facts;
        let is_text = |field: &store::IndexField| field.kind == FieldKind::Text;
        let place = self.known.index.fields().iter().position(is_text).unwrap_or(0);
        let IndexBounds {
            fields: mut bounds,
            ensured,
            ..
        } = index_bounds(facts, conjunction);
        let are_equal = bounds.iter().take(place).all(is_one_value);
        let implied = facts
            .partial
            .as_deref()
            .is_none_or(|partial| implies(conjunction, partial.root()));
        if !are_equal || !implied {
            return Err(no_plan(
                "failed to use text index to satisfy $text query (if text index is compound, are equality predicates \
                 given for all prefix fields?)",
            ));
        }
        let point = |term: &str| Interval::point(Value::from(term));
        let weighed = |term: &str| {
            let (low, high) = text::all_weights(term);
            Interval::new(Cut::before(low), Cut::before(high))
        };
        let terms = self.condition.terms().into_iter();
        let terms: Vec<Interval> = match self.known.index.has_weighed_terms() {
            true => terms.map(weighed).collect(),
            false => terms.map(point).collect(),
        };
        if let Some(field) = bounds.get_mut(place) {
            *field = Intervals::from(terms);
        }
        if bounds.iter().any(Intervals::is_none) {
            return Ok(None);
        }
        let (index, facts) = (self.known.index.clone(), facts.clone());
        Ok(Some(Found {
            scan: Arc::new(IndexScan::new(index, facts, bounds, Order::Forward)),
            residual: !self.condition.is_terms_alone() || conjunction.leaves_over_beside_text(&ensured),
        }))
    }

    /// The scans of the branches of a disjunction, one of which is the search. The others need an index, too.
    fn union(
        &self,
        query: &Query<'_>,
        conjunction: &Conjunction<'_>,
        indexes: &[KnownIndex],
    ) -> Result<Access> {
        let searches = |node: &Node| Conjunction::of_node(node).text.is_some();
        let Some(branches) = conjunction
            .alternatives
            .iter()
            .find(|branches| branches.iter().any(searches))
        else {
            return Err(no_plan(
                "$text stands too deep in the query for its index to find all documents",
            ));
        };
        let rest = conjunction.without(branches);
        let mut scans = Vec::with_capacity(branches.len());
        for node in *branches {
            steps(branch_steps(&rest, indexes))?;
            let branch = rest.and(node);
            if branch.never {
                continue;
            }
            match branch.text.is_some() {
                true => scans.extend(self.scan(&branch)?.map(|found| found.scan)),
                false => scans.push(indexed_branch(query, &branch, indexes).ok_or_else(|| {
                    no_plan("Failed to produce a solution for TEXT under OR - other non-TEXT clauses under OR have to be indexed as well.")
                })?),
            }
        }
        Ok(match scans.is_empty() {
            true => Access::Nothing,
            false => Access::Union(scans),
        })
    }
}

/// Whether bounds allow only one value. For null, there are two keys.
fn is_one_value(bounds: &Intervals) -> bool {
    let is_null = |interval: &Interval| matches!(interval.low.value, Value::Null | Value::Undefined);
    bounds.is_point() || (bounds.is_points() && bounds.as_slice().iter().all(is_null))
}

fn no_plan(why: &str) -> QueryError {
    QueryError::new(
        Code::NO_QUERY_EXECUTION_PLANS,
        format!("error processing query: planner returned error :: caused by :: {why}"),
    )
}
