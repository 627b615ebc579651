//! Distances in texts: `+2 days`, `last month`, `3 hours ago`, a day of the week.

use super::Groups;
use crate::Civil;
use crate::parse::{NotADate, wrong};

/// The distance of the meant moment from the date and time that a text names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    years: i64,
    months: i64,
    pub(super) days: i64,
    pub(super) microseconds: i128,
    /// The day of the week to which the date moves, 0 for Sunday to 6; after `ago` it is negative, -7 for Sunday.
    weekday: Option<i64>,
    reach: Reach,
    end_of_month: Option<EndOfMonth>,
    /// For a weekday of the month, where weeks are counted from: the beginning of this month or of the next.
    of_month: Option<EndOfMonth>,
    /// The number of working days, Monday to Friday, by which the date moves in the end.
    working_days: Option<i64>,
}

/// Which of the days with a name is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reach {
    /// One after the date, as of `next monday`.
    #[default]
    After,
    /// The date itself if it is such a day, as of `monday`.
    OnOrAfter,
    /// The one in the date's own week, from Monday to Sunday, as of `friday this week`.
    InWeek,
}

#[derive(Clone, Copy, Debug)]
enum EndOfMonth {
    First,
    Last,
}

/// The numbers of words before a unit.
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

    /// Moves the date forward to a weekday, or within its week if the text said so before.
    pub(super) fn weekday(&mut self, name: &str) {
        self.weekday = day_of_week(name);
        if self.reach != Reach::InWeek {
            self.reach = Reach::OnOrAfter;
        }
    }

    /// A weekday of the month, counted from its beginning, or the last one: `third monday of`.
    pub(super) fn weekday_of_month(&mut self, groups: &Groups<'_, '_>) {
        let word = groups.text("ordinal").to_ascii_lowercase();
        let amount = named_amount(&word).unwrap_or(0);
        self.of_month = Some(if amount > 0 {
            EndOfMonth::First
        } else {
            EndOfMonth::Last
        });
        let reach = match amount {
            0.. => Reach::OnOrAfter,
            _ => Reach::After,
        };
        self.add_weekdays(groups.text("weekday"), amount, reach);
    }

    /// Adds a distance. Returns whether it is one of weekdays in words, which begin at midnight.
    pub(super) fn add(&mut self, groups: &Groups<'_, '_>) -> Result<bool, NotADate> {
        let word = groups.text("ordinal").to_ascii_lowercase();
        let Some(amount) = named_amount(&word).or_else(|| amount(groups.text("amount"))) else {
            return wrong("Number out of range");
        };
        let is_in_words = !word.is_empty();
        match groups.text("unit").to_ascii_lowercase().as_str() {
            "" => {
                let reach = match word.as_str() {
                    "" | "this" => Reach::OnOrAfter,
                    _ => Reach::After,
                };
                self.add_weekdays(groups.text("weekday"), amount, reach);
                Ok(is_in_words)
            }
            "weekday" | "weekdays" => {
                self.working_days = Some(amount);
                Ok(is_in_words)
            }
            "week" if is_in_words => {
                self.add_week(&word, amount)?;
                Ok(false)
            }
            unit => {
                self.add_units(amount, unit);
                Ok(false)
            }
        }
    }

    fn add_weekdays(&mut self, name: &str, amount: i64, reach: Reach) {
        let weeks = if amount > 0 { amount - 1 } else { amount };
        self.days = self.days.saturating_add(weeks.saturating_mul(7));
        self.weekday = day_of_week(name);
        self.reach = reach;
    }

    /// `next week` and the like: the day that the text names, or Monday.
    fn add_week(&mut self, word: &str, amount: i64) -> Result<(), NotADate> {
        if !matches!(word, "next" | "last" | "previous" | "this") {
            return wrong("Unexpected character");
        }
        self.days = self.days.saturating_add(amount * 7);
        self.reach = Reach::InWeek;
        self.weekday = self.weekday.or(Some(1));
        Ok(())
    }

    fn add_units(&mut self, amount: i64, unit: &str) {
        let unit = match unit {
            "ms" | "µs" => unit,
            _ => unit.strip_suffix('s').unwrap_or(unit),
        };
        let (field, factor) = match unit {
            "year" => (&mut self.years, 1),
            "month" => (&mut self.months, 1),
            "fortnight" | "forthnight" => (&mut self.days, 14),
            "week" => (&mut self.days, 7),
            "day" => (&mut self.days, 1),
            _ => {
                self.microseconds += i128::from(amount) * microseconds_of(unit);
                return;
            }
        };
        *field = field.saturating_add(amount.saturating_mul(factor));
    }

    /// Turns all distances read so far into the past.
    pub(super) fn turn_around(&mut self) {
        for field in [&mut self.years, &mut self.months, &mut self.days] {
            *field = field.saturating_neg();
        }
        self.microseconds = -self.microseconds;
        self.working_days = self.working_days.map(i64::saturating_neg);
        self.weekday = self.weekday.map(|day| if day == 0 { -7 } else { -day });
    }

    /// The civil time at this distance, without its microseconds, which were added already. `None` if there is no such date.
    pub(super) fn moved(&self, mut civil: Civil) -> Option<Civil> {
        let mut months = self.months;
        if let Some(end) = self.of_month {
            let later = i64::from(matches!(end, EndOfMonth::Last));
            let month = civil.month.saturating_add(months).saturating_add(later) - 1;
            civil.year = civil.year.saturating_add(month.div_euclid(12));
            (civil.month, civil.day) = (month.rem_euclid(12) + 1, 1);
            months = 0;
        }
        if let Some(weekday) = self.weekday {
            let days = self.days_to(weekday, civil.iso_day_of_week() % 7);
            civil.day = civil.day.saturating_add(days);
        }
        civil.year = civil.year.saturating_add(self.years);
        civil.month = civil.month.saturating_add(months);
        civil.day = civil.day.saturating_add(self.days);
        match self.end_of_month {
            Some(EndOfMonth::First) => civil.day = 1,
            Some(EndOfMonth::Last) => (civil.month, civil.day) = (civil.month.saturating_add(1), 0),
            None => {}
        }
        let Some(count) = self.working_days else {
            return Some(civil);
        };
        let mut civil = Civil::from_milliseconds(civil.to_milliseconds()?);
        let days = days_of_work(count, civil.iso_day_of_week() % 7);
        civil.day = civil.day.saturating_add(days);
        Some(civil)
    }

    /// The days from a day of the week to the meant one.
    fn days_to(&self, wanted: i64, present: i64) -> i64 {
        let difference = wanted - present;
        if self.reach == Reach::InWeek {
            return match (wanted, present) {
                // Sunday is the last day of a week.
                (0, 1..) => difference + 7,
                (wanted, 0) if wanted != 0 => difference - 7,
                _ => difference,
            };
        }
        if wanted < 0 {
            return -wanted - present - 7;
        }
        let may_stay = self.days < 0 || self.reach == Reach::OnOrAfter;
        let is_past = difference < 0 || difference == 0 && !may_stay;
        difference + if is_past { 7 } else { 0 }
    }
}

/// The number of days in which `count` working days pass, from a day of the week, 0 for Sunday. On a weekend, counting starts on
/// the Friday before it, and backwards on the Monday after it.
fn days_of_work(count: i64, present: i64) -> i64 {
    let (to_start, start) = match (present, count) {
        (6, 1..) => (-1, 5),
        (0, 1..) => (-2, 5),
        (6, _) => (2, 1),
        (0, _) => (1, 1),
        _ => (0, present),
    };
    let (weeks, rest) = (count / 5, count % 5);
    let weekend = match start + rest {
        ..1 => -2,
        1..=5 => 0,
        _ => 2,
    };
    weeks.saturating_mul(7).saturating_add(to_start + rest + weekend)
}

/// The microseconds of a unit that is a part of a day.
fn microseconds_of(unit: &str) -> i128 {
    match unit {
        "hour" => 3_600_000_000,
        "min" | "minute" => 60_000_000,
        "sec" | "second" => 1_000_000,
        "ms" | "msec" | "millisecond" => 1_000,
        _ => 1,
    }
}

fn named_amount(word: &str) -> Option<i64> {
    ORDINALS
        .iter()
        .find_map(|&(known, amount)| (known == word).then_some(amount))
}

/// A number after signs, of which the first one counts.
fn amount(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(['+', '-', ' ', '\t']);
    let number: i64 = digits.parse().ok()?;
    Some(if text.starts_with('-') { -number } else { number })
}

fn day_of_week(name: &str) -> Option<i64> {
    let name = name.to_ascii_lowercase();
    let at = DAYS.iter().position(|day| name.starts_with(day))?;
    Some(at as i64)
}
