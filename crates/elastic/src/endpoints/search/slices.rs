//! Slices of searches, which several clients read at once.

use super::parameters::AskedSearch;
use http::StatusCode;
use indices::error::{ElasticError, Result};
use indices::scan::IndexSnapshot;
use search::{Query, Request, Slice};

/// Takes the slice that a search is of; one that does not go on has none.
pub(super) fn taken(asked: &mut AskedSearch, is_of_point: bool) -> Result<Option<Slice>> {
    let Some(given) = asked.body.shift_remove("slice") else {
        return Ok(None);
    };
    match asked.keep_alive.is_some() || is_of_point {
        true => Ok(Some(Slice::parse(&given)?)),
        false => Err(ElasticError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "search_exception",
            "`slice` cannot be used outside of a scroll context",
        )),
    }
}

/// Leaves of what is asked of these indices the documents of a slice.
pub(crate) fn narrow(request: &mut Request, slice: Option<Slice>, places: &[IndexSnapshot]) -> Result<()> {
    let Some(slice) = slice else {
        return Ok(());
    };
    for place in places {
        let most = place.index.limit("max_slices_per_scroll")?;
        if slice.max() as usize > most {
            return Err(ElasticError::illegal(format!(
                "The number of slices [{}] is too large. It must be less than [{most}]. This limit can be set by changing the \
                 [index.max_slices_per_scroll] index level setting.",
                slice.max()
            )));
        }
    }
    let shards = places
        .iter()
        .map(|place| (place.index.name.clone(), place.index.routing().shards));
    let filter = Query::sliced(slice, shards.collect());
    request.query = Some(Query::filtered(request.query.take(), filter));
    Ok(())
}
