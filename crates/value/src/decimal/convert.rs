//! Decimals from and to the other number types.

use super::{Decimal128, Parts};

/// How many significant digits of a double MongoDB takes over.
const DOUBLE_DIGITS: usize = 15;

impl From<i32> for Decimal128 {
    fn from(int: i32) -> Decimal128 {
        i64::from(int).into()
    }
}

impl From<i64> for Decimal128 {
    fn from(int: i64) -> Decimal128 {
        Decimal128::finite(int < 0, int.unsigned_abs().into(), 0)
    }
}

impl Decimal128 {
    /// The double rounded to 15 significant digits, zeros at the end included, as MongoDB converts: digits
    /// beyond those say nothing that the double was meant to say.
    pub fn from_f64(double: f64) -> Decimal128 {
        if double.is_nan() {
            return Decimal128::NAN;
        }
        let negative = double.is_sign_negative();
        if double.is_infinite() {
            return if negative {
                Decimal128::NEG_INFINITY
            } else {
                Decimal128::INFINITY
            };
        }
        if double == 0.0 {
            return Decimal128::finite(negative, 0, 0);
        }
        let text = format!("{:.*e}", DOUBLE_DIGITS - 1, double);
        // The standard library writes what this parses.
        text.parse().unwrap_or(Decimal128::NAN)
    }

    /// The nearest double; beyond the range infinite or zero.
    pub fn to_f64(self) -> f64 {
        let (negative, magnitude) = match self.parts() {
            Parts::Nan => return f64::NAN,
            Parts::Infinity { negative } => (negative, f64::INFINITY),
            Parts::Finite {
                negative,
                coefficient,
                exponent,
            } => {
                // The standard library parses every text of this form.
                (
                    negative,
                    format!("{coefficient}e{exponent}").parse().unwrap_or(f64::NAN),
                )
            }
        };
        if negative { -magnitude } else { magnitude }
    }

    /// The integer that this is exactly; `None` for fractions, beyond the range, NaN and infinities.
    pub fn to_i64_exact(self) -> Option<i64> {
        let (int, exact) = self.whole_part()?;
        exact.then_some(int)
    }

    /// The whole part, digits after the point dropped; `None` beyond the range, for NaN and infinities.
    pub fn to_i64_truncated(self) -> Option<i64> {
        self.whole_part().map(|(int, _)| int)
    }

    /// The whole part, and whether it is all.
    fn whole_part(self) -> Option<(i64, bool)> {
        let Parts::Finite {
            negative,
            coefficient,
            exponent,
        } = self.parts()
        else {
            return None;
        };
        let (whole, exact) = match 10u128.checked_pow(exponent.unsigned_abs()) {
            _ if coefficient == 0 => (0, true),
            Some(power) if exponent >= 0 => (coefficient.checked_mul(power)?, true),
            Some(power) => (coefficient / power, coefficient.is_multiple_of(power)),
            None if exponent > 0 => return None,
            None => (0, false),
        };
        let whole = i128::try_from(whole).ok()?;
        Some((i64::try_from(if negative { -whole } else { whole }).ok()?, exact))
    }
}
