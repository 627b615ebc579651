//! CouchDB's order of values, with NaN, which JSON lacks, where indexes keep it.

use std::cmp::Ordering;
use value::{ValueRef, collated};

/// The order of two values. What is found must not depend on the index, so a NaN stands where the bytes of an index have it: by its
/// sign above or below all numbers.
pub(crate) fn compare(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    match is_nan(a) || is_nan(b) {
        true => encoded(a).cmp(&encoded(b)),
        false => collated::compare(a, b),
    }
}

fn is_nan(value: ValueRef<'_>) -> bool {
    value.as_f64().is_some_and(f64::is_nan)
}

fn encoded(value: ValueRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    collated::encode(value, &mut bytes);
    bytes
}
