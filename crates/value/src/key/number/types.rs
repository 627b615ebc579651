//! The codes of numbers' types in the type bits.

use super::magnitude::{Digits, Magnitude};
use super::read::{Decoded, Exact};
use crate::decimal::Parts;
use crate::number::Number;
use crate::{Decimal128, Type, Value};

/// The type that is usual for the key: int or long for integers, decimal for digits, double for the rest.
const USUAL: u8 = 0;
const LONG: u8 = 1;
const DOUBLE: u8 = 2;
const DOUBLE_NEGATIVE_ZERO: u8 = 3;
/// Followed by the exponent in two bytes.
const DECIMAL: u8 = 4;
/// Followed by the exponent in two bytes.
const DECIMAL_NEGATIVE_ZERO: u8 = 5;

/// Takes the next code; those left off at the end are 0.
pub(in crate::key) fn next_code(bits: &mut &[u8]) -> u8 {
    match bits.split_first() {
        Some((&code, rest)) => {
            *bits = rest;
            code
        }
        None => USUAL,
    }
}

/// Appends the code by which [`Decoded::into_value`] finds the type again.
pub(super) fn put_code(number: Number, kind: Type, magnitude: Magnitude, bits: &mut Vec<u8>) {
    let is_integer = matches!(magnitude, Magnitude::Whole(_) | Magnitude::Zero);
    match number {
        Number::Int(int) => {
            let usual = is_integer && (kind == Type::Int32) == i32::try_from(int).is_ok();
            bits.push(if usual { USUAL } else { LONG });
        }
        Number::Double(double) => bits.push(match magnitude {
            Magnitude::Zero if double.is_sign_negative() => DOUBLE_NEGATIVE_ZERO,
            _ if is_integer => DOUBLE,
            _ => USUAL,
        }),
        Number::Decimal(decimal) => {
            let (negative, exponent) = match decimal.parts() {
                Parts::Finite {
                    negative, exponent, ..
                } => (negative, exponent),
                Parts::Infinity { .. } | Parts::Nan => (false, 0),
            };
            if magnitude
                .digits()
                .is_some_and(|digits| digits.exponent == exponent)
            {
                return bits.push(USUAL);
            }
            let is_negative_zero = negative && matches!(magnitude, Magnitude::Zero);
            bits.push(if is_negative_zero {
                DECIMAL_NEGATIVE_ZERO
            } else {
                DECIMAL
            });
            bits.extend_from_slice(&(exponent as i16).to_be_bytes());
        }
    }
}

impl Decoded {
    /// The value in the type that the next code names; `None` if that type cannot hold the number.
    pub(in crate::key) fn into_value(self, bits: &mut &[u8]) -> Option<Value> {
        match next_code(bits) {
            USUAL => self.usual(),
            LONG => self.long().map(Value::Int64),
            DOUBLE => self.double().map(Value::Double),
            DOUBLE_NEGATIVE_ZERO => Some(Value::Double(-0.0)),
            code @ (DECIMAL | DECIMAL_NEGATIVE_ZERO) => {
                let exponent = i16::from_be_bytes([next_code(bits), next_code(bits)]);
                let negative = self.negative || code == DECIMAL_NEGATIVE_ZERO;
                self.decimal(negative, exponent.into()).map(Value::Decimal128)
            }
            _ => None,
        }
    }

    fn usual(self) -> Option<Value> {
        match self.exact {
            Exact::Whole(_) => {
                let long = self.long()?;
                Some(i32::try_from(long).map_or(Value::Int64(long), Value::Int32))
            }
            Exact::Digits(digits) => self
                .decimal(self.negative, digits.exponent)
                .map(Value::Decimal128),
            Exact::Nan | Exact::Infinity | Exact::Double(_) => self.double().map(Value::Double),
        }
    }

    fn long(self) -> Option<i64> {
        let magnitude = match self.exact {
            Exact::Whole(whole) => i128::from(whole),
            Exact::Double(double) if double.fract() == 0.0 => double as i128,
            Exact::Nan | Exact::Infinity | Exact::Double(_) | Exact::Digits(_) => return None,
        };
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    fn double(self) -> Option<f64> {
        let magnitude = match self.exact {
            Exact::Nan => f64::NAN,
            Exact::Infinity => f64::INFINITY,
            Exact::Whole(whole) => whole as f64,
            Exact::Double(double) => double,
            Exact::Digits(_) => return None,
        };
        Some(if self.negative { -magnitude } else { magnitude })
    }

    fn decimal(self, negative: bool, exponent: i32) -> Option<Decimal128> {
        let digits = match self.exact {
            Exact::Nan => return Some(Decimal128::NAN),
            Exact::Infinity => return Decimal128::from_parts(Parts::Infinity { negative }),
            Exact::Whole(whole) => Digits {
                coefficient: whole.into(),
                exponent: 0,
            },
            Exact::Double(double) => double_digits(double)?,
            Exact::Digits(digits) => digits,
        };
        let coefficient = digits.at_exponent(exponent)?;
        Decimal128::from_parts(Parts::Finite {
            negative,
            coefficient,
            exponent,
        })
    }
}

impl Digits {
    /// The coefficient for this exponent; `None` if it is not an integer or too large.
    fn at_exponent(self, exponent: i32) -> Option<u128> {
        if self.coefficient == 0 {
            return Some(0);
        }
        let power = 10u128.checked_pow(self.exponent.abs_diff(exponent))?;
        if exponent <= self.exponent {
            self.coefficient.checked_mul(power)
        } else {
            self.coefficient
                .is_multiple_of(power)
                .then(|| self.coefficient / power)
        }
    }
}

/// The digits of a double that is equal to a decimal, so that 34 of them are all.
fn double_digits(double: f64) -> Option<Digits> {
    let text = format!("{double:.33e}");
    let (digits, exponent) = text.split_once('e')?;
    let coefficient: u128 = digits.replace('.', "").parse().ok()?;
    Some(Digits::trimmed(coefficient, exponent.parse::<i32>().ok()? - 33))
}
