//! Choices that are the same for the same seed.

use std::ops::Range;

/// The seed that is asked for by the variable `LARDER_SEED`.
///
/// # Panics
/// If it is no number.
pub fn seed() -> Option<u64> {
    let seed = std::env::var("LARDER_SEED").ok()?;
    let number = seed.parse();
    Some(number.unwrap_or_else(|error| panic!("LARDER_SEED={seed}: {error}")))
}

/// The seeds that a test runs: that of [`seed`] alone if there is one, else this many from 1.
pub fn seeds(count: u64) -> Range<u64> {
    match seed() {
        Some(seed) => seed..seed + 1,
        None => 1..count + 1,
    }
}

/// Numbers out of a seed (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of this seed; those of neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Any number; never 0, so that it may be a seed.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.any() >> 33) % end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_another_one_others() {
        let first = |seed| -> Vec<u64> {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.below(1000)).collect()
        };
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
        assert!(first(3).iter().all(|&number| number < 1000));
    }

    #[test]
    fn every_number_below_comes_up() {
        let mut random = Random::new(7);
        let mut seen = [false; 10];
        (0..1000).for_each(|_| seen[random.below(10) as usize] = true);
        assert_eq!(seen, [true; 10]);
    }
}
