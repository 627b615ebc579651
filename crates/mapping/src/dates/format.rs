//! Formats by name, and several of them in a row.

use super::locale::Locale;
use super::parts::{Parts, digits};
use super::pattern::Pattern;
use super::{Rounding, shifted, utc};
use crate::error::Result;
use crate::json::whole;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// One format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Format {
    /// `strict_date_optional_time`; the loose one takes months and days of one digit.
    Optional {
        strict: bool,
    },
    /// `strict_date_optional_time_nanos`, which writes all digits of a fraction.
    OptionalNanos,
    Milliseconds,
    Seconds,
    Pattern(Pattern),
}

/// The formats of a field, tried in their order; the first one writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateFormats {
    formats: Vec<Format>,
    /// The language in which months and days are named.
    locale: Locale,
}

impl Default for DateFormats {
    fn default() -> DateFormats {
        DateFormats::of(vec![Format::Optional { strict: true }, Format::Milliseconds])
    }
}

/// The named formats that are patterns.
const NAMED: [(&str, &str); 42] = [
    ("basic_date", "yyyyMMdd"),
    ("basic_date_time", "yyyyMMdd'T'HHmmss.SSSXXX"),
    ("basic_date_time_no_millis", "yyyyMMdd'T'HHmmssXXX"),
    ("basic_time", "HHmmss.SSSXXX"),
    ("basic_time_no_millis", "HHmmssXXX"),
    ("basic_t_time", "'T'HHmmss.SSSXXX"),
    ("basic_t_time_no_millis", "'T'HHmmssXXX"),
    ("date", "yyyy-MM-dd"),
    ("year_month_day", "yyyy-MM-dd"),
    ("year_month", "yyyy-MM"),
    ("year", "yyyy"),
    ("date_hour", "yyyy-MM-dd'T'HH"),
    ("date_hour_minute", "yyyy-MM-dd'T'HH:mm"),
    ("date_hour_minute_second", "yyyy-MM-dd'T'HH:mm:ss"),
    ("date_hour_minute_second_millis", "yyyy-MM-dd'T'HH:mm:ss.SSS"),
    ("date_hour_minute_second_fraction", "yyyy-MM-dd'T'HH:mm:ss.SSS"),
    ("date_time", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"),
    ("date_time_no_millis", "yyyy-MM-dd'T'HH:mm:ssXXX"),
    ("hour", "HH"),
    ("hour_minute", "HH:mm"),
    ("hour_minute_second", "HH:mm:ss"),
    ("hour_minute_second_millis", "HH:mm:ss.SSS"),
    ("hour_minute_second_fraction", "HH:mm:ss.SSS"),
    ("time", "HH:mm:ss.SSSXXX"),
    ("time_no_millis", "HH:mm:ssXXX"),
    ("t_time", "'T'HH:mm:ss.SSSXXX"),
    ("t_time_no_millis", "'T'HH:mm:ssXXX"),
    ("ordinal_date", "yyyy-DDD"),
    ("ordinal_date_time", "yyyy-DDD'T'HH:mm:ss.SSSXXX"),
    ("ordinal_date_time_no_millis", "yyyy-DDD'T'HH:mm:ssXXX"),
    ("basic_ordinal_date", "yyyyDDD"),
    ("basic_ordinal_date_time", "yyyyDDD'T'HHmmss.SSSXXX"),
    ("basic_ordinal_date_time_no_millis", "yyyyDDD'T'HHmmssXXX"),
    ("week_date", "YYYY-'W'ww-e"),
    ("week_date_time", "YYYY-'W'ww-e'T'HH:mm:ss.SSSXXX"),
    ("week_date_time_no_millis", "YYYY-'W'ww-e'T'HH:mm:ssXXX"),
    ("basic_week_date", "YYYY'W'wwe"),
    ("basic_week_date_time", "YYYY'W'wwe'T'HHmmss.SSSXXX"),
    ("basic_week_date_time_no_millis", "YYYY'W'wwe'T'HHmmssXXX"),
    ("weekyear", "YYYY"),
    ("weekyear_week", "YYYY-'W'ww"),
    ("weekyear_week_day", "YYYY-'W'ww-e"),
];

/// The format of this name.
fn named(name: &str) -> Result<Option<Format>> {
    Ok(Some(match name {
        "strict_date_optional_time" | "iso8601" => Format::Optional { strict: true },
        "date_optional_time" => Format::Optional { strict: false },
        "strict_date_optional_time_nanos" => Format::OptionalNanos,
        "epoch_millis" => Format::Milliseconds,
        "epoch_second" => Format::Seconds,
        name => {
            let bare = name.strip_prefix("strict_").unwrap_or(name);
            let Some((_, pattern)) = NAMED.iter().find(|(known, _)| *known == bare) else {
                return Ok(None);
            };
            Format::Pattern(Pattern::parse(pattern)?)
        }
    }))
}

/// A name that is written in the old way, as `dateOptionalTime` is, as it is written now.
fn modern(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        out.extend(c.is_ascii_uppercase().then_some('_'));
        out.push(c.to_ascii_lowercase());
    }
    out
}

impl DateFormats {
    /// Reads `one||another`.
    pub fn parse(text: &str) -> Result<DateFormats> {
        let one = |name: &str| match named(&modern(name))? {
            Some(format) => Ok(format),
            None => Pattern::parse(name.strip_prefix('8').unwrap_or(name)).map(Format::Pattern),
        };
        let formats = text.split("||").map(|name| one(name.trim()));
        Ok(DateFormats::of(formats.collect::<Result<_>>()?))
    }

    fn of(formats: Vec<Format>) -> DateFormats {
        DateFormats {
            formats,
            locale: Locale::default(),
        }
    }

    /// The same, with months and days named in the language of this name; which one it is matters only where they are named.
    pub fn in_locale(self, name: &str) -> Result<DateFormats> {
        let has_names = |format: &Format| matches!(format, Format::Pattern(pattern) if pattern.has_names());
        let locale = match Locale::parse(name) {
            Err(error) if self.formats.iter().any(has_names) => return Err(error),
            known => known.unwrap_or_default(),
        };
        Ok(DateFormats { locale, ..self })
    }

    /// The same in the language of others.
    #[must_use]
    pub fn in_locale_of(self, others: &DateFormats) -> DateFormats {
        DateFormats {
            locale: others.locale,
            ..self
        }
    }

    /// Those of a field of nanoseconds that is given none.
    pub fn default_nanos() -> DateFormats {
        DateFormats::of(vec![Format::OptionalNanos, Format::Milliseconds])
    }

    /// The moment that a text means.
    pub fn read(&self, text: &str, zone: &TimeZone, rounding: Rounding) -> Option<i64> {
        self.formats.iter().find_map(|format| match format {
            Format::Milliseconds => text.parse().ok().or_else(|| whole(text.parse().ok()?)),
            Format::Seconds => seconds(text, rounding),
            Format::Optional { strict } => optional(text, *strict, zone, rounding),
            Format::OptionalNanos => optional(text, true, zone, rounding),
            Format::Pattern(pattern) => pattern.read(text, zone, (rounding, self.locale)),
        })
    }

    /// The moment that a number in a document means, which is read as it is written: `2019` is a year where texts are.
    pub fn of_number(&self, number: f64) -> Option<i64> {
        self.read(&number.to_string(), &TimeZone::UTC, Rounding::Down)
    }

    /// A moment as text.
    pub fn write(&self, ms: i64, zone: &TimeZone) -> String {
        match self.formats.first() {
            Some(Format::Milliseconds) => ms.to_string(),
            Some(Format::Seconds) if ms % 1000 == 0 => (ms / 1000).to_string(),
            Some(Format::Seconds) => (ms as f64 / 1000.0).to_string(),
            Some(Format::Pattern(pattern)) => pattern.write(shifted(ms), zone, self.locale),
            Some(Format::Optional { .. } | Format::OptionalNanos) | None => iso(ms, zone),
        }
    }
}

impl DateFormats {
    /// A moment with nanoseconds as text, with as many of its digits as the format has.
    pub fn write_nanos(&self, nanos: i64, zone: &TimeZone) -> String {
        if let Some(Format::Pattern(pattern)) = self.formats.first() {
            let at = Timestamp::from_nanosecond(i128::from(nanos));
            let at = at.unwrap_or(Timestamp::UNIX_EPOCH);
            return pattern.write((at, 0), zone, self.locale);
        }
        let (ms, within) = (nanos.div_euclid(1_000_000), nanos.rem_euclid(1_000_000));
        let text = self.write(ms, zone);
        if within == 0 {
            return text;
        }
        let digits = format!("{within:06}");
        match (self.formats.first(), text.find('.')) {
            (Some(Format::OptionalNanos), Some(at)) => format!(
                "{}{}{}",
                &text[..at + 4],
                digits.trim_end_matches("000"),
                &text[at + 4..]
            ),
            (Some(Format::Milliseconds), _) => format!("{text}.{}", digits.trim_end_matches('0')),
            _ => text,
        }
    }
}

/// Seconds with the digits of their fraction as they are written: a double has not all of them. A second without any goes on to
/// its last millisecond where it is rounded up.
fn seconds(text: &str, rounding: Rounding) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let ms: i64 = match digits(fraction, 0, 9)? {
        ("", "") if rounding == Rounding::Up => 999,
        (digits, "") => format!("{digits:0<3}").get(..3)?.parse().ok()?,
        _ => return None,
    };
    let own = whole.parse::<i64>().ok()?.checked_mul(1000)?;
    match whole.starts_with('-') {
        true => own.checked_sub(ms),
        false => own.checked_add(ms),
    }
}

/// `2020-01-01T00:00:00.000Z`.
fn iso(ms: i64, zone: &TimeZone) -> String {
    let (at, years) = shifted(ms);
    let zoned = at.to_zoned(zone.clone());
    let offset = match zoned.offset().seconds() {
        0 => "Z".to_owned(),
        _ => super::pattern::offset_text(zoned.offset(), 3, 'X'),
    };
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{offset}",
        zoned.year() + years,
        zoned.month(),
        zoned.day(),
        zoned.hour(),
        zoned.minute(),
        zoned.second(),
        zoned.millisecond()
    )
}

fn optional(text: &str, strict: bool, zone: &TimeZone, rounding: Rounding) -> Option<i64> {
    // What is rounded up takes what it does not say from elsewhere.
    if matches!(rounding, Rounding::Down)
        && let Some(ms) = utc::moment(text)
    {
        return Some(ms);
    }
    let mut parts = Parts::default();
    let least = if strict { 2 } else { 1 };
    let (year, mut rest) = digits(text, if strict { 4 } else { 1 }, if strict { 4 } else { 9 })?;
    parts.year = Some(year.parse().ok()?);
    for part in [&mut parts.month, &mut parts.day] {
        let Some(after) = rest.strip_prefix('-') else {
            break;
        };
        let (number, behind) = digits(after, least, 2)?;
        *part = Some(number.parse().ok()?);
        rest = behind;
    }
    if let Some(after) = rest.strip_prefix(['T', 't']) {
        rest = after;
        if !rest.is_empty() {
            rest = time(&mut parts, rest, least)?;
        }
    }
    rest.is_empty().then(|| parts.moment(zone, rounding)).flatten()
}

fn time<'t>(parts: &mut Parts, text: &'t str, least: usize) -> Option<&'t str> {
    let (hour, mut rest) = digits(text, least, 2)?;
    parts.hour = Some(hour.parse().ok()?);
    for part in [&mut parts.minute, &mut parts.second] {
        let Some(after) = rest.strip_prefix(':') else {
            break;
        };
        let (number, behind) = digits(after, least, 2)?;
        *part = Some(number.parse().ok()?);
        rest = behind;
    }
    if parts.second.is_some()
        && let Some(after) = rest.strip_prefix(['.', ','])
    {
        let (fraction, behind) = digits(after, 1, 9)?;
        parts.nanos = Some(format!("{fraction:0<9}").parse().ok()?);
        rest = behind;
    }
    match rest.is_empty() {
        true => Some(rest),
        false => parts.take_zone(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::SearchError;

    fn read(formats: &str, text: &str) -> Option<i64> {
        let formats = DateFormats::parse(formats).expect("a format");
        formats.read(text, &TimeZone::UTC, Rounding::Down)
    }

    #[test]
    fn iso_dates_may_leave_out_what_they_end_with() {
        for (text, ms) in [
            ("1970", 0),
            ("1970-01-02", 86_400_000),
            ("1970-01-01T01", 3_600_000),
            ("1970-01-01T00:00:00.5Z", 500),
            ("1970-01-01T01:00:00+01:00", 0),
        ] {
            assert_eq!(read("strict_date_optional_time", text), Some(ms), "{text}");
        }
        assert_eq!(read("strict_date_optional_time", "1970-1-1"), None);
        assert_eq!(read("date_optional_time", "1970-1-1"), Some(0));
    }

    #[test]
    fn the_last_day_that_many_write_for_never_is_read_and_written() {
        let midnight = 253_402_214_400_000;
        let last = midnight + 86_399_999;
        for (text, ms) in [
            ("9999-12-31", midnight),
            ("9999-12-31T00:00:00Z", midnight),
            ("9999-12-31T23:59:59.999Z", last),
            ("9999-12-31T23:59:59.999+00:00", last),
            ("9999-12-30T23:30:00-01:00", midnight + 1_800_000),
        ] {
            assert_eq!(read("strict_date_optional_time", text), Some(ms), "{text}");
        }
        let formats = DateFormats::parse("yyyy-MM-dd").expect("a format");
        let up = formats.read("9999-12-31", &TimeZone::UTC, Rounding::Up);
        assert_eq!(up, Some(last));
        assert_eq!(formats.write(last, &TimeZone::UTC), "9999-12-31");
        assert_eq!(
            DateFormats::default().write(last, &TimeZone::UTC),
            "9999-12-31T23:59:59.999Z"
        );
        assert_eq!(formats.write(midnight - 1, &TimeZone::UTC), "9999-12-30");
    }

    #[test]
    fn times_of_utc_are_read_as_all_others_are() {
        for text in [
            "2024-02-29T23:59:59.999Z",
            "2023-02-29T00:00:00.000Z",
            "1969-12-31T23:59:59.001Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "2024-13-01T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01 00:00:00Z",
        ] {
            // A time with an offset takes the other way.
            let other = text.replace('Z', "+00:00");
            assert_eq!(
                read("strict_date_optional_time", text),
                read("strict_date_optional_time", &other),
                "{text}"
            );
        }
    }

    #[test]
    fn patterns_read_what_they_write() {
        for pattern in [
            "yyyy-MM-dd HH:mm:ss.SSS",
            "dd/MMM/yyyy:HH:mm:ss.SSS Z",
            "basic_date_time",
            "epoch_millis",
        ] {
            let formats = DateFormats::parse(pattern).expect("a format");
            let text = formats.write(1_600_000_000_123, &TimeZone::UTC);
            assert_eq!(read(pattern, &text), Some(1_600_000_000_123), "{pattern}: {text}");
        }
    }

    #[test]
    fn nanoseconds_are_written_as_far_as_the_format_goes() {
        for (format, text) in [
            ("strict_date_optional_time", "2018-10-29T12:12:12.123Z"),
            (
                "strict_date_optional_time_nanos",
                "2018-10-29T12:12:12.123456789Z",
            ),
            ("epoch_millis", "1540815132123.456789"),
            (
                "uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSSX",
                "2018-10-29T12:12:12.123456789Z",
            ),
        ] {
            let formats = DateFormats::parse(format).expect("a format");
            let written = formats.write_nanos(1_540_815_132_123_456_789, &TimeZone::UTC);
            assert_eq!(written, text, "{format}");
        }
    }

    #[test]
    fn seconds_have_all_digits_of_their_fractions() {
        let rounded = |text: &str, rounding: Rounding| {
            let formats = DateFormats::parse("epoch_second").expect("a format");
            formats.read(text, &TimeZone::UTC, rounding)
        };
        for (text, down, up) in [
            ("1000", 1_000_000, 1_000_999),
            ("1000.", 1_000_000, 1_000_999),
            ("1000.0", 1_000_000, 1_000_000),
            ("1.001", 1_001, 1_001),
            ("1130000000.005", 1_130_000_000_005, 1_130_000_000_005),
            ("1600000000.1239", 1_600_000_000_123, 1_600_000_000_123),
            ("-0.5", -500, -500),
        ] {
            assert_eq!(rounded(text, Rounding::Down), Some(down), "{text}");
            assert_eq!(rounded(text, Rounding::Up), Some(up), "{text}");
        }
        for text in ["", ".5", "1.x", "1.0000000001", "1e3", "9223372036854775807"] {
            assert_eq!(rounded(text, Rounding::Down), None, "{text}");
        }
        // Some of these are off by one where seconds are multiplied as doubles.
        let wrong = (0..1_000_000_u32).step_by(997).filter(|at| {
            let (second, ms) = (1_100_000_000 + i64::from(*at), i64::from(*at) % 1000);
            rounded(&format!("{second}.{ms:03}"), Rounding::Down) != Some(second * 1000 + ms)
        });
        assert_eq!(wrong.count(), 0);
    }

    #[test]
    fn formats_have_their_old_names_too() {
        for (old, name) in [
            ("dateOptionalTime", "date_optional_time"),
            ("strictDateOptionalTime", "strict_date_optional_time"),
            ("basicTTime", "basic_t_time"),
            ("hourMinuteSecondFraction", "hour_minute_second_fraction"),
            (
                "basicOrdinalDateTimeNoMillis",
                "basic_ordinal_date_time_no_millis",
            ),
            (
                "ordinal_date_time_no_millis",
                "strict_ordinal_date_time_no_millis",
            ),
        ] {
            let formats = DateFormats::parse(old).expect("a format");
            assert_eq!(formats, DateFormats::parse(name).expect("a format"), "{old}");
        }
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let basic = DateFormats::parse("basic_date_time").expect("a format");
        assert_eq!(basic.write(0, &zone), "19700101T010000.000+01:00");
        let letters = DateFormats::parse("yyyyMMdd").expect("a format");
        assert_eq!(letters.write(0, &TimeZone::UTC), "19700101");
    }

    #[test]
    fn unknown_letters_and_too_many_are_refused() {
        assert!(DateFormats::parse("yyyy-bb").is_err());
        for letter in ["y", "u", "M", "d", "D", "H", "h", "m", "s", "S", "A", "E", "X"] {
            let most = DateFormats::parse(&letter.repeat(19)).expect("a format");
            most.write(1_600_000_000_123, &TimeZone::UTC);
            for count in [20, 70_000] {
                let pattern = letter.repeat(count);
                let refused = DateFormats::parse(&pattern).expect_err("refused");
                let reason = format!("Invalid format: [{pattern}]: Too many pattern letters: {letter}");
                assert_eq!(refused, SearchError::illegal(reason));
            }
        }
    }

    #[test]
    fn moments_beyond_the_calendar_are_written_as_its_ends() {
        for (ms, text) in [
            (i64::MIN, "-9999-01-02T01:59:59.000Z"),
            (i64::MAX, "9999-12-30T22:00:00.999Z"),
        ] {
            assert_eq!(DateFormats::default().write(ms, &TimeZone::UTC), text);
            let pattern = DateFormats::parse("yyyy").expect("a format");
            assert_eq!(pattern.write(ms, &TimeZone::UTC), text[..text.len() - 20]);
            let epoch = DateFormats::parse("epoch_millis").expect("a format");
            assert_eq!(epoch.write(ms, &TimeZone::UTC), ms.to_string());
            assert_eq!(
                epoch.read(&ms.to_string(), &TimeZone::UTC, Rounding::Down),
                Some(ms)
            );
        }
        let nanos = DateFormats::parse("yyyy-MM-dd").expect("a format");
        assert_eq!(nanos.write_nanos(i64::MIN, &TimeZone::UTC), "1677-09-21");
        assert_eq!(nanos.write_nanos(i64::MAX, &TimeZone::UTC), "2262-04-11");
    }

    #[test]
    fn numbers_that_are_no_moments_are_not_read() {
        for format in ["epoch_millis", "epoch_second"] {
            for text in ["NaN", "inf", "-infinity", "1e300"] {
                assert_eq!(read(format, text), None, "{format}: {text}");
            }
            let formats = DateFormats::parse(format).expect("a format");
            for number in [f64::NAN, f64::INFINITY, -1e300] {
                assert_eq!(formats.of_number(number), None, "{format}: {number}");
            }
        }
    }
}
