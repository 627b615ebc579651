//! Decimals as text. Format: BSON Decimal128 specification, "to-string" and "from-string".

use super::rounding::Tail;
use super::{COEFFICIENT_MAX, DIGITS_MAX, Decimal128, EXPONENT_MAX, EXPONENT_MIN, Parts, Rounding};
use crate::number::decimal_digit_count;
use std::fmt;
use std::str::FromStr;

/// The smallest exponent of scientific notation that is still written plainly.
const PLAIN_EXPONENT_MIN: i32 = -6;

/// Why a text is not a decimal128.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDecimalError {
    /// Not a number at all.
    #[error("not a decimal number")]
    Syntax,
    /// A number that 34 digits or the range of exponents cannot hold exactly.
    #[error("a decimal128 cannot hold this number exactly")]
    Inexact,
}

impl fmt::Display for Decimal128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, coefficient, exponent) = match self.parts() {
            Parts::Nan => return f.write_str("NaN"),
            Parts::Infinity { negative } => {
                return f.write_str(if negative { "-Infinity" } else { "Infinity" });
            }
            Parts::Finite {
                negative,
                coefficient,
                exponent,
            } => (negative, coefficient, exponent),
        };
        if negative {
            f.write_str("-")?;
        }
        let digits = coefficient.to_string();
        let scientific = exponent + digits.len() as i32 - 1;
        if exponent > 0 || scientific < PLAIN_EXPONENT_MIN {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            return write!(f, "{first}{point}{rest}E{scientific:+}");
        }
        let decimals = exponent.unsigned_abs() as usize;
        match digits.len().checked_sub(decimals) {
            _ if decimals == 0 => f.write_str(&digits),
            None | Some(0) => write!(f, "0.{digits:0>decimals$}"),
            Some(whole) => {
                let (whole, fraction) = digits.split_at(whole);
                write!(f, "{whole}.{fraction}")
            }
        }
    }
}

impl FromStr for Decimal128 {
    type Err = ParseDecimalError;

    /// The exact value of the text; a value that cannot be held exactly is an error.
    fn from_str(text: &str) -> Result<Decimal128, ParseDecimalError> {
        match Scanned::new(text).ok_or(ParseDecimalError::Syntax)?.finish() {
            (decimal, true) => Ok(decimal),
            (_, false) => Err(ParseDecimalError::Inexact),
        }
    }
}

impl Decimal128 {
    /// The value of the text rounded to the nearest that can be held, beyond the range infinite or zero, as
    /// MongoDB's `$toDecimal` does.
    pub fn parse_rounded(text: &str) -> Result<Decimal128, ParseDecimalError> {
        Ok(Scanned::new(text).ok_or(ParseDecimalError::Syntax)?.finish().0)
    }
}

/// A text taken apart: its first 34 significant digits, and what the rest comes to.
struct Scanned {
    special: Option<Parts>,
    negative: bool,
    coefficient: u128,
    exponent: i64,
    tail: Tail,
}

impl Scanned {
    fn new(text: &str) -> Option<Scanned> {
        let (negative, unsigned) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let mut scanned = Scanned {
            special: None,
            negative,
            coefficient: 0,
            exponent: 0,
            tail: Tail::Zero,
        };
        if unsigned.eq_ignore_ascii_case("nan") {
            scanned.special = Some(Parts::Nan);
        } else if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
            scanned.special = Some(Parts::Infinity { negative });
        } else {
            let (number, exponent) = match unsigned.find(['e', 'E']) {
                Some(at) => (unsigned.get(..at)?, scan_exponent(unsigned.get(at + 1..)?)?),
                None => (unsigned, 0),
            };
            scanned.digits(number)?;
            scanned.exponent += exponent;
        }
        Some(scanned)
    }

    fn digits(&mut self, number: &str) -> Option<()> {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        self.exponent = -(fraction.len() as i64);
        let mut dropped_digits = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
            if decimal_digit_count(self.coefficient) < DIGITS_MAX {
                self.coefficient = self.coefficient * 10 + u128::from(digit);
                continue;
            }
            // The first dropped digit is compared with a half; those after it only say whether there is more.
            self.tail = if dropped_digits == 0 {
                Tail::of_digit(digit)
            } else {
                self.tail.followed_by(digit != 0)
            };
            dropped_digits += 1;
        }
        self.exponent += dropped_digits;
        Some(())
    }

    /// The decimal, and whether it is exact.
    fn finish(self) -> (Decimal128, bool) {
        if let Some(special) = self.special {
            return (Decimal128::from_parts(special).unwrap_or(Decimal128::NAN), true);
        }
        // Far outside the range, all exponents have the same effect.
        let exponent = self.exponent.clamp(-20_000, 20_000) as i32;
        fit(self.negative, self.coefficient, exponent, self.tail)
    }
}

fn scan_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // An exponent too long for the type is beyond the range in either direction.
    let magnitude: i64 = digits.parse().unwrap_or(i64::from(u32::MAX));
    let magnitude = magnitude.min(u32::MAX.into());
    Some(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

/// The decimal nearest to `coefficient * 10^exponent` and a tail of further digits, and whether it is equal.
fn fit(negative: bool, mut coefficient: u128, mut exponent: i32, mut tail: Tail) -> (Decimal128, bool) {
    if exponent < EXPONENT_MIN {
        (coefficient, tail) = tail.shift_in(coefficient, exponent.abs_diff(EXPONENT_MIN));
        exponent = EXPONENT_MIN;
    }
    let exact = tail == Tail::Zero;
    coefficient = tail.round(coefficient, negative, Rounding::HalfEven);
    if coefficient > COEFFICIENT_MAX {
        // Only 10^34, by carrying.
        coefficient /= 10;
        exponent += 1;
    }
    while exponent > EXPONENT_MAX && coefficient != 0 && coefficient * 10 <= COEFFICIENT_MAX {
        coefficient *= 10;
        exponent -= 1;
    }
    if exponent > EXPONENT_MAX && coefficient != 0 {
        let infinity = if negative {
            Decimal128::NEG_INFINITY
        } else {
            Decimal128::INFINITY
        };
        return (infinity, false);
    }
    (
        Decimal128::finite(negative, coefficient, exponent.min(EXPONENT_MAX)),
        exact,
    )
}
