//! Parsing dates in a given format.

use super::format::month_of;
use super::free::zone_at;
use super::{Civil, Zone};
use value::date::days_of_month;

/// The most digits of minutes: more than the farthest moment has, and few enough for 64 bits of milliseconds.
const MINUTES_DIGITS_MAX: usize = 12;

/// Why a text is not a date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotADate(pub(crate) String);

pub(super) fn wrong<T>(why: impl Into<String>) -> Result<T, NotADate> {
    Err(NotADate(why.into()))
}

/// What has been read so far.
#[derive(Clone, Copy, Debug, Default)]
struct Fields {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    millisecond: i64,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    iso_day: Option<i64>,
    day_of_year: Option<i64>,
    offset_ms: Option<i64>,
}

/// A text that is read from the front.
struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    /// A number of `least` to `most` digits.
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let digits = self
            .rest
            .bytes()
            .take(most)
            .take_while(u8::is_ascii_digit)
            .count();
        if digits < least {
            return None;
        }
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        number.parse().ok()
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// The next number of up to `most` digits, skipping whatever is before it, as timelib does for the parts of a week.
    fn number_ahead(&mut self, most: usize) -> Option<i64> {
        let start = self.rest.find(|c: char| c.is_ascii_digit())?;
        self.rest = &self.rest[start..];
        self.number(1, most)
    }

    /// A run of letters.
    fn word(&mut self) -> &'t str {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Up to three digits after a point, as milliseconds.
    fn milliseconds(&mut self) -> Option<i64> {
        let before = self.rest.len();
        let number = self.number(1, 3)?;
        let scale = match before - self.rest.len() {
            1 => 100,
            2 => 10,
            _ => 1,
        };
        Some(number * scale)
    }

    /// A zone in one of its forms: `Z`, `+05`, `+0530`, `GMT+05:30`, `CEST`.
    fn offset(&mut self) -> Option<i64> {
        let (offset_ms, rest) = zone_at(self.rest)?;
        self.rest = rest;
        Some(offset_ms)
    }

    /// Minutes ahead of UTC, with their sign, as milliseconds.
    fn offset_minutes(&mut self) -> Option<i64> {
        let sign = match (self.take('+'), self.take('-')) {
            (true, false) => 1,
            (false, true) => -1,
            _ => return None,
        };
        let minutes = match self.peek() {
            Some(digit) if digit.is_ascii_digit() => self.number(1, MINUTES_DIGITS_MAX)?,
            // A sign alone stands for UTC.
            _ => 0,
        };
        Some(sign * minutes * 60_000)
    }

    fn month_name(&mut self) -> Option<i64> {
        Some(month_of(self.word())? as i64 + 1)
    }
}

/// The moment of a text in a given format.
pub fn parse_with_format(text: &str, format: &str, zone: Option<&Zone>) -> Result<i64, NotADate> {
    let mut cursor = Cursor { rest: text };
    let mut fields = Fields::default();
    let mut conversions = format.chars();
    while let Some(next) = conversions.next() {
        let read = match next {
            '%' => read_conversion(&mut cursor, &mut fields, conversions.next().unwrap_or('%')),
            literal => cursor.take(literal).then_some(()),
        };
        if read.is_none() {
            return wrong("The format does not match the date string");
        }
    }
    if !cursor.rest.is_empty() {
        return wrong("Trailing data");
    }
    if fields.offset_ms.is_some() && zone.is_some_and(|zone| !matches!(zone, Zone::Fixed(0))) {
        return wrong(
            "you cannot pass in a date/time string with GMT offset together with a timezone argument",
        );
    }
    fields.moment(zone.unwrap_or(&Zone::UTC))
}

fn read_conversion(cursor: &mut Cursor<'_>, fields: &mut Fields, conversion: char) -> Option<()> {
    match conversion {
        'Y' => fields.year = Some(cursor.number(1, 4)?),
        'm' => fields.month = Some(cursor.number(1, 2)?),
        'd' => fields.day = Some(cursor.number(1, 2)?),
        'H' => fields.hour = cursor.number(1, 2)?,
        'M' => fields.minute = cursor.number(2, 2)?,
        'S' => fields.second = cursor.number(2, 2)?,
        'L' => fields.millisecond = cursor.milliseconds()?,
        'G' => fields.iso_year = Some(cursor.number_ahead(4)?),
        'V' => fields.iso_week = Some(cursor.number_ahead(2)?),
        'u' => fields.iso_day = Some(cursor.number_ahead(1)?),
        // A day of the year is an error before its year was read.
        'j' => {
            fields.year?;
            fields.day_of_year = Some(cursor.number(1, 3)?);
        }
        'b' | 'B' => fields.month = Some(cursor.month_name()?),
        'z' => fields.offset_ms = Some(cursor.offset()?),
        'Z' => fields.offset_ms = Some(cursor.offset_minutes()?),
        '%' => return cursor.take('%').then_some(()),
        _ => return None,
    }
    Some(())
}

impl Fields {
    fn moment(self, zone: &Zone) -> Result<i64, NotADate> {
        let mut civil = self.day()?;
        if self.hour >= 24 || self.minute >= 60 || self.second >= 60 {
            return wrong("The parsed time was invalid");
        }
        civil.hour = self.hour;
        civil.minute = self.minute;
        civil.second = self.second;
        civil.millisecond = self.millisecond;
        let moment = match self.offset_ms {
            Some(offset) => Zone::Fixed(offset).moment(civil),
            None => zone.moment(civil),
        };
        moment.ok_or_else(|| NotADate("The parsed date was invalid".to_owned()))
    }

    fn day(self) -> Result<Civil, NotADate> {
        let natural = [self.year, self.month, self.day, self.day_of_year];
        let weeks = [self.iso_year, self.iso_week, self.iso_day];
        if natural.iter().any(Option::is_some) && weeks.iter().any(Option::is_some) {
            return wrong("Mixing of ISO dates with natural dates is not allowed");
        }
        if let Some(year) = self.iso_year {
            let (week, day) = (self.iso_week.unwrap_or(1), self.iso_day.unwrap_or(1));
            if !(1..=53).contains(&week) || !(1..=7).contains(&day) {
                return wrong("The parsed date was invalid");
            }
            return Ok(Civil::from_iso_week(year, week, day));
        }
        let Some(year) = self.year else {
            return wrong("an incomplete date/time string has been found");
        };
        if let Some(day) = self.day_of_year {
            // MongoDB counts the days of `%j` from 0.
            return Ok(Civil::midnight(year, 1, day + 1));
        }
        let (Some(month), Some(day)) = (self.month, self.day) else {
            return wrong("an incomplete date/time string has been found, with elements missing");
        };
        if !(1..=days_of_month(year, month)).contains(&day) {
            return wrong("The parsed date was invalid");
        }
        Ok(Civil::midnight(year, month, day))
    }
}
