//! Conditions on places: `$geoWithin`, `$geoIntersects`, `$near` and `$nearSphere`.

use super::FilterPlace;
use crate::interruption::steps;
use crate::{Code, Error, Result};
use geometry::{Area, GeometryError, Near};
use std::cell::RefCell;
use value::size::shallow_bytes;
use value::{Document, Value, ValueRef};

/// About the bytes that a place has for each of its points.
const POINT_BYTES: usize = 32;
/// Pairs of edges that are compared in the time of one step.
const PAIRS_PER_STEP: usize = 8;

/// What is near can only be asked where results have an order.
const NEAR_NOT_HERE: Code = Code::location(5_626_500);

/// How a place relates to an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeoOperator {
    /// The whole place is in the area.
    Within,
    /// The place and the area have a point in common.
    Intersects,
}

/// A relation to an area.
#[derive(Clone, Debug)]
pub struct GeoCondition {
    /// Which.
    pub operator: GeoOperator,
    /// The area.
    pub area: Area,
    source: Value,
}

impl GeoCondition {
    pub(super) fn parse(operator: GeoOperator, argument: &Value) -> Result<GeoCondition> {
        let Value::Document(shape) = argument else {
            return Err(Error::bad_value(
                "geo query argument must be an object with a geometry",
            ));
        };
        let area = Area::parse(shape)?;
        let supported = match operator {
            GeoOperator::Within => area.can_contain(),
            GeoOperator::Intersects => area.can_intersect(),
        };
        if !supported {
            return Err(Error::bad_value(format!(
                "{} not supported with provided geometry",
                operator.name()
            )));
        }
        Ok(GeoCondition {
            operator,
            area,
            source: argument.clone(),
        })
    }

    pub(super) fn matches(&self, value: ValueRef<'_>) -> Result<bool> {
        steps(1 + shallow_bytes(value) / POINT_BYTES / PAIRS_PER_STEP)?;
        // Each of its edges may be compared with each of the place's: half an hour for two that are as large as documents can be.
        let ended = RefCell::new(None);
        let goes_on = |pairs: usize| match steps(pairs / PAIRS_PER_STEP) {
            Ok(()) => true,
            Err(error) => {
                *ended.borrow_mut() = Some(error);
                false
            }
        };
        let found = match self.operator {
            GeoOperator::Within => self.area.contains_while(value, &goes_on),
            GeoOperator::Intersects => self.area.intersects_while(value, &goes_on),
        };
        ended.into_inner().map_or(Ok(found), Err)
    }

    /// The operator as in a query.
    pub(super) fn to_document(&self) -> Document {
        Document::new().with(self.operator.name(), self.source.clone())
    }
}

impl GeoOperator {
    /// Its name in a query.
    pub fn name(self) -> &'static str {
        match self {
            GeoOperator::Within => "$geoWithin",
            GeoOperator::Intersects => "$geoIntersects",
        }
    }
}

/// Within these distances of a centre; results come nearest first.
#[derive(Clone, Debug)]
pub struct NearCondition {
    /// The centre and the distances.
    pub near: Near,
    source: Document,
}

impl NearCondition {
    /// A condition that a stage asks for.
    pub fn new(near: Near, source: Document) -> NearCondition {
        NearCondition { near, source }
    }

    pub(super) fn parse(operators: &Document, place: FilterPlace) -> Result<NearCondition> {
        if place != FilterPlace::Query {
            let message = "$geoNear, $near, and $nearSphere are not allowed in this context";
            return Err(Error::new(NEAR_NOT_HERE, message));
        }
        Ok(NearCondition::new(Near::parse(operators)?, operators.clone()))
    }

    /// The whole of a field's value is looked at, not each element by itself.
    pub(super) fn matches(&self, value: ValueRef<'_>) -> Result<bool> {
        steps(1 + shallow_bytes(value) / POINT_BYTES / PAIRS_PER_STEP)?;
        let nearest = self.near.nearest(value);
        Ok(nearest.is_some_and(|distance| self.near.allows(distance)))
    }

    /// The operators as in a query.
    pub(super) fn to_document(&self) -> Document {
        self.source.clone()
    }
}

impl From<GeometryError> for Error {
    fn from(error: GeometryError) -> Error {
        Error::new(error.code, error.message)
    }
}
