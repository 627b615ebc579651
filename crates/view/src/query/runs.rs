//! What the rows of a leaf come to in each group, kept for the queries that come to the same leaf again.
//!
//! Rows of one group that lie together in a leaf are a **run**. Runs are kept by a hash of the leaf's bytes, so nothing has to be told
//! when rows change: a leaf that changed is another one. Those of a leaf of which a part is asked for are not kept, nor those that are
//! hardly fewer than its rows.

use super::group_by::GroupBy;
use crate::Result;
use crate::limits::RUNS_OVERHEAD_BYTES;
use crate::reduce::{Fold, Function, Reducer};
use crate::tree::{Leaf, LeafHash, LeafRow, Tree};
use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// Runs of fewer rows each are not worth the memory: to have them again is hardly less work than to make them.
const ROWS_A_RUN_MIN: usize = 2;

/// What rows of leaves are made into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Grouped {
    pub(super) by: GroupBy,
    pub(super) descending: bool,
    pub(super) function: Function,
}

/// Rows of one group that lie together in a leaf, reduced.
pub(super) struct Run {
    /// What encoded keys of the group begin with.
    pub(super) prefix: Bytes,
    /// The key of the first row that the query comes to, as JSON text.
    pub(super) key: Bytes,
    pub(super) reduction: Bytes,
}

/// The runs of a leaf, in the order of the query.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// Prefix, key and reduction of each, one after the other.
    content: Bytes,
    /// Where in the content a run begins, and where its prefix, its key and its reduction end.
    places: Vec<[usize; 4]>,
}

impl Runs {
    pub(super) fn iter(&self) -> impl Iterator<Item = Run> {
        self.places.iter().map(|&[start, prefix, key, reduction]| Run {
            prefix: self.content.slice(start..prefix),
            key: self.content.slice(prefix..key),
            reduction: self.content.slice(key..reduction),
        })
    }

    fn bytes(&self) -> usize {
        self.content.len() + size_of_val(&*self.places)
    }
}

/// Runs of leaves of all views.
pub(crate) struct KeptRuns(Cache<(LeafHash, Grouped), Arc<Runs>, ByBytes>);

#[derive(Clone)]
struct ByBytes;

impl Weighter<(LeafHash, Grouped), Arc<Runs>> for ByBytes {
    fn weight(&self, _: &(LeafHash, Grouped), runs: &Arc<Runs>) -> u64 {
        (runs.bytes() + RUNS_OVERHEAD_BYTES) as u64
    }
}

impl KeptRuns {
    /// Room for this many bytes of runs.
    pub(crate) fn new(bytes_max: usize) -> KeptRuns {
        let leaves_expected = bytes_max / (4 * RUNS_OVERHEAD_BYTES) + 1;
        KeptRuns(Cache::with_weighter(leaves_expected, bytes_max as u64, ByBytes))
    }

    /// The runs of a leaf.
    pub(super) fn of_leaf(
        &self,
        grouped: &Grouped,
        leaf: &Leaf,
        make: impl FnOnce() -> Result<Runs>,
    ) -> Result<Arc<Runs>> {
        let Some(hash) = leaf.hash_of_whole() else {
            return make().map(Arc::new);
        };
        let key = (hash, grouped.clone());
        if let Some(runs) = self.0.get(&key) {
            return Ok(runs);
        }
        let runs = Arc::new(make()?);
        if runs.places.len() * ROWS_A_RUN_MIN <= leaf.places().len() {
            self.0.insert(key, runs.clone());
        }
        Ok(runs)
    }
}

impl std::fmt::Debug for KeptRuns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptRuns").finish_non_exhaustive()
    }
}

impl Grouped {
    /// The runs of a leaf, whose reductions need no more than values.
    pub(super) fn runs(&self, reducer: &Reducer, leaf: &Leaf, tree: &Tree) -> Result<Runs> {
        let columns = leaf.columns().ok_or_else(|| tree.corrupt_leaf())?;
        let mut making = Making {
            grouped: self,
            reducer,
            content: Vec::new(),
            places: Vec::new(),
            open: None,
        };
        let visited = columns.visit(leaf.places(), |entry| making.add(entry));
        visited.ok_or_else(|| tree.corrupt_leaf())??;
        Ok(making.finish())
    }
}

/// Runs while rows come.
struct Making<'r> {
    grouped: &'r Grouped,
    reducer: &'r Reducer,
    content: Vec<u8>,
    places: Vec<[usize; 4]>,
    open: Option<OpenRun<'r>>,
}

/// A run whose rows still come.
struct OpenRun<'r> {
    prefix: Vec<u8>,
    key: Vec<u8>,
    fold: Option<Fold<'r>>,
}

impl<'r> Making<'r> {
    fn add(&mut self, entry: LeafRow<'_>) -> Result<()> {
        let is_same = |open: &OpenRun<'_>| {
            entry.shared >= open.prefix.len() || entry.sort_key.starts_with(&open.prefix)
        };
        if !self.open.as_ref().is_some_and(is_same) {
            self.close();
            self.open = Some(OpenRun {
                prefix: self.grouped.by.prefix_of(entry.sort_key).to_vec(),
                key: entry.key.to_vec(),
                fold: self.reducer.fold(),
            });
        }
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        // A group has the key of the first row that the query comes to.
        if self.grouped.descending && *open.key != *entry.key {
            open.key.clear();
            open.key.extend_from_slice(entry.key);
        }
        match &mut open.fold {
            Some(fold) => fold.add(entry.value),
            None => Ok(()),
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let reduction = open.fold.map(Fold::finish).unwrap_or_default();
        let mut place = [self.content.len(); 4];
        for (at, part) in [&open.prefix[..], &open.key, &reduction].into_iter().enumerate() {
            self.content.extend_from_slice(part);
            place[at + 1] = self.content.len();
        }
        self.places.push(place);
    }

    fn finish(mut self) -> Runs {
        self.close();
        if self.grouped.descending {
            self.places.reverse();
        }
        self.content.shrink_to_fit();
        self.places.shrink_to_fit();
        Runs {
            content: self.content.into(),
            places: self.places,
        }
    }
}
