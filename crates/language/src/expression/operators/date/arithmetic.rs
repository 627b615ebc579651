//! `$dateAdd $dateSubtract $dateDiff $dateTrunc`.

use super::super::named::{self, Wrong};
use super::super::{Operator, Syntax, error, operator, type_name};
use super::{moment, start_of_week, unit, zone};
use crate::expression::date::{Unit, add, difference, truncate};
use crate::expression::found::Found;
use crate::expression::node::Node;
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::{Code, Result};
use value::{Document, Value};

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
    named::call(parser, argument, &fields, apply)
}

fn moved(
    name: &str,
    operands: &[Option<Found<'_>>],
    signed: fn(i64) -> Option<i64>,
) -> Result<Option<Value>> {
    let [Some(start), Some(unit_operand), Some(amount), timezone] = operands else {
        return Ok(None);
    };
    let zone = zone(timezone.as_ref())?;
    let unit = unit(unit_operand, name)?;
    let (Some(present), Some(zone), Some(unit), Some(amount_present)) =
        (start.present(), zone, unit, amount.present())
    else {
        return Ok(Some(Value::Null));
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
    check_amount(name, unit, amount)?;
    let moved = add(start, unit, amount, &zone)
        .ok_or_else(|| error(Code::location(5_166_406), format!("{name} overflowed")))?;
    Ok(Some(Value::DateTime(moved)))
}

/// An amount that no date could be moved by.
fn check_amount(name: &str, unit: Unit, amount: i64) -> Result<()> {
    let limit: u64 = match unit {
        Unit::Year => 584_942_417,
        Unit::Quarter => 4 * 584_942_417,
        Unit::Month => 12 * 584_942_417,
        Unit::Week => 30_500_568_904,
        Unit::Day => 213_503_982_334,
        Unit::Hour => 5_124_095_576_030,
        Unit::Minute => 307_445_734_561_825,
        Unit::Second => 18_446_744_073_709_551,
        Unit::Millisecond => return Ok(()),
    };
    if amount.unsigned_abs() < limit {
        return Ok(());
    }
    Err(error(
        Code::location(5_976_500),
        format!("invalid {name} 'amount' parameter value: {amount}"),
    ))
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
    named::call(parser, argument, &fields, |v| difference_of(&v))
}

fn difference_of(operands: &[Option<Found<'_>>]) -> Result<Option<Value>> {
    let [Some(start), Some(end), Some(unit_operand), timezone, week] = operands else {
        return Ok(None);
    };
    let (start, end) = (
        date_of(start, "$dateDiff", "startDate")?,
        date_of(end, "$dateDiff", "endDate")?,
    );
    let unit = unit(unit_operand, "$dateDiff")?;
    // The first day of the week only matters for weeks.
    let week = if unit == Some(Unit::Week) {
        start_of_week(week.as_ref(), "$dateDiff")?
    } else {
        start_of_week(None, "")?
    };
    let zone = zone(timezone.as_ref())?;
    let (Some(start), Some(end), Some(unit), Some(zone), Some(week)) = (start, end, unit, zone, week) else {
        return Ok(Some(Value::Null));
    };
    let difference = difference(start, end, unit, &zone, week);
    Ok(Some(Value::Int64(difference.ok_or_else(|| {
        error(Code::location(5_166_308), "dateDiff overflowed")
    })?)))
}

fn date_of(operand: &Found<'_>, name: &str, field: &str) -> Result<Option<i64>> {
    let Some(present) = operand.present() else {
        return Ok(None);
    };
    moment(present).map(Some).ok_or_else(|| {
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
    if has_constant_null_week(parser, argument)? {
        return Ok(Node::Constant(Some(Value::Null)));
    }
    named::call(parser, argument, &fields, |v| truncated(&v))
}

/// A constant null as `startOfWeek` makes the whole null, as where MongoDB optimizes an expression; but one of nothing but
/// constants is computed before that, and looks at `startOfWeek` for weeks alone.
fn has_constant_null_week(parser: &mut Parser<'_>, argument: &Document) -> Result<bool> {
    if !matches!(argument.get("startOfWeek"), Some(Value::Null)) {
        return Ok(false);
    }
    for (_, operand) in argument.iter() {
        if !matches!(parser.operand(operand)?, Node::Constant(_)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn truncated(operands: &[Option<Found<'_>>]) -> Result<Option<Value>> {
    let [Some(date), Some(unit_operand), bin, timezone, week] = operands else {
        return Ok(None);
    };
    let moment = date_of(date, "$dateTrunc", "date")?;
    let bin = bin_size(bin.as_ref())?;
    let unit = unit(unit_operand, "$dateTrunc")?;
    let week = if unit == Some(Unit::Week) {
        start_of_week(week.as_ref(), "$dateTrunc")?
    } else {
        start_of_week(None, "")?
    };
    let zone = zone(timezone.as_ref())?;
    let (Some(ms), Some(bin), Some(unit), Some(zone), Some(week)) = (moment, bin, unit, zone, week) else {
        return Ok(Some(Value::Null));
    };
    Ok(Some(Value::DateTime(truncate(ms, unit, bin, &zone, week)?)))
}

fn bin_size(operand: Option<&Found<'_>>) -> Result<Option<i64>> {
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
