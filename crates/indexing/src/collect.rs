//! Aggregations by the columns of an index.

use crate::error::Result;
use crate::find::{Found, Progress};
use crate::state::Published;
use fulltext::{Lookup, Mask};
use search::{Grouping, Run};

/// Collects what the entries have that match; and how many those are.
pub(crate) fn collect(
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
        let columns = reader.columns(part, &keys)?;
        let mut take = |grouping: &mut Grouping| -> Result<()> {
            let rows = grouping.take(&columns)?;
            Ok(run.collect(rows)?)
        };
        let mut going = Ok(true);
        let found = reader.entries(part, lookup, mask, &mut |entries| {
            count += entries.len() as u64;
            going = match grouping.add(&columns, entries) {
                Ok(true) => Ok(()),
                Ok(false) => take(&mut grouping),
                Err(error) => Err(error.into()),
            }
            .and_then(|()| progress.step(entries.len()));
            matches!(going, Ok(true))
        });
        found?;
        take(&mut grouping)?;
        if !going? {
            return Ok((Found::Late, count));
        }
    }
    Ok((Found::All, count))
}
