//! The operands of the bit tests: a mask, a list of positions, or bytes.

use super::shown;
use crate::filter::{BitTest, BitsTest, Predicate, number};
use crate::{Error, Result};
use value::Value;

pub(super) fn bits_test(test: BitTest, value: &Value) -> Result<Predicate> {
    let mut positions = match value {
        Value::Array(entries) => entries.iter().map(position).collect::<Result<Vec<u32>>>()?,
        Value::Binary(binary) if binary.subtype == 2 => {
            // The old generic subtype repeats its length before the bytes, which MongoDB takes as bits too.
            let length = (binary.bytes.len() as u32).to_le_bytes();
            positions_of(&[&length, binary.bytes.as_slice()].concat())
        }
        Value::Binary(binary) => positions_of(&binary.bytes),
        number if number.as_ref().is_number() => positions_of(&mask(test, number)?.to_le_bytes()),
        other => {
            return Err(Error::bad_value(format!(
                "{} takes an Array, a number, or a BinData but received: {}",
                test.operator(),
                shown(test.operator(), other)
            )));
        }
    };
    positions.sort_unstable();
    positions.dedup();
    Ok(Predicate::Bits(BitsTest {
        test,
        positions: positions.into(),
    }))
}

fn mask(test: BitTest, value: &Value) -> Result<i64> {
    let failed =
        |what: &str| Error::failed_to_parse(format!("Expected {what} in: {}", shown(test.operator(), value)));
    let mask = number::exact(value.as_ref()).ok_or_else(|| failed("an integer"))?;
    if mask < 0 {
        return Err(failed("a non-negative number"));
    }
    Ok(mask)
}

fn position(value: &Value) -> Result<u32> {
    let refused = |what: &str| {
        Error::bad_value(format!(
            "bit positions {what} but got: {}",
            shown("position", value)
        ))
    };
    let position = number::exact(value.as_ref()).ok_or_else(|| refused("must be an integer"))?;
    if position < 0 {
        return Err(refused("must be >= 0"));
    }
    i32::try_from(position)
        .map(i32::unsigned_abs)
        .map_err(|_| refused("cannot be represented as a 32-bit signed integer"))
}

/// The positions of the bits that are set, the first byte lowest.
fn positions_of(bytes: &[u8]) -> Vec<u32> {
    let set = |(at, byte): (usize, &u8)| {
        let byte = *byte;
        (0..8u32)
            .filter(move |bit| byte >> bit & 1 == 1)
            .map(move |bit| at as u32 * 8 + bit)
    };
    bytes.iter().enumerate().flat_map(set).collect()
}
