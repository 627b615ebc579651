//! The stages in front of a `$group` run as one: of each document the fields are picked that the group and those before it
//! look at, and no document is written in between.
//!
//! [`Fused::of`] takes over `$match`, `$unwind` and simple `$project`s (or their relatives) up to the first `$group`, and the
//! query's own projection. Each stage then turns values in places into values in places ([`stages`]); which places there
//! are follows from what the group reads, from its back to the front ([`plan`]).
//!
//! What must hold: the group sees what it would see of the documents that the stages give one after the other, and all
//! computed fields are computed, so that what fails fails.

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

/// What runs in front of a group.
#[derive(Debug)]
pub(crate) struct Fused {
    /// The fields that are picked of each document.
    names: Names,
    stages: Vec<FusedStage>,
    /// How many stages of the pipeline these are.
    pub(crate) taken: usize,
    variables: Arc<Variables>,
}

/// What runs in front of a group, and the group.
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
