//! Aggregations by the columns of an index.

use super::find::{Found, Progress};
use super::state::{Published, as_error};
use crate::error::Result;
use fulltext::{Lookup, Mask};
use search::{Grouping, Run};

/// Collects what the entries have that match; and how many those are.
pub(super) fn collect(
    run: &mut Run<'_>,
    mut grouping: Grouping,
    published: &Published,
    lookup: &Lookup,
    mask: &Mask,
    progress: &mut Progress,
) -> Result<(Found, u64)> {
    let reader = &published.reader;
    let keys = grouping.keys();
    let mut count = 0;
    for part in 0..reader.segments() {
        let columns = reader.columns(part, &keys).map_err(|error| as_error(&error))?;
        let mut take = |grouping: &mut Grouping| -> Result<()> {
            let rows = grouping.take(&columns).map_err(|error| as_error(&error))?;
            Ok(run.collect(rows)?)
        };
        let mut going = Ok(true);
        let found = reader.entries(part, lookup, mask, &mut |entries| {
            count += entries.len() as u64;
            going = match grouping.add(&columns, entries) {
                Ok(true) => Ok(()),
                Ok(false) => take(&mut grouping),
                Err(error) => Err(as_error(&error)),
            }
            .and_then(|()| progress.step(entries.len()));
            matches!(going, Ok(true))
        });
        found.map_err(|error| as_error(&error))?;
        take(&mut grouping)?;
        if !going? {
            return Ok((Found::Late, count));
        }
    }
    Ok((Found::All, count))
}
