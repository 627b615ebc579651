//! Random documents, indexes and operations. Names and values are few, so that filters match something.

pub mod documents;
pub mod filters;
pub mod indexes;
pub mod operations;

pub use testing::Random;

/// One of these.
pub fn pick<T: Clone>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u64) as usize].clone()
}

/// Whether something that happens once in `n` times happens.
pub fn one_in(random: &mut Random, n: u64) -> bool {
    random.below(n) == 0
}
