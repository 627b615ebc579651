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

/// The number cut to a whole one: NaN is 0, what is too large is the largest.
pub fn truncated_i64(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Int32(number) => Some(i64::from(number)),
        ValueRef::Int64(number) => Some(number),
        // `as` does exactly this: truncates, saturates, and makes NaN 0.
        other => number_as_f64(other).map(|number| number as i64),
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
    fn only_whole_numbers_are_exact() {
        assert_eq!(exact_i64(ValueRef::Double(2.0)), Some(2));
        assert_eq!(exact_i64(ValueRef::Double(2.5)), None);
        assert_eq!(exact_i64(ValueRef::Double(f64::NAN)), None);
        assert_eq!(exact_i64(ValueRef::Decimal128(Decimal128::NAN)), None);
    }
}
