//! From a number's key to its exact value.

use super::magnitude::{Digits, fraction_bytes, mixed_double};
use crate::key::reader::Reader;
use crate::key::tag;

/// A number as its key tells it, its type not yet known.
#[derive(Clone, Copy, Debug)]
pub(in crate::key) struct Decoded {
    pub(super) negative: bool,
    pub(super) exact: Exact,
}

/// A magnitude in the plainest form that holds it exactly.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exact {
    Nan,
    Infinity,
    Whole(u64),
    Double(f64),
    Digits(Digits),
}

/// Reads the rest of the number whose first byte was `first`; `None` if no number begins with that byte.
pub(in crate::key) fn read(first: u8, reader: &mut Reader<'_>) -> Option<Decoded> {
    let negative = (tag::NEGATIVE_INFINITY..tag::ZERO).contains(&first);
    if negative {
        reader.invert();
    }
    let exact = match first {
        tag::NAN => Some(Exact::Nan),
        tag::ZERO => Some(Exact::Whole(0)),
        tag::NEGATIVE_INFINITY | tag::POSITIVE_INFINITY => Some(Exact::Infinity),
        tag::NEGATIVE_LARGE | tag::NEGATIVE_SMALL | tag::POSITIVE_SMALL | tag::POSITIVE_LARGE => wide(reader),
        _ if tag::NEGATIVE_MIDDLE.contains(&first) => middle(tag::NEGATIVE_MIDDLE.end() + 1 - first, reader),
        _ if tag::POSITIVE_MIDDLE.contains(&first) => {
            middle(first + 1 - tag::POSITIVE_MIDDLE.start(), reader)
        }
        _ => None,
    };
    if negative {
        reader.invert();
    }
    exact.map(|exact| Decoded { negative, exact })
}

fn wide(reader: &mut Reader<'_>) -> Option<Exact> {
    let bits = reader.integer(8)?;
    if bits & 1 == 1 {
        digits(reader)
    } else {
        Some(Exact::Double(f64::from_bits(bits >> 1)))
    }
}

fn middle(size: u8, reader: &mut Reader<'_>) -> Option<Exact> {
    let marked = reader.integer(usize::from(size))?;
    let whole = marked >> 1;
    if marked & 1 == 0 {
        return Some(Exact::Whole(whole));
    }
    let fraction = reader.integer(fraction_bytes(whole))?;
    if fraction & 1 == 1 {
        digits(reader)
    } else {
        mixed_double(whole, fraction >> 1).map(Exact::Double)
    }
}

fn digits(reader: &mut Reader<'_>) -> Option<Exact> {
    let point_exponent = i32::from((reader.integer(2)? as u16 ^ 1 << 15) as i16);
    let (mut coefficient, mut exponent) = (0u128, point_exponent);
    loop {
        match reader.byte()? {
            0 => break,
            pair @ 1..=100 => {
                coefficient = coefficient.checked_mul(100)?.checked_add(u128::from(pair - 1))?;
                exponent -= 2;
            }
            _ => return None,
        }
    }
    Some(Exact::Digits(Digits::trimmed(coefficient, exponent)))
}
