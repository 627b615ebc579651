//! Numbers of any type as 64-bit integers.

use crate::expression::number::Number;
use value::ValueRef;
use value::decimal::Parts;

/// The first double above every `i64`.
const I64_END: f64 = 9_223_372_036_854_775_808.0;

/// The number as an integer with its fraction cut off; `None` if it is no number or beyond 64 bits.
pub(super) fn truncated(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Int32(int) => Some(i64::from(int)),
        ValueRef::Int64(int) => Some(int),
        // NaN fails both comparisons.
        ValueRef::Double(double) => (-I64_END..I64_END).contains(&double).then_some(double as i64),
        ValueRef::Decimal128(decimal) => decimal_parts(decimal.parts()).map(|(whole, _)| whole),
        _ => None,
    }
}

/// The number as an integer if it is one, within 64 bits.
pub(super) fn exact(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Double(double) if double.fract() != 0.0 => None,
        ValueRef::Decimal128(decimal) => match decimal_parts(decimal.parts()) {
            Some((whole, true)) => Some(whole),
            _ => None,
        },
        other => truncated(other),
    }
}

/// The whole part, and whether there is nothing else.
fn decimal_parts(parts: Parts) -> Option<(i64, bool)> {
    let Parts::Finite {
        negative,
        coefficient,
        exponent,
    } = parts
    else {
        return None;
    };
    let (whole, is_whole) = if coefficient == 0 {
        (0, true)
    } else if exponent >= 0 {
        let power = 10u128.checked_pow(exponent.unsigned_abs())?;
        (coefficient.checked_mul(power)?, true)
    } else {
        match 10u128.checked_pow(exponent.unsigned_abs()) {
            Some(power) => (coefficient / power, coefficient % power == 0),
            None => (0, false),
        }
    };
    let whole = i128::try_from(whole).ok()?;
    let signed = if negative { -whole } else { whole };
    Some((i64::try_from(signed).ok()?, is_whole))
}

/// Whether a number divides by another without remainder, as the decimals that they are written as.
pub(super) fn is_multiple(value: ValueRef<'_>, divisor: ValueRef<'_>) -> bool {
    if let (Some(value), Some(divisor)) = (exact(value), exact(divisor)) {
        return divisor != 0 && value.wrapping_rem(divisor) == 0;
    }
    match (Number::of(value), Number::of(divisor)) {
        (Some(value), Some(divisor)) => value.to_decimal().remainder(divisor.to_decimal()).is_zero(),
        _ => false,
    }
}
