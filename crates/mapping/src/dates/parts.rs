//! What a text says of a moment, read by the letters of a pattern.

use super::locale::Locale;
use super::{CYCLE_MS, CYCLE_YEARS, Rounding, offset};
use jiff::civil::{Date, DateTime, ISOWeekDate, Time, Weekday};
use jiff::tz::TimeZone;

/// What a text said.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) year: Option<i16>,
    /// The year whose weeks are counted.
    week_year: Option<i16>,
    week: Option<i8>,
    /// From Monday, which is 1.
    weekday: Option<i8>,
    /// Whether the year is one before Christ.
    is_before: bool,
    pub(super) month: Option<i8>,
    pub(super) day: Option<i8>,
    day_of_year: Option<i16>,
    pub(super) hour: Option<i8>,
    is_afternoon: Option<bool>,
    pub(super) minute: Option<i8>,
    pub(super) second: Option<i8>,
    pub(super) nanos: Option<i32>,
    zone: Option<TimeZone>,
}

/// The digits in front, from `least` to `most`.
pub(super) fn digits(text: &str, least: usize, most: usize) -> Option<(&str, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    (count >= least).then(|| text.split_at(count))
}

/// Which of several names a text begins with, the longest of them, and what follows.
fn name_of<'t>(names: &[&str], text: &'t str) -> Option<(usize, &'t str)> {
    let begins = |name: &str| {
        let found = text.get(..name.len())?;
        let is_it = || !name.is_ascii() && found.to_lowercase() == name.to_lowercase();
        (found.eq_ignore_ascii_case(name) || is_it()).then_some(name.len())
    };
    let found = names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| Some((begins(name)?, at)));
    let (length, at) = found.max_by_key(|(length, _)| *length)?;
    Some((at, &text[length..]))
}

impl Parts {
    /// Takes what a letter that stands `count` times in a row stands for; `fixed` says that digits of another one follow.
    pub(super) fn take<'t>(
        &mut self,
        letter: char,
        count: usize,
        text: &'t str,
        (fixed, locale): (bool, Locale),
    ) -> Option<&'t str> {
        let most = |usual: usize| if fixed || count >= 2 { count.max(1) } else { usual };
        match letter {
            'y' | 'u' | 'Y' => self.take_year(letter, count, text, fixed),
            'M' | 'L' if count >= 3 => {
                let (at, rest) = name_of(locale.months(count == 3), text)?;
                self.month = Some(at as i8 + 1);
                Some(rest)
            }
            'E' | 'e' | 'c' if count >= 3 || letter == 'E' => {
                let (at, rest) = name_of(locale.days(count <= 3), text)?;
                self.weekday = Some(at as i8 + 1);
                Some(rest)
            }
            'M' | 'L' | 'd' | 'H' | 'h' | 'K' | 'k' | 'm' | 's' | 'w' | 'e' | 'c' | 'Q' | 'q' => {
                let (number, rest) = digits(text, count.min(2), most(2))?;
                self.put(letter, number.parse().ok()?);
                Some(rest)
            }
            'D' => {
                let (number, rest) = digits(text, count.min(3), 3)?;
                self.day_of_year = Some(number.parse().ok()?);
                Some(rest)
            }
            'S' => {
                let (fraction, rest) = digits(text, count, count.max(9).min(if fixed { count } else { 9 }))?;
                self.nanos = Some(format!("{fraction:0<9}").parse().ok()?);
                Some(rest)
            }
            'n' | 'N' | 'A' => self.take_fraction(letter, count, text),
            'a' => {
                self.is_afternoon = Some(text.get(..2)?.eq_ignore_ascii_case("pm"));
                text.get(2..)
            }
            'G' => {
                let (at, rest) = name_of(&["AD", "BC"], text)?;
                self.is_before = at == 1;
                Some(rest)
            }
            'O' => self.take_zone(
                text.strip_prefix("GMT")
                    .filter(|rest| !rest.is_empty())
                    .unwrap_or(text),
            ),
            'Z' | 'X' | 'x' | 'z' | 'V' => self.take_zone(text),
            _ => None,
        }
    }

    /// A number of one or two digits.
    fn put(&mut self, letter: char, number: i8) {
        let (part, number) = match letter {
            'M' | 'L' => (&mut self.month, number),
            // The first month of a quarter.
            'Q' | 'q' => (&mut self.month, number.saturating_mul(3).saturating_sub(2)),
            'd' => (&mut self.day, number),
            'm' => (&mut self.minute, number),
            's' => (&mut self.second, number),
            'w' => (&mut self.week, number),
            'e' | 'c' => (&mut self.weekday, number),
            // The hour before the first is the 24th.
            'k' if number == 24 => (&mut self.hour, 0),
            _ => (&mut self.hour, number),
        };
        *part = Some(number);
    }

    /// Nanoseconds of a second, or the time since midnight in nanoseconds or milliseconds.
    fn take_fraction<'t>(&mut self, letter: char, count: usize, text: &'t str) -> Option<&'t str> {
        const SECOND: i64 = 1_000_000_000;
        let (number, rest) = digits(text, count.min(9), 19)?;
        let number: i64 = number.parse().ok()?;
        let nanos = match letter {
            'A' => number.checked_mul(1_000_000)?,
            _ => number,
        };
        self.nanos = Some(i32::try_from(nanos % SECOND).ok()?);
        if letter == 'n' {
            return (nanos < SECOND).then_some(rest);
        }
        let seconds = nanos / SECOND;
        self.hour = Some(i8::try_from(seconds / 3600).ok()?);
        self.minute = Some((seconds / 60 % 60) as i8);
        self.second = Some((seconds % 60) as i8);
        Some(rest)
    }

    fn take_year<'t>(&mut self, letter: char, count: usize, text: &'t str, fixed: bool) -> Option<&'t str> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let most = match count {
            2 => 2,
            count if fixed => count,
            _ => 9,
        };
        let (year, rest) = digits(text, count.min(4), most)?;
        let year: i16 = year.parse().ok()?;
        let year = match (count, negative) {
            (2, _) => 2000 + year,
            (_, true) => -year,
            _ => year,
        };
        match letter {
            'Y' => self.week_year = Some(year),
            _ => self.year = Some(year),
        }
        Some(rest)
    }

    /// Takes an offset or the name of a zone, which ends the text or stands before what is no letter of it.
    pub(super) fn take_zone<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        if let Some(rest) = text.strip_prefix(['Z', 'z']) {
            self.zone = Some(TimeZone::UTC);
            return Some(rest);
        }
        let ends = |c: char| !(c.is_ascii_alphanumeric() || "+-:/_".contains(c));
        let (name, rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
        self.zone = match offset(name) {
            Some(offset) => Some(TimeZone::fixed(offset)),
            None => Some(TimeZone::get(name).ok()?),
        };
        Some(rest)
    }

    fn date(&self) -> Option<Date> {
        if let Some(year) = self.week_year {
            // The year of weeks is none of months.
            if self.month.is_some() || self.day.is_some() {
                return None;
            }
            let weekday = Weekday::from_monday_one_offset(self.weekday.unwrap_or(1)).ok()?;
            let date = ISOWeekDate::new(year, self.week.unwrap_or(1), weekday);
            return Some(date.ok()?.date());
        }
        let year = self.year.unwrap_or(1970);
        let year = if self.is_before { 1 - year } else { year };
        let month = self.month.unwrap_or(1);
        let first = Date::new(year, month, 1).ok()?;
        match (self.day, self.day_of_year) {
            (Some(day), _) => Date::new(year, month, day).ok(),
            (None, Some(day)) => first.with().day_of_year(day).build().ok(),
            // Rounded up too: what ends is the day (7.10's guide, "Range query", "Missing date components").
            (None, None) => Some(first),
        }
    }

    pub(super) fn moment(&self, zone: &TimeZone, rounding: Rounding) -> Option<i64> {
        let up = rounding == Rounding::Up;
        let date = self.date()?;
        let hour = match (self.hour, self.is_afternoon) {
            (Some(hour), Some(is_afternoon)) => hour % 12 + if is_afternoon { 12 } else { 0 },
            (Some(hour), None) => hour,
            (None, _) => {
                if up {
                    23
                } else {
                    0
                }
            }
        };
        let of = |given: Option<i8>| given.unwrap_or(if up { 59 } else { 0 });
        let nanos = self.nanos.unwrap_or(if up { 999_000_000 } else { 0 });
        let time = Time::new(hour, of(self.minute), of(self.second), nanos).ok()?;
        let zone = self.zone.as_ref().unwrap_or(zone);
        let moment = |date: Date| {
            let zoned = zone.to_zoned(DateTime::from_parts(date, time)).ok()?;
            Some(zoned.timestamp().as_millisecond())
        };
        moment(date).or_else(|| {
            let earlier = date.with().year(date.year() - CYCLE_YEARS).build().ok()?;
            Some(moment(earlier)? + CYCLE_MS)
        })
    }
}
