//! Dates, as the fields of documents have them: moments in UTC, whose parts and distances are asked for.

use crate::error::{Result, failed};
use crate::methods::unknown;
use crate::object::{Object, day_name};
use crate::run::Run;
use std::cmp::Ordering;
use std::rc::Rc;
use value::Value;
use value::civil::{Civil, MONTHS};
use value::date::MILLISECONDS_A_DAY;

/// The units of `ChronoUnit` that are of one length, as classes of which functions are called.
pub(crate) const UNITS: &[(&str, &str, i64)] = &[
    ("MILLIS", "ChronoUnit.MILLIS", 1),
    ("SECONDS", "ChronoUnit.SECONDS", 1_000),
    ("MINUTES", "ChronoUnit.MINUTES", 60_000),
    ("HOURS", "ChronoUnit.HOURS", 3_600_000),
    ("DAYS", "ChronoUnit.DAYS", MILLISECONDS_A_DAY),
    ("WEEKS", "ChronoUnit.WEEKS", 7 * MILLISECONDS_A_DAY),
];

/// The milliseconds since 1970 of what is a date.
pub(crate) fn moment(object: &Object) -> Option<i64> {
    match object {
        Object::Other(value) => match **value {
            Value::DateTime(ms) => Some(ms),
            _ => None,
        },
        _ => None,
    }
}

/// As the language writes a date.
pub(crate) fn text(ms: i64) -> String {
    let at = Civil::from_milliseconds(ms);
    let year = match at.year {
        0..=9999 => format!("{:04}", at.year),
        other => format!("{other:+05}"),
    };
    format!(
        "{year}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        at.month, at.day, at.hour, at.minute, at.second, at.millisecond
    )
}

/// How many whole units lie between two dates.
pub(crate) fn between(class: &str, from: &Object, to: &Object) -> Result<Option<Object>> {
    let Some((_, _, length)) = UNITS.iter().find(|(_, known, _)| *known == class) else {
        return Ok(None);
    };
    match (moment(from), moment(to)) {
        (Some(from), Some(to)) => Ok(Some(Object::Int(to.wrapping_sub(from) / length))),
        _ => failed(format!(
            "Cannot cast from [{}] to [java.time.temporal.Temporal].",
            if moment(from).is_none() {
                from.kind()
            } else {
                to.kind()
            }
        )),
    }
}

/// `date.name(arguments)`.
pub(crate) fn of_date(
    run: &mut Run<'_>,
    base: &Object,
    ms: i64,
    name: &str,
    arguments: &[Object],
) -> Result<Object> {
    match arguments {
        [] => match part(ms, name) {
            Some(part) => Ok(Object::Int(part)),
            None => of_itself(run, base, ms, name),
        },
        [one] => with_one(base, ms, name, one),
        _ => unknown(base, name, arguments),
    }
}

/// What is a date or a text again.
fn of_itself(run: &mut Run<'_>, base: &Object, ms: i64, name: &str) -> Result<Object> {
    let at = Civil::from_milliseconds(ms);
    match name {
        "toInstant" | "toZonedDateTime" => Ok(base.clone()),
        "getMonth" | "month" => {
            let month = usize::try_from(at.month - 1).ok().and_then(|at| MONTHS.get(at));
            run.text(month.map_or_else(String::new, |month| month.to_uppercase()))
        }
        "getDayOfWeekEnum" | "dayOfWeekEnum" => Ok(Object::Day(at.iso_day_of_week())),
        _ => unknown(base, name, &[]),
    }
}

/// A part of a date that is a number, by the name of its getter, or as a member.
fn part(ms: i64, name: &str) -> Option<i64> {
    let at = Civil::from_milliseconds(ms);
    let of_day = ms.rem_euclid(MILLISECONDS_A_DAY);
    Some(match name {
        "toEpochMilli" | "getMillis" | "millis" => ms,
        "toEpochSecond" | "getEpochSecond" | "epochSecond" => ms.div_euclid(1_000),
        "getYear" | "year" => at.year,
        "getMonthValue" | "monthValue" | "getMonthOfYear" | "monthOfYear" => at.month,
        "getDayOfMonth" | "dayOfMonth" => at.day,
        "getDayOfYear" | "dayOfYear" => at.day_of_year(),
        "getDayOfWeek" | "dayOfWeek" => at.iso_day_of_week(),
        "getHour" | "hour" | "getHourOfDay" | "hourOfDay" => at.hour,
        "getMinute" | "minute" | "getMinuteOfHour" | "minuteOfHour" => at.minute,
        "getSecond" | "second" | "getSecondOfMinute" | "secondOfMinute" => at.second,
        "getMillisOfSecond" | "millisOfSecond" => at.millisecond,
        "getNano" | "nano" => at.millisecond * 1_000_000,
        "getMillisOfDay" | "millisOfDay" => of_day,
        "getSecondOfDay" | "secondOfDay" => of_day / 1_000,
        "getMinuteOfDay" | "minuteOfDay" => of_day / 60_000,
        "getWeekOfWeekyear" | "weekOfWeekyear" => at.iso_week().week,
        "getWeekyear" | "weekyear" => at.iso_week().year,
        _ => return None,
    })
}

fn with_one(base: &Object, ms: i64, name: &str, one: &Object) -> Result<Object> {
    let compared = |wanted: Ordering| match moment(one) {
        Some(other) => Ok(Object::Bool(ms.cmp(&other) == wanted)),
        None => failed(format!("cannot compare [{}] with a date", one.kind())),
    };
    match name {
        "isBefore" => return compared(Ordering::Less),
        "isAfter" => return compared(Ordering::Greater),
        "isEqual" => return compared(Ordering::Equal),
        _ => {}
    }
    let moved = match (name.strip_prefix("plus"), name.strip_prefix("minus")) {
        (Some(unit), _) => moved(ms, unit, one.as_int()?),
        (_, Some(unit)) => moved(ms, unit, one.as_int()?.wrapping_neg()),
        _ => return unknown(base, name, std::slice::from_ref(one)),
    };
    match moved {
        Moved::To(ms) => Ok(Object::Other(Rc::new(Value::DateTime(ms)))),
        Moved::Beyond => failed(format!("[{name}] leads beyond the dates that there are")),
        Moved::NoUnit => unknown(base, name, std::slice::from_ref(one)),
    }
}

/// Where a date comes to that is moved.
enum Moved {
    To(i64),
    Beyond,
    NoUnit,
}

fn moved(ms: i64, unit: &str, by: i64) -> Moved {
    let at = Civil::from_milliseconds(ms);
    let months = match unit {
        "Months" => Some(by),
        "Years" => by.checked_mul(12),
        _ => None,
    };
    let moved = match unit {
        // The day is the last one of its month where the month is shorter.
        "Months" | "Years" => months
            .and_then(|months| (at.month - 1).checked_add(months))
            .and_then(|months| {
                let year = at.year.checked_add(months.div_euclid(12))?;
                let month = months.rem_euclid(12) + 1;
                let day = at.day.min(value::date::days_of_month(year, month));
                Civil {
                    year,
                    month,
                    day,
                    ..at
                }
                .to_milliseconds()
            }),
        _ => {
            let name = unit.to_uppercase();
            let Some((_, _, length)) = UNITS.iter().find(|(known, _, _)| *known == name) else {
                return Moved::NoUnit;
            };
            by.checked_mul(*length).and_then(|by| ms.checked_add(by))
        }
    };
    moved.map_or(Moved::Beyond, Moved::To)
}

/// `date.getDayOfWeekEnum().name()`: a day of the week, Monday the first.
pub(crate) fn of_day(run: &mut Run<'_>, day: i64, name: &str, arguments: &[Object]) -> Result<Object> {
    match (name, arguments) {
        ("getValue" | "value", []) => Ok(Object::Int(day)),
        ("ordinal", []) => Ok(Object::Int(day - 1)),
        ("name", []) => run.text(day_name(day)),
        _ => unknown(&Object::Day(day), name, arguments),
    }
}
