//! Shards that need not be asked, since no document of theirs can match: `pre_filter_shard_size`. Nothing is saved by that here, but
//! it is told.

use indices::error::Result;
use indices::scan::{self, IndexSnapshot};
use search::{Aggregations, Held, Prospect, Request};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The shards of these indices.
pub(super) fn shards<'p>(places: impl IntoIterator<Item = &'p IndexSnapshot>) -> u64 {
    let counts = places
        .into_iter()
        .map(|place| place.index.routing().shards.count());
    counts.map(u64::from).sum()
}

/// How many shards are skipped, where it is to be found out which ones if there are more than `size`.
pub(super) async fn count(
    request: &Request,
    size: Option<u64>,
    places: &[IndexSnapshot],
    held: &Held,
) -> Result<u64> {
    let all = shards(places);
    let (Some(size), Some(query)) = (size, &request.query) else {
        return Ok(0);
    };
    if size >= all || request.aggregations.sees_all() {
        return Ok(0);
    }
    let mut skipped = 0;
    for place in places {
        let prospect = Prospect::of(query, &place.mapping, value::date::now_ms())?;
        if !prospect.may_match(&extents(&prospect, place, held).await?) {
            skipped += shards([place]);
        }
    }
    // One of them is asked all the same, so that there is an answer.
    Ok(skipped.min(all.saturating_sub(1)))
}

/// The first and the last of the dates of each field that a query asks.
async fn extents(
    prospect: &Prospect,
    place: &IndexSnapshot,
    held: &Held,
) -> Result<HashMap<String, (i64, i64)>> {
    let names = prospect.dates();
    let mut asked = Map::new();
    for (at, name) in names.iter().enumerate() {
        asked.insert(format!("min {at}"), json!({"min": {"field": name}}));
        asked.insert(format!("max {at}"), json!({"max": {"field": name}}));
    }
    if asked.is_empty() {
        return Ok(HashMap::new());
    }
    let request = Request {
        aggregations: Aggregations::parse(&Value::Object(asked))?,
        size: 0,
        ..Request::default()
    };
    let show = |_: &search::Hit, _: &[search::SortKey], _: &Map<String, Value>| Ok(Value::Null);
    let places = std::slice::from_ref(place);
    let found = scan::run(&request, false, places, None, held, &show).await?;
    let found = found.outcome.aggregations.unwrap_or_default();
    let end = |which: &str, at: usize| found.get(&format!("{which} {at}"))?.get("value")?.as_f64();
    let of = |(at, name): (usize, String)| {
        let extent = (end("min", at)? as i64, end("max", at)? as i64);
        Some((name, extent))
    };
    Ok(names.into_iter().enumerate().filter_map(of).collect())
}
