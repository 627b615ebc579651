//! How far what has a longitude and a latitude is from a place, on a sphere of the equator's radius, as Clouseau computes it.

use crate::said::first;
use value::{Document, Value};

const KILOMETRES: f64 = 6_378.137;
const MILES: f64 = KILOMETRES * 0.621_371_192;

/// A place, and the fields that hold those of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    longitude_field: String,
    latitude_field: String,
    longitude: f64,
    latitude: f64,
    radius: f64,
}

impl Distance {
    /// Reads `<distance,LONGITUDE FIELD,LATITUDE FIELD,LONGITUDE,LATITUDE,mi|km>`; `None` where it is no such text.
    pub fn parse(text: &str) -> Option<Distance> {
        let inner = text.strip_prefix("<distance,")?.strip_suffix('>')?;
        let parts: Vec<&str> = inner.split(',').collect();
        let &[longitude_field, latitude_field, longitude, latitude, unit] = &parts[..] else {
            return None;
        };
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| matches!(c, '.' | '_') || c.is_ascii_alphanumeric())
        };
        if !is_name(longitude_field) || !is_name(latitude_field) {
            return None;
        }
        Some(Distance {
            longitude_field: longitude_field.to_owned(),
            latitude_field: latitude_field.to_owned(),
            longitude: degrees(longitude)?,
            latitude: degrees(latitude)?,
            radius: match unit {
                "km" => KILOMETRES,
                "mi" => MILES,
                _ => return None,
            },
        })
    }

    /// The distance of an entry. One without a place is as far as can be.
    pub(crate) fn of(&self, entry: &Document) -> f64 {
        let number = |name: &str| match first(entry, name) {
            Some(Value::Double(number)) => Some(*number),
            _ => None,
        };
        let place = number(&self.longitude_field).zip(number(&self.latitude_field));
        let angle = place.map_or(std::f64::consts::PI, |(longitude, latitude)| {
            self.angle(longitude, latitude)
        });
        angle * self.radius
    }

    /// The angle between the two, by the haversine formula.
    fn angle(&self, longitude: f64, latitude: f64) -> f64 {
        let half_sine = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin();
        let (up, along) = (
            half_sine(self.latitude, latitude),
            half_sine(self.longitude, longitude),
        );
        let cosines = self.latitude.to_radians().cos() * latitude.to_radians().cos();
        let chord = up * up + cosines * along * along;
        2.0 * chord.sqrt().atan2((1.0 - chord).max(0.0).sqrt())
    }
}

/// A number in digits, without an exponent.
fn degrees(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c == '.' || c.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    #[test]
    fn distances_are_those_of_couchdbs_documentation() {
        let from = Distance::parse("<distance,lon,lat,-74.0059,40.7127,km>").expect("a distance");
        let places = [
            (
                -73.966_666_666_666_67,
                40.783_333_333_333_33,
                8.530_665_755_719_783,
            ),
            (
                -74.166_666_666_666_67,
                40.733_333_333_333_334,
                13.756_343_205_985_946,
            ),
            (
                -72.916_666_666_666_67,
                41.316_666_666_666_67,
                113.536_034_388_670_77,
            ),
        ];
        for (longitude, latitude, wanted) in places {
            let entry = doc! {
                "lon": Value::Array(vec![Value::Double(longitude)]),
                "lat": Value::Array(vec![Value::Double(latitude)]),
            };
            assert!((from.of(&entry) - wanted).abs() < 1e-9, "{}", from.of(&entry));
        }
        assert!((from.of(&Document::new()) - KILOMETRES * std::f64::consts::PI).abs() < 1e-9);
    }

    #[test]
    fn malformed_distances_are_not_read() {
        for text in [
            "<distance>",
            "<distance,lon,lat,1,2>",
            "<distance,lon,lat,1,2,m>",
            "<distance,lo n,lat,1,2,km>",
            "<distance,lon,lat,1e3,2,km>",
        ] {
            assert_eq!(Distance::parse(text), None, "{text}");
        }
    }
}
