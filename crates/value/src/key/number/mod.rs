//! The keys of numbers: one encoding for a value, whatever its type.
//!
//! The first byte tells the sign and the size; what follows is the magnitude `m`, all its bits inverted where
//! the number is negative:
//!
//! | magnitude | bytes after the first |
//! |---|---|
//! | 0, infinite, NaN | none |
//! | 1 ≤ m < 2^63 | `2 * whole part`, plus 1 where there is a fraction, in as few bytes as hold it (the first byte says how many) |
//! | … its fraction | as many bits as a double of that size has after the point, then 1 where that is not all |
//! | other | the 63 bits of the largest double that is not above `m`, then 1 where that is not all |
//! | … not all | the digits of `m`, which only a decimal can have |
//!
//! Digits are the decimal exponent (16 bits, biased) and pairs of digits plus one, ended by 00. Keys that agree up to
//! them are within the same gap between two doubles, where the exact digits decide.
//!
//! Why bytes compare as numbers do: a longer whole part is larger, and the first byte says how long it is. The mark for
//! a fraction is the lowest bit, so 1 < 1.5 < 2 are 2 < 3 < 4. Bits of a fraction or a double are cut off, never
//! rounded up; so the bit that says "not all" puts a number right after the double below it and before the next one.
//! The bits of positive doubles are in the doubles' order as they are.
//!
//! Why no key is a prefix of another: the first byte and the whole part give the size of what follows, and a mark says
//! whether digits come; those end with 00, which no pair plus one is.

mod magnitude;
mod read;
mod types;

pub(super) use read::read;
pub(super) use types::next_code;

use super::tag;
use crate::number::Number;
use crate::{Type, decimal::Parts};
use magnitude::Magnitude;

/// Appends the number's key, and the code of its type where that is wanted.
pub(super) fn encode(number: Number, kind: Type, key: &mut Vec<u8>, bits: Option<&mut Vec<u8>>) {
    let (negative, magnitude) = match number {
        Number::Int(int) => (int < 0, Magnitude::of_int(int.unsigned_abs())),
        Number::Double(double) => (double.is_sign_negative(), Magnitude::of_double(double.abs())),
        Number::Decimal(decimal) => match decimal.parts() {
            Parts::Nan => (false, Magnitude::Nan),
            Parts::Infinity { negative } => (negative, Magnitude::Infinity),
            Parts::Finite {
                negative,
                coefficient,
                exponent,
            } => (negative, Magnitude::of_decimal(coefficient, exponent)),
        },
    };
    put(negative, magnitude, key);
    if let Some(bits) = bits {
        types::put_code(number, kind, magnitude, bits);
    }
}

fn put(negative: bool, magnitude: Magnitude, key: &mut Vec<u8>) {
    let start = key.len();
    match magnitude {
        Magnitude::Nan => key.push(tag::NAN),
        Magnitude::Infinity => key.push(if negative {
            tag::NEGATIVE_INFINITY
        } else {
            tag::POSITIVE_INFINITY
        }),
        Magnitude::Zero => key.push(tag::ZERO),
        Magnitude::Whole(whole) => put_whole(negative, whole << 1, key),
        Magnitude::Mixed {
            whole,
            fraction,
            digits,
        } => {
            put_whole(negative, whole << 1 | 1, key);
            let bytes = (fraction << 1 | u64::from(digits.is_some())).to_be_bytes();
            let size = magnitude::fraction_bytes(whole);
            key.extend_from_slice(bytes.get(bytes.len() - size..).unwrap_or_default());
            put_digits(digits, key);
        }
        Magnitude::Wide { at_most, digits } => {
            key.push(match (negative, at_most < 1.0) {
                (false, true) => tag::POSITIVE_SMALL,
                (false, false) => tag::POSITIVE_LARGE,
                (true, true) => tag::NEGATIVE_SMALL,
                (true, false) => tag::NEGATIVE_LARGE,
            });
            key.extend_from_slice(&(at_most.to_bits() << 1 | u64::from(digits.is_some())).to_be_bytes());
            put_digits(digits, key);
        }
    }
    if negative {
        key.iter_mut().skip(start + 1).for_each(|byte| *byte = !*byte);
    }
}

/// The first byte, which says the size, and the whole part with its mark for a fraction.
fn put_whole(negative: bool, marked: u64, key: &mut Vec<u8>) {
    let size = 8 - marked.leading_zeros() as u8 / 8;
    key.push(if negative {
        tag::NEGATIVE_MIDDLE.end() + 1 - size
    } else {
        tag::POSITIVE_MIDDLE.start() - 1 + size
    });
    let bytes = marked.to_be_bytes();
    key.extend_from_slice(bytes.get(bytes.len() - usize::from(size)..).unwrap_or_default());
}

/// `0.digits * 10^exponent`, without zeros at the end.
fn put_digits(digits: Option<magnitude::Digits>, key: &mut Vec<u8>) {
    let Some(digits) = digits else { return };
    key.extend_from_slice(&(digits.point_exponent() as u16 ^ 1 << 15).to_be_bytes());
    let text = digits.coefficient.to_string();
    for pair in text.as_bytes().chunks(2) {
        let [tens, ones] = [pair.first(), pair.get(1)].map(|digit| digit.map_or(0, |digit| digit - b'0'));
        key.push(tens * 10 + ones + 1);
    }
    key.push(0);
}
