//! Where points lie: between which latitudes and longitudes, and around which place.

use mapping::geo::Point;
use mapping::rows::Sum;
use serde_json::{Map, Value, json};

/// The points so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    count: u64,
    sum: (Sum, Sum),
    lat: (f64, f64),
    /// Longitudes to the west of Greenwich, and to the east.
    west: (f64, f64),
    east: (f64, f64),
}

const NOTHING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

impl Default for Places {
    fn default() -> Places {
        Places {
            count: 0,
            sum: (Sum::default(), Sum::default()),
            lat: NOTHING,
            west: NOTHING,
            east: NOTHING,
        }
    }
}

fn widen(range: &mut (f64, f64), value: f64) {
    *range = (range.0.min(value), range.1.max(value));
}

impl Places {
    pub(super) fn add(&mut self, point: Point, times: u64) {
        let Point { lat, lon } = point.in_column();
        self.count += times;
        self.sum.0.add(lat * times as f64);
        self.sum.1.add(lon * times as f64);
        widen(&mut self.lat, lat);
        widen(if lon < 0.0 { &mut self.west } else { &mut self.east }, lon);
    }

    pub(super) fn centroid(&self) -> Map<String, Value> {
        let mut out = Map::new();
        if self.count > 0 {
            let count = self.count as f64;
            let (lat, lon) = (self.sum.0.value() / count, self.sum.1.value() / count);
            out.insert("location".to_owned(), json!({"lat": lat, "lon": lon}));
        }
        out.insert("count".to_owned(), json!(self.count));
        out
    }

    /// The least box around all points; it may go through the date line where that makes it narrower.
    pub(super) fn bounds(&self, may_wrap: bool) -> Map<String, Value> {
        if self.count == 0 {
            return Map::new();
        }
        let (left, right) = match (self.west.0.is_finite(), self.east.0.is_finite()) {
            (true, false) => self.west,
            (false, _) => self.east,
            _ => {
                let plain = self.east.1 - self.west.0;
                let wrapped = (180.0 - self.east.0) - (-180.0 - self.west.1);
                match may_wrap && wrapped < plain {
                    true => (self.east.0, self.west.1),
                    false => (self.west.0, self.east.1),
                }
            }
        };
        let corner = |lat: f64, lon: f64| json!({"lat": lat, "lon": lon});
        let bounds = json!({"top_left": corner(self.lat.1, left), "bottom_right": corner(self.lat.0, right)});
        Map::from_iter([("bounds".to_owned(), bounds)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_goes_through_the_date_line_where_that_is_nearer() {
        let mut places = Places::default();
        assert!(places.bounds(true).is_empty());
        for lon in [170.0, -170.0] {
            places.add(Point { lat: 0.0, lon }, 1);
        }
        let left = |may_wrap: bool| {
            let bounds = places.bounds(may_wrap);
            bounds["bounds"].pointer("/top_left/lon").and_then(Value::as_f64)
        };
        assert!(left(true).is_some_and(|lon| (lon - 170.0).abs() < 1e-6));
        assert!(left(false).is_some_and(|lon| (lon + 170.0).abs() < 1e-6));
    }
}
