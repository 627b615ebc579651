//! The bit tests on numbers and bytes.

use crate::filter::{BitTest, BitsTest, number};
use value::ValueRef;

impl BitsTest {
    /// Whether the value has bits and they pass the test: integers of any number type, and binary data.
    pub(super) fn matches(&self, value: ValueRef<'_>) -> bool {
        match value {
            ValueRef::Binary { bytes, .. } => self.passes(|position| {
                bytes
                    .get(position as usize / 8)
                    .is_some_and(|byte| byte >> (position % 8) & 1 == 1)
            }),
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
