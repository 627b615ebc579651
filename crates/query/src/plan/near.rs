//! Plans for `$near`, by a geospatial index.

use super::catalog::KnownIndex;
use super::facts::{FieldKind, IndexFacts};
use super::geo::intervals;
use super::hinted::find_hinted;
use super::implies::implies;
use super::index_bounds::index_bounds;
use super::interval::Intervals;
use super::leaves::Conjunction;
use super::query::{Hint, Query};
use super::sort::Ordering;
use super::tree::{Access, Candidates, IndexScan, Plan};
use crate::{Code, QueryError, Result};
use geometry::cells::{ring_on_grid, ring_on_sphere};
use geometry::{Centre, Near};
use language::filter::Predicate;
use std::sync::Arc;
use store::Order;
use value::path::FieldPath;

/// The error that the centre lies outside the plane of a 2d index.
const OUT_OF_GRID: Code = Code::location(16_433);

/// Scans of a geospatial index, ring after ring around a centre.
#[derive(Clone, Debug)]
pub struct NearScan {
    /// The index with the bounds of its other fields.
    pub scan: Arc<IndexScan>,
    /// The centre, and the wanted distances.
    pub near: Near,
    /// The path of the places.
    pub path: FieldPath,
    field: usize,
    kind: FieldKind,
}

impl NearScan {
    /// The scan of all places between two distances, in the centre's unit, and of some others.
    pub fn ring(&self, from: f64, to: f64) -> Arc<IndexScan> {
        let ranges = match (self.kind, self.near.centre) {
            (FieldKind::Plane(grid), centre) => ring_on_grid(grid, &centre, from, to),
            (_, Centre::Sphere(centre)) => ring_on_sphere(centre, from, to),
            // An index of the sphere has no distances on a plane.
            (_, Centre::Plane(_)) => Vec::new(),
        };
        let mut bounds = self.scan.bounds.clone();
        bounds[self.field] = intervals(&ranges);
        Arc::new(IndexScan::new(
            self.scan.index.clone(),
            self.scan.facts.clone(),
            bounds,
            Order::Forward,
        ))
    }

    /// The greatest distance that a place can have from the centre.
    pub fn farthest(&self) -> f64 {
        match (self.kind, self.near.centre) {
            (FieldKind::Plane(grid), Centre::Plane(centre)) => {
                let reach = |place: f64| (place - grid.min).abs().max((place - grid.max).abs());
                reach(centre[0]).hypot(reach(centre[1])) * 1.001
            }
            _ => 3.15,
        }
    }

    /// The name of the stage in `explain`.
    pub fn stage_name(&self) -> &'static str {
        match self.kind {
            FieldKind::Sphere => "GEO_NEAR_2DSPHERE",
            _ => "GEO_NEAR_2D",
        }
    }
}

/// The plan for `$near`; `None` if the query has no such condition. Fails without a geospatial index.
pub fn plans(query: &Query<'_>, indexes: &[KnownIndex]) -> Result<Option<Candidates>> {
    let conjunction = query.conjunction();
    let Some((path, near)) = near_of(&conjunction) else {
        return Ok(None);
    };
    check_beside(query)?;
    if conjunction.never {
        return Ok(Some(Candidates::only(Plan::of(Access::Nothing))));
    }
    let hinted = match query.hint {
        Some(hint) => std::slice::from_ref(find_hinted(hint, indexes)?),
        None => indexes,
    };
    let plan = hinted
        .iter()
        .filter(|known| is_complete(&known.facts, &conjunction))
        .find_map(|known| plan(query, &conjunction, known, path, near));
    let plan = plan.transpose()?;
    match plan {
        Some(plan) => Ok(Some(Candidates::only(plan))),
        None => Err(no_index(path, near)),
    }
}

/// Refuses options that would read the collection itself, which has no distances.
fn check_beside(query: &Query<'_>) -> Result<()> {
    let refused = |what| {
        Err(QueryError::bad_value(format!(
            "geoNear expression not allowed with $natural {what}"
        )))
    };
    if query.min.is_some() || query.max.is_some() {
        return Err(QueryError::bad_value("min and max are not allowed beside $near"));
    }
    match (&query.ordering, &query.hint) {
        (Ordering::Natural(_), _) => refused("sort order"),
        (_, Some(Hint::Natural { .. })) => refused("hint"),
        _ => Ok(()),
    }
}

/// The error that there is no index. Applications read the field's name from the message, and make the index.
fn no_index(path: &str, near: &Near) -> QueryError {
    let max = if near.max.is_finite() {
        near.max.to_string()
    } else {
        "1.79769e+308".to_owned()
    };
    let is_sphere = u8::from(matches!(near.centre, Centre::Sphere(_)) && !near.in_metres);
    let message = format!(
        "error processing query: Tree: GEONEAR  field={path} maxdist={max} isNearSphere={is_sphere}\n planner returned error \
         :: caused by :: unable to find index for $geoNear query"
    );
    QueryError::new(Code::NO_QUERY_EXECUTION_PLANS, message)
}

fn near_of<'c>(conjunction: &'c Conjunction<'_>) -> Option<(&'c str, &'c Near)> {
    conjunction.leaves.iter().find_map(|leaf| match leaf.predicate {
        Predicate::Near(condition) => Some((leaf.path.as_str(), &condition.near)),
        _ => None,
    })
}

fn is_complete(facts: &IndexFacts, conjunction: &Conjunction<'_>) -> bool {
    let usable = !facts.hidden && facts.unusable.is_none();
    let partial = facts.partial.as_deref();
    usable && partial.is_none_or(|partial| implies(conjunction, partial.root()))
}

fn plan(
    query: &Query<'_>,
    conjunction: &Conjunction<'_>,
    known: &KnownIndex,
    path: &str,
    near: &Near,
) -> Option<Result<Plan>> {
    let serves = |kind: FieldKind| match kind {
        FieldKind::Sphere => matches!(near.centre, Centre::Sphere(_)),
        FieldKind::Plane(_) => !near.in_metres,
        _ => false,
    };
    let fields = &known.facts.fields;
    let field = fields
        .iter()
        .position(|field| field.name == path && serves(field.kind))?;
    let bounds = index_bounds(&known.facts, conjunction);
    // After fields without bounds, the cells of a ring lie all over the index.
    if field > 0 && !bounds.leading {
        return None;
    }
    if bounds.fields.iter().any(Intervals::is_none) {
        return Some(Ok(Plan::of(Access::Nothing)));
    }
    if let (FieldKind::Plane(grid), Centre::Plane(centre)) = (fields[field].kind, near.centre)
        && !centre.iter().all(|place| (grid.min..=grid.max).contains(place))
    {
        let message = format!("point not in interval of [ {}, {} ]", grid.min, grid.max);
        return Some(Err(QueryError::new(OUT_OF_GRID, message)));
    }
    let scan = IndexScan::new(
        known.index.clone(),
        known.facts.clone(),
        bounds.fields,
        Order::Forward,
    );
    Some(Ok(Plan {
        residual: true,
        sort: query.ordering.pattern().cloned(),
        ..Plan::of(Access::Near(Arc::new(NearScan {
            scan: Arc::new(scan),
            near: near.clone(),
            path: FieldPath::parse(path),
            field,
            kind: fields[field].kind,
        })))
    }))
}
