//! A running query: what has to be read for the request, and how many results are wanted now.

use super::execution::Execution;
use super::find::FindSpec;
use crate::plan::{Plan, Query};
use language::Interruption;
use std::sync::Arc;
use store::Snapshot;

/// A request, and what plans must read to answer it.
///
/// A [`FindSpec`] says what the results are. What must be read also depends on their use: a count needs
/// no documents, `distinct` only one of their fields.
#[derive(Clone, Debug)]
pub struct Task {
    /// The request.
    pub spec: FindSpec,
    /// The fields of which results are made; `None` if whole documents are needed.
    pub needed: Option<Arc<[String]>>,
    /// Whether the array position at which a document matched is needed.
    pub positions: bool,
    /// Whether record ids are enough: documents are then read only if they must be matched or sorted.
    pub records_only: bool,
    /// Whether index keys are needed besides the documents.
    pub keys: bool,
    /// Whether this is an explanation: the plan is chosen anew, and neither remembered nor counted.
    pub fresh: bool,
}

impl Task {
    /// The task of returning a find's results to the client.
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

    /// The part of the task that the planner sees.
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

/// A task on one snapshot, for some of its results. Choosing a plan is a run, and so is each page of results.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What is read.
    pub snapshot: &'a Snapshot,
    /// The task.
    pub task: &'a Task,
    /// The number of results, at least 1, with which the run ends. The plan that has this many first is chosen, so the choice suits
    /// the number that the client will take, not the number of all results.
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
