//! A search of one collection by its index. What the index has not reached yet is taken from the documents, and what it says of
//! those documents does not count.

use crate::collect::collect;
use crate::error::Result;
use crate::keys::keys;
use crate::record::show_record;
use crate::state::Published;
use crate::tail::{Tail, tail};
use engine::{PageLimit, RecordId, RevisionedSnapshot};
use fulltext::{Lookup, Mask};
use search::{FoundBy, Grouping, Held, NewestWanted, Run};
use std::time::Instant;

/// A collection is read as fast without an index where more than one in this many of its documents match.
const PART_MAX: u64 = 4;
/// Numbers of records that have room from the beginning.
const NUMBERS_MIN: usize = 1024;
/// The documents that are read together.
const PAGE_RECORDS: usize = 1000;

/// How a search by an index ended.
pub(crate) enum SearchEnd {
    /// The index cannot answer it.
    NotThis,
    /// It is done.
    All,
    /// It took too long.
    Late,
}

/// How long a search may go on.
pub(crate) struct Progress {
    deadline: Option<Instant>,
}

impl Progress {
    /// Counts work; false where it takes too long, an error where nobody wants it any more.
    pub(crate) fn step(&mut self, work: usize) -> Result<bool> {
        engine::steps(work)?;
        Ok(self.deadline.is_none_or(|deadline| Instant::now() < deadline))
    }
}

/// How a search goes about it.
struct Way {
    /// What aggregations ask by columns.
    grouping: Option<Grouping>,
    /// What the newest documents answer.
    newest: Option<NewestWanted>,
    /// Whether the best by their scores are wanted, as far as the index tells them.
    is_scored: bool,
}

impl Way {
    /// The quickest way to what a run wants. Only where the index finds no other documents does it know more than candidates.
    fn of(run: &Run<'_>, published: &Published, is_exact: bool) -> Way {
        let layout = &published.layout;
        let grouping = run.grouping(layout).filter(|_| is_exact);
        let is_grouped = grouping.is_some();
        let newest = run.newest_wanted(layout, is_grouped).filter(|_| is_exact);
        let is_scored = newest.is_none() && is_exact && run.scoring(layout, &keys, is_grouped).is_some();
        Way {
            grouping,
            newest,
            is_scored,
        }
    }

    fn found_by(&self) -> FoundBy {
        match self.newest {
            Some(_) => FoundBy::Newest,
            None if self.is_scored => FoundBy::Best,
            None => FoundBy::Candidates,
        }
    }

    /// Whether all that match are looked at.
    fn reads_all(&self) -> bool {
        self.newest.is_none() && !self.is_scored
    }
}

/// Shows a run what the index finds, if it can answer the query.
pub(crate) async fn run(
    run: &mut Run<'_>,
    published: &Published,
    snapshot: &RevisionedSnapshot,
    counts_first: bool,
    deadline: Option<Instant>,
) -> Result<SearchEnd> {
    let Published { reader, layout, .. } = published;
    let Some(mut wanted) = run.wanted(layout, reader, &keys)? else {
        return Ok(SearchEnd::NotThis);
    };
    let Some(tail) = tail(published, snapshot).await? else {
        return Ok(SearchEnd::NotThis);
    };
    let way = Way::of(run, published, wanted.is_exact);
    let most = snapshot.count() / PART_MAX;
    if way.reads_all() && reader.matching(&wanted.lookup, &tail.mask, most)? > most {
        return Ok(SearchEnd::NotThis);
    }
    if counts_first {
        count(run, published, &tail)?;
        // Which terms stand for patterns is known now.
        if let Some(known) = run.wanted(layout, reader, &keys)? {
            wanted = known;
        }
    }
    run.found_by(way.found_by(), tail.records().count() as u64);
    for record in tail.records() {
        show_record(run, record, false)?;
    }
    let mut finding = Finding {
        published,
        lookup: &wanted.lookup,
        mask: &tail.mask,
        progress: Progress { deadline },
        matching: None,
    };
    let held = run.held().another();
    let Some(numbers) = finding.find(run, way, &held)? else {
        return Ok(SearchEnd::Late);
    };
    let matching = finding.matching;
    let mut shower = Shower {
        run,
        snapshot,
        progress: finding.progress,
        shown: 0,
    };
    let found = shower.show(&numbers).await?;
    let unseen = matching.map_or(0, |count| count.saturating_sub(shower.shown));
    shower.run.add_unseen(unseen);
    Ok(found)
}

/// Counts all documents for the scores.
fn count(run: &mut Run<'_>, published: &Published, tail: &Tail) -> Result<()> {
    run.count_index(&published.layout, &published.reader, &tail.mask)?;
    for record in tail.records() {
        show_record(run, record, true)?;
    }
    Ok(())
}

/// A lookup on its way.
struct Finding<'f> {
    published: &'f Published,
    lookup: &'f Lookup,
    /// What does not count.
    mask: &'f Mask,
    progress: Progress,
    /// How many match, once that is known.
    matching: Option<u64>,
}

impl Finding<'_> {
    /// The records that are wanted, where they are all counted in `held`; `None` where it took too long.
    fn find(&mut self, run: &mut Run<'_>, way: Way, held: &Held) -> Result<Option<Vec<RecordId>>> {
        let reads_all = way.reads_all();
        if let Some(grouping) = way.grouping.filter(|_| !reads_all)
            && !self.collect(run, grouping)?
        {
            return Ok(None);
        }
        match way.newest {
            Some(newest) => self.newest(newest).map(Some),
            None if way.is_scored => self.best(run),
            None => self.all(held).map(Some),
        }
    }

    /// Collects what aggregations ask by columns; false where it took too long.
    fn collect(&mut self, run: &mut Run<'_>, grouping: Grouping) -> Result<bool> {
        let progress = &mut self.progress;
        let (end, count) = collect(run, grouping, self.published, self.lookup, self.mask, progress)?;
        self.matching = Some(count);
        Ok(!matches!(end, SearchEnd::Late))
    }

    /// The newest.
    fn newest(&mut self, newest: NewestWanted) -> Result<Vec<RecordId>> {
        let reader = &self.published.reader;
        let best = reader.newest(self.lookup, self.mask, newest.count)?;
        if newest.is_counted && self.matching.is_none() {
            self.matching = Some(reader.matching(self.lookup, self.mask, u64::MAX)?);
        }
        Ok(best.iter().map(|best| RecordId(best.number)).collect())
    }

    /// The best by their scores; `None` where it took too long.
    fn best(&mut self, run: &Run<'_>) -> Result<Option<Vec<RecordId>>> {
        let Some(scoring) = run.scoring(&self.published.layout, &keys, true) else {
            return Ok(None);
        };
        let mut ended = Ok(true);
        let progress = &mut self.progress;
        let mut asked = fulltext::Scoring {
            probes: &scoring.probes,
            score: &mut |probes, entry| scoring.score(probes, entry),
            step: &mut |work| {
                ended = progress.step(work);
                matches!(ended, Ok(true))
            },
        };
        let reader = &self.published.reader;
        let found = reader.best(self.lookup, self.mask, run.kept(), &mut asked);
        let found = found?;
        ended?;
        Ok(found.map(|(numbers, count)| {
            self.matching = Some(count);
            numbers.into_iter().map(RecordId).collect()
        }))
    }

    /// All that match, by their numbers, which are counted in `held`.
    fn all(&self, held: &Held) -> Result<Vec<RecordId>> {
        let mut numbers = numbers(self.published, self.lookup, self.mask, held)?;
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// The records of all that match; `held` is of their numbers.
fn numbers(published: &Published, lookup: &Lookup, mask: &Mask, held: &Held) -> Result<Vec<RecordId>> {
    let mut numbers: Vec<RecordId> = Vec::new();
    let mut room = Ok(());
    let mut take = |number| {
        if numbers.len() == numbers.capacity() {
            let more = numbers.capacity().max(NUMBERS_MIN);
            room = held.add(more * size_of::<RecordId>());
            if room.is_err() {
                return false;
            }
            numbers.reserve_exact(more);
        }
        numbers.push(RecordId(number));
        true
    };
    let found = published.reader.matches(lookup, mask, &mut take);
    found?;
    room?;
    engine::steps(numbers.len())?;
    Ok(numbers)
}

/// Shows the documents of records to a run.
struct Shower<'s, 'r> {
    run: &'s mut Run<'r>,
    snapshot: &'s RevisionedSnapshot,
    progress: Progress,
    shown: u64,
}

impl Shower<'_, '_> {
    async fn show(&mut self, numbers: &[RecordId]) -> Result<SearchEnd> {
        let mut rest = numbers;
        while !rest.is_empty() {
            let page = &rest[..rest.len().min(PAGE_RECORDS)];
            let records = self.snapshot.numbered(page, PageLimit::default().bytes).await?;
            if records.is_empty() {
                break;
            }
            rest = &rest[records.len()..];
            let goes_on = self.progress.step(records.len())?;
            for record in records.iter().flatten() {
                self.shown += 1;
                show_record(self.run, record, false)?;
            }
            if !goes_on {
                return Ok(SearchEnd::Late);
            }
        }
        Ok(SearchEnd::All)
    }
}
