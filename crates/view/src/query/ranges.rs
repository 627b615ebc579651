//! From keys to ranks.

use super::Query;
use crate::key::{self, Collation};
use crate::tree::{Position, Tree};
use crate::{Error, Result};
use bytes::Bytes;
use serde_json::Value;
use std::ops::Range;
use store::Order;

/// Where a query's rows lie.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    /// One for each key of `keys`, else one.
    pub(super) ranges: Vec<Range<u64>>,
    /// How many rows are before the first, in the query's order.
    pub(super) before: u64,
}

/// Appended to an encoded key, it gives a place after all rows of the key and before the next key: no encoding is a
/// prefix of another, so nothing else begins with the key's encoding.
const BEHIND: u8 = 0xFF;

pub(super) async fn find(tree: &Tree, query: &Query, collation: Collation) -> Result<Ranges> {
    let mut ranges = Vec::new();
    match &query.keys {
        None => {
            let (low, high) = places(query, query.start_key.as_ref(), query.end_key.as_ref(), collation)?;
            ranges.push(range(tree, low, high).await?);
        }
        Some(keys) => {
            for key in keys {
                let (low, high) = places(query, Some(key), Some(key), collation)?;
                ranges.push(range(tree, low, high).await?);
            }
        }
    }
    let first = ranges.iter().find(|range| !range.is_empty()).or(ranges.last());
    let before = first.map_or(0, |range| match query.order {
        Order::Forward => range.start,
        Order::Backward => tree.rows() - range.end,
    });
    Ok(Ranges { ranges, before })
}

async fn range(tree: &Tree, low: Option<Position>, high: Option<Position>) -> Result<Range<u64>> {
    let start = match low {
        Some(low) => tree.rank(&low).await?,
        None => 0,
    };
    let end = match high {
        Some(high) => tree.rank(&high).await?,
        None => tree.rows(),
    };
    Ok(start..end.max(start))
}

/// The place of the first row, and the place before which rows end; `None` is the beginning or the end of all. Within a
/// partition there are always both.
fn places(
    query: &Query,
    start: Option<&Value>,
    end: Option<&Value>,
    collation: Collation,
) -> Result<(Option<Position>, Option<Position>)> {
    let partition = query.partition.as_deref();
    let encode = |key: Option<&Value>| key.map(|key| encoded(partition, key, collation)).transpose();
    let (start, end) = (encode(start)?, encode(end)?);
    let (start_id, end_id) = (query.start_id.as_deref(), query.end_id.as_deref());
    let forward = query.order == Order::Forward;
    if let (Some(start), Some(end)) = (&start, &end) {
        check_order(start, end, query)?;
    }
    let start = start.map(|key| {
        if forward {
            at(key, start_id)
        } else {
            behind(key, start_id)
        }
    });
    // An end that does not belong to the rows is where they end when they are read the other way.
    let end_is_behind = query.inclusive_end == forward;
    let end = end.map(|key| {
        if end_is_behind {
            behind(key, end_id)
        } else {
            at(key, end_id)
        }
    });
    let (low, high) = if forward { (start, end) } else { (end, start) };
    let outermost = |key: fn(&str) -> Bytes| partition.map(|name| at(key(name).into(), None));
    Ok((
        low.or_else(|| outermost(key::partition_start)),
        high.or_else(|| outermost(key::partition_end)),
    ))
}

fn encoded(partition: Option<&str>, key: &Value, collation: Collation) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    if let Some(name) = partition {
        store::put_partition(name, &mut out);
    }
    key::encode(key, collation, &mut out)?;
    Ok(out)
}

/// The place of the first row of a key, or of a document among them.
fn at(key: Vec<u8>, id: Option<&str>) -> Position {
    Position {
        sort_key: key.into(),
        id: Bytes::copy_from_slice(id.unwrap_or_default().as_bytes()),
        emission: 0,
    }
}

/// The place after the last row of a key, or after the last of a document's rows of that key.
fn behind(mut key: Vec<u8>, id: Option<&str>) -> Position {
    match id {
        None => {
            key.push(BEHIND);
            at(key, None)
        }
        Some(id) => Position {
            emission: u32::MAX,
            ..at(key, Some(id))
        },
    }
}

fn check_order(start: &[u8], end: &[u8], query: &Query) -> Result<()> {
    let is_reversed = match query.order {
        Order::Forward => start > end,
        Order::Backward => start < end,
    };
    if is_reversed && query.keys.is_none() {
        return Err(Error::QueryParse(match query.order {
            Order::Forward => {
                "No rows can match your key range, reverse your start_key and end_key or set descending=true"
                    .to_owned()
            }
            Order::Backward => {
                "No rows can match your key range, reverse your start_key and end_key or set descending=false"
                    .to_owned()
            }
        }));
    }
    Ok(())
}
