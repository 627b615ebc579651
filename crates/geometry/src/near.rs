//! Distances from a centre.

use crate::error::{GeometryError, Result, wrong};
use crate::sphere::vector::at;
use crate::{EARTH_RADIUS_M, Position, Stored, parse};
use code::Code;
use value::{Document, Value, ValueRef};

/// Other operators stand beside the one that asks for what is near.
const MIXED: Code = Code::location(34_413);

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
        let Some((name, argument)) = operators.iter().next() else {
            return wrong("$near needs a point");
        };
        match argument {
            Value::Document(inner) if inner.contains("$geometry") => match operators.iter().nth(1) {
                Some((other, _)) => Err(extra(other)),
                None => of_geometry(inner),
            },
            Value::Document(inner) if inner.contains("type") => {
                of_pair_or_point(Near::on_sphere(argument.as_ref())?, operators)
            }
            _ => {
                let pair = legacy_pair(argument)?;
                let centre = match name {
                    "$nearSphere" => Centre::Sphere(parse::in_bounds(pair)?),
                    _ => Centre::Plane(pair),
                };
                let mut near = Near::anywhere(centre, false);
                if let Value::Array(numbers) = argument
                    && let Some(max) = numbers.get(2)
                {
                    near.max = legacy_distance(max, "$maxDistance")?;
                }
                of_pair_or_point(near, operators)
            }
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

    /// Everything, by its distance from a GeoJSON point.
    pub fn on_sphere(point: ValueRef<'_>) -> Result<Near> {
        match parse::queried(point)?.position() {
            Some(position) => Ok(Near::anywhere(Centre::Sphere(position), true)),
            None => wrong("$near requires a point, given another geometry"),
        }
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

fn extra(name: &str) -> GeometryError {
    let code = if Near::is_operator(name) || name.ends_with("Distance") {
        Code::BAD_VALUE
    } else {
        MIXED
    };
    GeometryError::new(
        code,
        format!(
            "geo near accepts just one argument when querying for a GeoJSON point. Extra field found: {name}"
        ),
    )
}

/// `{$geometry: point, $minDistance: metres, $maxDistance: metres}`.
fn of_geometry(argument: &Document) -> Result<Near> {
    let (mut near, mut min, mut max) = (None, None, None);
    for (name, value) in argument.iter() {
        match name {
            "$geometry" => near = Some(Near::on_sphere(value.as_ref())?),
            "$minDistance" => min = Some(metres(name, value)?),
            "$maxDistance" => max = Some(metres(name, value)?),
            other => return wrong(format!("invalid argument in geo near query: {other}")),
        }
    }
    match near {
        Some(near) => Ok(near.between(min, max)),
        None => wrong("$near requires a point, given none"),
    }
}

/// The distances that stand beside a point without `$geometry`.
fn of_pair_or_point(near: Near, operators: &Document) -> Result<Near> {
    let (mut min, mut max) = (None, None);
    for (name, value) in operators.iter().skip(1) {
        match name {
            "$minDistance" => min = Some(legacy_distance(value, name)?),
            "$maxDistance" => max = Some(legacy_distance(value, name)?),
            "$uniqueDocs" => {}
            other => return Err(extra(other)),
        }
    }
    // Beside a point distances are in radians even where the point is GeoJSON.
    let (nearest, farthest) = (min.unwrap_or(near.min), max.unwrap_or(near.max));
    Ok(Near {
        min: nearest,
        max: farthest,
        ..near
    })
}

/// Two numbers, in an array or in a document whose fields are no operators.
fn legacy_pair(argument: &Value) -> Result<[f64; 2]> {
    if let Value::Document(document) = argument
        && document.iter().any(|(name, _)| name.starts_with('$'))
    {
        return wrong("invalid argument in geo near query: it names no point");
    }
    parse::pair(argument.as_ref())
}

fn metres(name: &str, value: &Value) -> Result<f64> {
    let number = value.as_ref().as_f64().filter(|_| value.as_ref().is_number());
    match number {
        Some(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => wrong(format!("{} must be non-negative", &name[1..])),
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
            format!("{} must be a number", &name[1..]),
        )),
        Some(number) if number >= 0.0 => Ok(number),
        Some(_) => Err(GeometryError::new(
            Code::location(negative),
            format!("{} must be non-negative", &name[1..]),
        )),
    }
}
