//! Rounding decimals to a place.

use super::{COEFFICIENT_MAX, Decimal128, EXPONENT_MAX, EXPONENT_MIN, Parts};

/// Which way digits are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, a half to the even digit.
    HalfEven,
    /// Towards zero.
    TowardsZero,
    /// Towards negative infinity.
    Floor,
    /// Towards infinity.
    Ceiling,
}

/// What the digits after a coefficient come to, as a share of its last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

impl Tail {
    pub(super) fn of_digit(digit: u8) -> Tail {
        match digit {
            0 => Tail::Zero,
            1..5 => Tail::BelowHalf,
            5 => Tail::Half,
            _ => Tail::AboveHalf,
        }
    }

    /// The tail with more digits after it, which are all zero or not.
    pub(super) fn followed_by(self, nonzero: bool) -> Tail {
        match self {
            Tail::Zero if nonzero => Tail::BelowHalf,
            Tail::Half if nonzero => Tail::AboveHalf,
            _ => self,
        }
    }

    /// Moves the last digits of the coefficient into the tail.
    pub(super) fn shift_in(self, coefficient: u128, digits: u32) -> (u128, Tail) {
        if digits == 0 {
            return (coefficient, self);
        }
        let Some(power) = 10u128.checked_pow(digits) else {
            return (0, Tail::Zero.followed_by(coefficient != 0 || self != Tail::Zero));
        };
        let rest = coefficient % power;
        let tail = match rest.cmp(&(power / 2)) {
            _ if rest == 0 => Tail::Zero,
            std::cmp::Ordering::Less => Tail::BelowHalf,
            std::cmp::Ordering::Equal => Tail::Half,
            std::cmp::Ordering::Greater => Tail::AboveHalf,
        };
        (coefficient / power, tail.followed_by(self != Tail::Zero))
    }

    /// The coefficient with the tail rounded off.
    pub(super) fn round(self, coefficient: u128, negative: bool, rounding: Rounding) -> u128 {
        let up = match rounding {
            Rounding::HalfEven => {
                self == Tail::AboveHalf || (self == Tail::Half && !coefficient.is_multiple_of(2))
            }
            Rounding::TowardsZero => false,
            Rounding::Floor => negative && self != Tail::Zero,
            Rounding::Ceiling => !negative && self != Tail::Zero,
        };
        coefficient + u128::from(up)
    }
}

impl Decimal128 {
    /// The same number with this exponent, digits dropped or zeros added. NaN where that takes more than 34
    /// digits; infinities stay.
    #[must_use]
    pub fn quantize(self, exponent: i32, rounding: Rounding) -> Decimal128 {
        let Parts::Finite {
            negative,
            coefficient,
            exponent: present,
        } = self.parts()
        else {
            return self;
        };
        if !(EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent) {
            return Decimal128::NAN;
        }
        let distance = present.abs_diff(exponent);
        let coefficient = if coefficient == 0 {
            Some(0)
        } else if exponent <= present {
            10u128
                .checked_pow(distance)
                .and_then(|power| coefficient.checked_mul(power))
        } else {
            let (kept, tail) = Tail::Zero.shift_in(coefficient, distance);
            Some(tail.round(kept, negative, rounding))
        };
        match coefficient {
            Some(coefficient) if coefficient <= COEFFICIENT_MAX => {
                Decimal128::finite(negative, coefficient, exponent)
            }
            _ => Decimal128::NAN,
        }
    }

    /// Rounded to `places` digits after the point (before it if negative). A number without digits beyond
    /// that place stays as it is.
    #[must_use]
    pub fn round_to_place(self, place: i32, rounding: Rounding) -> Decimal128 {
        match self.parts() {
            Parts::Finite { exponent, .. } if exponent < -place => self.quantize(-place, rounding),
            _ => self,
        }
    }
}
