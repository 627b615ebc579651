//! How scores fall with the distance from an origin: `decayNumericLinear` and the others.

use crate::dates::moment;
use crate::error::{Result, failed};
use crate::methods::coordinate;
use crate::object::Object;
use crate::statics::arc_distance;
use value::civil::Civil;

/// Units of lengths, in metres.
const LENGTHS: &[(&str, f64)] = &[
    ("", 1.0),
    ("mm", 0.001),
    ("cm", 0.01),
    ("m", 1.0),
    ("km", 1_000.0),
    ("in", 0.0254),
    ("ft", 0.3048),
    ("yd", 0.9144),
    ("mi", 1_609.344),
    ("nmi", 1_852.0),
    ("NM", 1_852.0),
];
/// Units of time, in milliseconds.
const TIMES: &[(&str, f64)] = &[
    ("", 1.0),
    ("nanos", 1e-6),
    ("micros", 1e-3),
    ("ms", 1.0),
    ("s", 1_000.0),
    ("m", 60_000.0),
    ("h", 3_600_000.0),
    ("d", 86_400_000.0),
];

/// In which way a score falls.
#[derive(Clone, Copy)]
enum Curve {
    Linear,
    Exp,
    Gauss,
}

impl Curve {
    /// The score at a distance, where it is `decay` at the distance `scale`.
    fn at(self, distance: f64, scale: f64, decay: f64) -> f64 {
        match self {
            Curve::Linear => {
                let end = scale / (1.0 - decay);
                ((end - distance) / end).max(0.0)
            }
            Curve::Exp => (decay.ln() / scale * distance).exp(),
            Curve::Gauss => {
                let spread = 0.5 * scale.powi(2) / decay.ln();
                (0.5 * distance.powi(2) / spread).exp()
            }
        }
    }
}

/// What such a function gives; `None` where there is none of this name.
pub(crate) fn decayed(name: &str, arguments: &[Object]) -> Result<Option<Object>> {
    let curves = [
        ("Linear", Curve::Linear),
        ("Exp", Curve::Exp),
        ("Gauss", Curve::Gauss),
    ];
    let found = name.strip_prefix("decay").and_then(|name| {
        let mut found = curves
            .iter()
            .filter_map(|(end, curve)| Some((name.strip_suffix(*end)?, *curve)));
        found.next()
    });
    let (Some((of, curve)), [origin, scale, offset, decay, value]) = (found, arguments) else {
        return Ok(None);
    };
    let (distance, scale, offset) = match of {
        "Numeric" => (
            value.as_f64()? - origin.as_f64()?,
            scale.as_f64()?,
            offset.as_f64()?,
        ),
        "Geo" => {
            let at = |name| coordinate(Some(value), name).and_then(|number| number.as_f64());
            let distance = arc_distance(point(origin)?, (at("lat")?, at("lon")?));
            (distance, measure(scale, LENGTHS)?, measure(offset, LENGTHS)?)
        }
        "Date" => (
            date(value)? as f64 - date(origin)? as f64,
            measure(scale, TIMES)?,
            measure(offset, TIMES)?,
        ),
        _ => return Ok(None),
    };
    let distance = (distance.abs() - offset).max(0.0);
    Ok(Some(Object::Double(curve.at(distance, scale, decay.as_f64()?))))
}

/// A number with a unit, such as `200km`.
fn measure(object: &Object, units: &[(&str, f64)]) -> Result<f64> {
    let text = object.as_text()?;
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[number.len()..];
    let factor = units.iter().find(|(name, _)| *name == unit);
    match (number.trim().parse::<f64>(), factor) {
        (Ok(number), Some((_, factor))) => Ok(number * factor),
        _ => failed(format!("[{text}] is no number with a unit that is known")),
    }
}

/// A point, as `"40, -70"`.
fn point(object: &Object) -> Result<(f64, f64)> {
    let text = object.as_text()?;
    let number = |part: &str| part.trim().parse::<f64>().ok();
    let parts = text.split_once(',');
    match parts.map(|(lat, lon)| (number(lat), number(lon))) {
        Some((Some(lat), Some(lon))) => Ok((lat, lon)),
        _ => failed(format!("[{text}] is no point of a latitude and a longitude")),
    }
}

/// The milliseconds since 1970 of a date, or of a text that is one.
fn date(object: &Object) -> Result<i64> {
    if let Some(ms) = moment(object) {
        return Ok(ms);
    }
    let text = object.as_text()?;
    match milliseconds(&text) {
        Some(ms) => Ok(ms),
        None => failed(format!(
            "failed to parse date field [{text}] with format [strict_date_optional_time||epoch_millis]"
        )),
    }
}

/// Reads `2018-01-01T00:00:00.000Z`, of which everything after the year may be missing, or milliseconds.
fn milliseconds(text: &str) -> Option<i64> {
    if text.len() > 4
        && let Ok(ms) = text.parse()
    {
        return Some(ms);
    }
    let (day, time) = text.split_once('T').unwrap_or((text, ""));
    let mut parts = day.split('-').map(|part| part.parse::<i64>().ok());
    let mut next = |usual: i64| parts.next().unwrap_or(Some(usual));
    let (year, month, day) = (next(1970)?, next(1)?, next(1)?);
    let at = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (time, zone) = time.split_at(at);
    let mut parts = time.split([':', '.', ',']).filter(|part| !part.is_empty());
    let mut next = || parts.next().map_or(Some(0), |part| part.parse::<i64>().ok());
    let (hour, minute, second) = (next()?, next()?, next()?);
    let fraction = time.split(['.', ',']).nth(1).unwrap_or_default();
    let millisecond = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let civil = Civil {
        hour,
        minute,
        second,
        millisecond,
        ..Civil::midnight(year, month, day)
    };
    civil.to_milliseconds()?.checked_sub(zone_ms(zone)?)
}

/// How far a zone is ahead of UTC: `Z`, `+01:00`, `-0530`, or nothing.
fn zone_ms(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "Z") {
        return Some(0);
    }
    let (sign, digits) = zone.split_at_checked(1)?;
    let digits = digits.replace(':', "");
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = match digits.get(2..)? {
        "" => 0,
        minutes => minutes.parse().ok()?,
    };
    let ahead = (hours * 60 + minutes) * 60_000;
    Some(if sign == "-" { -ahead } else { ahead })
}
