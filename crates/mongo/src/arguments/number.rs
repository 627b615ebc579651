//! Numbers of all BSON types as arguments.

use value::decimal::Parts;
use value::{Decimal128, ValueRef};

/// The number as a double; none where it is no number.
pub fn number_as_f64(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Double(number) => Some(number),
        ValueRef::Int32(number) => Some(f64::from(number)),
        ValueRef::Int64(number) => Some(number as f64),
        ValueRef::Decimal128(number) => Some(decimal_as_f64(number)),
        _ => None,
    }
}

fn decimal_as_f64(number: Decimal128) -> f64 {
    match number.parts() {
        Parts::Nan => f64::NAN,
        Parts::Infinity { negative: false } => f64::INFINITY,
        Parts::Infinity { negative: true } => f64::NEG_INFINITY,
        Parts::Finite {
            negative,
            coefficient,
            exponent,
        } => {
            let sign = if negative { "-" } else { "" };
            // Every such text is a number that f64 reads, rounded once.
            format!("{sign}{coefficient}e{exponent}")
                .parse()
                .unwrap_or(f64::NAN)
        }
    }
}

/// Whether the number is not zero, however small it is.
pub fn is_nonzero(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Decimal128(number) => !number.is_zero(),
        other => number_as_f64(other) != Some(0.0),
    }
}

/// The number as a whole one: doubles are cut, decimals rounded half to even; NaN is 0, what is too large is the
/// largest.
pub fn truncated_i64(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Int32(number) => Some(i64::from(number)),
        ValueRef::Int64(number) => Some(number),
        ValueRef::Decimal128(number) => Some(rounded_decimal(number)),
        // `as` does exactly this: truncates, saturates, and makes NaN 0.
        other => number_as_f64(other).map(|number| number as i64),
    }
}

fn rounded_decimal(number: Decimal128) -> i64 {
    let (negative, coefficient, exponent) = match number.parts() {
        Parts::Nan => return 0,
        Parts::Infinity { negative } => (negative, 1, i32::MAX),
        Parts::Finite {
            negative,
            coefficient,
            exponent,
        } => (negative, coefficient, exponent),
    };
    let magnitude = match u32::try_from(exponent) {
        Ok(up) => 10_u128
            .checked_pow(up)
            .and_then(|scale| coefficient.checked_mul(scale)),
        Err(_) => Some(match 10_u128.checked_pow(exponent.unsigned_abs()) {
            Some(scale) => {
                let (whole, rest) = (coefficient / scale, coefficient % scale);
                let up = rest > scale / 2 || (rest == scale / 2 && whole % 2 == 1);
                whole + u128::from(up)
            }
            None => 0,
        }),
    };
    let magnitude = magnitude.and_then(|magnitude| i64::try_from(magnitude).ok());
    match (magnitude, negative) {
        (Some(magnitude), false) => magnitude,
        (Some(magnitude), true) => -magnitude,
        (None, false) => i64::MAX,
        (None, true) => i64::MIN,
    }
}

/// The number, where it is a whole one within i64.
pub fn exact_i64(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Int32(number) => Some(i64::from(number)),
        ValueRef::Int64(number) => Some(number),
        other => number_as_f64(other)
            .filter(|number| number.fract() == 0.0 && number.abs() < 9.3e18)
            .map(|number| number as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_truncated_and_saturated() {
        assert_eq!(truncated_i64(ValueRef::Double(2.9)), Some(2));
        assert_eq!(truncated_i64(ValueRef::Double(f64::NAN)), Some(0));
        assert_eq!(truncated_i64(ValueRef::Double(f64::INFINITY)), Some(i64::MAX));
        assert_eq!(truncated_i64(ValueRef::String("2")), None);
    }

    #[test]
    fn decimals_are_rounded_half_to_even() {
        let decimal = |negative, coefficient, exponent| {
            let parts = Parts::Finite {
                negative,
                coefficient,
                exponent,
            };
            truncated_i64(ValueRef::Decimal128(Decimal128::from_parts(parts).unwrap())).unwrap()
        };
        assert_eq!(decimal(false, 15, -1), 2);
        assert_eq!(decimal(false, 25, -1), 2);
        assert_eq!(decimal(true, 50_001, -5), -1);
        assert_eq!(decimal(false, 1, -6143), 0);
        assert_eq!(decimal(false, 5, 3), 5000);
        assert_eq!(decimal(true, 1, 6000), i64::MIN);
    }

    #[test]
    fn only_whole_numbers_are_exact() {
        assert_eq!(exact_i64(ValueRef::Double(2.0)), Some(2));
        assert_eq!(exact_i64(ValueRef::Double(2.5)), None);
        assert_eq!(exact_i64(ValueRef::Double(f64::NAN)), None);
        assert_eq!(exact_i64(ValueRef::Decimal128(Decimal128::NAN)), None);
    }
}
