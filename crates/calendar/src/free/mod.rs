//! Parsing dates in no particular format: parts in any order, as timelib, and therefore MongoDB, reads them.
//!
//! `WED jan 31 12:05:28 +03:30 1996` is a weekday, a day with its time and zone, and a year. A text with two dates,
//! times or zones, or with anything else, is not a date.

mod distance;
mod formats;
mod iso;
mod zones;

use super::parse::{NotADate, wrong};
use super::{Civil, Zone};
use distance::Distance;
use formats::Meaning;
use pcre2::bytes::Captures;
use value::date::days_of_month;
use zones::offset_ms;
pub(super) use zones::zone_at;

/// The most parts, more than any date has, so that a long text cannot take long.
const PARTS_MAX: usize = 64;

/// White space as in C's `isspace`, which may surround a date.
const SPACES: [char; 6] = [' ', '\t', '\n', '\u{b}', '\u{c}', '\r'];

/// The characters that may separate parts.
const SEPARATORS: [char; 8] = [' ', '.', ',', '\t', '\0', '\n', '\u{a0}', '\u{202f}'];

/// The moment of a text in no particular format. If the text has a zone itself, `zone` must be UTC or `None`.
pub fn parse_text(text: &str, zone: Option<&Zone>) -> Result<i64, NotADate> {
    let trimmed = text.trim_matches(SPACES);
    let read = match iso::read(trimmed) {
        Some(read) => read,
        None => Read::of(trimmed)?,
    };
    read.moment(zone.unwrap_or(&Zone::UTC))
}

/// What has been read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    time: Time,
    has_date: bool,
    has_time: bool,
    has_zone: bool,
    offset_ms: Option<i64>,
    distance: Distance,
}

/// A time of day.
#[derive(Clone, Copy, Debug, Default)]
struct Time {
    hour: i64,
    minute: i64,
    second: i64,
    microsecond: i64,
}

impl Read {
    fn of(text: &str) -> Result<Read, NotADate> {
        if text.is_empty() {
            return wrong("Empty string");
        }
        let mut read = Read::default();
        let mut rest = text;
        for _ in 0..PARTS_MAX {
            rest = rest.trim_start_matches(SEPARATORS);
            if rest.is_empty() {
                return Ok(read);
            }
            rest = read.part(rest)?;
        }
        wrong("Unexpected character")
    }

    /// Reads the part at the beginning of a text, and returns the rest.
    fn part<'t>(&mut self, text: &'t str) -> Result<&'t str, NotADate> {
        let Some((meaning, captures)) = formats::longest(text.as_bytes()) else {
            return wrong("Unexpected character");
        };
        let groups = Groups(&captures);
        match meaning {
            Meaning::Fields => self.fields(&groups)?,
            Meaning::CompactTime => self.compact_time(&groups)?,
            Meaning::Year => self.year = groups.number("year"),
            Meaning::Week => self.week(&groups)?,
            Meaning::Seconds => self.seconds(&groups)?,
            Meaning::Zone => self.zone(&groups)?,
            Meaning::Named => self.named(&groups),
            Meaning::EndOfMonth => {
                self.distance.end_of_month(groups.is("end", "last"));
                self.forget_time();
            }
            Meaning::Around => self.around(&groups),
            Meaning::WeekdayOfMonth => {
                self.distance.weekday_of_month(&groups);
                self.forget_time();
            }
            Meaning::Weekday => {
                self.distance.weekday(groups.text("weekday"));
                self.forget_time();
            }
            Meaning::Distance => {
                if self.distance.add(&groups)? {
                    self.forget_time();
                }
            }
            Meaning::Ago => self.distance.turn_around(),
            Meaning::TooLong => return wrong("Unexpected character"),
        }
        let taken = captures.get(0).map_or(0, |whole| whole.end());
        text.get(taken..)
            .ok_or_else(|| NotADate("Unexpected character".to_owned()))
    }

    fn fields(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        if groups.has("month") || groups.has("name") || groups.has("day") {
            self.date(groups)?;
        }
        if groups.has("hour") {
            self.time(groups)?;
        }
        if groups.has("zone") {
            self.offset(groups)?;
        }
        Ok(())
    }

    fn date(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        self.begin_date()?;
        if let Some(year) = groups.number("year") {
            let digits = groups.text("year").len();
            self.year = Some(if digits < 4 { of_this_century(year) } else { year });
        }
        self.month = groups.number("month").or_else(|| groups.month());
        self.day = groups.number("day");
        match (self.month, self.day) {
            // A day of the year.
            (None, Some(_)) => self.month = Some(1),
            // A month and a year, or a month alone.
            (Some(_), None) if self.year.is_some() => self.day = Some(1),
            _ => {}
        }
        Ok(())
    }

    fn begin_date(&mut self) -> Result<(), NotADate> {
        if std::mem::replace(&mut self.has_date, true) {
            return wrong("Double date specification");
        }
        Ok(())
    }

    fn time(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        if std::mem::replace(&mut self.has_time, true) {
            return wrong("Double time specification");
        }
        let number = |name| groups.number(name).unwrap_or(0);
        let hour = match groups.text("meridian") {
            "a" | "A" => number("hour") % 12,
            "p" | "P" => number("hour") % 12 + 12,
            _ => number("hour"),
        };
        self.time = Time {
            hour,
            minute: number("minute"),
            second: number("second"),
            microsecond: groups.microseconds(),
        };
        Ok(())
    }

    fn compact_time(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        if !self.has_time {
            return self.time(groups);
        }
        self.year = groups.text("digits").trim_start_matches(['t', 'T']).parse().ok();
        Ok(())
    }

    fn week(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        self.begin_date()?;
        let (Some(year), Some(week)) = (groups.number("year"), groups.number("week")) else {
            return wrong("Unexpected character");
        };
        let first = Civil::midnight(year, 1, 1);
        let day = Civil::from_iso_week(year, week, groups.number("weekday").unwrap_or(1));
        (self.year, self.month, self.day) = (Some(year), Some(1), Some(1));
        self.distance.days = day.day_number() - first.day_number();
        Ok(())
    }

    fn seconds(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        self.begin_zone()?;
        self.offset_ms = Some(0);
        (self.year, self.month, self.day) = (Some(1970), Some(1), Some(1));
        self.has_date = false;
        self.forget_time();
        let Some(seconds) = groups.number("seconds") else {
            return wrong("Number out of range");
        };
        let sign = if groups.text("seconds").starts_with('-') {
            -1
        } else {
            1
        };
        let microseconds = i128::from(sign * groups.microseconds());
        self.distance.microseconds += i128::from(seconds) * 1_000_000 + microseconds;
        Ok(())
    }

    fn zone(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        self.begin_zone()?;
        self.offset(groups)
    }

    fn begin_zone(&mut self) -> Result<(), NotADate> {
        if std::mem::replace(&mut self.has_zone, true) {
            return wrong("Double timezone specification");
        }
        Ok(())
    }

    fn offset(&mut self, groups: &Groups<'_, '_>) -> Result<(), NotADate> {
        self.offset_ms = offset_ms(groups.text("zone"));
        match self.offset_ms {
            Some(_) => Ok(()),
            None => wrong("passing a time zone identifier as part of the string is not allowed"),
        }
    }

    fn named(&mut self, groups: &Groups<'_, '_>) {
        let word = groups.text("word").to_ascii_lowercase();
        if word == "now" {
            return;
        }
        self.forget_time();
        match word.as_str() {
            "noon" => {
                self.time.hour = 12;
                self.has_time = true;
            }
            "yesterday" => self.distance.days = -1,
            "tomorrow" => self.distance.days = 1,
            _ => {}
        }
    }

    /// A quarter after an hour, or before it.
    fn around(&mut self, groups: &Groups<'_, '_>) {
        let hour = groups.number("hour").unwrap_or(0);
        // In timelib a capital says `front`, whatever follows it.
        let (hour, minute) = match groups.text("around").starts_with('b') {
            true => (hour, 15),
            false => (hour - 1, 45),
        };
        let hour = match (groups.text("meridian"), hour) {
            ("a" | "A", 12) => 0,
            ("p" | "P", hour) if hour != 12 => hour + 12,
            _ => hour,
        };
        self.time = Time {
            hour,
            minute,
            ..Time::default()
        };
        self.has_time = true;
    }

    /// A day by its name begins at midnight, whatever time was read before it.
    fn forget_time(&mut self) {
        self.time = Time::default();
        self.has_time = false;
    }

    fn moment(&self, zone: &Zone) -> Result<i64, NotADate> {
        self.check()?;
        let (Some(year), Some(month), Some(day)) = (self.year, self.month, self.day) else {
            return wrong("an incomplete date/time string has been found, with elements missing");
        };
        let Time {
            hour,
            minute,
            second,
            microsecond,
        } = self.time;
        let own = self.offset_ms.map(Zone::Fixed);
        if own.is_some() && !matches!(zone, Zone::Fixed(0)) {
            return wrong(
                "you cannot pass in a date/time string with time zone information together with a timezone argument",
            );
        }
        let microseconds = i128::from(microsecond) + self.distance.microseconds;
        let civil = |millisecond| Civil {
            year,
            month,
            day,
            hour,
            minute,
            second,
            millisecond,
        };
        let moment = i64::try_from(microseconds.div_euclid(1_000))
            .ok()
            .and_then(|millisecond| self.distance.moved(civil(millisecond)))
            .and_then(|civil| own.as_ref().unwrap_or(zone).moment(civil));
        let Some(moment) = moment else {
            return wrong("The parsed date was invalid");
        };
        // What is finer than a millisecond is cut off, before 1970 too.
        let is_finer = microseconds.rem_euclid(1_000) > 0;
        Ok(moment + i64::from(is_finer && moment < 0))
    }

    fn check(&self) -> Result<(), NotADate> {
        let Time {
            hour, minute, second, ..
        } = self.time;
        if !(0..=23).contains(&hour) || minute > 59 || second > 59 {
            return wrong("The parsed time was invalid");
        }
        let days = match self.month {
            // A year that is not known may have 29 days in February.
            Some(month @ 1..=12) => days_of_month(self.year.unwrap_or(2000), month),
            _ => 0,
        };
        if self.has_date && !self.day.is_some_and(|day| (1..=days).contains(&day)) {
            return wrong("The parsed date was invalid");
        }
        Ok(())
    }
}

/// A year of two digits lies between 1970 and 2069.
fn of_this_century(year: i64) -> i64 {
    match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        _ => year,
    }
}

/// The groups of a form that was found.
struct Groups<'c, 't>(&'c Captures<'t>);

impl<'t> Groups<'_, 't> {
    /// The text of a group; empty if the form does not have it.
    fn text(&self, name: &str) -> &'t str {
        self.0
            .name(name)
            .and_then(|found| std::str::from_utf8(found.as_bytes()).ok())
            .unwrap_or_default()
    }

    fn has(&self, name: &str) -> bool {
        self.0.name(name).is_some()
    }

    fn is(&self, name: &str, text: &str) -> bool {
        self.text(name).eq_ignore_ascii_case(text)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.text(name).parse().ok()
    }

    /// The month of this name or Roman number.
    fn month(&self) -> Option<i64> {
        let at = super::format::month_of(self.text("name"))?;
        Some(at as i64 + 1)
    }

    /// The fraction of a second; further digits are dropped.
    fn microseconds(&self) -> i64 {
        let digits = self.text("fraction").chars().chain("000000".chars());
        digits.take(6).collect::<String>().parse().unwrap_or(0)
    }
}
