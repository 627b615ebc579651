//! Bounds as `explain` writes them: `[1.0, 5.0)`.

use super::interval::{Interval, Intervals};
use value::shell;

/// Every interval in the order in which it is read.
pub fn intervals(set: &Intervals, reversed: bool) -> Vec<String> {
    let shown = set
        .as_slice()
        .iter()
        .map(|interval| self::interval(interval, reversed));
    if reversed {
        shown.rev().collect()
    } else {
        shown.collect()
    }
}

fn interval(interval: &Interval, reversed: bool) -> String {
    let low_included = !interval.low.after;
    let high_included = interval.high.after;
    let (low, high) = (
        shell::value(interval.low.value.as_ref()),
        shell::value(interval.high.value.as_ref()),
    );
    let ((from, from_included), (to, to_included)) = if reversed {
        ((high, high_included), (low, low_included))
    } else {
        ((low, low_included), (high, high_included))
    };
    let open = if from_included { '[' } else { '(' };
    let close = if to_included { ']' } else { ')' };
    format!("{open}{from}, {to}{close}")
}
