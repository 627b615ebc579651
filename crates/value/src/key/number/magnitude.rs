//! How far a number is from zero, in the form that its key has.

use crate::number::{decimal_digit_count, double_at_most};

/// The bits of a double's significand.
const SIGNIFICAND_BITS: u32 = 53;
const WHOLE_END: u64 = 1 << 63;

/// The magnitude of a number of any type; equal for equal magnitudes.
#[derive(Clone, Copy, Debug)]
pub(in crate::key) enum Magnitude {
    Nan,
    Infinity,
    Zero,
    /// An integer from 1, below 2^63.
    Whole(u64),
    /// From 1, below 2^63, with a fraction: as many of its bits as a double of that size has.
    Mixed {
        whole: u64,
        fraction: u64,
        digits: Option<Digits>,
    },
    /// Anything else: the largest double that is not above it.
    Wide {
        at_most: f64,
        digits: Option<Digits>,
    },
}

/// An exact decimal magnitude without zeros at the end.
#[derive(Clone, Copy, Debug)]
pub(in crate::key) struct Digits {
    pub(super) coefficient: u128,
    pub(super) exponent: i32,
}

impl Digits {
    pub(super) fn trimmed(mut coefficient: u128, mut exponent: i32) -> Digits {
        while coefficient != 0 && coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent += 1;
        }
        Digits {
            coefficient,
            exponent,
        }
    }

    /// The exponent where the point stands before the first digit.
    pub(super) fn point_exponent(self) -> i16 {
        // Between -6176 and 6145 for a decimal128.
        (self.exponent + decimal_digit_count(self.coefficient) as i32) as i16
    }
}

/// How many bits of the fraction a double with this whole part has.
fn fraction_bits(whole: u64) -> u32 {
    SIGNIFICAND_BITS.saturating_sub(u64::BITS - whole.leading_zeros())
}

/// The bytes of the fraction and its mark.
pub(super) fn fraction_bytes(whole: u64) -> usize {
    (fraction_bits(whole) + 1).div_ceil(8) as usize
}

/// The double of a whole part and its fraction's bits; `None` if those are zero, or more than a double has.
pub(super) fn mixed_double(whole: u64, fraction: u64) -> Option<f64> {
    let one = 1u64 << fraction_bits(whole);
    (1..one)
        .contains(&fraction)
        .then(|| whole as f64 + fraction as f64 / one as f64)
}

impl Magnitude {
    /// The exact digits, where doubles cannot tell.
    pub(super) fn digits(self) -> Option<Digits> {
        match self {
            Magnitude::Mixed { digits, .. } | Magnitude::Wide { digits, .. } => digits,
            Magnitude::Nan | Magnitude::Infinity | Magnitude::Zero | Magnitude::Whole(_) => None,
        }
    }

    pub(super) fn of_int(int: u64) -> Magnitude {
        match int {
            0 => Magnitude::Zero,
            1..WHOLE_END => Magnitude::Whole(int),
            // Only 2^63, of the smallest long, which a double holds exactly.
            _ => Magnitude::Wide {
                at_most: int as f64,
                digits: None,
            },
        }
    }

    pub(super) fn of_double(double: f64) -> Magnitude {
        if double.is_nan() {
            Magnitude::Nan
        } else if double == 0.0 {
            Magnitude::Zero
        } else if double.is_infinite() {
            Magnitude::Infinity
        } else if !(1.0..WHOLE_END as f64).contains(&double) {
            Magnitude::Wide {
                at_most: double,
                digits: None,
            }
        } else {
            let whole = double as u64;
            let fraction = (double - whole as f64) * (1u64 << fraction_bits(whole)) as f64;
            match fraction as u64 {
                0 => Magnitude::Whole(whole),
                fraction => Magnitude::Mixed {
                    whole,
                    fraction,
                    digits: None,
                },
            }
        }
    }

    pub(super) fn of_decimal(coefficient: u128, exponent: i32) -> Magnitude {
        if coefficient == 0 {
            return Magnitude::Zero;
        }
        // Below 1, or 10^19 and more, is outside the range of whole parts; within it no power goes past 10^34.
        let point = exponent + decimal_digit_count(coefficient) as i32;
        if !(1..=19).contains(&point) {
            return Magnitude::wide(coefficient, exponent);
        }
        let power = 10u128.pow(exponent.unsigned_abs());
        let (whole, rest) = if exponent >= 0 {
            (coefficient * power, 0)
        } else {
            (coefficient / power, coefficient % power)
        };
        match u64::try_from(whole) {
            Ok(whole) if whole < WHOLE_END && rest == 0 => Magnitude::Whole(whole),
            Ok(whole) if whole < WHOLE_END => Magnitude::mixed(whole, rest, power, coefficient, exponent),
            _ => Magnitude::wide(coefficient, exponent),
        }
    }

    /// A magnitude with the fraction `rest / power`, turned into binary bit by bit.
    fn mixed(whole: u64, mut rest: u128, power: u128, coefficient: u128, exponent: i32) -> Magnitude {
        let mut fraction = 0;
        for _ in 0..fraction_bits(whole) {
            rest <<= 1;
            let bit = rest >= power;
            if bit {
                rest -= power;
            }
            fraction = fraction << 1 | u64::from(bit);
        }
        let digits = (rest != 0).then(|| Digits::trimmed(coefficient, exponent));
        Magnitude::Mixed {
            whole,
            fraction,
            digits,
        }
    }

    fn wide(coefficient: u128, exponent: i32) -> Magnitude {
        let (at_most, exact) = double_at_most(coefficient, exponent);
        let digits = (!exact).then(|| Digits::trimmed(coefficient, exponent));
        Magnitude::Wide { at_most, digits }
    }
}
