//! `$dateAdd $dateSubtract $dateDiff $dateTrunc`.

use super::super::named::{self, Wrong};
use super::super::{Operator, Syntax, error, operator, type_name};
use super::{is_null_zone, moment, start_of_week, unit, zone};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::{Code, Result};
use calendar::{Unit, Weekday, Zone, add, difference, truncate};
use value::Value;

pub(super) const OPERATORS: &[Operator] = &[
    operator("$dateAdd", Syntax::Named(parse_add)),
    operator("$dateSubtract", Syntax::Named(parse_add)),
    operator("$dateDiff", Syntax::Named(parse_difference)),
    operator("$dateTrunc", Syntax::Named(parse_truncate)),
];

fn parse_add(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["startDate", "unit", "amount", "timezone"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(5_166_400),
            unknown: Code::location(5_166_401),
        },
    )?;
    named::require(
        name,
        argument,
        &[
            ("startDate", Code::location(5_166_402)),
            ("unit", Code::location(5_166_402)),
            ("amount", Code::location(5_166_402)),
        ],
    )?;
    let apply: named::Apply = match name {
        "$dateAdd" => |v| moved("$dateAdd", &v, Some),
        _ => |v| moved("$dateSubtract", &v, i64::checked_neg),
    };
    let look: named::Look = match name {
        "$dateAdd" => |v| is_moved_null("$dateAdd", v),
        _ => |v| is_moved_null("$dateSubtract", v),
    };
    named::call_looking(parser, argument, &fields, apply, look)
}

/// What MongoDB looks at in constants (`ExpressionDateArithmetics::optimize`).
fn is_moved_null(name: &str, constants: &[Option<Evaluated<'_>>]) -> Result<bool> {
    let [_, unit, _, timezone] = constants else {
        return Ok(false);
    };
    Ok(is_null_unit(unit.as_ref(), name)? || is_null_zone(timezone.as_ref())?)
}

/// Whether a constant unit is null; fails if it is none.
fn is_null_unit(operand: Option<&Evaluated<'_>>, name: &str) -> Result<bool> {
    match operand {
        Some(operand) => Ok(unit(operand, name)?.is_none()),
        None => Ok(false),
    }
}

/// Whether a constant day that a week begins with is null; fails if it is none, whatever the unit is.
fn is_null_week(operand: Option<&Evaluated<'_>>, name: &str) -> Result<bool> {
    Ok(start_of_week(operand, name)?.is_none())
}

fn moved(
    name: &str,
    operands: &[Option<Evaluated<'_>>],
    signed: fn(i64) -> Option<i64>,
) -> Result<Option<Value>> {
    let [Some(start), Some(unit_operand), Some(amount), timezone] = operands else {
        return Ok(None);
    };
    let null = Ok(Some(Value::Null));
    let Some(present) = start.present() else {
        return null;
    };
    let Some(unit) = unit(unit_operand, name)? else {
        return null;
    };
    let Some(amount_present) = amount.present() else {
        return null;
    };
    let Some(zone) = zone(timezone.as_ref())? else {
        return null;
    };
    let start = moment(present).ok_or_else(|| {
        error(
            Code::location(5_166_403),
            format!(
                "{name} requires startDate to be convertible to a date, found {}",
                type_name(start)
            ),
        )
    })?;
    let amount = Number::of(amount_present)
        .and_then(Number::to_i64)
        .ok_or_else(|| {
            error(
                Code::location(5_166_405),
                format!(
                    "{name} expects integer amount of time units, found {}",
                    type_name(amount)
                ),
            )
        })?;
    let amount = signed(amount).ok_or_else(|| {
        error(
            Code::location(6_045_000),
            format!("invalid {name} 'amount' parameter value: {amount} cannot be negated"),
        )
    })?;
    unit.check_amount(name, amount)?;
    let code = match unit {
        // MongoDB adds these to dates without more ado.
        Unit::Millisecond => Code::DURATION_OVERFLOW,
        _ => Code::location(5_166_406),
    };
    let moved = add(start, unit, amount, &zone).ok_or_else(|| error(code, format!("{name} overflowed")))?;
    Ok(Some(Value::DateTime(moved)))
}

fn parse_difference(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["startDate", "endDate", "unit", "timezone", "startOfWeek"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(5_166_301),
            unknown: Code::location(5_166_302),
        },
    )?;
    named::require(
        name,
        argument,
        &[
            ("startDate", Code::location(5_166_303)),
            ("endDate", Code::location(5_166_304)),
            ("unit", Code::location(5_166_305)),
        ],
    )?;
    named::call_looking(
        parser,
        argument,
        &fields,
        |v| difference_of(&v),
        is_difference_null,
    )
}

/// What MongoDB looks at in constants (`ExpressionDateDiff::optimize`).
fn is_difference_null(constants: &[Option<Evaluated<'_>>]) -> Result<bool> {
    let [_, _, unit, timezone, week] = constants else {
        return Ok(false);
    };
    Ok(is_null_unit(unit.as_ref(), "$dateDiff")?
        || is_null_week(week.as_ref(), "$dateDiff")?
        || is_null_zone(timezone.as_ref())?)
}

fn difference_of(operands: &[Option<Evaluated<'_>>]) -> Result<Option<Value>> {
    let [Some(start), Some(end), Some(unit_operand), timezone, week] = operands else {
        return Ok(None);
    };
    if start.present().is_none() || end.present().is_none() {
        return Ok(Some(Value::Null));
    }
    let Some((unit, week, zone)) = grid(unit_operand, week.as_ref(), timezone.as_ref(), "$dateDiff")? else {
        return Ok(Some(Value::Null));
    };
    // MongoDB looks at the dates last.
    let (start, end) = (
        date_of(start, "$dateDiff", "startDate")?,
        date_of(end, "$dateDiff", "endDate")?,
    );
    let difference = difference(start, end, unit, &zone, week);
    Ok(Some(Value::Int64(difference.ok_or_else(|| {
        error(Code::location(5_166_308), "dateDiff overflowed")
    })?)))
}

/// What time is counted in: the unit, where its weeks begin, and the zone; `None` if one of them is null.
fn grid(
    unit_operand: &Evaluated<'_>,
    week: Option<&Evaluated<'_>>,
    timezone: Option<&Evaluated<'_>>,
    name: &str,
) -> Result<Option<(Unit, Weekday, Zone)>> {
    let Some(unit) = unit(unit_operand, name)? else {
        return Ok(None);
    };
    // The first day of the week only matters for weeks.
    let week = week.filter(|_| unit == Unit::Week);
    let Some(week) = start_of_week(week, name)? else {
        return Ok(None);
    };
    Ok(zone(timezone)?.map(|zone| (unit, week, zone)))
}

/// The moment of an operand that is not null.
fn date_of(operand: &Evaluated<'_>, name: &str, field: &str) -> Result<i64> {
    operand.present().and_then(moment).ok_or_else(|| {
        error(
            Code::location(5_166_307),
            format!(
                "{name} requires '{field}' to be a date, but got {}",
                type_name(operand)
            ),
        )
    })
}

fn parse_truncate(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["date", "unit", "binSize", "timezone", "startOfWeek"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(5_439_007),
            unknown: Code::location(5_439_008),
        },
    )?;
    named::require(
        name,
        argument,
        &[
            ("date", Code::location(5_439_009)),
            ("unit", Code::location(5_439_010)),
        ],
    )?;
    named::call_looking(parser, argument, &fields, |v| truncated(&v), is_truncated_null)
}

/// What MongoDB looks at in constants (`ExpressionDateTrunc::optimize`).
fn is_truncated_null(constants: &[Option<Evaluated<'_>>]) -> Result<bool> {
    let [_, unit, bin, timezone, week] = constants else {
        return Ok(false);
    };
    Ok(is_null_unit(unit.as_ref(), "$dateTrunc")?
        || is_null_week(week.as_ref(), "$dateTrunc")?
        || is_null_zone(timezone.as_ref())?
        || bin_size(bin.as_ref())?.is_none())
}

fn truncated(operands: &[Option<Evaluated<'_>>]) -> Result<Option<Value>> {
    let [Some(date), Some(unit_operand), bin, timezone, week] = operands else {
        return Ok(None);
    };
    let null = Ok(Some(Value::Null));
    if date.present().is_none() {
        return null;
    }
    let Some(bin) = bin_size(bin.as_ref())? else {
        return null;
    };
    let Some((unit, week, zone)) = grid(unit_operand, week.as_ref(), timezone.as_ref(), "$dateTrunc")? else {
        return null;
    };
    let ms = date_of(date, "$dateTrunc", "date")?;
    Ok(Some(Value::DateTime(truncate(ms, unit, bin, &zone, week)?)))
}

fn bin_size(operand: Option<&Evaluated<'_>>) -> Result<Option<i64>> {
    let Some(operand) = operand else {
        return Ok(Some(1));
    };
    let Some(present) = operand.present() else {
        return Ok(None);
    };
    let size = Number::of(present).and_then(Number::to_i64).ok_or_else(|| {
        error(
            Code::location(5_439_017),
            format!(
                "$dateTrunc requires 'binSize' to be a 64-bit integer, but got value of type {}",
                type_name(operand)
            ),
        )
    })?;
    if size < 1 {
        return Err(error(
            Code::location(5_439_018),
            format!("$dateTrunc requires 'binSize' to be greater than 0, but got value {size}"),
        ));
    }
    Ok(Some(size))
}
