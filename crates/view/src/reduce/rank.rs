//! `_top_N` and `_bottom_N`: the greatest or the least different values of a group.
//!
//! Reference: CouchDB, `couch_query_servers:builtin_rank_n` and `couch_mrview:check_rank`. Values are in the order of
//! keys; of those that collate as equal the first is kept. A reduction is the JSON text of what a client gets.

use crate::key::{self, Collation};
use crate::{Error, Result};
use bytes::Bytes;
use serde_json::value::RawValue;

/// The most values that may be asked for (CouchDB's `MAX_RANK`).
const RANK_MAX: u8 = 100;

/// From which end values are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The greatest, the greatest first.
    Top,
    /// The least, the least first.
    Bottom,
}

/// The number that follows the name of such a function.
pub(super) fn count(text: &str) -> Result<u8> {
    let refused = |reason: String| Err(Error::InvalidDesign(reason));
    match text.parse::<i128>() {
        Err(_) => refused("invalid rank reducer".to_owned()),
        Ok(number) => match u8::try_from(number) {
            Ok(number @ 1..=RANK_MAX) => Ok(number),
            _ => refused(format!("rank value must be between 1 and {RANK_MAX}")),
        },
    }
}

/// The first `count` of values, given as JSON texts.
pub(super) fn of_values<'a>(
    end: End,
    count: u8,
    values: impl IntoIterator<Item = &'a Bytes>,
) -> Result<Bytes> {
    let texts = values.into_iter().map(AsRef::as_ref);
    ranked(end, count, texts)
}

/// The first `count` of what reductions hold.
pub(super) fn of_reductions(end: End, count: u8, reductions: &[Bytes]) -> Result<Bytes> {
    let mut values = Vec::new();
    for reduction in reductions {
        let held: Vec<&RawValue> = serde_json::from_slice(reduction).map_err(invalid)?;
        values.extend(held.into_iter().map(|value| value.get().as_bytes()));
    }
    ranked(end, count, values)
}

fn ranked<'a>(end: End, count: u8, values: impl IntoIterator<Item = &'a [u8]>) -> Result<Bytes> {
    let mut places = values.into_iter().map(place).collect::<Result<Vec<_>>>()?;
    // Stable, so that the first of equal values stays the first.
    match end {
        End::Top => places.sort_by(|(a, _), (b, _)| b.cmp(a)),
        End::Bottom => places.sort_by(|(a, _), (b, _)| a.cmp(b)),
    }
    places.dedup_by(|(next, _), (kept, _)| next == kept);
    let mut text = vec![b'['];
    for (at, (_, value)) in places.iter().take(usize::from(count)).enumerate() {
        if at > 0 {
            text.push(b',');
        }
        text.extend_from_slice(value);
    }
    text.push(b']');
    Ok(text.into())
}

/// The place of a value in the order, as bytes, and its text.
fn place(text: &[u8]) -> Result<(Vec<u8>, &[u8])> {
    let value = serde_json::from_slice(text).map_err(invalid)?;
    let mut place = Vec::new();
    key::encode(&value, Collation::Unicode, &mut place).map_err(invalid)?;
    Ok((place, text))
}

fn invalid(error: impl std::fmt::Display) -> Error {
    Error::InvalidValue(format!("a value that cannot be ranked: {error}"))
}
