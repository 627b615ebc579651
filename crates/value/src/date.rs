//! Dates of the calendar, the days that they count, and the present one.
//!
//! The calendar is the Gregorian one before its time too, as in ISO 8601. Days are counted from 0000-03-01, so that the
//! leap day ends a year (Howard Hinnant, "chrono-compatible low-level date algorithms").

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The milliseconds of a day.
pub const MILLISECONDS_A_DAY: i64 = 86_400_000;

const DAYS_AN_ERA: i64 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// The time since 1970-01-01 in UTC by the machine's clock; a clock that is before it stands at it.
pub fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The present as dates are kept, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    since_1970().as_millis() as i64
}

/// The days from 1970-01-01 to a date. The month is 1 to 12; the day may be any.
pub const fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * DAYS_AN_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - DAYS_TO_1970
}

/// The year, month and day that are `days` days after 1970-01-01.
pub const fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days.div_euclid(DAYS_AN_ERA), days.rem_euclid(DAYS_AN_ERA));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + (month <= 2) as i64;
    (year, month, day)
}

/// The days of a month; 0 for what is no month.
pub const fn days_of_month(year: i64, month: i64) -> i64 {
    const DAYS: [u8; 16] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0, 0, 0];
    if month < 0 || month > 12 {
        return 0;
    }
    DAYS[(month & 15) as usize] as i64 + (month == 2 && is_leap(year)) as i64
}

const fn is_leap(year: i64) -> bool {
    // A multiple of 100 is one of 400 if it is one of 16.
    year & if year % 100 == 0 { 15 } else { 3 } == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates_and_dates_are_days() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (-719_468, (0, 3, 1)),
            (-719_469, (0, 2, 29)),
            (-719_529, (-1, 12, 31)),
            (2_932_896, (9999, 12, 31)),
        ] {
            assert_eq!((date_of(days), days_of(date.0, date.1, date.2)), (date, days));
        }
    }

    #[test]
    fn each_day_follows_the_one_before() {
        let (mut year, mut month, mut day) = date_of(-800_000);
        for days in -800_000..800_000 {
            assert_eq!(date_of(days), (year, month, day));
            assert_eq!(days_of(year, month, day), days);
            day += 1;
            if day > days_of_month(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    #[test]
    fn there_are_twelve_months() {
        assert_eq!([0, 13, -1].map(|month| days_of_month(2024, month)), [0; 3]);
        assert_eq!(
            [1900, 2000, 2023, 2024].map(|year| days_of_month(year, 2)),
            [28, 29, 28, 29]
        );
    }
}
