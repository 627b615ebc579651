//! Dates out of text: ISO 8601 and its usual variations, or a given format.

use super::format::MONTHS;
use super::{Civil, Zone};
use value::date::days_of_month;

/// Why a text is not a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotADate(pub(crate) String);

fn wrong<T>(why: impl Into<String>) -> Result<T, NotADate> {
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
    /// So many digits at least and at most.
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

    /// Takes blanks, if there are any.
    fn take_blanks(&mut self) -> bool {
        let before = self.rest.len();
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        self.rest.len() < before
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
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

    /// Digits after a point, as milliseconds; further digits are dropped.
    fn milliseconds(&mut self) -> Option<i64> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        let (fraction, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let three: String = fraction.chars().chain("00".chars()).take(3).collect();
        three.parse().ok()
    }

    /// `Z`, `+05`, `+0530`, `+05:30`.
    fn offset(&mut self) -> Option<i64> {
        if self.take('Z') || self.take('z') {
            return Some(0);
        }
        let sign = if self.take('+') {
            1
        } else if self.take('-') {
            -1
        } else {
            return None;
        };
        let hours = self.number(1, 2)?;
        let colon = self.take(':');
        let minutes = match self.number(2, 2) {
            Some(minutes) => minutes,
            None if colon => return None,
            None => 0,
        };
        Some(sign * (hours * 60 + minutes) * 60_000)
    }

    fn month_name(&mut self) -> Option<i64> {
        let word = self.word().to_lowercase();
        let at = MONTHS.iter().position(|month| {
            let month = month.to_lowercase();
            month == word || (word.len() == 3 && month.starts_with(&word))
        })?;
        Some(at as i64 + 1)
    }
}

/// What C's `isspace` takes for white space, which may stand around a date.
const SPACES: [char; 6] = [' ', '\t', '\n', '\u{b}', '\u{c}', '\r'];

/// The moment that a text in no particular format means. A text with a zone of its own needs none besides.
pub fn parse_text(text: &str, zone: Option<&Zone>) -> Result<i64, NotADate> {
    let mut cursor = Cursor {
        rest: text.trim_matches(SPACES),
    };
    let mut fields = Fields::default();
    if read_date(&mut cursor, &mut fields).is_none() {
        return wrong("Unexpected character");
    }
    if cursor.take('T') || cursor.take('t') || cursor.take_blanks() {
        cursor.take_blanks();
        if cursor.peek().is_some_and(|c| c.is_ascii_digit()) && read_time(&mut cursor, &mut fields).is_none()
        {
            return wrong("Unexpected character");
        }
    }
    cursor.take_blanks();
    let named = read_zone(&mut cursor, &mut fields)?;
    if !cursor.rest.is_empty() {
        return wrong("Trailing data");
    }
    if (fields.offset_ms.is_some() || named.is_some()) && zone.is_some() {
        return wrong(
            "you cannot pass in a date/time string with time zone information together with a timezone argument",
        );
    }
    fields.moment(named.as_ref().or(zone).unwrap_or(&Zone::UTC))
}

fn read_date(cursor: &mut Cursor<'_>, fields: &mut Fields) -> Option<()> {
    if cursor.peek()?.is_ascii_alphabetic() {
        // "July 4th, 2018", "Jul 4 2018"
        fields.month = Some(cursor.month_name()?);
        while cursor.take(' ') || cursor.take('-') {}
        fields.day = Some(cursor.number(1, 2)?);
        if matches!(cursor.rest.get(..2), Some("st" | "nd" | "rd" | "th")) {
            cursor.rest = &cursor.rest[2..];
        }
        while cursor.take(' ') || cursor.take(',') || cursor.take('-') {}
        fields.year = Some(cursor.number(4, 4)?);
        return Some(());
    }
    let digits = cursor.rest.bytes().take_while(u8::is_ascii_digit).count();
    match digits {
        4 => {
            let year = cursor.number(4, 4)?;
            let slash = cursor.peek() == Some('/');
            if !(cursor.take('-') || cursor.take('/')) {
                return None;
            }
            if cursor.take('W') {
                fields.iso_year = Some(year);
                fields.iso_week = Some(cursor.number(2, 2)?);
                fields.iso_day = Some(if cursor.take('-') { cursor.number(1, 1)? } else { 1 });
                return Some(());
            }
            fields.year = Some(year);
            fields.month = Some(if cursor.peek()?.is_ascii_alphabetic() {
                cursor.month_name()?
            } else {
                cursor.number(1, 2)?
            });
            let separator = if slash { '/' } else { '-' };
            fields.day = Some(if cursor.take(separator) {
                cursor.number(1, 2)?
            } else {
                1
            });
        }
        8 => {
            fields.year = Some(cursor.number(4, 4)?);
            fields.month = Some(cursor.number(2, 2)?);
            fields.day = Some(cursor.number(2, 2)?);
        }
        1 | 2 => read_short_date(cursor, fields)?,
        _ => return None,
    }
    Some(())
}

/// `7/4/2018` (month first), `04-07-2018`, `4.7.2018` (day first), `4 July 2018`.
fn read_short_date(cursor: &mut Cursor<'_>, fields: &mut Fields) -> Option<()> {
    let first = cursor.number(1, 2)?;
    let separator = cursor.peek()?;
    cursor.take(separator);
    if cursor.peek()?.is_ascii_alphabetic() {
        fields.day = Some(first);
        fields.month = Some(cursor.month_name()?);
        while cursor.take(separator) || cursor.take(',') {}
        fields.year = Some(cursor.number(4, 4)?);
        return Some(());
    }
    let second = cursor.number(1, 2)?;
    if !cursor.take(separator) {
        return None;
    }
    fields.year = Some(cursor.number(4, 4)?);
    (fields.month, fields.day) = match separator {
        '/' => (Some(first), Some(second)),
        '-' | '.' => (Some(second), Some(first)),
        _ => return None,
    };
    Some(())
}

fn read_time(cursor: &mut Cursor<'_>, fields: &mut Fields) -> Option<()> {
    fields.hour = cursor.number(1, 2)?;
    if cursor.take(':') {
        fields.minute = cursor.number(2, 2)?;
        if cursor.take(':') {
            fields.second = cursor.number(2, 2)?;
            if cursor.take('.') || cursor.take(',') {
                fields.millisecond = cursor.milliseconds()?;
            }
        }
    }
    let before = cursor.rest;
    cursor.take_blanks();
    match cursor.rest.get(..2).map(str::to_lowercase).as_deref() {
        Some("am") => fields.hour %= 12,
        Some("pm") => fields.hour = fields.hour % 12 + 12,
        _ => {
            cursor.rest = before;
            return Some(());
        }
    }
    cursor.rest = &cursor.rest[2..];
    Some(())
}

/// An offset, or the name of a zone.
fn read_zone(cursor: &mut Cursor<'_>, fields: &mut Fields) -> Result<Option<Zone>, NotADate> {
    match cursor.peek() {
        None => Ok(None),
        Some('Z' | 'z' | '+' | '-') => {
            fields.offset_ms = cursor.offset();
            if fields.offset_ms.is_none() {
                return wrong("Unexpected character");
            }
            Ok(None)
        }
        Some(c) if c.is_ascii_alphabetic() => {
            let name = std::mem::take(&mut cursor.rest);
            match name {
                "UTC" | "GMT" | "utc" | "gmt" => {
                    fields.offset_ms = Some(0);
                    Ok(None)
                }
                _ => match Zone::parse(name) {
                    Ok(zone) => Ok(Some(zone)),
                    Err(_) => wrong("The timezone could not be found in the database"),
                },
            }
        }
        Some(_) => wrong("Unexpected character"),
    }
}

/// The moment that a text in a given format means.
pub fn parse_with_format(text: &str, format: &str, zone: Option<&Zone>) -> Result<i64, NotADate> {
    let mut cursor = Cursor { rest: text };
    let mut fields = Fields::default();
    let mut conversions = format.chars();
    while let Some(next) = conversions.next() {
        let read = match next {
            '%' => read_conversion(&mut cursor, &mut fields, conversions.next().unwrap_or('%')),
            ' ' => {
                let any = cursor.peek() == Some(' ');
                while cursor.take(' ') {}
                any.then_some(())
            }
            literal => cursor.take(literal).then_some(()),
        };
        if read.is_none() {
            return wrong("The format does not match the date string");
        }
    }
    if !cursor.rest.is_empty() {
        return wrong("Trailing data");
    }
    if fields.offset_ms.is_some() && zone.is_some() {
        return wrong(
            "you cannot pass in a date/time string with GMT offset together with a timezone argument",
        );
    }
    fields.moment(zone.unwrap_or(&Zone::UTC))
}

fn read_conversion(cursor: &mut Cursor<'_>, fields: &mut Fields, conversion: char) -> Option<()> {
    match conversion {
        'Y' => fields.year = Some(cursor.number(4, 4)?),
        'm' => fields.month = Some(cursor.number(1, 2)?),
        'd' => fields.day = Some(cursor.number(1, 2)?),
        'H' => fields.hour = cursor.number(1, 2)?,
        'M' => fields.minute = cursor.number(1, 2)?,
        'S' => fields.second = cursor.number(1, 2)?,
        'L' => fields.millisecond = cursor.milliseconds()?,
        'G' => fields.iso_year = Some(cursor.number(4, 4)?),
        'V' => fields.iso_week = Some(cursor.number(1, 2)?),
        'u' => fields.iso_day = Some(cursor.number(1, 1)?),
        'j' => fields.day_of_year = Some(cursor.number(1, 3)?),
        'b' | 'B' => fields.month = Some(cursor.month_name()?),
        'z' => fields.offset_ms = Some(cursor.offset()?),
        'Z' => {
            let negative = cursor.take('-');
            if !negative {
                cursor.take('+');
            }
            let minutes = cursor.number(1, 4)?;
            fields.offset_ms = Some(if negative { -minutes } else { minutes } * 60_000);
        }
        '%' => return cursor.take('%').then_some(()),
        _ => return None,
    }
    Some(())
}

impl Fields {
    fn moment(self, zone: &Zone) -> Result<i64, NotADate> {
        let mut civil = self.day()?;
        let in_range = self.hour < 24 && self.minute < 60 && self.second < 60
            || (self.hour == 24 && self.minute == 0 && self.second == 0 && self.millisecond == 0);
        if !in_range {
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
        if let (Some(year), Some(week)) = (self.iso_year, self.iso_week) {
            let day = self.iso_day.unwrap_or(1);
            if !(1..=53).contains(&week) || !(1..=7).contains(&day) {
                return wrong("The parsed date was invalid");
            }
            return Ok(Civil::from_iso_week(year, week, day));
        }
        if let (Some(year), None) = (self.iso_year, self.year) {
            return Ok(Civil::from_iso_week(year, 1, self.iso_day.unwrap_or(1)));
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
