//! 128-bit decimal floating point, in BSON's encoding (IEEE 754-2008 decimal128, binary integer significand).
//!
//! [`Decimal128`] keeps the 16 bytes as they came; [`Decimal128::parts`] is what they mean. Encodings that the
//! standard calls non-canonical (a coefficient above 34 digits) mean zero, as the standard says.

mod arithmetic;
mod convert;
mod rounding;
mod text;
pub mod trigonometry;
mod wide;

pub use rounding::Rounding;
pub use text::ParseDecimalError;
pub use wide::{from_double_exactly, to_places, without_zeros};

use std::fmt;

/// The most digits that a coefficient has.
pub const DIGITS_MAX: u32 = 34;
/// The largest coefficient.
pub(crate) const COEFFICIENT_MAX: u128 = 10u128.pow(DIGITS_MAX) - 1;
/// The smallest exponent.
pub const EXPONENT_MIN: i32 = -6176;
/// The largest exponent.
pub const EXPONENT_MAX: i32 = 6111;

const SIGN: u128 = 1 << 127;
const COEFFICIENT_BITS: u32 = 113;

/// A decimal128 as its 16 little-endian bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal128([u8; 16]);

/// What a decimal128 means: a finite number is `(-1)^negative * coefficient * 10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// A number.
    Finite {
        /// Below zero, or negative zero.
        negative: bool,
        /// At most 34 digits.
        coefficient: u128,
        /// From [`EXPONENT_MIN`] to [`EXPONENT_MAX`].
        exponent: i32,
    },
    /// Beyond all numbers.
    Infinity {
        /// Below all numbers.
        negative: bool,
    },
    /// Not a number.
    Nan,
}

impl Decimal128 {
    /// Zero with exponent 0.
    pub const ZERO: Decimal128 = Decimal128::finite(false, 0, 0);
    /// Not a number.
    pub const NAN: Decimal128 = Decimal128((0x7Cu128 << 120).to_le_bytes());
    /// Above all numbers.
    pub const INFINITY: Decimal128 = Decimal128((0x78u128 << 120).to_le_bytes());
    /// Below all numbers.
    pub const NEG_INFINITY: Decimal128 = Decimal128((0xF8u128 << 120).to_le_bytes());

    /// The value of these bytes as BSON has them (little-endian).
    pub const fn from_bytes(bytes: [u8; 16]) -> Decimal128 {
        Decimal128(bytes)
    }

    /// The bytes as BSON has them.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// What the bytes mean.
    pub fn parts(self) -> Parts {
        let bits = u128::from_le_bytes(self.0);
        let negative = bits & SIGN != 0;
        match (bits >> 122) as u8 & 0x1F {
            0x1F => Parts::Nan,
            0x1E => Parts::Infinity { negative },
            // The form for coefficients of 114 bits, all of which are too large.
            0x18..0x1E => {
                let exponent = (bits >> 111) as i32 & 0x3FFF;
                Parts::Finite {
                    negative,
                    coefficient: 0,
                    exponent: exponent + EXPONENT_MIN,
                }
            }
            _ => {
                let exponent = (bits >> COEFFICIENT_BITS) as i32 & 0x3FFF;
                let coefficient = bits & ((1 << COEFFICIENT_BITS) - 1);
                let coefficient = if coefficient > COEFFICIENT_MAX {
                    0
                } else {
                    coefficient
                };
                Parts::Finite {
                    negative,
                    coefficient,
                    exponent: exponent + EXPONENT_MIN,
                }
            }
        }
    }

    /// The canonical encoding of `parts`; `None` if coefficient or exponent are out of range.
    pub fn from_parts(parts: Parts) -> Option<Decimal128> {
        match parts {
            Parts::Nan => Some(Decimal128::NAN),
            Parts::Infinity { negative: false } => Some(Decimal128::INFINITY),
            Parts::Infinity { negative: true } => Some(Decimal128::NEG_INFINITY),
            Parts::Finite {
                negative,
                coefficient,
                exponent,
            } => (coefficient <= COEFFICIENT_MAX && (EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent))
                .then(|| Decimal128::finite(negative, coefficient, exponent)),
        }
    }

    /// The encoding of parts known to be in range.
    const fn finite(negative: bool, coefficient: u128, exponent: i32) -> Decimal128 {
        let sign = if negative { SIGN } else { 0 };
        let exponent = ((exponent - EXPONENT_MIN) as u128) << COEFFICIENT_BITS;
        Decimal128((sign | exponent | coefficient).to_le_bytes())
    }

    /// The same value in its canonical encoding.
    #[must_use]
    pub fn canonical(self) -> Decimal128 {
        // Parts of an encoding are always in range.
        Decimal128::from_parts(self.parts()).unwrap_or(Decimal128::NAN)
    }

    /// Whether this is not a number.
    pub fn is_nan(self) -> bool {
        self.parts() == Parts::Nan
    }

    /// Whether this is one of the infinities.
    pub fn is_infinite(self) -> bool {
        matches!(self.parts(), Parts::Infinity { .. })
    }

    /// Whether this is a number, neither infinite nor NaN.
    pub fn is_finite(self) -> bool {
        matches!(self.parts(), Parts::Finite { .. })
    }

    /// Whether this is zero of either sign and any exponent.
    pub fn is_zero(self) -> bool {
        matches!(self.parts(), Parts::Finite { coefficient: 0, .. })
    }

    /// Whether the sign is set, also for negative zero; never for NaN.
    pub fn is_negative(self) -> bool {
        match self.parts() {
            Parts::Finite { negative, .. } | Parts::Infinity { negative } => negative,
            Parts::Nan => false,
        }
    }
}

impl fmt::Debug for Decimal128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decimal128({self})")
    }
}
