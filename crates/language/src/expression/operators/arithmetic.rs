//! `$add $subtract $multiply $divide $mod`; the functions of one number are in `numeric`.

use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::number::{Number, Pair};
use crate::{Code, Error, Result};
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$add", Syntax::UntilNull(|_, v| add(&v))),
    operator("$subtract", Syntax::Two(subtract)),
    operator("$multiply", Syntax::UntilNull(|_, v| multiply(&v))),
    operator("$divide", Syntax::Two(divide)),
    operator("$mod", Syntax::Two(modulo)),
];

const OVERFLOW: Code = Code::OVERFLOW;

fn add(operands: &[Evaluated<'_>]) -> Result<Option<Value>> {
    let mut total = Number::Int(0);
    let mut are_ints = true;
    let mut date = None;
    for operand in operands {
        let Some(present) = operand.present() else {
            return Ok(Some(Value::Null));
        };
        match present {
            ValueRef::DateTime(_) if date.is_some() => {
                return Err(error(
                    Code::location(16_612),
                    "only one date allowed in an $add expression",
                ));
            }
            // What was added before it is rounded together, what comes after it number by number, as in MongoDB.
            ValueRef::DateTime(ms) => date = Some(moved(ms, total)?),
            other => {
                let number = Number::of(other).ok_or_else(|| {
                    Error::type_mismatch(format!(
                        "$add only supports numeric or date types, not {}",
                        type_name(operand)
                    ))
                })?;
                are_ints &= matches!(number, Number::Int(_));
                match date {
                    Some(ms) => date = Some(moved(ms, number)?),
                    None => total = total.add(number),
                }
            }
        }
    }
    Ok(Some(match date {
        Some(ms) => Value::DateTime(ms),
        None => narrowed(total, are_ints).into(),
    }))
}

/// What came of operands. Ints are a long only if the end needs one, however large they were on the way, as in MongoDB.
fn narrowed(number: Number, are_ints: bool) -> Number {
    match number {
        Number::Long(number) if are_ints => Number::int_or_long(number),
        other => other,
    }
}

/// A date this many milliseconds later.
fn moved(ms: i64, by: Number) -> Result<i64> {
    let by = milliseconds(by, "$add")?;
    ms.checked_add(by).ok_or_else(|| overflow("$add"))
}

/// A number as milliseconds to move a date by.
fn milliseconds(amount: Number, name: &str) -> Result<i64> {
    amount.rounded().ok_or_else(|| overflow(name))
}

fn overflow(name: &str) -> Error {
    error(OVERFLOW, format!("date overflow in {name}"))
}

fn subtract(left: Evaluated<'_>, right: Evaluated<'_>) -> Result<Option<Value>> {
    let (Some(a), Some(b)) = (left.present(), right.present()) else {
        return Ok(Some(Value::Null));
    };
    let difference = match (a, b) {
        (ValueRef::DateTime(a), ValueRef::DateTime(b)) => {
            // MongoDB has a type of its own for the time between two dates.
            let between = a.checked_sub(b).map(Value::Int64);
            let message = "the time between two dates in $subtract is too long";
            between.ok_or_else(|| error(Code::DURATION_OVERFLOW, message))?
        }
        (ValueRef::DateTime(ms), _) if b.is_number() => {
            let amount = Number::of(b).unwrap_or(Number::Int(0));
            let amount = milliseconds(amount, "$subtract")?;
            Value::DateTime(ms.checked_sub(amount).ok_or_else(|| overflow("$subtract"))?)
        }
        _ => match (Number::of(a), Number::of(b)) {
            (Some(a), Some(b)) => a.subtract(b).into(),
            _ => {
                return Err(Error::type_mismatch(format!(
                    "can't $subtract {} from {}",
                    type_name(&right),
                    type_name(&left)
                )));
            }
        },
    };
    Ok(Some(difference))
}

fn multiply(operands: &[Evaluated<'_>]) -> Result<Option<Value>> {
    let mut product = Number::Int(1);
    let mut are_ints = true;
    // MongoDB multiplies doubles all along, and takes what came of that where integers are not enough.
    let mut double = 1.0;
    for operand in operands {
        let Some(present) = operand.present() else {
            return Ok(Some(Value::Null));
        };
        let number = Number::of(present).ok_or_else(|| {
            Error::type_mismatch(format!(
                "$multiply only supports numeric types, not {}",
                type_name(operand)
            ))
        })?;
        are_ints &= matches!(number, Number::Int(_));
        double *= number.to_f64();
        product = match product.multiply(number) {
            Number::Double(_) => Number::Double(double),
            other => other,
        };
    }
    Ok(Some(narrowed(product, are_ints).into()))
}

fn divide(left: Evaluated<'_>, right: Evaluated<'_>) -> Result<Option<Value>> {
    let Some((a, b)) = numbers(&left, &right, |left, right| {
        Error::type_mismatch(format!(
            "$divide only supports numeric types, not {left} and {right}"
        ))
    })?
    else {
        return Ok(Some(Value::Null));
    };
    if b.is_zero() {
        return Err(Error::division_by_zero("can't $divide by zero"));
    }
    Ok(Some(match a.pair(b) {
        Pair::Decimals(a, b) => Number::Decimal(a.divide(b)).into(),
        _ => Value::Double(a.to_f64() / b.to_f64()),
    }))
}

fn modulo(left: Evaluated<'_>, right: Evaluated<'_>) -> Result<Option<Value>> {
    let Some((a, b)) = numbers(&left, &right, |left, right| {
        error(
            Code::location(16_611),
            format!("$mod only supports numeric types, not {left} and {right}"),
        )
    })?
    else {
        return Ok(Some(Value::Null));
    };
    if b.is_zero() {
        let decimals = matches!(a.pair(b), Pair::Decimals(..));
        return Err(error(
            if decimals {
                Code::DECIMAL_MOD_BY_ZERO
            } else {
                Code::MOD_BY_ZERO
            },
            "can't $mod by zero",
        ));
    }
    Ok(Some(Value::from(match a.pair(b) {
        Pair::Ints(a, b) => Number::int_or_long(a.wrapping_rem(b)),
        Pair::Longs(a, b) => Number::Long(a.wrapping_rem(b)),
        Pair::Doubles(a, b) => Number::Double(a % b),
        Pair::Decimals(a, b) => Number::Decimal(a.remainder(b)),
    })))
}

/// Both operands as numbers; `None` if either is null.
fn numbers(
    left: &Evaluated<'_>,
    right: &Evaluated<'_>,
    wrong: impl FnOnce(&str, &str) -> Error,
) -> Result<Option<(Number, Number)>> {
    let (Some(a), Some(b)) = (left.present(), right.present()) else {
        return Ok(None);
    };
    match (Number::of(a), Number::of(b)) {
        (Some(a), Some(b)) => Ok(Some((a, b))),
        _ => Err(wrong(type_name(left), type_name(right))),
    }
}
