//! Boxes on the earth.

use mapping::error::{Result, SearchError};
use mapping::geo::Point;
use mapping::json::{Members, as_f64, scalar};
use serde_json::Value;

pub(super) fn point_of(value: &Value) -> Result<Point> {
    Point::of_json(value).ok_or_else(|| SearchError::parsing(format!("failed to parse the point [{value}]")))
}

/// A box by two corners, or by four sides.
pub fn sides(value: &Value) -> Result<[f64; 4]> {
    let mut members = Members::of("geo_bounding_box", value)?;
    let mut corner = |name: &str| members.take(name).map(point_of).transpose();
    let (left_top, right_bottom) = (corner("top_left")?, corner("bottom_right")?);
    let (right_top, left_bottom) = (corner("top_right")?, corner("bottom_left")?);
    let sides = match (left_top, right_bottom, right_top, left_bottom) {
        (Some(a), Some(b), None, None) => [a.lat, a.lon, b.lat, b.lon],
        (None, None, Some(a), Some(b)) => [a.lat, b.lon, b.lat, a.lon],
        _ => {
            let mut side = |name: &str| {
                let given = members.take(name).and_then(as_f64);
                given.ok_or_else(|| {
                    SearchError::parsing(format!("failed to parse bounding box. [{name}] is missing"))
                })
            };
            [side("top")?, side("left")?, side("bottom")?, side("right")?]
        }
    };
    members.end()?;
    match sides[0] < sides[2] {
        true => Err(SearchError::parsing(format!(
            "top is below bottom corner: {} vs. {}",
            sides[0],
            scalar(&Value::from(sides[2])).unwrap_or_default()
        ))),
        false => Ok(sides),
    }
}
