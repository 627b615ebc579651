//! Aggregations by the columns of an index. What a part of it gives is kept: who looks at a board again, while lines arrive, has to
//! wait for what is new alone.

use crate::error::Result;
use crate::find::{Progress, SearchEnd};
use crate::state::Published;
use fulltext::{Columns, Lookup, Mask};
use search::{Grouping, Rows, Run};
use std::sync::Arc;

/// What a part of the index gave, for the next search that asks the same.
struct Given {
    rows: Rows,
    count: u64,
}

/// Collects what the entries have that match; and how many those are.
pub(crate) fn collect(
    run: &mut Run<'_>,
    mut grouping: Grouping,
    published: &Published,
    lookup: &Lookup,
    mask: &Mask,
    progress: &mut Progress,
) -> Result<(SearchEnd, u64)> {
    let reader = &published.reader;
    let keys = grouping.keys();
    let name = lookup
        .name()
        .map(|lookup| format!("{lookup} {}", grouping.name()));
    let mut count = 0;
    for part in 0..reader.segments() {
        let kept = name
            .as_ref()
            .and_then(|name| reader.kept::<Given>(part, mask, name));
        if let Some(given) = kept {
            run.collect(&given.rows)?;
            count += given.count;
            if !progress.step(given.rows.count())? {
                return Ok((SearchEnd::Late, count));
            }
            continue;
        }
        let columns = reader.columns(part, &keys)?;
        let (mut is_whole, before) = (true, count);
        let mut going = Ok(true);
        let found = reader.entries(part, lookup, mask, &mut |entries| {
            count += entries.len() as u64;
            going = match grouping.add(&columns, entries) {
                Ok(true) => Ok(()),
                Ok(false) => {
                    is_whole = false;
                    take(run, &mut grouping, &columns).map(drop)
                }
                Err(error) => Err(error.into()),
            }
            .and_then(|()| progress.step(entries.len()));
            matches!(going, Ok(true))
        });
        found?;
        let rows = take(run, &mut grouping, &columns)?;
        if !going? {
            return Ok((SearchEnd::Late, count));
        }
        if let Some(name) = name.as_ref().filter(|_| is_whole) {
            let count = count - before;
            let bytes = rows.bytes();
            reader.keep(part, mask, name, Arc::new(Given { rows, count }), bytes);
        }
    }
    Ok((SearchEnd::All, count))
}

fn take(run: &mut Run<'_>, grouping: &mut Grouping, columns: &Columns) -> Result<Rows> {
    let rows = grouping.take(columns)?;
    run.collect(&rows)?;
    Ok(rows)
}
