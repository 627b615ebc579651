//! Documents that have as many of some terms as they say themselves (Lucene's `CoveringQuery`).

use super::{Node, Statistics};
use crate::script::DocumentScript;
use mapping::Field;
use mapping::fields::{Term, View};
use std::sync::Arc;

/// Queries, and what says how many of them a document must match.
#[derive(Debug)]
pub struct Covering {
    pub(super) nodes: Vec<Node>,
    pub(super) least: LeastOf,
    pub(super) boost: f32,
}

/// Where the number is from.
#[derive(Debug)]
pub(super) enum LeastOf {
    Field(Arc<Field>),
    Script(DocumentScript),
}

impl Covering {
    /// The queries.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The sum of the scores of those that match; `None` where they are too few.
    pub(super) fn score(&self, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let scores = self.nodes.iter().filter_map(|node| node.score(view, statistics));
        let scores: Vec<f32> = scores.collect();
        if scores.is_empty() {
            return None;
        }
        let least = self.least(view, statistics)?;
        (scores.len() as f64 >= least).then(|| self.boost * scores.iter().sum::<f32>())
    }

    /// How many a document must match; `None` where it does not say it.
    fn least(&self, view: &View<'_>, statistics: &Statistics) -> Option<f64> {
        match &self.least {
            LeastOf::Field(field) => {
                let numbers = view.terms(field);
                numbers.iter().filter_map(Term::as_f64).reduce(f64::min)
            }
            LeastOf::Script(script) => match script.number(view, None) {
                Ok(number) => Some(number),
                Err(error) => {
                    statistics.fail(error);
                    None
                }
            },
        }
    }
}
