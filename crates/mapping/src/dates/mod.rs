//! Dates as Elasticsearch reads and writes them: formats by name or pattern, date math, time zones.
//!
//! A date is a number of milliseconds since 1970.

mod format;
mod local;
mod locale;
mod math;
mod names;
mod parts;
mod pattern;
mod utc;
mod written;

pub use format::DateFormats;
pub use local::{floor_local, next_local};
pub use math::{Rounding, add_unit, floor_unit, parse_math};
pub use names::date_math_name;
pub use written::DateFormat;

use crate::error::{Result, SearchError};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// A zone by its name or offset.
pub fn zone(name: &str) -> Result<TimeZone> {
    let invalid = || SearchError::illegal(format!("The time zone [{name}] is not known"));
    if matches!(name, "Z" | "z" | "UTC" | "GMT") {
        return Ok(TimeZone::UTC);
    }
    match name.as_bytes().first() {
        Some(b'+' | b'-') => offset(name).map(TimeZone::fixed).ok_or_else(invalid),
        _ => TimeZone::get(name).map_err(|_| invalid()),
    }
}

/// `+01:00`, `+0100`, `+01`, `-3`.
pub fn offset(text: &str) -> Option<Offset> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.parse::<i32>().ok()?, 0),
        length => (
            digits[..length - 2].parse::<i32>().ok()?,
            digits[length - 2..].parse::<i32>().ok()?,
        ),
    };
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// The moment `ms` after 1970 began; what lies beyond the years that can be written is their end.
pub fn timestamp(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(if ms < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// The years after which the calendar, days of the week included, is the same.
const CYCLE_YEARS: i16 = 400;
const CYCLE_MS: i64 = 146_097 * 86_400_000;

/// A moment whose fields are those of `ms` but for the year, and how many years are to be added to that: the library knows none of the last day of 9999, which many write
/// for "never".
fn shifted(ms: i64) -> (Timestamp, i16) {
    match Timestamp::from_millisecond(ms.saturating_sub(CYCLE_MS)) {
        Ok(earlier) if ms > Timestamp::MAX.as_millisecond() => (earlier, CYCLE_YEARS),
        _ => (timestamp(ms), 0),
    }
}

/// A moment as Elasticsearch writes it.
pub fn date_text(ms: i64) -> String {
    DateFormats::default().write(ms, &TimeZone::UTC)
}
