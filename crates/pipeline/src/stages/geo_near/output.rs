//! Setting the distances and places in documents.

use super::GeoNear;
use crate::fields::set;
use crate::row::Row;
use crate::step::{Flow, Step};
use crate::{Code, QueryError, Result};
use geometry::Near;
use std::sync::Arc;
use value::path::{self, FieldPath, Reached};
use value::{DocumentRef, Value, ValueRef, doc};

pub(super) struct Measuring {
    pub(super) near: Near,
    pub(super) path: FieldPath,
    pub(super) asked: Arc<GeoNear>,
}

impl Measuring {
    /// The nearest place in a document and how far it is.
    fn measure(&self, document: DocumentRef<'_>) -> Option<(f64, Value)> {
        let mut nearest: Option<(f64, Value)> = None;
        path::visit(document, &self.path, &mut |reached: Reached<'_>| {
            let found = reached.value.and_then(|value| self.near.nearest_place(value));
            if let Some((distance, place)) = found
                && nearest.as_ref().is_none_or(|(known, _)| distance < *known)
            {
                nearest = Some((distance, ValueRef::to_value(place)));
            }
            false
        });
        nearest
    }
}

impl Step for Measuring {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            let Some((distance, place)) = self.measure(row.as_ref()) else {
                out.push(row);
                continue;
            };
            let (mut document, before) = row.into_parts();
            let shown = self.near.shown(distance) * self.asked.multiplier;
            if let Some(field) = &self.asked.distance_field {
                set(&mut document, field.parts(), Value::Double(shown));
            }
            if let Some(field) = &self.asked.place_field {
                set(&mut document, field.parts(), place.clone());
            }
            let more = doc! {"geoNearDistance": shown, "geoNearPoint": place};
            out.push(Row::with_metadata(document, before, more));
        }
        Ok(Flow::More)
    }
}

/// What runs where no query was made of the stage.
pub(super) struct Refusing;

impl Step for Refusing {
    fn push(&mut self, _rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        Err(QueryError::new(
            Code::location(40_603),
            "$geoNear was not the first stage in the pipeline.",
        ))
    }
}
