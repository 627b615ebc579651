//! A query as it runs: what has to be read for what is asked, and how much of it is wanted now.

use super::execution::Execution;
use super::find::FindSpec;
use crate::plan::{Plan, Query};
use language::Interruption;
use std::sync::Arc;
use store::Snapshot;

/// What is asked, and what follows from it for the plans that answer it.
///
/// A [`FindSpec`] says what the results are. What must be read for them depends on whoever takes them, too: a count needs
/// no documents, `distinct` one field of them.
#[derive(Clone, Debug)]
pub struct Task {
    /// What is asked.
    pub spec: FindSpec,
    /// The fields of which results are made; `None` if whole documents are needed.
    pub needed: Option<Arc<[String]>>,
    /// Whether it must be known where in an array a document matched.
    pub positions: bool,
    /// Whether record ids are enough: documents are then read only if they must be matched or sorted.
    pub records_only: bool,
    /// Whether index keys are wanted beside the documents.
    pub keys: bool,
    /// Whether the plan is chosen anew, whatever is remembered, and nothing of it is remembered or counted: it is explained.
    pub fresh: bool,
}

impl Task {
    /// The task of giving a find's results to the client.
    pub fn new(spec: FindSpec) -> Task {
        let projection = spec.projection.as_ref();
        let needed = match projection {
            _ if spec.return_key => None,
            Some(projection) => projection.required_fields().map(Into::into),
            None => spec.needed.clone(),
        };
        Task {
            needed,
            positions: projection.is_some_and(|projection| projection.needs_position()),
            records_only: false,
            keys: spec.return_key || projection.is_some_and(|projection| projection.needs_index_key()),
            fresh: false,
            spec,
        }
    }

    /// The planner's view of it.
    pub(crate) fn query(&self) -> Query<'_> {
        Query {
            filter: &self.spec.filter,
            ordering: &self.spec.ordering,
            needed: self.needed.as_deref(),
            results_max: self.spec.results_max(),
            hint: self.spec.hint.as_ref(),
            min: self.spec.min.as_ref(),
            max: self.spec.max.as_ref(),
            allow_full_scan: self.spec.allow_full_scan,
        }
    }
}

/// A task on one snapshot, for some of its results: choosing a plan and each page that it gives are such runs.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What is read.
    pub snapshot: &'a Snapshot,
    /// What is asked of it.
    pub task: &'a Task,
    /// The results that must be ready for the run to end, at least 1. The plan chosen is the one that gives this many
    /// first, so a choice is good for as many as the client will take, not for all that there are.
    pub wanted: usize,
}

impl Run<'_> {
    /// When to end early.
    pub(super) fn interruption(&self) -> &Interruption {
        &self.task.spec.interruption
    }

    /// An execution of a plan that has not begun.
    pub(super) fn execution(&self, plan: &Arc<Plan>) -> Execution {
        Execution::new(Arc::clone(plan), self.task, self.wanted)
    }
}
