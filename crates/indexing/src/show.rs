//! Showing the documents of a collection to a search: by its index, or one by one.

use crate::error::Result;
use crate::find::{self, SearchEnd};
use crate::record::show_record;
use crate::state::Published;
use engine::{DocumentPosition, Order, PageLimit, RevisionedSnapshot};
use search::Run;
use std::ops::Bound;
use std::time::Instant;

/// How the showing of a collection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All that was wanted was shown.
    All,
    /// It took too long.
    Late,
}

/// Shows a run what an index finds, or where there is none that can tell, all documents. Where `counts_first`, they are counted before.
pub async fn show(
    run: &mut Run<'_>,
    snapshot: &RevisionedSnapshot,
    published: Option<&Published>,
    counts_first: bool,
    deadline: Option<Instant>,
) -> Result<Shown> {
    if let Some(published) = published {
        match find::run(run, published, snapshot, counts_first, deadline).await? {
            SearchEnd::All => return Ok(Shown::All),
            SearchEnd::Late => return Ok(Shown::Late),
            SearchEnd::NotThis => {}
        }
    }
    if counts_first && show_all(run, snapshot, true, deadline).await? == Shown::Late {
        return Ok(Shown::Late);
    }
    show_all(run, snapshot, false, deadline).await
}

async fn show_all(
    run: &mut Run<'_>,
    snapshot: &RevisionedSnapshot,
    counting: bool,
    deadline: Option<Instant>,
) -> Result<Shown> {
    let mut after: Option<DocumentPosition> = None;
    loop {
        let everything = (Bound::Unbounded, Bound::Unbounded);
        let page = snapshot.documents(everything, after.as_ref(), Order::Forward, PageLimit::default());
        let (records, next) = page.await?;
        let mut goes_on = true;
        for record in &records {
            goes_on = goes_on && show_record(run, record, counting)?;
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Shown::Late);
        }
        match next.filter(|_| goes_on) {
            Some(next) => after = Some(next),
            None => return Ok(Shown::All),
        }
    }
}
