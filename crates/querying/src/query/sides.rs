//! Boxes on the earth.

use mapping::decimals::double_text;
use mapping::error::{Result, SearchError};
use mapping::geo::Point;
use mapping::json::{Members, as_f64};
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
        true => Err(SearchError::illegal(format!(
            "top is below bottom corner: {} vs. {}",
            double_text(sides[0]),
            double_text(sides[2])
        ))),
        false => Ok(sides),
    }
}

/// Refuses a box that is no more than a line.
pub(super) fn check_box([top, left, bottom, right]: [f64; 4]) -> Result<()> {
    let same = |(a, b): (&str, &str), number: f64| {
        let number = double_text(number);
        let reason = format!("{a} cannot be the same as {b}: {number} == {number}");
        Err(SearchError::illegal(reason))
    };
    if top == bottom {
        return same(("top", "bottom"), top);
    }
    if left == right {
        return same(("left", "right"), left);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::parse_query;
    use serde_json::json;

    #[test]
    fn boxes_without_an_inside_are_refused_as_by_elasticsearch() {
        for (sides, wanted) in [
            (
                [1.0, 0.0, 2.0, 5.0],
                Some("top is below bottom corner: 1.0 vs. 2.0"),
            ),
            (
                [2.0, 0.0, 2.0, 5.0],
                Some("top cannot be the same as bottom: 2.0 == 2.0"),
            ),
            (
                [3.0, 5.0, 2.0, 5.0],
                Some("left cannot be the same as right: 5.0 == 5.0"),
            ),
            ([3.0, 5.0, 2.0, -5.0], None),
        ] {
            let [top, left, bottom, right] = sides;
            let place = json!({"top": top, "left": left, "bottom": bottom, "right": right});
            let parsed = parse_query(&json!({"geo_bounding_box": {"place": place}}));
            let wanted = wanted.map(|reason| format!("illegal_argument_exception: {reason}"));
            assert_eq!(parsed.err().map(|error| error.to_string()), wanted, "{sides:?}");
        }
    }
}
