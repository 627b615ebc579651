//! Distances from a centre.

use crate::error::{GeometryError, Result, wrong};
use crate::plane::points;
use crate::sphere::vector::at;
use crate::{EARTH_RADIUS_M, Position, Stored, parse};
use code::Code;
use value::{Document, DocumentRef, Value, ValueRef};

/// Other operators stand beside the one that asks for what is near.
const MIXED: Code = Code::location(34_413);

/// The distance behind a pair of coordinates is negative.
const NEGATIVE: Code = Code::location(18_522);

/// What distances are counted from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Centre {
    /// A point of a plane; distances are in its units.
    Plane([f64; 2]),
    /// A point on the sphere; distances are in radians.
    Sphere(Position),
}

impl Centre {
    /// How far a place is; `None` if it is not on this surface.
    pub fn distance(&self, place: &Stored) -> Option<f64> {
        match self {
            Centre::Plane(centre) => Some(crate::plane::distance(*centre, place.on_plane()?)),
            Centre::Sphere(position) => {
                let geometry = place.on_sphere().ok()?;
                Some(geometry.parts.distance(at(*position)))
            }
        }
    }
}

/// A centre, and how far from it places may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Where distances begin.
    pub centre: Centre,
    /// The least distance, in the centre's unit.
    pub min: f64,
    /// The greatest distance, in the centre's unit; infinite if there is none.
    pub max: f64,
    /// Whether the centre is GeoJSON, so that distances are in metres to clients, and a 2d index does not serve.
    pub in_metres: bool,
}

impl Near {
    /// Whether an operator asks for what is near.
    pub fn is_operator(name: &str) -> bool {
        matches!(name, "$near" | "$nearSphere" | "$geoNear")
    }

    /// Reads the operators on a field, of which the first asks for what is near.
    pub fn parse(operators: &Document) -> Result<Near> {
        match of_siblings(operators)? {
            Some(near) => Ok(near),
            None => of_only(operators),
        }
    }

    /// Everything, by its distance from a centre.
    pub fn anywhere(centre: Centre, in_metres: bool) -> Near {
        Near {
            centre,
            min: 0.0,
            max: f64::INFINITY,
            in_metres,
        }
    }

    /// Everything, by its distance from a GeoJSON point, which may lack its type and have its coordinates in a document.
    pub fn on_sphere(point: DocumentRef<'_>) -> Result<Near> {
        let position = parse::queried_point(point)?;
        Ok(Near::anywhere(Centre::Sphere(position), true))
    }

    /// Everything, by its distance from a pair of coordinates.
    pub fn from_pair(pair: ValueRef<'_>, is_spherical: bool) -> Result<Near> {
        let pair = parse::pair(pair)?;
        let centre = if is_spherical {
            Centre::Sphere(parse::in_bounds(pair)?)
        } else {
            Centre::Plane(pair)
        };
        Ok(Near::anywhere(centre, false))
    }

    /// How far the nearest place in a field's value is, in the centre's unit.
    pub fn nearest(&self, value: ValueRef<'_>) -> Option<f64> {
        self.nearest_place(value).map(|(distance, _)| distance)
    }

    /// The nearest place in a field's value: itself, or an element of an array. What is no place is left out.
    pub fn nearest_place<'v>(&self, value: ValueRef<'v>) -> Option<(f64, ValueRef<'v>)> {
        let measure = |value: ValueRef<'v>| {
            let place = Stored::parse(value).ok()?;
            Some((self.centre.distance(&place)?, value))
        };
        match (Stored::parse(value), value) {
            (Err(_), ValueRef::Array(array)) => {
                let places = array.iter().filter_map(measure);
                places.min_by(|a, b| a.0.total_cmp(&b.0))
            }
            (Err(_), _) => None,
            (Ok(place), _) => Some((self.centre.distance(&place)?, value)),
        }
    }

    /// Whether a distance is allowed.
    pub fn allows(&self, distance: f64) -> bool {
        (self.min..=self.max).contains(&distance)
    }

    /// A distance as clients see it.
    pub fn shown(&self, distance: f64) -> f64 {
        match self.centre {
            Centre::Sphere(_) if self.in_metres => distance * EARTH_RADIUS_M,
            // By way of metres, so that the last digits are MongoDB's.
            Centre::Sphere(_) => distance * EARTH_RADIUS_M / EARTH_RADIUS_M,
            Centre::Plane(_) => distance,
        }
    }

    /// The same within these distances as clients give them.
    #[must_use]
    pub fn between(mut self, min: Option<f64>, max: Option<f64>) -> Near {
        let unit = if self.in_metres { EARTH_RADIUS_M } else { 1.0 };
        self.min = min.map_or(self.min, |min| min / unit);
        self.max = max.map_or(self.max, |max| max / unit);
        self
    }
}

/// A point with distances beside it; `None` if it is within `$geometry`. As in MongoDB, what stands beside it is checked even then.
fn of_siblings(operators: &Document) -> Result<Option<Near>> {
    let (mut near, mut min, mut max) = (None, None, None);
    for (name, value) in operators.iter() {
        match (name, value) {
            ("$minDistance", value) => min = Some(legacy_distance(value, name)?),
            ("$maxDistance", value) => max = Some(legacy_distance(value, name)?),
            ("$uniqueDocs", _) => {}
            (name, Value::Document(inner)) if Near::is_operator(name) && inner.contains("$geometry") => {}
            (name, value) if Near::is_operator(name) => near = Some(of_point(name, value.as_ref())?),
            (other, _) => {
                return Err(GeometryError::new(
                    MIXED,
                    format!("invalid argument in geo near query: {other}"),
                ));
            }
        }
    }
    Ok(near.map(|near: Near| near.between(min, max)))
}

/// A pair of coordinates, maybe with the greatest distance behind them, or a GeoJSON point.
fn of_point(operator: &str, point: ValueRef<'_>) -> Result<Near> {
    match point {
        ValueRef::Document(document) if !parse::starts_with_number(document) => Near::on_sphere(document),
        _ => {
            let pair = parse::pair(point)?;
            let centre = match operator {
                "$nearSphere" => Centre::Sphere(parse::in_bounds(pair)?),
                _ => Centre::Plane(pair),
            };
            Ok(Near::anywhere(centre, false).between(None, distance_behind(point)?))
        }
    }
}

/// The third number of a pair.
fn distance_behind(pair: ValueRef<'_>) -> Result<Option<f64>> {
    match points(pair, "$near")?.as_slice() {
        [_, _] => Ok(None),
        [_, _, distance] if distance.is_number() => match distance.as_f64() {
            Some(distance) if distance >= 0.0 => Ok(Some(distance)),
            _ => Err(GeometryError::new(NEGATIVE, "max distance must be non-negative")),
        },
        _ => {
            wrong("invalid point provided to geo near query: it is not two numbers, or three with a distance")
        }
    }
}

/// `{$near: {$geometry: point, $minDistance: metres, $maxDistance: metres}}`, beside which nothing may stand.
fn of_only(operators: &Document) -> Result<Near> {
    if let Some((extra, _)) = operators.iter().nth(1) {
        return wrong(format!(
            "geo near accepts just one argument when querying for a GeoJSON point. Extra field found: {extra}"
        ));
    }
    match operators.iter().next() {
        Some((_, Value::Document(argument))) => of_geometry(argument),
        _ => wrong("geo near query argument is not an object"),
    }
}

fn of_geometry(argument: &Document) -> Result<Near> {
    let (mut near, mut min, mut max) = (None, None, None);
    for (name, value) in argument.iter() {
        match (name, value.as_ref()) {
            ("$geometry", ValueRef::Document(point)) if !parse::starts_with_number(point) => {
                near = Some(Near::on_sphere(point)?);
            }
            ("$geometry", ValueRef::Document(_) | ValueRef::Array(_)) => {
                return wrong("$near requires geojson point, given a pair of coordinates");
            }
            // What is no place is as good as nothing.
            ("$geometry", _) => {}
            ("$minDistance", _) => min = Some(metres(name, value)?),
            ("$maxDistance", _) => max = Some(metres(name, value)?),
            (other, _) => return wrong(format!("invalid argument in geo near query: {other}")),
        }
    }
    match near {
        Some(near) => Ok(near.between(min, max)),
        None => wrong("$geometry is required for geo near query"),
    }
}

fn metres(name: &str, value: &Value) -> Result<f64> {
    let number = value.as_ref().as_f64().filter(|_| value.as_ref().is_number());
    match number {
        Some(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => wrong(format!("{name} must be non-negative")),
    }
}

fn legacy_distance(value: &Value, name: &str) -> Result<f64> {
    let (not_a_number, negative) = match name {
        "$minDistance" => (16_893, 16_894),
        _ => (16_895, 16_896),
    };
    let number = value.as_ref().as_f64().filter(|_| value.as_ref().is_number());
    match number {
        None => Err(GeometryError::new(
            Code::location(not_a_number),
            format!("{name} must be a number"),
        )),
        Some(number) if number >= 0.0 => Ok(number),
        Some(_) => Err(GeometryError::new(
            Code::location(negative),
            format!("{name} must be non-negative"),
        )),
    }
}
