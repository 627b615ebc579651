//! `$bitAnd $bitOr $bitXor $bitNot` on ints and longs.

use super::{Operator, Syntax, numeric, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::number::Number;
use crate::{Error, Result};
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$bitAnd",
        Syntax::UntilNull(|_, v| combine("$bitAnd", &v, -1, |a, b| a & b)),
    ),
    operator(
        "$bitOr",
        Syntax::UntilNull(|_, v| combine("$bitOr", &v, 0, |a, b| a | b)),
    ),
    operator(
        "$bitXor",
        Syntax::UntilNull(|_, v| combine("$bitXor", &v, 0, |a, b| a ^ b)),
    ),
    operator("$bitNot", Syntax::One(not)),
];

fn combine(
    name: &str,
    operands: &[Evaluated<'_>],
    neutral: i64,
    combine: fn(i64, i64) -> i64,
) -> Result<Option<Value>> {
    let mut bits = neutral;
    let mut is_long = false;
    for operand in operands {
        bits = match operand.present() {
            None => return Ok(Some(Value::Null)),
            Some(ValueRef::Int32(number)) => combine(bits, number.into()),
            Some(ValueRef::Int64(number)) => {
                is_long = true;
                combine(bits, number)
            }
            Some(_) => {
                return Err(Error::type_mismatch(format!(
                    "{name} only supports int and long operands."
                )));
            }
        };
    }
    let number = if is_long {
        Number::Long(bits)
    } else {
        Number::int_or_long(bits)
    };
    Ok(Some(number.into()))
}

fn not(operand: Evaluated<'_>) -> Result<Option<Value>> {
    match operand.present() {
        None => Ok(Some(Value::Null)),
        Some(ValueRef::Int32(number)) => Ok(Some(Value::Int32(!number))),
        Some(ValueRef::Int64(number)) => Ok(Some(Value::Int64(!number))),
        // Numbers of other types fail in another way than what is no number.
        Some(_) => numeric::number("$bitNot", &operand).and_then(|_| {
            Err(Error::type_mismatch(format!(
                "$bitNot only supports int and long, not: {}.",
                type_name(&operand)
            )))
        }),
    }
}
