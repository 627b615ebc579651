//! Distances in texts: `+2 days`, `last month`, `3 hours ago`, a day of the week.

use super::Groups;
use crate::expression::date::Civil;
use crate::expression::date::parse::{NotADate, wrong};

/// How far from the date and time that a text names it means.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    years: i64,
    months: i64,
    pub(super) days: i64,
    pub(super) milliseconds: i64,
    weekday: Option<Weekday>,
    end_of_month: Option<EndOfMonth>,
}

/// The day of the week to which a date moves.
#[derive(Clone, Copy, Debug)]
struct Weekday {
    /// 0 for Sunday to 6.
    day: i64,
    /// A date that is such a day stays, as `monday` does and `next monday` does not.
    stays: bool,
}

#[derive(Clone, Copy, Debug)]
enum EndOfMonth {
    First,
    Last,
}

/// What numbers, and words before a unit, come to.
const ORDINALS: [(&str, i64); 17] = [
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eight", 8),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
    ("next", 1),
    ("last", -1),
    ("previous", -1),
    ("this", 0),
];

const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Distance {
    pub(super) fn end_of_month(&mut self, last: bool) {
        self.end_of_month = Some(if last { EndOfMonth::Last } else { EndOfMonth::First });
    }

    /// The date moves forward to such a day.
    pub(super) fn weekday(&mut self, name: &str) {
        self.weekday = day_of_week(name).map(|day| Weekday { day, stays: true });
    }

    /// Adds a distance that was written out. Whether it is one of weekdays, which begin at midnight.
    pub(super) fn add(&mut self, groups: &Groups<'_, '_>) -> Result<bool, NotADate> {
        let word = groups.text("ordinal").to_ascii_lowercase();
        let Some(amount) = named_amount(&word).or_else(|| amount(groups.text("amount"))) else {
            return wrong("Number out of range");
        };
        if let Some(day) = day_of_week(groups.text("weekday")) {
            let weeks = if amount > 0 { amount - 1 } else { amount };
            self.days = self.days.saturating_add(weeks.saturating_mul(7));
            let stays = word.is_empty() || word == "this";
            self.weekday = Some(Weekday { day, stays });
            return Ok(true);
        }
        let unit = groups.text("unit").to_ascii_lowercase();
        if !word.is_empty() && unit.starts_with("week") {
            return wrong("Unexpected character");
        }
        self.add_units(amount, &unit);
        Ok(false)
    }

    fn add_units(&mut self, amount: i64, unit: &str) {
        let (field, factor) = match unit.strip_suffix('s').filter(|_| unit != "ms").unwrap_or(unit) {
            "year" => (&mut self.years, 1),
            "month" => (&mut self.months, 1),
            "fortnight" | "forthnight" => (&mut self.days, 14),
            "week" => (&mut self.days, 7),
            "day" => (&mut self.days, 1),
            "hour" => (&mut self.milliseconds, 3_600_000),
            "min" | "minute" => (&mut self.milliseconds, 60_000),
            "sec" | "second" => (&mut self.milliseconds, 1_000),
            _ => (&mut self.milliseconds, 1),
        };
        *field = field.saturating_add(amount.saturating_mul(factor));
    }

    /// All that was read so far lies in the past.
    pub(super) fn turn_around(&mut self) {
        for field in [
            &mut self.years,
            &mut self.months,
            &mut self.days,
            &mut self.milliseconds,
        ] {
            *field = field.saturating_neg();
        }
    }

    /// The civil time as far away, but for what is counted in milliseconds.
    pub(super) fn moved(&self, mut civil: Civil) -> Civil {
        if let Some(weekday) = self.weekday {
            civil.day = civil
                .day
                .saturating_add(self.days_to(weekday, civil.iso_day_of_week() % 7));
        }
        civil.year = civil.year.saturating_add(self.years);
        civil.month = civil.month.saturating_add(self.months);
        civil.day = civil.day.saturating_add(self.days);
        match self.end_of_month {
            Some(EndOfMonth::First) => civil.day = 1,
            Some(EndOfMonth::Last) => (civil.month, civil.day) = (civil.month.saturating_add(1), 0),
            None => {}
        }
        civil
    }

    /// Days from a day of the week to the one that is meant.
    fn days_to(&self, wanted: Weekday, present: i64) -> i64 {
        let difference = wanted.day - present;
        let passed = if self.days < 0 {
            difference < 0
        } else {
            difference <= -i64::from(wanted.stays)
        };
        difference + if passed { 7 } else { 0 }
    }
}

fn named_amount(word: &str) -> Option<i64> {
    ORDINALS
        .iter()
        .find_map(|&(known, amount)| (known == word).then_some(amount))
}

/// A number after signs, each of which turns it around if it is a minus.
fn amount(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(['+', '-', ' ', '\t']);
    let number: i64 = digits.parse().ok()?;
    let turned = text.bytes().filter(|byte| *byte == b'-').count() % 2 == 1;
    Some(if turned { -number } else { number })
}

fn day_of_week(name: &str) -> Option<i64> {
    let name = name.to_ascii_lowercase();
    let at = DAYS.iter().position(|day| name.starts_with(day))?;
    Some(at as i64)
}
