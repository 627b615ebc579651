//! `$dateToParts` and `$dateFromParts`.

use super::super::named::{self, Wrong};
use super::super::{Operator, Syntax, error, operator, type_name};
use super::{date, is_null_zone, zone};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::{Code, Result};
use calendar::{Civil, Zone};
use value::{Document, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$dateToParts", Syntax::Named(parse_to_parts)),
    operator("$dateFromParts", Syntax::Named(parse_from_parts)),
];

fn parse_to_parts(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["date", "timezone", "iso8601"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(40_524),
            unknown: Code::location(40_520),
        },
    )?;
    named::require(name, argument, &[("date", Code::location(40_522))])?;
    named::call_looking(
        parser,
        argument,
        &fields,
        |v| to_parts(&v),
        |v| is_null_zone(v.get(1).and_then(Option::as_ref)),
    )
}

fn to_parts(operands: &[Option<Evaluated<'_>>]) -> Result<Option<Value>> {
    let [Some(operand), timezone, iso] = operands else {
        return Ok(None);
    };
    let zone = zone(timezone.as_ref())?;
    let iso = match iso.as_ref().map(|iso| (iso, iso.present())) {
        None => Some(false),
        Some((_, None)) => None,
        Some((_, Some(ValueRef::Bool(iso)))) => Some(iso),
        Some((wrong, Some(_))) => {
            return Err(error(
                Code::location(40_521),
                format!("iso8601 must evaluate to a bool, found {}", type_name(wrong)),
            ));
        }
    };
    let (Some(zone), Some(iso)) = (zone, iso) else {
        return Ok(Some(Value::Null));
    };
    let Some(ms) = date(operand)? else {
        return Ok(Some(Value::Null));
    };
    let civil = zone.civil_at(ms);
    let mut parts = Document::new();
    let mut put = |name: &str, part: i64| parts.push(name, part as i32);
    if iso {
        let week = civil.iso_week();
        put("isoWeekYear", week.year);
        put("isoWeek", week.week);
        put("isoDayOfWeek", civil.iso_day_of_week());
    } else {
        put("year", civil.year);
        put("month", civil.month);
        put("day", civil.day);
    }
    put("hour", civil.hour);
    put("minute", civil.minute);
    put("second", civil.second);
    put("millisecond", civil.millisecond);
    Ok(Some(Value::Document(parts)))
}

/// The operands of `$dateFromParts`.
const FIELDS: [&str; 11] = [
    "year",
    "isoWeekYear",
    "month",
    "isoWeek",
    "day",
    "isoDayOfWeek",
    "hour",
    "minute",
    "second",
    "millisecond",
    "timezone",
];

fn parse_from_parts(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let argument = named::object(
        name,
        argument,
        &FIELDS,
        &Wrong {
            not_object: Code::location(40_519),
            unknown: Code::location(40_518),
        },
    )?;
    let has = |field: &str| argument.contains(field);
    if !has("year") && !has("isoWeekYear") {
        return Err(error(
            Code::location(40_516),
            "$dateFromParts requires either 'year' or 'isoWeekYear' to be present",
        ));
    }
    let iso = ["isoWeekYear", "isoWeek", "isoDayOfWeek"];
    if has("year") && iso.iter().any(|field| has(field)) {
        return Err(error(
            Code::location(40_489),
            "$dateFromParts does not allow mixing natural dates with ISO dates",
        ));
    }
    if has("isoWeekYear") && ["year", "month", "day"].iter().any(|field| has(field)) {
        return Err(error(
            Code::location(40_525),
            "$dateFromParts does not allow mixing ISO dates with natural dates",
        ));
    }
    named::call_looking(
        parser,
        argument,
        &FIELDS,
        |v| from_parts(&v),
        |v| is_null_zone(v.last().and_then(Option::as_ref)),
    )
}

/// What a part that is neither year nor millisecond may be.
const PART_MIN: i64 = -32_768;
const PART_MAX: i64 = 32_767;

/// A part as a number; its default where it was not given, `None` if it is null.
fn part(operands: &[Option<Evaluated<'_>>], field: &str, default: i64) -> Result<Option<i64>> {
    let at = FIELDS.iter().position(|known| *known == field);
    let Some(operand) = at.and_then(|at| operands.get(at)).and_then(Option::as_ref) else {
        return Ok(Some(default));
    };
    let Some(present) = operand.present() else {
        return Ok(None);
    };
    let number = Number::of(present).and_then(Number::to_i64).ok_or_else(|| {
        error(
            Code::location(40_515),
            format!(
                "'{field}' must evaluate to an integer, found {} with value",
                type_name(operand)
            ),
        )
    })?;
    match field {
        "year" | "isoWeekYear" | "second" | "millisecond" => Ok(Some(number)),
        _ if !(PART_MIN..=PART_MAX).contains(&number) => Err(error(
            Code::location(31_034),
            format!(
                "'{field}' must evaluate to a value in the range [{PART_MIN}, {PART_MAX}]; value {number} is not in range"
            ),
        )),
        _ => Ok(Some(number)),
    }
}

fn from_parts(operands: &[Option<Evaluated<'_>>]) -> Result<Option<Value>> {
    let Some((zone, civil)) = zoned(operands)? else {
        return Ok(Some(Value::Null));
    };
    // MongoDB counts the milliseconds as microseconds on the way.
    let microseconds = civil.millisecond.checked_mul(1_000);
    let moment = microseconds.and_then(|_| zone.moment(civil)).ok_or_else(|| {
        error(
            Code::DURATION_OVERFLOW,
            "$dateFromParts: the date is beyond what can be kept",
        )
    })?;
    Ok(Some(Value::DateTime(moment)))
}

/// What the parts say, looked at in MongoDB's order; `None` at the first that is null.
fn zoned(operands: &[Option<Evaluated<'_>>]) -> Result<Option<(Zone, Civil)>> {
    let Some([hour, minute, second, millisecond]) = parts(
        operands,
        [("hour", 0), ("minute", 0), ("second", 0), ("millisecond", 0)],
    )?
    else {
        return Ok(None);
    };
    let Some(zone) = zone(operands.last().and_then(Option::as_ref))? else {
        return Ok(None);
    };
    let is_iso = operands.get(1).is_some_and(Option::is_some);
    let (names, code) = match is_iso {
        true => (["isoWeekYear", "isoWeek", "isoDayOfWeek"], Code::location(31_095)),
        false => (["year", "month", "day"], Code::location(40_523)),
    };
    let Some([year, within_year, day]) = parts(operands, names.map(|name| (name, 1)))? else {
        return Ok(None);
    };
    if !(1..=9999).contains(&year) {
        return Err(error(
            code,
            format!(
                "'{}' must evaluate to an integer in the range 1 to 9999, found {year}",
                names[0]
            ),
        ));
    }
    let midnight = match is_iso {
        true => Civil::from_iso_week(year, within_year, day),
        false => Civil::midnight(year, within_year, day),
    };
    let civil = Civil {
        hour,
        minute,
        second,
        millisecond,
        ..midnight
    };
    Ok(Some((zone, civil)))
}

/// Several parts with what they are where they are not given; `None` at the first that is null.
fn parts<const COUNT: usize>(
    operands: &[Option<Evaluated<'_>>],
    fields: [(&str, i64); COUNT],
) -> Result<Option<[i64; COUNT]>> {
    let mut numbers = [0; COUNT];
    for (number, (field, default)) in numbers.iter_mut().zip(fields) {
        match part(operands, field, default)? {
            Some(found) => *number = found,
            None => return Ok(None),
        }
    }
    Ok(Some(numbers))
}
