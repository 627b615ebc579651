//! How a search was carried out.

use std::time::{Duration, Instant};

/// How the documents of an index were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// All were read.
    Documents,
    /// Those were read that the full-text index finds.
    Candidates,
    /// The full-text index said which of those that match are the newest, or that none need be read.
    Newest,
    /// The full-text index said which have the best scores.
    Best,
}

/// What was done for the documents of one index.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Which of the indices of the search.
    pub index: usize,
    /// How documents were found.
    pub way: FoundBy,
    /// Whether aggregations were taken from the columns of the full-text index, but for documents that it had not reached.
    pub by_columns: bool,
    /// Documents that the full-text index had not reached.
    pub unreached: u64,
    /// Documents that were read and matched with the query.
    pub read: u64,
    /// Documents that match, of which the index told some.
    pub matching: u64,
    /// How long it took.
    pub took: Duration,
}

/// Notes what is done, index by index.
#[derive(Debug, Default)]
pub(crate) struct Profiling {
    done: Vec<Profile>,
    present: Option<(Profile, Instant, u64)>,
}

impl Profiling {
    /// Begins with an index. `total` documents were found before.
    pub(crate) fn begin(&mut self, index: usize, total: u64) {
        self.end(total);
        let profile = Profile {
            index,
            way: FoundBy::Documents,
            by_columns: false,
            unreached: 0,
            read: 0,
            matching: 0,
            took: Duration::ZERO,
        };
        self.present = Some((profile, Instant::now(), total));
    }

    /// The profile of the present index.
    pub(crate) fn present(&mut self) -> Option<&mut Profile> {
        self.present.as_mut().map(|(profile, ..)| profile)
    }

    /// Ends with the present index.
    fn end(&mut self, total: u64) {
        if let Some((mut profile, begun, before)) = self.present.take() {
            profile.took = begun.elapsed();
            profile.matching = total - before;
            self.done.push(profile);
        }
    }

    /// What was done for each index.
    pub(crate) fn finish(mut self, total: u64) -> Vec<Profile> {
        self.end(total);
        self.done
    }
}
