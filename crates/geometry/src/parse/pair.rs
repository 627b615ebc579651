//! Pairs of numbers: the older form of points, and what GeoJSON's positions are made of.

use crate::Position;
use crate::error::{Result, wrong};
use value::{DocumentRef, ValueRef};

/// The first two numbers of an array or a document; `None` if they are no numbers.
pub(crate) fn numbers(value: ValueRef<'_>) -> Option<[f64; 2]> {
    let (first, second) = match value {
        ValueRef::Array(array) => (array.get(0)?, array.get(1)?),
        ValueRef::Document(document) => first_two(document)?,
        _ => return None,
    };
    if !first.is_number() || !second.is_number() {
        return None;
    }
    Some([first.as_f64()?, second.as_f64()?])
}

fn first_two(document: DocumentRef<'_>) -> Option<(ValueRef<'_>, ValueRef<'_>)> {
    let mut values = document.iter().map(|(_, value)| value);
    Some((values.next()?, values.next()?))
}

/// A point on a plane: two finite numbers.
pub(crate) fn pair(value: ValueRef<'_>) -> Result<[f64; 2]> {
    let Some(pair) = numbers(value) else {
        return wrong("Point must be an array or object of two numbers, and only contain numeric elements");
    };
    if pair.iter().any(|number| !number.is_finite()) {
        return wrong("Point coordinates must be finite numbers");
    }
    Ok(pair)
}

/// A pair as a position on the sphere.
pub(crate) fn in_bounds([longitude, latitude]: [f64; 2]) -> Result<Position> {
    if !(-180.0..=180.0).contains(&longitude) || !(-90.0..=90.0).contains(&latitude) {
        return wrong(format!(
            "longitude/latitude is out of bounds, lng: {longitude} lat: {latitude}"
        ));
    }
    Ok(Position { longitude, latitude })
}
