//! The date operators.

mod arithmetic;
mod extract;
mod parts;
mod text;

pub(super) use text::from_text;

use super::{Operator, error, type_name};
use crate::expression::evaluated::Evaluated;
use crate::{Code, Error, Result};
use calendar::{Unit, Weekday, Zone};
use value::ValueRef;

/// All of them.
pub(super) fn operators() -> Vec<Operator> {
    [
        extract::OPERATORS,
        parts::OPERATORS,
        text::OPERATORS,
        arithmetic::OPERATORS,
    ]
    .concat()
}

/// The moment of a date, a timestamp or an ObjectId.
fn moment(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::DateTime(ms) => Some(ms),
        ValueRef::Timestamp(time) => Some(i64::from(time.seconds) * 1_000),
        // MongoDB takes the seconds of an id as a signed number.
        ValueRef::ObjectId(id) => Some(i64::from(id.seconds() as i32) * 1_000),
        _ => None,
    }
}

/// The operand as a moment; `None` if it is null.
fn date(operand: &Evaluated<'_>) -> Result<Option<i64>> {
    let Some(present) = operand.present() else {
        return Ok(None);
    };
    match moment(present) {
        Some(ms) => Ok(Some(ms)),
        None => Err(error(
            Code::location(16_006),
            format!("can't convert from BSON type {} to Date", type_name(operand)),
        )),
    }
}

/// The operand as a zone, UTC where there is none; the inner `None` if it is null.
fn zone(operand: Option<&Evaluated<'_>>) -> Result<Option<Zone>> {
    let Some(operand) = operand else {
        return Ok(Some(Zone::UTC));
    };
    match operand.present() {
        None => Ok(None),
        Some(ValueRef::String(name)) => Ok(Some(Zone::parse(name)?)),
        Some(_) => Err(error(
            Code::location(40_517),
            format!("timezone must evaluate to a string, found {}", type_name(operand)),
        )),
    }
}

/// Whether a constant zone is null; fails if it is none.
fn is_null_zone(operand: Option<&Evaluated<'_>>) -> Result<bool> {
    Ok(zone(operand)?.is_none())
}

/// The operand as a unit; `None` if it is null.
fn unit(operand: &Evaluated<'_>, name: &str) -> Result<Option<Unit>> {
    match operand.present() {
        None => Ok(None),
        Some(ValueRef::String(unit)) => Unit::parse(unit).map(Some).map_err(|wrong| {
            Error::new(
                wrong.code,
                format!("{name} parameter 'unit' value cannot be recognized as a time unit: {unit}"),
            )
        }),
        Some(_) => Err(error(
            Code::location(5_439_013),
            format!(
                "{name} requires 'unit' to be a string, but got {}",
                type_name(operand)
            ),
        )),
    }
}

/// The operand as the day that a week begins with; `None` if it is null.
fn start_of_week(operand: Option<&Evaluated<'_>>, name: &str) -> Result<Option<Weekday>> {
    let Some(operand) = operand else {
        return Ok(Some(Weekday::SUNDAY));
    };
    match operand.present() {
        None => Ok(None),
        Some(ValueRef::String(day)) => Weekday::parse(day).map(Some).ok_or_else(|| {
            error(
                Code::location(5_439_016),
                format!(
                    "{name} parameter 'startOfWeek' value cannot be recognized as a day of a week: {day}"
                ),
            )
        }),
        Some(_) => Err(error(
            Code::location(5_439_015),
            format!(
                "{name} requires 'startOfWeek' to be a string, but got {}",
                type_name(operand)
            ),
        )),
    }
}
