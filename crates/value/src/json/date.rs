//! Dates as ISO-8601 text.
//!
//! Days are turned into dates and back by counting from 0000-03-01, so that the leap day ends a year.

use std::fmt::Write as _;

const MS_PER_DAY: i64 = 86_400_000;
/// 9999-12-31T23:59:59.999Z.
const WRITTEN_MAX_MS: i64 = 253_402_300_799_999;
const DAYS_PER_ERA: i64 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// The days from 1970-01-01 to a date, which may be one that does not exist.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - DAYS_TO_1970
}

/// The year, month and day so many days after 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

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
    if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_of(year, month, day);
    if date_of(days) != (year, month, day) {
        return None;
    }
    let (ms, zone) = fraction_ms(rest)?;
    let seconds = hour * 3600 + minute * 60 + second - offset_seconds(zone)?;
    Some(days * MS_PER_DAY + seconds * 1000 + ms)
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
    let (year, month, day) = date_of(ms / MS_PER_DAY);
    let seconds = ms % MS_PER_DAY / 1000;
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
