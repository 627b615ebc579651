//! Dates as ISO-8601 text.

use crate::date::{MILLISECONDS_A_DAY, date_of, days_of, days_of_month};
use std::fmt::Write as _;

/// 9999-12-31T23:59:59.999Z.
const WRITTEN_MAX_MS: i64 = 253_402_300_799_999;

/// The milliseconds since 1970 of `YYYY-MM-DDThh:mm:ss` with or without a fraction, and with `Z` or an offset.
pub(super) fn parse(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut part = |digits: usize, separator: &str| {
        let (number, behind) = (rest.get(..digits)?, rest.get(digits..)?);
        rest = behind.strip_prefix(separator)?;
        if number.bytes().all(|byte| byte.is_ascii_digit()) {
            number.parse::<i64>().ok()
        } else {
            None
        }
    };
    let (year, month, day) = (part(4, "-")?, part(2, "-")?, part(2, "T")?);
    let (hour, minute, second) = (part(2, ":")?, part(2, ":")?, part(2, "")?);
    let is_date = (1..=days_of_month(year, month)).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (ms, zone) = fraction_ms(rest)?;
    let seconds = hour * 3600 + minute * 60 + second - offset_seconds(zone)?;
    Some(days_of(year, month, day) * MILLISECONDS_A_DAY + seconds * 1000 + ms)
}

/// The milliseconds of a fraction, further digits cut off, and what follows it.
fn fraction_ms(text: &str) -> Option<(i64, &str)> {
    let Some(fraction) = text.strip_prefix('.') else {
        return Some((0, text));
    };
    let end = fraction
        .find(|c: char| !c.is_ascii_digit())
        .filter(|end| *end > 0)?;
    let (digits, rest) = fraction.split_at(end);
    let ms = digits
        .bytes()
        .chain(*b"00")
        .take(3)
        .fold(0, |ms, digit| ms * 10 + i64::from(digit - b'0'));
    Some((ms, rest))
}

/// `Z`, `+hh`, `+hhmm` or `+hh:mm`.
fn offset_seconds(zone: &str) -> Option<i64> {
    let (sign, digits) = match zone.as_bytes() {
        b"Z" => return Some(0),
        [b'+', ..] => (1, zone.get(1..)?),
        [b'-', ..] => (-1, zone.get(1..)?),
        _ => return None,
    };
    let [h, m] = match digits.len() {
        2 => [digits, "00"],
        4 => [digits.get(..2)?, digits.get(2..)?],
        5 if digits.get(2..3)? == ":" => [digits.get(..2)?, digits.get(3..)?],
        _ => return None,
    };
    let [h, m] = [h, m].map(|part| {
        part.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| part.parse::<i64>().ok())?
    });
    let (h, m) = (h?, m?);
    (h < 24 && m < 60).then_some(sign * (h * 3600 + m * 60))
}

/// Appends the date in UTC, with milliseconds where there are any. False, and nothing appended, outside the years
/// 1970 to 9999, for which the specification has another form.
pub(super) fn write(ms: i64, out: &mut String) -> bool {
    if !(0..=WRITTEN_MAX_MS).contains(&ms) {
        return false;
    }
    let (year, month, day) = date_of(ms / MILLISECONDS_A_DAY);
    let seconds = ms % MILLISECONDS_A_DAY / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
    );
    if ms % 1000 != 0 {
        let _ = write!(out, ".{:03}", ms % 1000);
    }
    out.push('Z');
    true
}
