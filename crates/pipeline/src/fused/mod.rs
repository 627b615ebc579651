//! Running the stages before a `$group` as one: only the fields that the group and these stages read are picked from each document,
//! and no document is written in between.
//!
//! [`Fused::of`] takes over `$match`, `$unwind` and simple `$project`s (or their relatives) up to the first `$group`, and the
//! query's own projection. Each stage then turns a list of values into another ([`stages`]). The fields of these lists follow from
//! what the group reads, from the back to the front ([`plan`]).
//!
//! What must hold: the group sees the same as if the stages ran one after the other, and all computed fields are computed, so that
//! their errors are raised.

mod plan;
mod stages;

use crate::Result;
use crate::step::Work;
use language::expression::Variables;
use language::filter::Filter;
use language::interruption::steps;
use query::execute::Visitor;
use stages::FusedStage;
use std::sync::Arc;
use value::{DocumentRef, Picked, RawDocument, ValueRef};

/// Fields that are picked without memory of their own.
const FEW_FIELDS: usize = 8;

/// Names of fields, whose values stand in the same places.
type Names = Box<[Box<str>]>;

/// The stages that run before a group as one.
#[derive(Debug)]
pub(crate) struct Fused {
    /// The fields that are picked from each document.
    names: Names,
    stages: Vec<FusedStage>,
    /// The number of stages of the pipeline that this replaces.
    pub(crate) taken: usize,
    variables: Arc<Variables>,
}

/// The stages that run before a group, and the group.
pub(crate) struct Front<'r> {
    pub(crate) fused: &'r Fused,
    pub(crate) group: &'r mut Work,
}

impl Visitor for Front<'_> {
    fn visit(&mut self, document: RawDocument<'_>, filter: Option<&Filter>) -> Result<bool> {
        steps(1)?;
        let count = self.fused.names.len();
        if count <= FEW_FIELDS {
            let mut values = [None; FEW_FIELDS];
            self.visit_picked(document, &mut values[..count], filter)
        } else {
            self.visit_picked(document, &mut vec![None; count], filter)
        }
    }
}

impl Front<'_> {
    fn visit_picked<'d>(
        &mut self,
        document: RawDocument<'d>,
        values: &mut [Option<ValueRef<'d>>],
        filter: Option<&Filter>,
    ) -> Result<bool> {
        let Fused {
            names,
            stages,
            variables,
            ..
        } = self.fused;
        document.pick(names, values);
        if let Some(filter) = filter {
            let picked = Picked { names, values };
            if !filter.matches(DocumentRef::Picked(&picked))? {
                return Ok(false);
            }
        }
        let group = &mut *self.group;
        stages::run(stages, names, values, variables, &mut |document| {
            group.take(document)
        })?;
        Ok(true)
    }
}
