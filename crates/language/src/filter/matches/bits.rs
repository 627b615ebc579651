//! The bit tests on numbers and bytes.

use crate::filter::{BitTest, BitsTest, number};
use value::ValueRef;

impl BitsTest {
    /// Whether the value has bits and they pass the test: integers of any number type, and binary data.
    pub(super) fn matches(&self, value: ValueRef<'_>) -> bool {
        match value {
            // The old generic subtype repeats its length before the bytes, and MongoDB tests that too.
            ValueRef::Binary { subtype: 2, bytes } => {
                let length = (bytes.len() as u32).to_le_bytes();
                self.passes(|position| match position.checked_sub(32) {
                    Some(position) => is_bit_set(bytes, position),
                    None => is_bit_set(&length, position),
                })
            }
            ValueRef::Binary { bytes, .. } => self.passes(|position| is_bit_set(bytes, position)),
            value => match number::exact(value) {
                // Beyond the highest bit the sign goes on.
                Some(integer) => self.passes(|position| integer >> position.min(63) & 1 == 1),
                None => false,
            },
        }
    }

    fn passes(&self, is_set: impl Fn(u32) -> bool) -> bool {
        let mut positions = self.positions.iter().copied();
        match self.test {
            BitTest::AllSet => positions.all(is_set),
            BitTest::AllClear => positions.all(|position| !is_set(position)),
            BitTest::AnySet => positions.any(is_set),
            BitTest::AnyClear => positions.any(|position| !is_set(position)),
        }
    }
}

fn is_bit_set(bytes: &[u8], position: u32) -> bool {
    bytes
        .get(position as usize / 8)
        .is_some_and(|byte| byte >> (position % 8) & 1 == 1)
}
