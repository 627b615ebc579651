//! Queries by places, and by how far a place or a time is from another.

use super::{Compiler, leaf};
use crate::matching::Node;
use crate::matching::test::Test;
use crate::query::{DistanceFeatureQuery, GeoDistanceQuery, GeoWithinQuery, NearnessQuery, Range};
use crate::units::time_of;
use mapping::FieldKind;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields;
use mapping::geo::{Point, metres};
use mapping::json::scalar;
use value::ValueRef;

impl Compiler<'_> {
    pub(super) fn geo_distance(self, query: &GeoDistanceQuery) -> Result<Node> {
        let invalid = || SearchError::parsing("failed to parse a point");
        let point = Point::of_json(&query.point).ok_or_else(invalid)?;
        let test = Test::Near(point, query.metres);
        self.place(&query.field, query.ignore_unmapped, test, query.boost)
    }

    pub(super) fn geo_within(self, query: &GeoWithinQuery) -> Result<Node> {
        let test = Test::Within(query.area.clone());
        self.place(&query.field, query.ignore_unmapped, test, query.boost)
    }

    pub(super) fn nearness(self, query: &NearnessQuery) -> Result<Node> {
        let test = Test::Distance(query.origin, query.pivot);
        Ok(match self.searchable(&query.field)? {
            Some(field) => leaf(field, test, query.boost),
            None => Node::Nothing,
        })
    }

    /// A test of places.
    fn place(self, name: &str, ignore_unmapped: bool, test: Test, boost: f32) -> Result<Node> {
        let failed = |why: &str| Err(SearchError::new(ErrorKind::QueryShard, why.to_owned()));
        match self.searchable(name)? {
            Some(field) if field.kind == FieldKind::Point => Ok(leaf(field, test, boost)),
            Some(_) => failed(&format!("field [{name}] is not a geo_point field")),
            None if ignore_unmapped => Ok(Node::Nothing),
            None => failed(&format!("failed to find geo_point field [{name}]")),
        }
    }

    /// Scores by how near a place or a time is to an origin: half of the boost at the distance `pivot`.
    pub(super) fn distance_feature(self, query: &DistanceFeatureQuery) -> Result<Node> {
        let (origin, pivot) = (&query.origin, query.pivot.as_str());
        let Some(field) = self.searchable(&query.field)? else {
            return Ok(Node::Nothing);
        };
        let invalid =
            |what: &str| SearchError::illegal(format!("[distance_feature] cannot read its [{what}]"));
        let test = match field.kind {
            FieldKind::Point => Test::Nearness {
                point: Some(Point::of_json(origin).ok_or_else(|| invalid("origin"))?),
                nanos: 0,
                pivot: metres(pivot).ok_or_else(|| invalid("pivot"))?,
            },
            FieldKind::Date => {
                let text = scalar(origin).unwrap_or_default();
                let nanos = match fields::nanos(&field, ValueRef::String(&text)) {
                    Some(nanos) => nanos,
                    None => {
                        let range = Range::default();
                        self.date(&field, &range, origin, false)?
                            .saturating_mul(1_000_000)
                    }
                };
                Test::Nearness {
                    point: None,
                    nanos,
                    pivot: time_of(pivot).ok_or_else(|| invalid("pivot"))?.as_nanos() as f64,
                }
            }
            _ => {
                let reason = format!(
                    "Illegal data type of [{}]![distance_feature] query can only be run on a date, date_nanos or geo_point field type!",
                    field.type_name
                );
                return Err(SearchError::illegal(reason));
            }
        };
        Ok(leaf(field, test, query.boost))
    }
}
