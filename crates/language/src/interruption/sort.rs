//! A sort that can be interrupted between its parts.

use super::steps;
use crate::Result;
use std::cmp::Ordering;

/// Values that are sorted at a stretch; what is longer is merged from such parts.
const PART_VALUES: usize = 512;
/// About the comparisons for each value of a part.
const COMPARISONS_PER_VALUE: usize = 9;

/// Sorts values, keeping the order of equal ones, as `slice::sort_by`. Fails once the operation must end; the values are then
/// in any order, or gone.
pub fn sort_by<T>(values: &mut Vec<T>, mut order: impl FnMut(&T, &T) -> Ordering) -> Result<()> {
    for part in values.chunks_mut(PART_VALUES) {
        steps(part.len() * COMPARISONS_PER_VALUE)?;
        part.sort_by(&mut order);
    }
    if values.len() <= PART_VALUES {
        return Ok(());
    }
    let mut all = std::mem::take(values).into_iter();
    let mut parts = Vec::new();
    while !all.as_slice().is_empty() {
        parts.push(all.by_ref().take(PART_VALUES).collect::<Vec<_>>());
    }
    while parts.len() > 1 {
        let mut merged = Vec::with_capacity(parts.len().div_ceil(2));
        let mut unmerged = parts.into_iter();
        while let Some(left) = unmerged.next() {
            merged.push(match unmerged.next() {
                Some(right) => merge(left, right, &mut order)?,
                None => left,
            });
        }
        parts = merged;
    }
    *values = parts.pop().unwrap_or_default();
    Ok(())
}

fn merge<T>(left: Vec<T>, right: Vec<T>, order: &mut impl FnMut(&T, &T) -> Ordering) -> Result<Vec<T>> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    while let (Some(first), Some(second)) = (left.as_slice().first(), right.as_slice().first()) {
        steps(1)?;
        let next = match order(first, second) {
            Ordering::Greater => right.next(),
            Ordering::Less | Ordering::Equal => left.next(),
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
