//! Random numbers for `$rand` and `$sample`: fast, seeded by the system, not for secrets.

use std::cell::RefCell;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// A generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

thread_local! {
    static GENERATOR: RefCell<Random> = RefCell::new(Random::from_entropy());
}

/// A number from 0 (included) to 1.
pub fn unit() -> f64 {
    GENERATOR.with_borrow_mut(Random::unit)
}

impl Random {
    /// Seeded differently each time.
    pub fn from_entropy() -> Random {
        Random {
            state: RandomState::new().hash_one(0),
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 (included) to `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// Puts things into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            things.swap(at, self.below(at as u64 + 1) as usize);
        }
    }

    /// A number from 0 (included) to 1.
    pub fn unit(&mut self) -> f64 {
        // 53 bits are what a double holds.
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
