//! Entries with a time in a range. Entries are sorted by time, so that those of a segment are found by looking at some of them; where
//! entries have several times, of which only the greatest sorts them, their column is asked.

use crate::entry::Key;
use crate::opened::Opened;
use std::fmt;
use std::ops::{Bound, Range};
use tantivy::query::{ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

pub(crate) struct TimesQuery {
    pub(crate) opened: Opened,
    /// The key of the times.
    pub(crate) key: Key,
    pub(crate) low: Bound<i64>,
    pub(crate) high: Bound<i64>,
    /// What asks the column.
    pub(crate) by_column: Box<dyn Query>,
}

impl Clone for TimesQuery {
    fn clone(&self) -> Self {
        TimesQuery {
            opened: self.opened.clone(),
            by_column: self.by_column.box_clone(),
            ..*self
        }
    }
}

impl fmt::Debug for TimesQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimesQuery({}, {:?}, {:?})", self.key, self.low, self.high)
    }
}

impl Query for TimesQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(TimesWeight {
            by_column: self.by_column.weight(scoring)?,
            query: self.clone(),
        }))
    }
}

struct TimesWeight {
    query: TimesQuery,
    by_column: Box<dyn Weight>,
}

impl TimesQuery {
    /// The entries of a segment; `None` where their column must be asked.
    fn entries(&self, segment: &SegmentReader) -> tantivy::Result<Option<Range<DocId>>> {
        // An entry without a time has the least one.
        let is_low = match self.low {
            Bound::Unbounded => true,
            Bound::Included(low) => low == i64::MIN,
            Bound::Excluded(_) => false,
        };
        let open = self.opened.of(segment)?;
        if is_low || !open.is_single_time(segment, self.key)? {
            return Ok(None);
        }
        let first = |is_behind: &dyn Fn(i64) -> bool| {
            let (mut from, mut to) = (0, segment.max_doc());
            while from < to {
                let middle = from + (to - from) / 2;
                match is_behind(open.times.values.get_val(middle)) {
                    true => to = middle,
                    false => from = middle + 1,
                }
            }
            from
        };
        let start = first(&|time| match self.high {
            Bound::Unbounded => true,
            Bound::Included(high) => time <= high,
            Bound::Excluded(high) => time < high,
        });
        let end = first(&|time| match self.low {
            Bound::Unbounded => false,
            Bound::Included(low) => time < low,
            Bound::Excluded(low) => time <= low,
        });
        Ok(Some(start..end.max(start)))
    }
}

impl Weight for TimesWeight {
    fn scorer(&self, segment: &SegmentReader, boost: f32) -> tantivy::Result<Box<dyn Scorer>> {
        match self.query.entries(segment)? {
            Some(entries) => Ok(Box::new(ConstScorer::new(Entries::new(entries), boost))),
            None => self.by_column.scorer(segment, boost),
        }
    }

    fn explain(&self, segment: &SegmentReader, entry: DocId) -> tantivy::Result<Explanation> {
        self.by_column.explain(segment, entry)
    }
}

/// Entries one after the other.
struct Entries {
    at: DocId,
    end: DocId,
}

impl Entries {
    fn new(entries: Range<DocId>) -> Entries {
        let mut made = Entries {
            at: 0,
            end: entries.end,
        };
        made.go(entries.start);
        made
    }

    fn go(&mut self, to: DocId) -> DocId {
        self.at = if to < self.end { to } else { TERMINATED };
        self.at
    }
}

impl DocSet for Entries {
    fn advance(&mut self) -> DocId {
        self.go(self.at.saturating_add(1))
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.go(target.max(self.at))
    }

    fn doc(&self) -> DocId {
        self.at
    }

    fn size_hint(&self) -> u32 {
        self.end.saturating_sub(self.at)
    }
}
