//! What collecting and answering need besides what is asked.

use super::counts::Background;
use super::units::Span;
use crate::hit::Hit;
use crate::sort::SortKey;
use mapping::error::{ErrorKind, Result, SearchError};
use querying::Held;
use querying::{Node, Statistics};
use serde_json::{Map, Value};
use std::cell::Cell;

/// Makes of a hit within aggregations what clients see, by its sort and what the request says of it.
pub type ShowHit<'s> = dyn Fn(&Hit, &[SortKey], &Map<String, Value>) -> Result<Value> + Sync + 's;

/// The bucket of a date histogram that encloses an aggregation.
#[derive(Default)]
pub(crate) struct Within(Cell<Option<Span>>);

impl Within {
    pub(super) fn get(&self) -> Option<Span> {
        self.0.get()
    }

    /// Enters a bucket, and returns the one before it, to which the caller goes back.
    pub(super) fn set(&self, span: Option<Span>) -> Option<Span> {
        self.0.replace(span)
    }
}

/// How answers are made.
pub(crate) struct Finish<'f> {
    /// Whether names have their types in front.
    pub(crate) typed: bool,
    pub(crate) show: &'f ShowHit<'f>,
    pub(crate) held: &'f Held,
    pub(crate) background: &'f Background,
    /// The time of the bucket of a date histogram that is answered now.
    pub(crate) within: Within,
    /// The buckets that are given so far, and may be.
    pub(crate) buckets: Cell<usize>,
    pub(crate) buckets_max: usize,
}

impl Finish<'_> {
    /// Counts one more bucket that is given, and is shown in this many bytes. Those that are collected are bounded by memory alone:
    /// of them, few may be given.
    pub(super) fn bucket(&self, bytes: usize) -> Result<()> {
        self.buckets.set(self.buckets.get() + 1);
        match self.buckets.get() > self.buckets_max {
            false => self.held.add(bytes),
            true => Err(too_many_buckets(self.buckets_max)),
        }
    }

    pub(super) fn name(&self, kind: &str, name: &str) -> String {
        match self.typed {
            true => format!("{kind}#{name}"),
            false => name.to_owned(),
        }
    }
}

/// What collecting needs of the index whose documents are shown.
pub(crate) struct Context<'c> {
    pub(crate) filters: &'c [Node],
    pub(crate) statistics: &'c Statistics,
    /// As how many documents the one counts that is shown.
    pub(crate) weight: u64,
    /// That of the document which is shown.
    pub(crate) score: f32,
    pub(crate) held: &'c Held,
}

pub(crate) fn too_many_buckets(most: usize) -> SearchError {
    SearchError::new(
        ErrorKind::TooManyBuckets,
        format!(
            "Trying to create too many buckets. Must be less than or equal to: [{most}] but was [{}]. This limit can be set by \
             changing the [search.max_buckets] cluster level setting.",
            most + 1
        ),
    )
}
