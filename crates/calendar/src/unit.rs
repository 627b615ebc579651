//! Units of time: adding them, counting them, and truncating to them.

use super::{Civil, Zone};
use crate::{Error, Result};
use code::Code;
use value::date::{MILLISECONDS_A_DAY, days_of_month};

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
#[allow(missing_docs, reason = "the variants are the units")]
pub enum Unit {
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// The days that all dates span, rounded up.
const DAYS_MAX: u64 = u64::MAX / MILLISECONDS_A_DAY as u64 + 1;

/// As many years as that, and one.
const YEARS_MAX: u64 = DAYS_MAX / 365 + 1;

/// The largest bin of days or longer units.
const BIN_MAX: i64 = 100_000_000_000;

/// The day with which a week begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weekday {
    /// 1 for Monday to 7 for Sunday.
    iso: i64,
}

impl Weekday {
    /// The day that weeks start on by default.
    pub const SUNDAY: Weekday = Weekday { iso: 7 };

    /// The day of this name, whole or its first three letters, in any case.
    pub fn parse(name: &str) -> Option<Weekday> {
        const NAMES: [&str; 7] = [
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
        ];
        let name = name.to_lowercase();
        let at = NAMES
            .iter()
            .position(|known| *known == name || known[..3] == name)?;
        Some(Weekday { iso: at as i64 + 1 })
    }
}

impl Unit {
    /// Reads a unit's name.
    pub fn parse(name: &str) -> Result<Unit> {
        Ok(match name {
            "millisecond" => Unit::Millisecond,
            "second" => Unit::Second,
            "minute" => Unit::Minute,
            "hour" => Unit::Hour,
            "day" => Unit::Day,
            "week" => Unit::Week,
            "month" => Unit::Month,
            "quarter" => Unit::Quarter,
            "year" => Unit::Year,
            _ => {
                return Err(Error::new(
                    Code::FAILED_TO_PARSE,
                    format!("unknown time unit value: {name}"),
                ));
            }
        })
    }

    /// The milliseconds of a unit of fixed length; `None` for days and longer units, whose length depends on the zone.
    fn milliseconds(self) -> Option<i64> {
        match self {
            Unit::Millisecond => Some(1),
            Unit::Second => Some(1_000),
            Unit::Minute => Some(60_000),
            Unit::Hour => Some(3_600_000),
            _ => None,
        }
    }

    fn months(self) -> Option<i64> {
        match self {
            Unit::Month => Some(1),
            Unit::Quarter => Some(3),
            Unit::Year => Some(12),
            _ => None,
        }
    }

    fn days(self) -> i64 {
        if self == Unit::Week { 7 } else { 1 }
    }

    /// Fails for an amount by which no date could be moved.
    pub fn check_amount(self, name: &str, amount: i64) -> Result<()> {
        let limit = match self {
            Unit::Year => YEARS_MAX,
            Unit::Quarter => 4 * YEARS_MAX,
            Unit::Month => 12 * YEARS_MAX,
            Unit::Week => DAYS_MAX / 7,
            Unit::Day => DAYS_MAX,
            Unit::Hour => DAYS_MAX * 24,
            Unit::Minute => DAYS_MAX * 24 * 60,
            Unit::Second => DAYS_MAX * 24 * 60 * 60,
            Unit::Millisecond => return Ok(()),
        };
        if amount.unsigned_abs() < limit {
            return Ok(());
        }
        Err(Error::new(
            Code::location(5_976_500),
            format!("invalid {name} 'amount' parameter value: {amount}"),
        ))
    }
}

/// The moment this many units later. A day that the month does not have becomes its last. `None` beyond 64 bits.
pub fn add(ms: i64, unit: Unit, amount: i64, zone: &Zone) -> Option<i64> {
    if let Some(length) = unit.milliseconds() {
        return ms.checked_add(amount.checked_mul(length)?);
    }
    let mut civil = zone.civil_at(ms);
    match unit.months() {
        Some(months) => {
            let month = (civil.month - 1).checked_add(amount.checked_mul(months)?)?;
            civil.year = civil.year.checked_add(month.div_euclid(12))?;
            civil.month = month.rem_euclid(12) + 1;
            if civil.year.abs() > 400_000_000 {
                return None;
            }
            civil.day = civil.day.min(days_of_month(civil.year, civil.month));
        }
        None => civil.day = civil.day.checked_add(amount.checked_mul(unit.days())?)?,
    }
    // A moment that was not moved stays the same, even in an hour that comes twice.
    if civil == zone.civil_at(ms) {
        return Some(ms);
    }
    zone.moment_from(civil, ms)
}

/// The number of the unit's boundaries between two moments.
pub fn difference(start: i64, end: i64, unit: Unit, zone: &Zone, week: Weekday) -> Option<i64> {
    if let Some(length) = unit.milliseconds() {
        let boundary = |ms: i64| {
            // Hours and minutes are those of the zone, whose offset need not be a whole number of them.
            let offset = if unit >= Unit::Minute {
                zone.offset_at(ms)
            } else {
                0
            };
            ms.checked_add(offset)
                .map(|local| (local.div_euclid(length), offset))
        };
        if unit == Unit::Millisecond {
            return end.checked_sub(start);
        }
        let ((first, before), (last, after)) = (boundary(start)?, boundary(end)?);
        // The time by which clocks were changed in between has not passed.
        return Some(last - first + (before - after) / length);
    }
    let (first, last) = (zone.civil_at(start), zone.civil_at(end));
    Some(match unit {
        Unit::Year => last.year - first.year,
        Unit::Quarter => (last.year - first.year) * 4 + (last.month - 1) / 3 - (first.month - 1) / 3,
        Unit::Month => (last.year - first.year) * 12 + last.month - first.month,
        Unit::Week => week_number(last, week) - week_number(first, week),
        _ => last.day_number() - first.day_number(),
    })
}

/// The number of the week that holds a day, counted from around 1970.
fn week_number(civil: Civil, week: Weekday) -> i64 {
    // Day 0, 1970-01-01, was a Thursday.
    (civil.day_number() + 4 - week.iso).div_euclid(7)
}

/// The beginning of the bin of this many units that holds the moment; bins are counted from 2000-01-01.
pub fn truncate(ms: i64, unit: Unit, bin: i64, zone: &Zone, week: Weekday) -> Result<i64> {
    let overflow = |code| Error::new(code, "$dateTrunc: the bin is too large for a date".to_owned());
    let reference = Civil::midnight(2000, 1, 1);
    if let Some(length) = unit.milliseconds() {
        let length = length
            .checked_mul(bin)
            .ok_or_else(|| overflow(Code::location(5_439_002)))?;
        let distance = zone
            .moment(reference)
            .and_then(|origin| ms.checked_sub(origin))
            .ok_or_else(|| overflow(Code::location(5_439_000)))?;
        return ms
            .checked_sub(distance.rem_euclid(length))
            .ok_or_else(|| overflow(Code::location(5_439_001)));
    }
    if bin > BIN_MAX {
        return Err(overflow(Code::location(5_439_006)));
    }
    truncate_civil(zone.civil_at(ms), unit, bin, zone, week)
}

/// As [`truncate`], for the units whose length depends on the calendar; the bin is at most [`BIN_MAX`], so that products fit.
fn truncate_civil(civil: Civil, unit: Unit, bin: i64, zone: &Zone, week: Weekday) -> Result<i64> {
    let reference = Civil::midnight(2000, 1, 1);
    let begin = |distance: i64| distance.div_euclid(bin) * bin;
    let (units, start) = match unit.months() {
        Some(months) => {
            let units = begin(((civil.year - 2000) * 12 + civil.month - 1).div_euclid(months));
            let month = units * months;
            let start = Civil::midnight(2000 + month.div_euclid(12), month.rem_euclid(12) + 1, 1);
            (units, Some(start))
        }
        None => {
            let origin = reference.day_number()
                + if unit == Unit::Week {
                    first_of_week(reference, week)
                } else {
                    0
                };
            let units = begin((civil.day_number() - origin).div_euclid(unit.days()));
            let day = (units * unit.days() + origin).checked_mul(MILLISECONDS_A_DAY);
            (units, day.map(Civil::from_milliseconds))
        }
    };
    unit.check_amount("$dateTrunc", units)?;
    let origin = zone.moment(reference).unwrap_or_default();
    start
        .and_then(|start| zone.moment_from(start, origin))
        .ok_or_else(|| {
            Error::new(
                Code::location(5_166_406),
                "$dateTrunc: the bin begins before all dates",
            )
        })
}

/// Days from a day to the first at or after it with which a week begins.
fn first_of_week(civil: Civil, week: Weekday) -> i64 {
    (week.iso - civil.iso_day_of_week()).rem_euclid(7)
}
