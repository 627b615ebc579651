//! Date math: `now-1d/d`, `2020-01-01||+1M/d`, and the units of calendars.

use super::local::floor_local;
use super::{DateFormats, timestamp};
use crate::error::{ErrorKind, Result, SearchError};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};

/// Where a moment goes that is said in part or rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the beginning of a unit.
    Down,
    /// To the end of a unit.
    Up,
}

/// The moment that a text means, with date math.
pub fn parse_math(
    text: &str,
    formats: &DateFormats,
    zone: &TimeZone,
    now_ms: i64,
    rounding: Rounding,
) -> Result<i64> {
    let failed = || match text.is_empty() {
        true => SearchError::new(ErrorKind::Date, "cannot parse empty date"),
        false => SearchError::new(ErrorKind::Date, format!("failed to parse date field [{text}]")),
    };
    let (mut moment, math) = match text.strip_prefix("now") {
        Some(math) => (now_ms, math),
        None => match text.split_once("||") {
            Some((anchor, math)) => {
                let read = formats.read(anchor, zone, Rounding::Down).ok_or_else(failed)?;
                (read, math)
            }
            None => (formats.read(text, zone, rounding).ok_or_else(failed)?, ""),
        },
    };
    let mut rest = math;
    while let Some(operator) = rest.chars().next() {
        rest = &rest[operator.len_utf8()..];
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = match (operator, count) {
            (_, 0) => 1,
            ('/', _) if &rest[..count] != "1" => return Err(failed()),
            _ => rest[..count].parse().map_err(|_| failed())?,
        };
        rest = &rest[count..];
        let unit = rest.chars().next().ok_or_else(failed)?;
        rest = &rest[unit.len_utf8()..];
        moment = match operator {
            // Quarters are units of histograms alone.
            _ if unit == 'q' => None,
            '+' => add_unit(moment, unit, number, zone),
            '-' => add_unit(moment, unit, -number, zone),
            '/' if rounding == Rounding::Down => floor_unit(moment, unit, zone),
            '/' => floor_unit(moment, unit, zone)
                .and_then(|floor| add_unit(floor, unit, 1, zone))
                .and_then(|next| next.checked_sub(1)),
            _ => None,
        }
        .ok_or_else(failed)?;
    }
    Ok(moment)
}

/// `number` units of the calendar later: `y`, `q`, `M`, `w`, `d`, `h` or `H`, `m`, `s`.
pub fn add_unit(ms: i64, unit: char, number: i64, zone: &TimeZone) -> Option<i64> {
    let at = timestamp(ms).to_zoned(zone.clone());
    // A span of any size is made, or none.
    let span = match unit {
        'y' => jiff::Span::new().try_years(number),
        'q' => jiff::Span::new().try_months(number.checked_mul(3)?),
        'M' => jiff::Span::new().try_months(number),
        'w' => jiff::Span::new().try_weeks(number),
        'd' => jiff::Span::new().try_days(number),
        'h' | 'H' => jiff::Span::new().try_hours(number),
        'm' => jiff::Span::new().try_minutes(number),
        's' => jiff::Span::new().try_seconds(number),
        _ => return None,
    };
    Some(at.checked_add(span.ok()?).ok()?.timestamp().as_millisecond())
}

/// The beginning of the unit in which a moment lies.
pub fn floor_unit(ms: i64, unit: char, zone: &TimeZone) -> Option<i64> {
    let at = timestamp(ms).to_zoned(zone.clone());
    let day = at.start_of_day().ok()?;
    let floor: Zoned = match unit {
        'y' => day.first_of_year().ok()?.start_of_day().ok()?,
        'M' => day.first_of_month().ok()?.start_of_day().ok()?,
        'q' => {
            let back = (day.month() - 1) % 3;
            let first = day.first_of_month().ok()?;
            first
                .checked_sub(i64::from(back).months())
                .ok()?
                .start_of_day()
                .ok()?
        }
        'w' => {
            let back = i64::from(day.weekday().to_monday_zero_offset());
            day.checked_sub(back.days()).ok()?.start_of_day().ok()?
        }
        'd' => day,
        'h' | 'H' => return Some(floor_local(ms, 3_600_000, zone)),
        'm' => return Some(floor_local(ms, 60_000, zone)),
        's' => return Some(floor_local(ms, 1000, zone)),
        _ => return None,
    };
    Some(floor.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn math(text: &str, rounding: Rounding) -> i64 {
        // 2020-02-29T12:34:56Z
        let now = 1_582_979_696_000;
        parse_math(text, &DateFormats::default(), &TimeZone::UTC, now, rounding).expect("a date")
    }

    #[test]
    fn units_are_added_and_rounded_from_left_to_right() {
        assert_eq!(math("now/d", Rounding::Down), 1_582_934_400_000);
        assert_eq!(math("now/d", Rounding::Up), 1_583_020_799_999);
        assert_eq!(math("now-1d/d", Rounding::Down), 1_582_848_000_000);
        assert_eq!(math("2020-01-01||+1M/M", Rounding::Down), 1_580_515_200_000);
        assert_eq!(math("2020-02||/M", Rounding::Up), 1_583_020_799_999);
        assert_eq!(math("now/1d", Rounding::Down), math("now/d", Rounding::Down));
    }

    #[test]
    fn missing_parts_of_a_date_are_rounded_down_or_up() {
        assert_eq!(math("2020", Rounding::Down), 1_577_836_800_000);
        assert_eq!(math("2020", Rounding::Up), 1_577_923_199_999);
        assert_eq!(math("2020-03", Rounding::Up), 1_583_107_199_999);
        assert_eq!(math("2020-03-15T12", Rounding::Up), 1_584_277_199_999);
    }

    #[test]
    fn no_moment_is_too_far_to_be_rounded_or_refused() {
        let east = TimeZone::fixed(jiff::tz::offset(14));
        for ms in [i64::MIN, i64::MIN + 1, -1, i64::MAX - 1, i64::MAX] {
            for unit in ['y', 'q', 'M', 'w', 'd', 'h', 'm', 's'] {
                for zone in [&TimeZone::UTC, &east] {
                    floor_unit(ms, unit, zone);
                    for number in [i64::MIN, -1, 1, i64::MAX] {
                        add_unit(ms, unit, number, zone);
                    }
                }
                let (text, formats) = (format!("{ms}||+1{unit}/{unit}"), DateFormats::default());
                let _ = parse_math(&text, &formats, &TimeZone::UTC, 0, Rounding::Up);
            }
        }
        assert_eq!(floor_unit(i64::MIN, 'h', &TimeZone::UTC), None);
        let hour = i64::MAX - i64::MAX % 3_600_000;
        assert_eq!(floor_unit(i64::MAX, 'h', &TimeZone::UTC), Some(hour));
    }

    #[test]
    fn malformed_dates_are_refused() {
        for text in [
            "yesterday",
            "now+1x",
            "now/",
            "now//d",
            "now/2d",
            "now/q",
            "now-1q",
            "now+9223372036854775807d",
            "now-9223372036854775807y",
            "now+9223372036854775808s",
            "now+9223372036854775807q",
            "1e300",
        ] {
            let read = parse_math(text, &DateFormats::default(), &TimeZone::UTC, 0, Rounding::Down);
            assert!(read.is_err(), "{text}");
        }
    }
}
