//! Showing the documents of indices to a search.

use crate::documents::id_of;
use crate::error::Result;
use crate::index::Index;
use crate::source::sequence_number;
use engine::{DocumentPosition, Order, PageLimit, Record};
use search::{Outcome, Request, Run, Seen};
use std::ops::Bound;

/// Runs a search over these indices, each as of one moment.
pub(crate) async fn run(request: &Request, typed_keys: bool, indices: &[(Index, f32)]) -> Result<Outcome> {
    let mut shown = Vec::with_capacity(indices.len());
    for (index, boost) in indices {
        shown.push(search::Index {
            name: index.name.clone(),
            mapping: index.mapping().await?,
            boost: *boost,
        });
    }
    let mut run = Run::new(request, shown, value::date::now_ms())?;
    for (at, (index, _)) in indices.iter().enumerate() {
        let snapshot = index.collection.snapshot().await?;
        let counts_first = run.begin(at)?;
        for counting in [true, false] {
            if counting && !counts_first {
                continue;
            }
            let mut after: Option<DocumentPosition> = None;
            loop {
                let everything = (Bound::Unbounded, Bound::Unbounded);
                let page =
                    snapshot.documents(everything, after.as_ref(), Order::Forward, PageLimit::default());
                let (records, next) = page.await?;
                engine::steps(records.len() * 10)?;
                let mut goes_on = true;
                for record in &records {
                    goes_on = goes_on && show(&mut run, record, counting)?;
                }
                match next.filter(|_| goes_on) {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
        }
    }
    Ok(run.finish(typed_keys)?)
}

fn show(run: &mut Run<'_>, record: &Record, counting: bool) -> Result<bool> {
    let id = id_of(record);
    let seen = Seen {
        id: &id,
        sequence: sequence_number(record),
        version: record.revision().generation,
        document: &record.document,
    };
    if counting {
        run.count(&seen);
        return Ok(true);
    }
    Ok(run.see(&seen)?)
}
