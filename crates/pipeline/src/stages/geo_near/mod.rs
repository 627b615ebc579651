//! `$geoNear`: documents by their distance from a point. A query on the collection finds them in that order; the stage then
//! says how far each is.

mod output;
mod parse;

use crate::stage::{Position, QueryPart, Run, Stage, named};
use crate::step::Work;
use crate::{Code, QueryError, Result};
use geometry::{Centre, Near};
use language::filter::{Filter, NearCondition};
use output::Measuring;
pub(crate) use parse::parse;
use std::sync::Arc;
use store::{Collection, FieldKind, Index, IndexState};
use value::path::FieldPath;
use value::{Document, Value};

const POINT_NEEDED: Code = Code::location(5_860_401);

/// The stage as a client asks it.
#[derive(Clone, Debug)]
pub(crate) struct GeoNear {
    operand: Document,
    /// What documents must match beside.
    pub(crate) query: Option<Arc<Filter>>,
    key: Option<String>,
    /// The point; `None` if a variable has no value yet.
    point: Option<Value>,
    is_spherical: bool,
    min: Option<f64>,
    max: Option<f64>,
    multiplier: f64,
    distance_field: Option<FieldPath>,
    place_field: Option<FieldPath>,
}

/// The stage on a collection: what it measures.
#[derive(Debug)]
pub(crate) struct Measured {
    asked: Arc<GeoNear>,
    near: Near,
    path: FieldPath,
}

impl GeoNear {
    /// The stage for a collection, and the condition that the query on it has.
    pub(crate) fn on(self: &Arc<Self>, collection: &Collection) -> Result<(Measured, String, NearCondition)> {
        let near = self.near()?;
        let path = match &self.key {
            Some(key) => key.clone(),
            None => only_path(collection)?,
        };
        let operator = match near.centre {
            Centre::Sphere(_) => "$nearSphere",
            Centre::Plane(_) => "$near",
        };
        let shown = Document::new().with(operator, self.point.clone());
        let measured = Measured {
            asked: Arc::clone(self),
            near: near.clone(),
            path: FieldPath::parse(&path),
        };
        Ok((measured, path, NearCondition::new(near, shown)))
    }

    fn near(&self) -> Result<Near> {
        let near = match &self.point {
            Some(Value::Document(point)) if point.contains("type") || point.contains("coordinates") => {
                Near::on_sphere(point.into())
            }
            Some(pair @ (Value::Document(_) | Value::Array(_))) => {
                Near::from_pair(pair.as_ref(), self.is_spherical)
            }
            _ => {
                return Err(QueryError::new(
                    POINT_NEEDED,
                    "$geoNear requires near argument to be a GeoJSON object or a legacy point(array)",
                ));
            }
        };
        let near = near.map_err(language::Error::from)?;
        Ok(near.between(self.min, self.max))
    }
}

/// The path of the only 2d index, or else of the only 2dsphere index.
fn only_path(collection: &Collection) -> Result<String> {
    let not_found = |message: &str| Err(QueryError::new(Code::INDEX_NOT_FOUND, message));
    let indexes = collection.indexes();
    let with = |kind: FieldKind| -> Vec<String> {
        let usable = |index: &&Arc<Index>| index.state() == IndexState::Ready && !index.spec().hidden;
        indexes
            .iter()
            .filter(usable)
            .filter_map(|index| index.fields().iter().find(|field| field.kind == kind))
            .map(|field| field.path.parts().join("."))
            .collect()
    };
    let mut paths = with(FieldKind::Geo2d);
    if paths.is_empty() {
        paths = with(FieldKind::Geo2dSphere);
    }
    match paths.len() {
        0 => not_found("$geoNear requires a 2d or 2dsphere index, but none were found"),
        1 => Ok(paths.remove(0)),
        _ => not_found(
            "There is more than one geospatial index: $geoNear needs the option 'key' to tell which",
        ),
    }
}

impl Stage for GeoNear {
    fn start(&self, _run: &Run) -> Work {
        // Never asked for: opening a pipeline replaces it by what it measures.
        Work::local(output::Refusing)
    }

    fn to_document(&self) -> Document {
        named("$geoNear", self.operand.clone())
    }

    fn part(&self) -> QueryPart<'_> {
        QueryPart::Near(self)
    }

    fn position(&self) -> Position {
        Position::FirstOnCollection
    }

    fn metadata(&self) -> &'static [&'static str] {
        &["geoNearDistance", "geoNearPoint"]
    }
}

impl Stage for Measured {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Measuring {
            near: self.near.clone(),
            path: self.path.clone(),
            asked: Arc::clone(&self.asked),
        })
    }

    fn to_document(&self) -> Document {
        self.asked.to_document()
    }
}
