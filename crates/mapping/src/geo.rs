//! Points on the earth: how documents and queries write them, and the tiles and cells that they lie in.

use crate::json::as_f64;
use serde_json::Value;
use value::ValueRef;

/// A latitude and a longitude, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Degrees to the north.
    pub lat: f64,
    /// Degrees to the east.
    pub lon: f64,
}

/// The radius of the earth in metres, as Elasticsearch has it.
const RADIUS: f64 = 6_371_008.771_4;
const BASE32: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";

impl Point {
    fn checked(lat: f64, lon: f64) -> Option<Point> {
        let is_point = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        is_point.then_some(Point { lat, lon })
    }

    /// The same as a column has it, in 32 bits for each coordinate.
    #[must_use]
    pub fn in_column(self) -> Point {
        let rounded = |coordinate: f64, all: f64| {
            let step = all / (f64::from(u32::MAX) + 1.0);
            (coordinate / step)
                .floor()
                .clamp(f64::from(i32::MIN), f64::from(i32::MAX))
                * step
        };
        Point {
            lat: rounded(self.lat, 180.0),
            lon: rounded(self.lon, 360.0),
        }
    }

    /// `lat,lon`, `POINT (lon lat)`, or a geohash.
    pub fn of_text(text: &str) -> Option<Point> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        if let Some((lat, lon)) = text.split_once(',') {
            return Point::checked(number(lat)?, number(lon)?);
        }
        let upper = text.trim().to_ascii_uppercase();
        if let Some(inner) = upper.strip_prefix("POINT") {
            let inner = inner.trim().strip_prefix('(')?.strip_suffix(')')?;
            let (lon, lat) = inner.trim().split_once(' ')?;
            return Point::checked(number(lat)?, number(lon)?);
        }
        of_geohash(text.trim())
    }

    /// The points that the values of a field are; numbers in a row are longitudes and latitudes.
    pub fn all(values: &[ValueRef<'_>]) -> Vec<Point> {
        let mut points = Vec::new();
        let mut numbers = Vec::new();
        for value in values {
            match value {
                ValueRef::String(text) => points.extend(Point::of_text(text)),
                ValueRef::Document(document) => {
                    let number = |name: &str| match document.get(name)? {
                        ValueRef::String(text) => text.parse().ok(),
                        value => value.as_f64(),
                    };
                    let named = number("lat")
                        .zip(number("lon"))
                        .and_then(|(lat, lon)| Point::checked(lat, lon));
                    let listed = || match document.get("coordinates")? {
                        ValueRef::Array(list) => {
                            let mut numbers = list.iter().filter_map(ValueRef::as_f64);
                            let (lon, lat) = (numbers.next()?, numbers.next()?);
                            Point::checked(lat, lon)
                        }
                        _ => None,
                    };
                    points.extend(named.or_else(listed));
                }
                value => numbers.extend(value.as_f64()),
            }
        }
        let pairs = numbers.chunks_exact(2);
        points.extend(pairs.filter_map(|pair| Point::checked(pair[1], pair[0])));
        points
    }

    /// The point that a query names.
    pub fn of_json(value: &Value) -> Option<Point> {
        match value {
            Value::String(text) => Point::of_text(text),
            Value::Array(pair) => Point::checked(as_f64(pair.get(1)?)?, as_f64(pair.first()?)?),
            Value::Object(point) => Point::checked(as_f64(point.get("lat")?)?, as_f64(point.get("lon")?)?),
            _ => None,
        }
    }

    /// Metres along the surface.
    pub fn distance(self, other: Point) -> f64 {
        let (a, b) = (self.lat.to_radians(), other.lat.to_radians());
        let (lat, lon) = (b - a, (other.lon - self.lon).to_radians());
        let half = (lat / 2.0).sin().powi(2) + a.cos() * b.cos() * (lon / 2.0).sin().powi(2);
        2.0 * RADIUS * half.sqrt().min(1.0).asin()
    }

    /// The tile of a map at a zoom in which it is.
    pub fn tile(self, zoom: u32) -> (u32, i64, i64) {
        let tiles = f64::from(1_u32 << zoom);
        let most = (1_i64 << zoom) - 1;
        let x = ((self.lon + 180.0) / 360.0 * tiles).floor() as i64;
        let sin = self.lat.to_radians().sin();
        let y = ((0.5 - ((1.0 + sin) / (1.0 - sin)).ln() / (4.0 * std::f64::consts::PI)) * tiles).floor();
        (zoom, x.clamp(0, most), (y.max(0.0) as i64).clamp(0, most))
    }

    /// The cells around its own, whose names have `length` characters.
    pub fn neighbours(self, length: usize) -> Vec<String> {
        let bits = 5 * length as i32;
        let (height, width) = (
            180.0 / f64::powi(2.0, bits / 2),
            360.0 / f64::powi(2.0, bits - bits / 2),
        );
        let mut cells = Vec::new();
        for (up, right) in [
            (1, 0),
            (1, 1),
            (0, 1),
            (-1, 1),
            (-1, 0),
            (-1, -1),
            (0, -1),
            (1, -1),
        ] {
            let lat = self.lat + f64::from(up) * height;
            if (-90.0..=90.0).contains(&lat) {
                let lon = (self.lon + f64::from(right) * width + 540.0).rem_euclid(360.0) - 180.0;
                cells.push(Point { lat, lon }.geohash(length));
            }
        }
        cells
    }

    /// The cell that it is in, by a name of `length` characters.
    pub fn geohash(self, length: usize) -> String {
        let (mut lat, mut lon) = ((-90.0, 90.0), (-180.0, 180.0));
        let mut hash = String::with_capacity(length);
        let mut is_lon = true;
        for _ in 0..length {
            let mut cell = 0;
            for _ in 0..5 {
                let (range, at): (&mut (f64, f64), f64) = if is_lon {
                    (&mut lon, self.lon)
                } else {
                    (&mut lat, self.lat)
                };
                let middle = f64::midpoint(range.0, range.1);
                cell <<= 1;
                if at >= middle {
                    cell |= 1;
                    range.0 = middle;
                } else {
                    range.1 = middle;
                }
                is_lon = !is_lon;
            }
            hash.push(char::from(BASE32[cell]));
        }
        hash
    }
}

/// The middle of a cell.
fn of_geohash(hash: &str) -> Option<Point> {
    if hash.is_empty() || hash.len() > 12 {
        return None;
    }
    let (mut lat, mut lon) = ((-90.0, 90.0), (-180.0, 180.0));
    let mut is_lon = true;
    for byte in hash.to_ascii_lowercase().bytes() {
        let cell = BASE32.iter().position(|known| *known == byte)?;
        for bit in (0..5).rev() {
            let range: &mut (f64, f64) = if is_lon { &mut lon } else { &mut lat };
            let middle = f64::midpoint(range.0, range.1);
            if cell >> bit & 1 == 1 {
                range.0 = middle;
            } else {
                range.1 = middle;
            }
            is_lon = !is_lon;
        }
    }
    Point::checked(f64::midpoint(lat.0, lat.1), f64::midpoint(lon.0, lon.1))
}

/// The characters of cells that are about so wide.
pub fn characters(metres: f64) -> i64 {
    const EQUATOR: f64 = 40_075_016.685_578_49;
    const MERIDIAN: f64 = 19_970_326.371_122_4;
    const MOST: i64 = 12;
    let width = metres / (1.0 + MERIDIAN / EQUATOR);
    if width <= 0.0 {
        return MOST;
    }
    // Two levels of quarters for every five bits.
    let levels = (EQUATOR / width).ceil().log2().ceil();
    (2.0 * levels / 5.0).ceil() as i64
}

/// Metres of `12km`, `5mi`, `300`.
pub fn metres(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let number: f64 = text[..digits].parse().ok()?;
    let factor = match text[digits..].trim() {
        "" | "m" | "meters" => 1.0,
        "km" | "kilometers" => 1000.0,
        "cm" | "centimeters" => 0.01,
        "mm" | "millimeters" => 0.001,
        "mi" | "miles" => 1609.344,
        "yd" | "yards" => 0.9144,
        "ft" | "feet" => 0.3048,
        "in" | "inch" => 0.0254,
        "nmi" | "NM" | "nauticalmiles" => 1852.0,
        _ => return None,
    };
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_in_tiles_and_cells() {
        let point = Point::of_text("52.374081,4.912350").expect("a point");
        assert_eq!(point.tile(8), (8, 131, 84));
        assert_eq!(point.geohash(5), "u173z");
        let back = Point::of_text(&point.geohash(12)).expect("a cell");
        assert!(back.distance(point) < 1.0);
        assert_eq!(Point::of_text("POINT (4.9 52.3)"), Point::checked(52.3, 4.9));
        assert_eq!(Point::of_text("91,0"), None);
        assert_eq!(metres("2km"), Some(2000.0));
    }
}
