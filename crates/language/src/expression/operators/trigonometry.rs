//! Trigonometric and hyperbolic functions, in radians; decimals are computed to 34 digits.

use super::numeric::real;
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::number::{Number, Pair};
use crate::{Code, Result};
use std::cmp::Ordering;
use value::decimal::trigonometry as precise;
use value::{Decimal128, Value, ValueRef};

/// A row of the table: the operator's name, where it is defined, what it does to doubles and to decimals.
macro_rules! function {
    ($name:literal, $domain:ident($($bound:expr),*), $double:expr, $decimal:expr) => {
        operator($name, Syntax::One(|operand| $domain($name, operand, $($bound,)* $double, $decimal)))
    };
}

pub(super) const OPERATORS: &[Operator] = &[
    function!("$sin", finite(), f64::sin, precise::sin),
    function!("$cos", finite(), f64::cos, precise::cos),
    function!("$tan", finite(), f64::tan, precise::tan),
    function!("$asin", within(-1.0, 1.0), f64::asin, precise::asin),
    function!("$acos", within(-1.0, 1.0), f64::acos, precise::acos),
    function!("$atan", anywhere(), f64::atan, precise::atan),
    operator("$atan2", Syntax::Two(atan2)),
    function!("$sinh", anywhere(), f64::sinh, precise::sinh),
    function!("$cosh", anywhere(), f64::cosh, precise::cosh),
    function!("$tanh", anywhere(), f64::tanh, precise::tanh),
    function!("$asinh", anywhere(), f64::asinh, precise::asinh),
    function!("$acosh", within(1.0, f64::INFINITY), f64::acosh, precise::acosh),
    function!("$atanh", within(-1.0, 1.0), f64::atanh, precise::atanh),
    function!(
        "$degreesToRadians",
        anywhere(),
        |x| x * (std::f64::consts::PI / 180.0),
        precise::to_radians
    ),
    function!(
        "$radiansToDegrees",
        anywhere(),
        |x| x * (180.0 / std::f64::consts::PI),
        precise::to_degrees
    ),
];

fn anywhere(
    name: &str,
    operand: Evaluated<'_>,
    double: fn(f64) -> f64,
    decimal: fn(Decimal128) -> Decimal128,
) -> Result<Option<Value>> {
    real(name, operand, |x| Ok(double(x)), |x| Ok(decimal(x)))
}

fn finite(
    name: &str,
    operand: Evaluated<'_>,
    double: fn(f64) -> f64,
    decimal: fn(Decimal128) -> Decimal128,
) -> Result<Option<Value>> {
    let check = |infinite: bool, shown: String| {
        if infinite {
            return Err(error(
                Code::location(50_989),
                format!("cannot apply {name} to {shown}, value must be in (-inf,inf)"),
            ));
        }
        Ok(())
    };
    real(
        name,
        operand,
        |x| check(x.is_infinite(), x.to_string()).map(|()| double(x)),
        |x| check(x.is_infinite(), x.to_string()).map(|()| decimal(x)),
    )
}

fn within(
    name: &str,
    operand: Evaluated<'_>,
    low: f64,
    high: f64,
    double: fn(f64) -> f64,
    decimal: fn(Decimal128) -> Decimal128,
) -> Result<Option<Value>> {
    let check = |inside: bool, shown: String| {
        if inside {
            return Ok(());
        }
        Err(error(
            Code::location(50_989),
            format!("cannot apply {name} to {shown}, value must be in [{low},{high}]"),
        ))
    };
    real(
        name,
        operand,
        |x| check(x.is_nan() || (low..=high).contains(&x), x.to_string()).map(|()| double(x)),
        |x| {
            let compare = |bound: f64| value::compare(ValueRef::Decimal128(x), ValueRef::Double(bound));
            let inside = compare(low) != Ordering::Less && compare(high) != Ordering::Greater;
            check(x.is_nan() || inside, x.to_string()).map(|()| decimal(x))
        },
    )
}

fn atan2(y: Evaluated<'_>, x: Evaluated<'_>) -> Result<Option<Value>> {
    let wrong = |code, found| {
        error(
            code,
            format!("$atan2 only supports numeric types, not {}", type_name(found)),
        )
    };
    // The first one is looked at before the second, null or not.
    let Some(first) = y.present() else {
        return Ok(Some(Value::Null));
    };
    let first = Number::of(first).ok_or_else(|| wrong(Code::location(51_044), &y))?;
    let Some(second) = x.present() else {
        return Ok(Some(Value::Null));
    };
    let second = Number::of(second).ok_or_else(|| wrong(Code::location(51_045), &x))?;
    Ok(Some(match first.pair(second) {
        Pair::Decimals(y, x) => Number::Decimal(precise::atan2(y, x)).into(),
        _ => Value::Double(first.to_f64().atan2(second.to_f64())),
    }))
}
