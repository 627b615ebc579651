//! The nested objects by which a hit was found.

use super::Search;
use super::shown::{Shown, number};
use indices::error::{ElasticError, Result};
use search::{Hit, InnerHits, Query, Request};
use serde_json::{Map, Value, json};

/// Refuses inner hits of a query that cannot be shown, or more than `most` of them for each document.
pub(super) fn check(query: Option<&Query>, most: usize) -> Result<()> {
    for (_, query, wanted) in query.map(Query::inner_hits).unwrap_or_default() {
        read(wanted, most)?;
        check(Some(query), most)?;
    }
    Ok(())
}

fn read(wanted: &InnerHits, most: usize) -> Result<(Request, Shown)> {
    let (request, shown) = Request::of_inner_hits(wanted, most)?;
    let (shown, rest) = Shown::take(&shown)?;
    if let Some(other) = rest.keys().next() {
        return Err(ElasticError::parsing(format!(
            "[inner_hits] unknown field [{other}]"
        )));
    }
    Ok((request, shown))
}

/// Adds to a hit what the query wants of its nested objects.
pub(super) fn add(search: &Search, hit: &Hit, shown: &mut Value) -> Result<()> {
    add_of(search, search.request.query.as_ref(), hit, shown)
}

/// The same of a hit of this query, which may be a nested object itself.
fn add_of(search: &Search, query: Option<&Query>, hit: &Hit, shown: &mut Value) -> Result<()> {
    let mut found = Map::new();
    for (path, query, wanted) in query.map(Query::inner_hits).unwrap_or_default() {
        let name = wanted.name.clone().unwrap_or_else(|| path.to_owned());
        let hits = hits(search, hit, path, query, wanted)?;
        if found.insert(name.clone(), hits).is_some() {
            return Err(ElasticError::illegal(format!(
                "[inner_hits] already contains an entry for key [{name}]"
            )));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    match shown.get_mut("inner_hits").and_then(Value::as_object_mut) {
        Some(others) => others.extend(found),
        None => shown["inner_hits"] = Value::Object(found),
    }
    Ok(())
}

fn hits(search: &Search, hit: &Hit, path: &str, query: &Query, wanted: &InnerHits) -> Result<Value> {
    let missing = || ElasticError::illegal("a hit is of no index of the search");
    let place = search.places.get(hit.index).ok_or_else(missing)?;
    let (request, shown) = read(wanted, usize::MAX)?;
    let found = request.within(
        &place.mapping,
        hit,
        path,
        query,
        &search.request,
        value::date::now_ms(),
    )?;
    let is_sorted = !request.sort.is_empty();
    let best = found.hits.iter().filter_map(|hit| hit.score).reduce(f32::max);
    let one = |inner: &Hit| {
        let (index, mapping) = (&place.index, &place.mapping);
        let mut one = shown.hit(index, mapping, inner, Some(query), inner.score, is_sorted)?;
        add_of(search, Some(query), inner, &mut one)?;
        Ok(one)
    };
    let hits = found.hits.iter().map(one).collect::<Result<Vec<_>>>()?;
    let total = match search.shown.total_as_number {
        true => json!(found.total),
        false => json!({"value": found.total, "relation": "eq"}),
    };
    let best = best.filter(|_| !is_sorted).map_or(Value::Null, number);
    Ok(json!({"hits": {"total": total, "max_score": best, "hits": hits}}))
}
