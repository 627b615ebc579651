//! Times and sizes as texts of requests have them: `500ms`, `2h`, `5gb`.

use mapping::error::{Result, SearchError};
use std::time::Duration;

/// A time. Errors name the setting or parameter that it is of.
pub fn parse_time(text: &str, name: &str) -> Result<Duration> {
    time_of(text).ok_or_else(|| {
        let is_time = |rest: Option<&str>| rest.is_some_and(|rest| time_of(rest).is_some());
        if is_time(text.strip_prefix('-')) {
            return SearchError::illegal(format!(
                "failed to parse setting [{name}] with value [{text}] as a time value: negative durations are not supported"
            ));
        }
        if is_time(text.split_once('.').map(|(_, fraction)| fraction)) {
            return SearchError::illegal(format!(
                "failed to parse [{text}], fractional time values are not supported"
            ));
        }
        SearchError::illegal(format!(
            "failed to parse setting [{name}] with value [{text}] as a time value: unit is missing or unrecognized"
        ))
    })
}

/// A time; `None` for a text that is none, or of which a whole number with a sign cannot count the milliseconds.
pub fn time_of(text: &str) -> Option<Duration> {
    let (number, unit) = parted(text)?;
    let of_seconds = |seconds: u64| number.checked_mul(seconds).map(Duration::from_secs);
    let time = match unit {
        // Months are an `M`.
        "m" => of_seconds(60),
        unit => match unit.to_ascii_lowercase().as_str() {
            "nanos" => Some(Duration::from_nanos(number)),
            "micros" => Some(Duration::from_micros(number)),
            "ms" => Some(Duration::from_millis(number)),
            "s" => of_seconds(1),
            "h" => of_seconds(3600),
            "d" => of_seconds(24 * 3600),
            _ => None,
        },
    };
    time.filter(|time| i64::try_from(time.as_millis()).is_ok())
}

/// A size in bytes; `None` for a text that is none.
pub fn bytes_of(text: &str) -> Option<u64> {
    let (number, unit) = parted(text)?;
    let shift = match unit.to_ascii_lowercase().as_str() {
        "b" => 0,
        "k" | "kb" => 10,
        "m" | "mb" => 20,
        "g" | "gb" => 30,
        "t" | "tb" => 40,
        "p" | "pb" => 50,
        _ => return None,
    };
    number.checked_mul(1 << shift)
}

/// A number and its unit.
fn parted(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    Some((number.parse().ok()?, unit.trim_start()))
}
