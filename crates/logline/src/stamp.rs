//! Times in forms that are named or described.

use crate::dates;
use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

/// How far in the future the time of a line without a year may be: clocks differ, and so do zones.
const FUTURE_MS_MAX: i64 = 36 * 3_600_000;

/// A form of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// ISO 8601, a blank or a T between date and time.
    Iso,
    /// Seconds since 1970, with or without a fraction.
    UnixSeconds,
    /// Milliseconds since 1970.
    UnixMilliseconds,
    /// As of `strptime`: `%d/%b/%Y %H:%M:%S`.
    Described(String),
}

/// Why a text describes no form of times, or is not a time of the form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StampError(String);

impl Stamp {
    /// The form of this name, or of this description.
    pub fn named(text: &str) -> Result<Stamp, StampError> {
        match text {
            "iso8601" => Ok(Stamp::Iso),
            "unix" => Ok(Stamp::UnixSeconds),
            "unix-ms" => Ok(Stamp::UnixMilliseconds),
            described if described.contains('%') => Ok(Stamp::Described(described.to_owned())),
            other => Err(StampError(format!(
                "'{other}' is not a form of times: iso8601, unix, unix-ms, or a description such as %d/%b/%Y %H:%M:%S"
            ))),
        }
    }

    /// Milliseconds since 1970. A time without a zone is of `zone`, one without a year of the year that is nearest to `now_ms`
    /// and not in the future.
    pub fn milliseconds(&self, text: &str, zone: &TimeZone, now_ms: i64) -> Result<i64, StampError> {
        let text = text.trim();
        let wrong = || StampError(format!("'{text}' is not a time of the form that it should have"));
        match self {
            Stamp::Iso => dates::milliseconds_in(text, zone).ok_or_else(wrong),
            Stamp::UnixSeconds => text
                .parse::<f64>()
                .ok()
                .map(|seconds| (seconds * 1000.0).round())
                // A time that 64 bits cannot hold would become the last moment that they can.
                .filter(|milliseconds| milliseconds.abs() < i64::MAX as f64)
                .map(|milliseconds| milliseconds as i64)
                .ok_or_else(wrong),
            Stamp::UnixMilliseconds => text.parse().map_err(|_| wrong()),
            Stamp::Described(form) if has_year(form) => {
                let parts =
                    BrokenDownTime::parse(form, text).map_err(|error| StampError(error.to_string()))?;
                milliseconds_of(&parts, zone).ok_or_else(wrong)
            }
            Stamp::Described(form) => without_year(form, text, zone, now_ms).ok_or_else(wrong),
        }
    }
}

fn has_year(form: &str) -> bool {
    ["%Y", "%y", "%G", "%g", "%D", "%F", "%s", "%c", "%x"]
        .iter()
        .any(|part| form.contains(part))
}

fn milliseconds_of(parts: &BrokenDownTime, zone: &TimeZone) -> Option<i64> {
    if let Ok(at) = parts.to_timestamp() {
        return Some(at.as_millisecond());
    }
    let plain: DateTime = parts
        .to_datetime()
        .or_else(|_| parts.to_date().map(|date| date.at(0, 0, 0, 0)))
        .ok()?;
    Some(plain.to_zoned(zone.clone()).ok()?.timestamp().as_millisecond())
}

/// The newest such time that is not in the future.
pub(crate) fn without_year(form: &str, text: &str, zone: &TimeZone, now_ms: i64) -> Option<i64> {
    let now = jiff::Timestamp::from_millisecond(now_ms).ok()?;
    let this_year = now.to_zoned(zone.clone()).year();
    let form = format!("%Y {form}");
    // Within eight years there is always a 29th of February, even around a year like 1900.
    (this_year - 8..=this_year + 1).rev().find_map(|year| {
        let parts = BrokenDownTime::parse(&form, format!("{year:04} {text}")).ok()?;
        milliseconds_of(&parts, zone).filter(|at| *at <= now_ms + FUTURE_MS_MAX)
    })
}
