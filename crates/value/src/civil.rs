//! Civil time: the fields of a date.

use crate::date::{MILLISECONDS_A_DAY, date_of, days_of};

/// The English names of the months, January first.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The English names of the days of a week, Monday first.
pub const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// A point in civil time. Fields may be out of their range until they are carried into a day number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year, astronomical: 0 is 1 BC.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
    /// 0 to 23.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 59.
    pub second: i64,
    /// 0 to 999.
    pub millisecond: i64,
}

/// A date in ISO 8601's weeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IsoWeek {
    /// The year to which the week belongs.
    pub year: i64,
    /// 1 to 53.
    pub week: i64,
}

impl Civil {
    /// The fields of local milliseconds since 1970.
    pub fn from_milliseconds(ms: i64) -> Civil {
        let (year, month, day) = date_of(ms.div_euclid(MILLISECONDS_A_DAY));
        let rest = ms.rem_euclid(MILLISECONDS_A_DAY);
        Civil {
            year,
            month,
            day,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1_000 % 60,
            millisecond: rest % 1_000,
        }
    }

    /// Midnight of a day.
    pub fn midnight(year: i64, month: i64, day: i64) -> Civil {
        Civil {
            year,
            month,
            day,
            hour: 0,
            minute: 0,
            second: 0,
            millisecond: 0,
        }
    }

    /// Local milliseconds since 1970, fields out of their range carried; none beyond 64 bits.
    pub fn to_milliseconds(self) -> Option<i64> {
        let months = self.month - 1;
        let year = self.year.checked_add(months.div_euclid(12))?;
        // Years beyond this are beyond 64 bits of milliseconds too.
        if year.abs() > 400_000_000 {
            return None;
        }
        let days = days_of(year, months.rem_euclid(12) + 1, 1).checked_add(self.day - 1)?;
        let part = |count: i64, unit: i64| count.checked_mul(unit);
        part(days, MILLISECONDS_A_DAY)?
            .checked_add(part(self.hour, 3_600_000)?)?
            .checked_add(part(self.minute, 60_000)?)?
            .checked_add(part(self.second, 1_000)?)?
            .checked_add(self.millisecond)
    }

    /// The day number, 0 for 1970-01-01.
    pub fn day_number(self) -> i64 {
        days_of(self.year, self.month, self.day)
    }

    /// 1 to 366.
    pub fn day_of_year(self) -> i64 {
        self.day_number() - days_of(self.year, 1, 1) + 1
    }

    /// 1 for Monday to 7 for Sunday.
    pub fn iso_day_of_week(self) -> i64 {
        (self.day_number() + 3).rem_euclid(7) + 1
    }

    /// 0 for the days before the first Sunday of the year, then 1 to 53.
    pub fn week_from_sunday(self) -> i64 {
        let day_of_week = self.iso_day_of_week() % 7;
        (self.day_of_year() + 6 - day_of_week) / 7
    }

    /// The week that holds the day: week 1 is the one with the year's first Thursday.
    pub fn iso_week(self) -> IsoWeek {
        let thursday = self.day_number() - (self.iso_day_of_week() - 1) + 3;
        let (year, _, _) = date_of(thursday);
        IsoWeek {
            year,
            week: (thursday - days_of(year, 1, 1)) / 7 + 1,
        }
    }

    /// The day that ISO's week and day of the week name; both may be out of range and are carried.
    pub fn from_iso_week(year: i64, week: i64, day_of_week: i64) -> Civil {
        let fourth = Civil::midnight(year, 1, 4);
        let monday = fourth.day_number() - (fourth.iso_day_of_week() - 1);
        let (year, month, day) = date_of(monday + (week - 1) * 7 + day_of_week - 1);
        Civil::midnight(year, month, day)
    }
}
