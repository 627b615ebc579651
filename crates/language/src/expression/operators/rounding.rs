//! `$round` (half to even) and `$trunc` (towards zero), to a number of decimals.

use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::number::{LONG_END, Number};
use crate::{Code, Result};
use value::Value;
use value::decimal::{Rounding, from_double_exactly, to_places};

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$round",
        Syntax::Many(1, 2, |operands| round("$round", &operands, Rounding::HalfEven)),
    ),
    operator(
        "$trunc",
        Syntax::Many(1, 2, |operands| round("$trunc", &operands, Rounding::TowardsZero)),
    ),
];

fn round(name: &str, operands: &[Evaluated<'_>], rounding: Rounding) -> Result<Option<Value>> {
    let Some(operand) = operands.first() else {
        return Ok(Some(Value::Null));
    };
    let Some(present) = operand.present() else {
        return Ok(Some(Value::Null));
    };
    let number = Number::of(present).ok_or_else(|| {
        error(
            Code::location(51_081),
            format!("{name} only supports numeric types, not {}", type_name(operand)),
        )
    })?;
    let places = match operands.get(1) {
        None => 0,
        Some(places) => match places_of(name, places)? {
            Some(places) => places,
            None => return Ok(Some(Value::Null)),
        },
    };
    Ok(Some(rounded(name, number, places, rounding)?.into()))
}

fn places_of(name: &str, operand: &Evaluated<'_>) -> Result<Option<i32>> {
    let Some(present) = operand.present() else {
        return Ok(None);
    };
    let number = Number::of(present).ok_or_else(|| {
        error(
            Code::location(16_004),
            format!("can't convert from BSON type {} to long", type_name(operand)),
        )
    })?;
    let Some(places) = number.to_i64() else {
        let is_decimal = matches!(number, Number::Decimal(_));
        let number = number.to_f64();
        let out_of_range = (number.is_nan() && !is_decimal) || number.abs() >= LONG_END;
        return Err(if out_of_range {
            error(
                Code::location(31_109),
                format!("Can't coerce out of range value {number} to long"),
            )
        } else {
            error(
                Code::location(51_082),
                format!("precision argument to  {name} must be a integral value"),
            )
        });
    };
    match i32::try_from(places) {
        Ok(places @ -20..=100) => Ok(Some(places)),
        _ => Err(error(
            Code::location(51_083),
            format!("cannot apply {name} with precision value {places} value must be in [-20, 100]"),
        )),
    }
}

fn rounded(name: &str, number: Number, places: i32, rounding: Rounding) -> Result<Number> {
    Ok(match number {
        Number::Decimal(x) => Number::Decimal(to_places(x, places, rounding)),
        Number::Double(x) if !x.is_finite() => number,
        Number::Double(x) => Number::Double(to_places(from_double_exactly(x), places, rounding).to_f64()),
        integer if places >= 0 => integer,
        integer => {
            let rounded = to_places(integer.to_decimal(), places, rounding).to_i64_exact();
            let rounded = rounded.ok_or_else(|| {
                error(
                    Code::location(51_080),
                    format!("invalid conversion from Decimal128 result in {name} resulting from arguments: [{integer:?}, {places}]"),
                )
            })?;
            match integer {
                // MongoDB makes a long of an int that was rounded up too far, but cuts one that was rounded down.
                Number::Int(_) if rounded <= i64::from(i32::MAX) => Number::Int(rounded as i32),
                _ => Number::Long(rounded),
            }
        }
    })
}
