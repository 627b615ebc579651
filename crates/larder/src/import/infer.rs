//! What a CSV field is, as it looks or as it was told.

use super::options::Kind;
use value::{Decimal128, ObjectId, Value};

/// The value of a field; none where it is empty (the document then has no such field).
pub fn value_of(text: &str, kind: Kind) -> Result<Option<Value>, String> {
    if text.is_empty() && kind != Kind::String {
        return Ok(None);
    }
    let wrong = |what: &str| format!("'{text}' is not {what}");
    Ok(Some(match kind {
        Kind::Auto => inferred(text),
        Kind::String => Value::from(text),
        Kind::Int => integer(text).ok_or_else(|| wrong("a 64-bit integer"))?,
        Kind::Double => Value::Double(text.trim().parse().map_err(|_| wrong("a number"))?),
        Kind::Decimal => {
            let decimal: Decimal128 = text.trim().parse().map_err(|_| wrong("a decimal number"))?;
            Value::Decimal128(decimal)
        }
        Kind::Bool => boolean(text).ok_or_else(|| wrong("true or false"))?,
        Kind::Date => date(text).ok_or_else(|| wrong("a date such as 2026-01-31 or 2026-01-31T12:00:00Z"))?,
        Kind::Objectid => {
            let id: ObjectId = text.trim().parse().map_err(|_| wrong("24 hexadecimal digits"))?;
            Value::ObjectId(id)
        }
    }))
}

/// Integers, numbers, true and false, dates; everything else is text. A number with leading zeros is text: it is a
/// postal code or a part number, and its zeros matter.
fn inferred(text: &str) -> Value {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let first = digits.as_bytes().first().copied().unwrap_or_default();
    if first.is_ascii_digit() {
        let leading_zero = first == b'0' && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if !leading_zero {
            if let Some(integer) = integer(text) {
                return integer;
            }
            if let Ok(double) = text.parse::<f64>() {
                return Value::Double(double);
            }
        }
        if let Some(date) = date(text) {
            return date;
        }
    }
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => Value::from(text),
    }
}

fn integer(text: &str) -> Option<Value> {
    let number: i64 = text.trim().parse().ok()?;
    Some(i32::try_from(number).map_or(Value::Int64(number), Value::Int32))
}

fn boolean(text: &str) -> Option<Value> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "1" => Some(Value::Bool(true)),
        "false" | "f" | "no" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// An integer, or the milliseconds since 1970 of a date, without making a value of it.
pub fn integral(text: &[u8], kind: Kind) -> Result<i64, String> {
    if kind == Kind::Date
        && let Some(seconds) = plain_seconds(text)
    {
        return Ok(seconds * 1000);
    }
    let text = std::str::from_utf8(text).map_err(|_| "not UTF-8".to_owned())?;
    match value_of(text, kind)? {
        Some(Value::Int32(number)) => Ok(i64::from(number)),
        Some(Value::Int64(number) | Value::DateTime(number)) => Ok(number),
        _ => Err("a column that is to be added up is empty".to_owned()),
    }
}

/// Where the digits stand in `2026-01-31T12:00:00`.
const DIGITS: [usize; 14] = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18];

/// Seconds since 1970 of `2026-01-31T12:00:00`, a blank or a T between, by far the most usual form in logs. None where
/// it is of another form, or no such date exists.
fn plain_seconds(text: &[u8]) -> Option<i64> {
    let text: &[u8; 19] = text.try_into().ok()?;
    let marks = [text[4], text[7], text[13], text[16]];
    let digits = text.map(|byte| byte.wrapping_sub(b'0'));
    // All are looked at, without a branch for each.
    let are_digits = DIGITS.iter().fold(true, |all, at| all & (digits[*at] <= 9));
    if !are_digits || marks != *b"--::" || !matches!(text[10], b'T' | b' ') {
        return None;
    }
    let two = |at: usize| u32::from(digits[at]) * 10 + u32::from(digits[at + 1]);
    let (year, month, day) = (two(0) * 100 + two(2), two(5), two(8));
    let (hour, minute, second) = (two(11), two(14), two(17));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days from the civil calendar: years begin in March, so that the leap day is the last (Hinnant, "chrono-compatible
    // low-level date algorithms", days_from_civil). One era more than there were, so that year 0 begins after 0.
    let year = year + 400 - u32::from(month <= 2);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let (era, of_era) = (year / 400, year % 400);
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + day_of_year;
    let days = i64::from(era * 146_097 + day_of_era) - 719_468 - 146_097;
    Some(days * 86_400 + i64::from((hour * 60 + minute) * 60 + second))
}

/// ISO 8601 dates and times, with a space or a T between; UTC where no zone is given.
fn date(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Some(seconds) = plain_seconds(text.as_bytes()) {
        return Some(Value::DateTime(seconds * 1000));
    }
    if text.len() < 10 || text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let zoned = text.parse::<jiff::Timestamp>().ok();
    let plain = || {
        text.parse::<jiff::civil::DateTime>()
            .ok()?
            .to_zoned(jiff::tz::TimeZone::UTC)
            .ok()
    };
    let at = zoned.or_else(|| plain().map(|zoned| zoned.timestamp()))?;
    Some(Value::DateTime(at.as_millisecond()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test a failure ends it")]
mod tests {
    use super::*;

    #[test]
    fn fields_become_what_they_look_like() {
        let cases = [
            ("42", Value::Int32(42)),
            ("-7", Value::Int32(-7)),
            ("5000000000", Value::Int64(5_000_000_000)),
            ("1.5", Value::Double(1.5)),
            ("-1e3", Value::Double(-1000.0)),
            ("0.5", Value::Double(0.5)),
            ("007", Value::from("007")),
            ("true", Value::Bool(true)),
            ("nan", Value::from("nan")),
            ("1970-01-01", Value::DateTime(0)),
            ("1970-01-01 00:00:01", Value::DateTime(1000)),
            ("1970-01-01T01:00:00+01:00", Value::DateTime(0)),
            ("2026-13-01", Value::from("2026-13-01")),
            ("10.0.0.1", Value::from("10.0.0.1")),
        ];
        for (text, wanted) in cases {
            assert_eq!(value_of(text, Kind::Auto), Ok(Some(wanted)), "{text}");
        }
        assert_eq!(value_of("", Kind::Auto), Ok(None));
    }

    #[test]
    fn usual_dates_are_read_as_all_others() {
        for year in [0, 4, 1582, 1900, 1969, 1970, 2000, 2023, 2024, 2100, 9998] {
            for month in 0..14 {
                for day in [0, 1, 28, 29, 30, 31, 32] {
                    let text = format!("{year:04}-{month:02}-{day:02}T23:59:58");
                    let slow = text.parse::<jiff::civil::DateTime>().ok();
                    let slow = slow.map(|plain| plain.to_zoned(jiff::tz::TimeZone::UTC).unwrap());
                    let slow = slow.map(|zoned| zoned.timestamp().as_second());
                    assert_eq!(plain_seconds(text.as_bytes()), slow, "{text}");
                }
            }
        }
        for other in [
            "2026-01-31T24:00:00",
            "2026-01-31T12:60:00",
            "2026-01-31t12:00:00",
            "2026-01-3aT12:00:00",
        ] {
            assert_eq!(plain_seconds(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn given_types_refuse_what_is_not_of_them() {
        assert_eq!(value_of("007", Kind::Int), Ok(Some(Value::Int32(7))));
        assert_eq!(value_of("", Kind::String), Ok(Some(Value::from(""))));
        assert!(value_of("x", Kind::Int).is_err_and(|error| error.contains("'x'")));
        assert!(value_of("maybe", Kind::Bool).is_err());
        assert!(value_of("yesterday", Kind::Date).is_err());
    }
}
