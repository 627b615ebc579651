//! The order of numbers of all types, by exact value.

use super::{Number, exact};
use crate::Decimal128;
use crate::decimal::Parts;
use std::cmp::Ordering;

/// 2^63 as a double: the first that no `i64` reaches.
const INT_END: f64 = 9_223_372_036_854_775_808.0;

/// Compares by exact value; NaN of any type is equal to NaN and below every other number, the zeros are equal.
pub(crate) fn compare(a: Number, b: Number) -> Ordering {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a.cmp(&b),
        (Number::Double(a), Number::Double(b)) => compare_doubles(a, b),
        (Number::Int(a), Number::Double(b)) => compare_int_with_double(a, b),
        (Number::Double(a), Number::Int(b)) => compare_int_with_double(b, a).reverse(),
        (Number::Decimal(a), Number::Decimal(b)) => compare_parts(a.parts(), b.parts()),
        (Number::Decimal(a), Number::Int(b)) => compare_parts(a.parts(), int_parts(b)),
        (Number::Int(a), Number::Decimal(b)) => compare_parts(int_parts(a), b.parts()),
        (Number::Decimal(a), Number::Double(b)) => compare_decimal_with_double(a, b),
        (Number::Double(a), Number::Decimal(b)) => compare_decimal_with_double(b, a).reverse(),
    }
}

fn compare_doubles(a: f64, b: f64) -> Ordering {
    // Without an order, at least one is NaN, and that one is smaller.
    a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

fn compare_int_with_double(int: i64, double: f64) -> Ordering {
    if double.is_nan() || double < -INT_END {
        return Ordering::Greater;
    }
    if double >= INT_END {
        return Ordering::Less;
    }
    let whole = double.trunc();
    int.cmp(&(whole as i64))
        .then_with(|| compare_doubles(whole, double))
}

fn int_parts(int: i64) -> Parts {
    Parts::Finite {
        negative: int < 0,
        coefficient: u128::from(int.unsigned_abs()),
        exponent: 0,
    }
}

fn compare_parts(a: Parts, b: Parts) -> Ordering {
    match (a, b) {
        (
            Parts::Finite {
                negative: a_negative,
                coefficient: a,
                exponent: a_exponent,
            },
            Parts::Finite {
                negative: b_negative,
                coefficient: b,
                exponent: b_exponent,
            },
        ) => match sign(a_negative, a).cmp(&sign(b_negative, b)) {
            Ordering::Equal if a == 0 => Ordering::Equal,
            Ordering::Equal if a_negative => compare_magnitudes(b, b_exponent, a, a_exponent),
            Ordering::Equal => compare_magnitudes(a, a_exponent, b, b_exponent),
            unequal => unequal,
        },
        _ => class(a).cmp(&class(b)),
    }
}

fn sign(negative: bool, coefficient: u128) -> i8 {
    match (coefficient, negative) {
        (0, _) => 0,
        (_, true) => -1,
        (_, false) => 1,
    }
}

/// Where NaN and the infinities stand among the numbers.
fn class(parts: Parts) -> i8 {
    match parts {
        Parts::Nan => -2,
        Parts::Infinity { negative: true } => -1,
        Parts::Finite { .. } => 0,
        Parts::Infinity { negative: false } => 1,
    }
}

/// Compares `a * 10^a_exponent` with `b * 10^b_exponent`, both above zero.
fn compare_magnitudes(a: u128, a_exponent: i32, b: u128, b_exponent: i32) -> Ordering {
    let (a_digits, b_digits) = (exact::decimal_digit_count(a), exact::decimal_digit_count(b));
    let (a_size, b_size) = (a_exponent + a_digits as i32, b_exponent + b_digits as i32);
    a_size.cmp(&b_size).then_with(|| {
        // Of one size, so padded to the same number of digits, at most 34, which fit 128 bits.
        let digits = a_digits.max(b_digits);
        (a * 10u128.pow(digits - a_digits)).cmp(&(b * 10u128.pow(digits - b_digits)))
    })
}

fn compare_decimal_with_double(decimal: Decimal128, double: f64) -> Ordering {
    let double_class = match double {
        _ if double.is_nan() => -2,
        f64::NEG_INFINITY => -1,
        f64::INFINITY => 1,
        _ => 0,
    };
    let parts = decimal.parts();
    let Parts::Finite {
        negative,
        coefficient,
        exponent,
    } = parts
    else {
        return class(parts).cmp(&double_class);
    };
    if double_class != 0 {
        return 0.cmp(&double_class);
    }
    let double_sign = if double == 0.0 { 0 } else { double.signum() as i8 };
    match sign(negative, coefficient).cmp(&double_sign) {
        Ordering::Equal if coefficient == 0 => Ordering::Equal,
        Ordering::Equal => {
            let order = exact::compare_decimal_with_double(coefficient, exponent, double.abs());
            if negative { order.reverse() } else { order }
        }
        unequal => unequal,
    }
}
