//! Arithmetic on decimals: IEEE 754-2008, rounding to the nearest, a half to even.
//!
//! Done by libdecnumber (crate `dec`), whose encoding packs decimal digits; numbers go there and back as
//! coefficient and exponent.

use super::{COEFFICIENT_MAX, Decimal128, EXPONENT_MIN, Parts, Rounding};
use dec::{Context, Decimal};
use std::cmp::Ordering;

/// Working digits of the transcendental functions: a few more than 34, so that rounding to 34 is nearly always right.
type Wide = Decimal<14>;

/// The largest exponent in between; libdecnumber's functions need a limit, and decimal128's own is applied after.
const WIDE_EXPONENT_MAX: isize = 99_999;

impl Decimal128 {
    fn to_dec(self) -> dec::Decimal128 {
        match self.parts() {
            Parts::Nan => dec::Decimal128::NAN,
            Parts::Infinity { negative } => {
                let parsed = Context::<dec::Decimal128>::default().parse("Infinity");
                // The library knows its own word for it.
                let infinity = parsed.unwrap_or(dec::Decimal128::NAN);
                if negative { -infinity } else { infinity }
            }
            Parts::Finite {
                negative,
                coefficient,
                exponent,
            } => {
                let mut context = Context::<dec::Decimal128>::default();
                let mut decimal = context.from_u128(coefficient);
                context.set_exponent(&mut decimal, exponent);
                if negative {
                    // Negation would lose the sign of zero, a product does not.
                    let minus_one = context.from_i128(-1);
                    decimal = context.mul(decimal, minus_one);
                }
                decimal
            }
        }
    }

    fn from_dec(decimal: dec::Decimal128) -> Decimal128 {
        if decimal.is_nan() {
            return Decimal128::NAN;
        }
        let negative = decimal.is_signed();
        if decimal.is_infinite() {
            return if negative {
                Decimal128::NEG_INFINITY
            } else {
                Decimal128::INFINITY
            };
        }
        // Both formats have the same range.
        Decimal128::finite(negative, decimal.coefficient().unsigned_abs(), decimal.exponent())
    }

    fn with(
        self,
        other: Decimal128,
        operation: fn(&mut Context<dec::Decimal128>, dec::Decimal128, dec::Decimal128) -> dec::Decimal128,
    ) -> Decimal128 {
        let mut context = Context::<dec::Decimal128>::default();
        Decimal128::from_dec(operation(&mut context, self.to_dec(), other.to_dec()))
    }

    /// The sum.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "arithmetic that rounds is named, not hidden in operators"
    )]
    pub fn add(self, other: Decimal128) -> Decimal128 {
        self.with(other, Context::<dec::Decimal128>::add)
    }

    /// The difference.
    #[must_use]
    pub fn subtract(self, other: Decimal128) -> Decimal128 {
        self.with(other, Context::<dec::Decimal128>::sub)
    }

    /// The product.
    #[must_use]
    pub fn multiply(self, other: Decimal128) -> Decimal128 {
        self.with(other, Context::<dec::Decimal128>::mul)
    }

    /// The quotient; infinite or NaN for a divisor of zero.
    #[must_use]
    pub fn divide(self, other: Decimal128) -> Decimal128 {
        self.with(other, Context::<dec::Decimal128>::div)
    }

    /// What is left of `self` after taking `other` a whole number of times, exactly and with the sign of
    /// `self`; NaN for a divisor of zero and an infinite dividend.
    #[must_use]
    pub fn remainder(self, other: Decimal128) -> Decimal128 {
        let (negative, a, a_exponent, b, b_exponent) = match (self.parts(), other.parts()) {
            (
                Parts::Finite {
                    negative,
                    coefficient: a,
                    exponent: a_exponent,
                },
                Parts::Finite {
                    coefficient: b,
                    exponent: b_exponent,
                    ..
                },
            ) if b != 0 => (negative, a, a_exponent, b, b_exponent),
            (Parts::Finite { .. }, Parts::Infinity { .. }) => return self,
            _ => return Decimal128::NAN,
        };
        let exponent = a_exponent.min(b_exponent);
        let distance = a_exponent.abs_diff(b_exponent);
        let rest = if a_exponent >= b_exponent {
            // a * 10^distance modulo b, four digits at a time: b has 113 bits, and the product must have 128.
            let rest = (0..distance / 4).fold(a % b, |rest, _| rest * 10_000 % b);
            (0..distance % 4).fold(rest, |rest, _| rest * 10 % b)
        } else {
            // A divisor that does not fit is larger than any coefficient.
            10u128
                .checked_pow(distance)
                .and_then(|power| b.checked_mul(power))
                .map_or(a, |b| a % b)
        };
        Decimal128::finite(negative, rest, exponent)
    }

    /// Without its sign.
    #[must_use]
    pub fn abs(self) -> Decimal128 {
        if self.is_negative() { self.negate() } else { self }
    }

    /// With the other sign.
    #[must_use]
    pub fn negate(self) -> Decimal128 {
        match self.parts() {
            Parts::Finite {
                negative,
                coefficient,
                exponent,
            } => Decimal128::finite(!negative, coefficient, exponent),
            Parts::Infinity { negative: true } => Decimal128::INFINITY,
            Parts::Infinity { negative: false } => Decimal128::NEG_INFINITY,
            Parts::Nan => self,
        }
    }

    /// The largest integer that is not above; NaN where that has more than 34 digits, as in MongoDB.
    #[must_use]
    pub fn floor(self) -> Decimal128 {
        self.quantize(0, Rounding::Floor)
    }

    /// The smallest integer that is not below; NaN where that has more than 34 digits, as in MongoDB.
    #[must_use]
    pub fn ceil(self) -> Decimal128 {
        self.quantize(0, Rounding::Ceiling)
    }

    fn wide(self, function: impl FnOnce(&mut Context<Wide>, &mut Wide)) -> Decimal128 {
        let mut context = Context::<Wide>::default();
        // These limits are within what the library takes.
        let limited = context.set_max_exponent(WIDE_EXPONENT_MAX).is_ok()
            && context.set_min_exponent(-WIDE_EXPONENT_MAX).is_ok();
        debug_assert!(limited, "the exponents' limits are valid");
        let mut wide = Wide::from(self.to_dec());
        function(&mut context, &mut wide);
        Decimal128::from_dec(Context::<dec::Decimal128>::default().from_decimal(&wide))
    }

    /// The square root; NaN below zero.
    #[must_use]
    pub fn sqrt(self) -> Decimal128 {
        let mut context = Context::<Wide>::default();
        // Rounded to 34 digits at once: the library's root is the nearest, and a second rounding could spoil it.
        let limited = context.set_precision(super::DIGITS_MAX as usize).is_ok();
        debug_assert!(limited, "34 digits are within the width");
        let mut wide = Wide::from(self.to_dec());
        context.sqrt(&mut wide);
        Decimal128::from_dec(Context::<dec::Decimal128>::default().from_decimal(&wide))
    }

    /// e to this power.
    #[must_use]
    pub fn exp(self) -> Decimal128 {
        self.wide(Context::<Wide>::exp)
    }

    /// The natural logarithm; NaN below zero.
    #[must_use]
    pub fn ln(self) -> Decimal128 {
        self.wide(Context::<Wide>::ln)
    }

    /// The logarithm to base 10; NaN below zero.
    #[must_use]
    pub fn log10(self) -> Decimal128 {
        self.wide(Context::<Wide>::log10)
    }

    /// This to the power of `exponent`, with all 34 digits as MongoDB gives it.
    #[must_use]
    pub fn pow(self, exponent: Decimal128) -> Decimal128 {
        let power = self.special_power(exponent).unwrap_or_else(|| {
            let other = Wide::from(exponent.to_dec());
            self.wide(|context, wide| context.pow(wide, &other))
        });
        power.add(Decimal128::finite(false, 0, EXPONENT_MIN))
    }

    /// The powers that C defines and libdecnumber does not.
    fn special_power(self, exponent: Decimal128) -> Option<Decimal128> {
        let one = Decimal128::from(1);
        let compare = |a: Decimal128, b| crate::order::compare_decimals(a, b);
        if exponent.is_zero() || compare(self, one).is_eq() {
            return Some(one);
        }
        if !exponent.is_infinite() || self.is_nan() {
            return None;
        }
        Some(match (compare(self.abs(), one), exponent.is_negative()) {
            (Ordering::Equal, _) => one,
            (Ordering::Greater, false) | (Ordering::Less, true) => Decimal128::INFINITY,
            (Ordering::Less, false) | (Ordering::Greater, true) => Decimal128::ZERO,
        })
    }
}

const _: () = assert!(
    COEFFICIENT_MAX.checked_mul(10_000).is_some(),
    "remainder multiplies by 10^4"
);
