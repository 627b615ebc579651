//! Patterns of Java's `DateTimeFormatter`: the letters that dates in logs are made of.

use super::{CYCLE_MS, CYCLE_YEARS, Rounding, offset};
use crate::error::{Result, SearchError};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use value::civil::{DAYS, MONTHS};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// A letter and how often it stands there.
    Letter(char, usize),
}

/// A pattern that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Piece>);

const LETTERS: &str = "yuMdHhmsSaZXxzEDA";
/// How often a letter may stand in a row, as in Java: numbers are written with as many digits, and none has more.
const LETTERS_MAX: usize = 19;

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Pattern> {
        let invalid = |why: String| SearchError::illegal(format!("Invalid format: [{text}]: {why}"));
        let mut pieces = Vec::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if c == '\'' {
                let mut literal = String::new();
                loop {
                    match rest.next() {
                        Some('\'') if rest.peek() == Some(&'\'') => {
                            rest.next();
                            literal.push('\'');
                        }
                        Some('\'') => break,
                        Some(c) => literal.push(c),
                        None => return Err(invalid("Pattern ends with an incomplete string literal".into())),
                    }
                }
                pieces.push(Piece::Literal(if literal.is_empty() {
                    "'".to_owned()
                } else {
                    literal
                }));
            } else if c.is_ascii_alphabetic() {
                if !LETTERS.contains(c) {
                    return Err(invalid(format!("Unknown pattern letter: {c}")));
                }
                let mut count = 1;
                while rest.next_if_eq(&c).is_some() {
                    count += 1;
                }
                if count > LETTERS_MAX {
                    return Err(invalid(format!("Too many pattern letters: {c}")));
                }
                pieces.push(Piece::Letter(c, count));
            } else {
                pieces.push(Piece::Literal(c.to_string()));
            }
        }
        Ok(Pattern(pieces))
    }

    /// The moment that a text means; what it does not say is the least or, rounded up, the most that it can be.
    pub(super) fn read(&self, text: &str, zone: &TimeZone, rounding: Rounding) -> Option<i64> {
        let mut parts = Parts::default();
        let mut rest = text;
        for (at, piece) in self.0.iter().enumerate() {
            let next_is_digit =
                matches!(self.0.get(at + 1), Some(Piece::Letter(letter, _)) if "yuMdHhmsS".contains(*letter));
            rest = match piece {
                Piece::Literal(literal) => rest.strip_prefix(literal.as_str())?,
                Piece::Letter(letter, count) => parts.take(*letter, *count, rest, next_is_digit)?,
            };
        }
        rest.is_empty().then(|| parts.moment(zone, rounding)).flatten()
    }

    /// Writes the moment that is `years` after this one.
    pub(super) fn write(&self, (at, years): (Timestamp, i16), zone: &TimeZone) -> String {
        let zoned = at.to_zoned(zone.clone());
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Literal(literal) => out.push_str(literal),
                Piece::Letter(letter, count) => write_letter(*letter, *count, (&zoned, years), &mut out),
            }
        }
        out
    }
}

fn write_letter(letter: char, count: usize, (at, years): (&jiff::Zoned, i16), out: &mut String) {
    let year = at.year() + years;
    let number = |value: i64, out: &mut String| out.push_str(&format!("{value:0count$}"));
    match letter {
        'y' | 'u' if count == 2 => out.push_str(&format!("{:02}", year.rem_euclid(100))),
        'y' | 'u' => number(i64::from(year), out),
        'M' if count >= 3 => {
            let name = MONTHS[usize::from(at.month().unsigned_abs().clamp(1, 12)) - 1];
            out.push_str(if count == 3 { &name[..3] } else { name });
        }
        'M' => number(i64::from(at.month()), out),
        'd' => number(i64::from(at.day()), out),
        'D' => number(i64::from(at.day_of_year()), out),
        'H' => number(i64::from(at.hour()), out),
        'h' => number(i64::from((at.hour() + 11) % 12 + 1), out),
        'a' => out.push_str(if at.hour() < 12 { "AM" } else { "PM" }),
        'm' => number(i64::from(at.minute()), out),
        's' => number(i64::from(at.second()), out),
        'S' => {
            let nanos = format!("{:09}", at.subsec_nanosecond());
            out.push_str(&nanos[..count.min(9)]);
        }
        'E' => {
            let name = DAYS[usize::from(at.weekday().to_monday_zero_offset().unsigned_abs())];
            out.push_str(if count <= 3 { &name[..3] } else { name });
        }
        'X' if at.offset() == Offset::UTC => out.push('Z'),
        'X' | 'x' | 'Z' => out.push_str(&offset_text(at.offset(), count, letter)),
        'z' => out.push_str(at.time_zone().iana_name().unwrap_or("Z")),
        'A' => {
            let ms = i64::from(at.hour()) * 3_600_000
                + i64::from(at.minute()) * 60_000
                + i64::from(at.second()) * 1000
                + i64::from(at.millisecond());
            number(ms, out);
        }
        _ => {}
    }
}

pub(super) fn offset_text(at: Offset, count: usize, letter: char) -> String {
    let seconds = at.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes) = (seconds.abs() / 3600, seconds.abs() / 60 % 60);
    let colon = if count >= 3 && letter != 'Z' || count >= 5 {
        ":"
    } else {
        ""
    };
    match count == 1 && letter != 'Z' && minutes == 0 {
        true => format!("{sign}{hours:02}"),
        false => format!("{sign}{hours:02}{colon}{minutes:02}"),
    }
}

/// What a text said.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) year: Option<i16>,
    pub(super) month: Option<i8>,
    pub(super) day: Option<i8>,
    pub(super) day_of_year: Option<i16>,
    pub(super) hour: Option<i8>,
    pub(super) is_afternoon: Option<bool>,
    pub(super) minute: Option<i8>,
    pub(super) second: Option<i8>,
    pub(super) nanos: Option<i32>,
    pub(super) zone: Option<TimeZone>,
}

/// The digits in front, from `least` to `most`.
pub(super) fn digits(text: &str, least: usize, most: usize) -> Option<(&str, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    (count >= least).then(|| text.split_at(count))
}

impl Parts {
    fn take<'t>(&mut self, letter: char, count: usize, text: &'t str, fixed: bool) -> Option<&'t str> {
        let most = |usual: usize| if fixed || count >= 2 { count.max(1) } else { usual };
        match letter {
            'y' | 'u' => self.take_year(count, text, fixed),
            'M' if count >= 3 => self.take_month_name(count, text),
            'E' => {
                let name = DAYS
                    .iter()
                    .find(|name| text.starts_with(if count <= 3 { &name[..3] } else { name }))?;
                text.get(if count <= 3 { 3 } else { name.len() }..)
            }
            'M' | 'd' | 'H' | 'h' | 'm' | 's' => {
                let (number, rest) = digits(text, count.min(2), most(2))?;
                let number: i8 = number.parse().ok()?;
                *match letter {
                    'M' => &mut self.month,
                    'd' => &mut self.day,
                    'm' => &mut self.minute,
                    's' => &mut self.second,
                    _ => &mut self.hour,
                } = Some(number);
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
            'a' => {
                self.is_afternoon = Some(text.get(..2)?.eq_ignore_ascii_case("pm"));
                text.get(2..)
            }
            'Z' | 'X' | 'x' | 'z' => self.take_zone(text),
            _ => None,
        }
    }

    fn take_year<'t>(&mut self, count: usize, text: &'t str, fixed: bool) -> Option<&'t str> {
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
        self.year = Some(match (count, negative) {
            (2, _) => 2000 + year,
            (_, true) => -year,
            _ => year,
        });
        Some(rest)
    }

    fn take_month_name<'t>(&mut self, count: usize, text: &'t str) -> Option<&'t str> {
        let at = MONTHS.iter().position(|name| {
            let name = if count == 3 { &name[..3] } else { name };
            text.get(..name.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(name))
        })?;
        self.month = Some(at as i8 + 1);
        text.get(if count == 3 { 3 } else { MONTHS[at].len() }..)
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

    pub(super) fn moment(&self, zone: &TimeZone, rounding: Rounding) -> Option<i64> {
        let up = rounding == Rounding::Up;
        let year = self.year.unwrap_or(1970);
        let month = self.month.unwrap_or(1);
        let first = Date::new(year, month, 1).ok()?;
        let date = match (self.day, self.day_of_year) {
            (Some(day), _) => Date::new(year, month, day).ok()?,
            (None, Some(day)) => first.with().day_of_year(day).build().ok()?,
            // Rounded up too: what ends is the day (7.10's guide, "Range query", "Missing date components").
            (None, None) => first,
        };
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
