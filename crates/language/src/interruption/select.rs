//! Finding the numbers of some ranks without a sort of all; it can be interrupted between its parts.

use super::steps;
use crate::Result;

/// So many numbers are sorted at a stretch, in a millisecond or two.
const PART_NUMBERS: usize = 20_000;
/// Numbers of such a part that are sorted in the time of one step.
const SORTED_PER_STEP: usize = 4;

/// So many numbers are divided at a stretch.
const STRETCH_NUMBERS: usize = 4_096;
/// Numbers that are divided in the time of one step.
const DIVIDED_PER_STEP: usize = 32;

/// The numbers that the one to divide by is the median of.
const SAMPLES: usize = 63;
/// How often parts are divided again. A part that is still long then, which takes numbers that are made for it, is sorted at a stretch.
const DIVISIONS_MAX: usize = 64;

/// Puts at each of these ranks, which ascend, the number that would be there if all were sorted by `f64::total_cmp`. Fails once the
/// operation must end.
pub fn place_ranks(numbers: &mut [f64], ranks: &[usize]) -> Result<()> {
    place(numbers, 0, ranks, DIVISIONS_MAX)
}

/// As [`place_ranks`], for a part of the numbers, before which there are `before` others.
fn place(numbers: &mut [f64], before: usize, ranks: &[usize], divisions_left: usize) -> Result<()> {
    if ranks.is_empty() {
        return Ok(());
    }
    if numbers.len() <= PART_NUMBERS || divisions_left == 0 {
        steps(numbers.len() / SORTED_PER_STEP)?;
        numbers.sort_unstable_by(f64::total_cmp);
        return Ok(());
    }
    let pivot = median_of_samples(numbers);
    let below = move_to_front(numbers, |number| number.total_cmp(&pivot).is_lt())?;
    let (low, rest) = numbers.split_at_mut(below);
    let equal = move_to_front(rest, |number| number.total_cmp(&pivot).is_eq())?;
    let (_, high) = rest.split_at_mut(equal);
    let (first_equal, first_above) = (before + below, before + below + equal);
    let low_ranks = ranks.partition_point(|rank| *rank < first_equal);
    let other_ranks = ranks.partition_point(|rank| *rank < first_above);
    place(low, before, &ranks[..low_ranks], divisions_left - 1)?;
    place(high, first_above, &ranks[other_ranks..], divisions_left - 1)
}

fn median_of_samples(numbers: &[f64]) -> f64 {
    let distance = (numbers.len() / SAMPLES).max(1);
    let mut samples: Vec<f64> = numbers.iter().step_by(distance).copied().collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Moves the numbers that are wanted before all others, and returns how many they are.
fn move_to_front(numbers: &mut [f64], is_wanted: impl Fn(f64) -> bool) -> Result<usize> {
    let mut wanted = 0;
    for start in (0..numbers.len()).step_by(STRETCH_NUMBERS) {
        steps(STRETCH_NUMBERS / DIVIDED_PER_STEP)?;
        for at in start..numbers.len().min(start + STRETCH_NUMBERS) {
            let is_one = is_wanted(numbers[at]);
            numbers.swap(at, wanted);
            wanted += usize::from(is_one);
        }
    }
    Ok(wanted)
}
