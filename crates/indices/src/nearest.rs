//! Looking for the nearest documents that queries want, before a search is run: the same documents count for each of its pages.

use crate::error::Result;
use crate::scan::{self, IndexSnapshot, Scanned};
use search::{ErrorKind, Held, Hit, Knn, Neighbours, Query, Request, SearchError, SortKey};
use serde_json::{Map, Value};
use std::pin::Pin;
use std::time::Instant;

/// Puts what is found in the places of the queries for nearest documents; whether it took too long, and only a part was seen.
pub async fn find(
    request: &mut Request,
    places: &[IndexSnapshot],
    deadline: Option<Instant>,
    held: &Held,
) -> Result<bool> {
    let hits = request.size;
    let queries = request.query.iter_mut().chain(&mut request.post_filter);
    let mut is_late = false;
    for place in queries.flat_map(Query::unfound) {
        let Query::Knn(knn) = place else { continue };
        let (found, was_late) = nearest(knn, hits, places, deadline, held).await?;
        is_late |= was_late;
        *place = found;
    }
    Ok(is_late)
}

/// The nearest documents over all of these indices, as a query.
async fn nearest(
    knn: &Knn,
    hits: usize,
    places: &[IndexSnapshot],
    deadline: Option<Instant>,
    held: &Held,
) -> Result<(Query, bool)> {
    let count = knn.count(hits)?;
    let request = Request {
        query: Some(knn.query()),
        size: count,
        window_max: count,
        track_total_hits: None,
        is_bare: true,
        ..Request::default()
    };
    let found = scanned(&request, places, deadline, held).await?;
    let mut neighbours = Neighbours::new(held.another());
    for hit in found.outcome.hits {
        let missing = || SearchError::new(ErrorKind::IllegalArgument, "a hit is of no index of the search");
        let place = places.get(hit.index).ok_or_else(missing)?;
        let score = hit.score.unwrap_or(0.0);
        neighbours.add(&place.index.name, hit.sequence, hit.id, score)?;
    }
    Ok((knn.found(neighbours), found.timed_out))
}

/// A search for its hits alone. Its filters may look for nearest documents, too.
fn scanned<'a>(
    request: &'a Request,
    places: &'a [IndexSnapshot],
    deadline: Option<Instant>,
    held: &'a Held,
) -> Pin<Box<dyn Future<Output = Result<Scanned>> + Send + 'a>> {
    Box::pin(async move {
        let show = |_: &Hit, _: &[SortKey], _: &Map<String, Value>| Ok(Value::Null);
        scan::run(request, false, places, deadline, held, &show).await
    })
}
