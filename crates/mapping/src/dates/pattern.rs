//! Patterns of Java's `DateTimeFormatter`: the letters that dates in logs are made of.

use super::Rounding;
use super::locale::Locale;
use super::parts::Parts;
use crate::error::{Result, SearchError};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// A letter and how often it stands there.
    Letter(char, usize),
    /// What a text may have or not: `[...]`.
    Optional(Vec<Piece>),
}

/// A pattern that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Piece>);

const LETTERS: &str = "GuyYDMLdQqwEecaKkhHmsSAnNXxZzVO";
/// Those that stand for digits.
const NUMBERS: &str = "uyYDMLdQqweckKhHmsSAnN";
/// How often a letter may stand in a row, as in Java: numbers are written with as many digits, and none has more.
const LETTERS_MAX: usize = 19;
/// Optional parts within each other at most.
const OPTIONAL_MAX: usize = 10;

/// Reads a pattern.
struct Reader<'p> {
    text: &'p str,
    rest: Peekable<Chars<'p>>,
}

impl Reader<'_> {
    fn invalid(&self, why: &str) -> SearchError {
        SearchError::illegal(format!("Invalid format: [{}]: {why}", self.text))
    }

    /// The pieces up to the end, or to the end of the part that is optional.
    fn pieces(&mut self, depth: usize) -> Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        while let Some(c) = self.rest.next() {
            pieces.push(match c {
                '\'' => self.literal()?,
                '[' if depth < OPTIONAL_MAX => Piece::Optional(self.pieces(depth + 1)?),
                '[' => return Err(self.invalid("too many optional parts within each other")),
                ']' if depth > 0 => return Ok(pieces),
                ']' => return Err(self.invalid("Pattern invalid as it contains ] without previous [")),
                '{' | '}' | '#' => {
                    return Err(self.invalid(&format!("Pattern includes reserved character: '{c}'")));
                }
                letter if letter.is_ascii_alphabetic() => self.letter(letter)?,
                other => Piece::Literal(other.to_string()),
            });
        }
        Ok(pieces)
    }

    fn literal(&mut self) -> Result<Piece> {
        let mut literal = String::new();
        loop {
            match self.rest.next() {
                Some('\'') if self.rest.peek() == Some(&'\'') => {
                    self.rest.next();
                    literal.push('\'');
                }
                Some('\'') => break,
                Some(c) => literal.push(c),
                None => return Err(self.invalid("Pattern ends with an incomplete string literal")),
            }
        }
        Ok(Piece::Literal(if literal.is_empty() {
            "'".to_owned()
        } else {
            literal
        }))
    }

    fn letter(&mut self, letter: char) -> Result<Piece> {
        if !LETTERS.contains(letter) {
            return Err(self.invalid(&format!("Unknown pattern letter: {letter}")));
        }
        let mut count = 1;
        while self.rest.next_if_eq(&letter).is_some() {
            count += 1;
        }
        match count > LETTERS_MAX {
            true => Err(self.invalid(&format!("Too many pattern letters: {letter}"))),
            false => Ok(Piece::Letter(letter, count)),
        }
    }
}

/// Takes what pieces stand for in front of a text.
fn take<'t>(pieces: &[Piece], parts: &mut Parts, text: &'t str, locale: Locale) -> Option<&'t str> {
    let mut rest = text;
    for (at, piece) in pieces.iter().enumerate() {
        let next_is_digit =
            matches!(pieces.get(at + 1), Some(Piece::Letter(letter, _)) if NUMBERS.contains(*letter));
        rest = match piece {
            Piece::Literal(literal) => rest.strip_prefix(literal.as_str())?,
            Piece::Letter(letter, count) => parts.take(*letter, *count, rest, (next_is_digit, locale))?,
            Piece::Optional(inner) => {
                let mut tried = parts.clone();
                match take(inner, &mut tried, rest, locale) {
                    Some(behind) => {
                        *parts = tried;
                        behind
                    }
                    None => rest,
                }
            }
        };
    }
    Some(rest)
}

/// Whether months or days stand there by their names.
fn has_names(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Literal(_) => false,
        Piece::Letter('E', _) => true,
        Piece::Letter(letter, count) => "MLec".contains(*letter) && *count >= 3,
        Piece::Optional(inner) => has_names(inner),
    })
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Pattern> {
        let mut reader = Reader {
            text,
            rest: text.chars().peekable(),
        };
        Ok(Pattern(reader.pieces(0)?))
    }

    /// Whether the language of a text counts.
    pub(super) fn has_names(&self) -> bool {
        has_names(&self.0)
    }

    /// The moment that a text means; what it does not say is the least or, rounded up, the most that it can be.
    pub(super) fn read(
        &self,
        text: &str,
        zone: &TimeZone,
        (rounding, locale): (Rounding, Locale),
    ) -> Option<i64> {
        let mut parts = Parts::default();
        let rest = take(&self.0, &mut parts, text, locale)?;
        rest.is_empty().then(|| parts.moment(zone, rounding)).flatten()
    }

    /// Writes the moment that is `years` after this one.
    pub(super) fn write(&self, (at, years): (Timestamp, i16), zone: &TimeZone, locale: Locale) -> String {
        let writer = Writer {
            at: &at.to_zoned(zone.clone()),
            years,
            locale,
        };
        let mut out = String::new();
        writer.write(&self.0, &mut out);
        out
    }
}

/// Writes the moment that is `years` after this one.
struct Writer<'w> {
    at: &'w jiff::Zoned,
    years: i16,
    locale: Locale,
}

impl Writer<'_> {
    fn write(&self, pieces: &[Piece], out: &mut String) {
        for piece in pieces {
            match piece {
                Piece::Literal(literal) => out.push_str(literal),
                Piece::Letter(letter, count) => self.letter(*letter, *count, out),
                Piece::Optional(inner) => self.write(inner, out),
            }
        }
    }

    fn letter(&self, letter: char, count: usize, out: &mut String) {
        let at = self.at;
        let year = match letter {
            'Y' => at.date().iso_week_date().year() + self.years,
            _ => at.year() + self.years,
        };
        match letter {
            'y' | 'u' | 'Y' if count == 2 => out.push_str(&format!("{:02}", year.rem_euclid(100))),
            'y' | 'u' | 'Y' => out.push_str(&format!("{year:0count$}")),
            'G' => out.push_str(if year > 0 { "AD" } else { "BC" }),
            'M' | 'L' if count >= 3 => {
                let place = usize::from(at.month().unsigned_abs().clamp(1, 12)) - 1;
                out.push_str(self.locale.months(count == 3)[place]);
            }
            'E' | 'e' | 'c' if count >= 3 || letter == 'E' => {
                let place = usize::from(at.weekday().to_monday_zero_offset().unsigned_abs());
                out.push_str(self.locale.days(count <= 3)[place]);
            }
            'Q' | 'q' if count >= 3 => out.push_str(&format!("Q{}", (at.month() + 2) / 3)),
            'a' => out.push_str(if at.hour() < 12 { "AM" } else { "PM" }),
            'S' => {
                let nanos = format!("{:09}", at.subsec_nanosecond());
                out.push_str(&nanos[..count.min(9)]);
            }
            'X' if at.offset() == Offset::UTC => out.push('Z'),
            'X' | 'x' | 'Z' => out.push_str(&offset_text(at.offset(), count, letter)),
            'O' if at.offset() == Offset::UTC => out.push_str("GMT"),
            'O' => out.push_str(&format!("GMT{}", offset_text(at.offset(), 3, 'x'))),
            'z' | 'V' => out.push_str(at.time_zone().iana_name().unwrap_or("Z")),
            _ => out.push_str(&format!("{:0count$}", self.number(letter))),
        }
    }

    /// The number that a letter stands for.
    fn number(&self, letter: char) -> i64 {
        let at = self.at;
        let hour = i64::from(at.hour());
        let seconds = hour * 3600 + i64::from(at.minute()) * 60 + i64::from(at.second());
        let nanos = i64::from(at.subsec_nanosecond());
        match letter {
            'M' | 'L' => at.month().into(),
            'Q' | 'q' => i64::from((at.month() + 2) / 3),
            'd' => at.day().into(),
            'D' => at.day_of_year().into(),
            'w' => at.date().iso_week_date().week().into(),
            'e' | 'c' => at.weekday().to_monday_one_offset().into(),
            'H' => hour,
            'k' => (hour + 23) % 24 + 1,
            'K' => hour % 12,
            'h' => (hour + 11) % 12 + 1,
            'm' => at.minute().into(),
            's' => at.second().into(),
            'n' => nanos,
            'N' => seconds * 1_000_000_000 + nanos,
            _ => seconds * 1000 + nanos / 1_000_000,
        }
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

#[cfg(test)]
mod tests {
    use crate::dates::{DateFormats, Rounding};
    use jiff::tz::TimeZone;

    fn read(formats: &str, text: &str) -> Option<i64> {
        let formats = DateFormats::parse(formats).expect("a format");
        formats.read(text, &TimeZone::UTC, Rounding::Down)
    }

    #[test]
    fn weeks_belong_to_years_of_their_own() {
        for (format, text) in [
            ("week_date", "2020-W53-5"),
            ("basicWeekDate", "2020W535"),
            ("weekyear_week_day", "2020-W53-5"),
        ] {
            // The first of January 2021.
            assert_eq!(read(format, text), Some(1_609_459_200_000), "{format}");
            let formats = DateFormats::parse(format).expect("a format");
            assert_eq!(formats.write(1_609_459_200_000, &TimeZone::UTC), text);
        }
        assert_eq!(read("weekyear_week", "2021-W01"), Some(1_609_718_400_000));
        // Months are none of that year.
        assert_eq!(read("YYYY-MM-dd", "2021-01-01"), None);
        let day = DateFormats::parse("e").expect("a format");
        assert_eq!(day.write(1_609_459_200_000, &TimeZone::UTC), "5");
    }

    #[test]
    fn parts_in_brackets_may_be_missing() {
        let format = "yyyy-MM-dd[ HH:mm[:ss]]";
        for (text, ms) in [
            ("1970-01-01", Some(0)),
            ("1970-01-01 01:00", Some(3_600_000)),
            ("1970-01-01 01:00:01", Some(3_601_000)),
            ("1970-01-01 01", None),
        ] {
            assert_eq!(read(format, text), ms, "{text}");
        }
        let formats = DateFormats::parse(format).expect("a format");
        assert_eq!(formats.write(0, &TimeZone::UTC), "1970-01-01 00:00:00");
        for wrong in ["yyyy]", "yyyy{", "yyyy#"] {
            assert!(DateFormats::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn letters_stand_for_what_java_says() {
        let ms = 1_600_000_000_123;
        for (format, text) in [
            ("k:mm", "12:26"),
            ("K", "0"),
            ("Q", "3"),
            ("QQQ", "Q3"),
            ("LLL", "Sep"),
            ("n", "123000000"),
            ("N", "44800123000000"),
            ("A", "44800123"),
            ("w", "37"),
            ("O", "GMT"),
            ("G", "AD"),
        ] {
            let formats = DateFormats::parse(format).expect("a format");
            assert_eq!(formats.write(ms, &TimeZone::UTC), text, "{format}");
        }
        let day = 1_599_955_200_000;
        assert_eq!(read("yyyyDDD A", "2020257 44800123"), Some(ms));
        assert_eq!(read("yyyy-MM-dd N", "2020-09-13 44800123000000"), Some(ms));
        assert_eq!(read("yyyy-MM-dd kk", "2020-09-13 24"), Some(day));
        assert_eq!(read("G yyyy", "AD 1970"), Some(0));
    }
}
