//! Matching documents one by one: what a query means.
//!
//! A query is compiled for a mapping ([`compile`]) to a tree of tests on the terms and values of fields ([`test`]), whose
//! scores follow BM25 with the statistics of the whole collection ([`statistics`]).

mod blend;
mod clauses;
mod compile;
mod covering;
mod expansion;
mod functions;
mod intervals;
mod leaf;
mod minimum;
mod nearest;
mod patterns;
mod phrase;
mod scored;
mod spans;
mod statistics;
mod test;
mod wanted_phrase;

pub use clauses::Clauses;
pub use compile::compile;
pub use expansion::Expanding;
pub use leaf::Leaf;
pub use patterns::TermPattern;
pub use patterns::lucene_expression;
pub use scored::{Counted, Scored};
pub use statistics::{Statistics, Weighing};
pub use test::{Test, flag_term, is_above, is_below, terms};

use crate::neighbours::Neighbours;
use crate::query::NestedMode;
use crate::script::DocumentScript;
use crate::slice::Sliced;
use covering::Covering;
use functions::{Functions, ScriptScore};
use language::interruption::steps;
use mapping::Field;
use mapping::fields::View;
use std::collections::HashSet;
use std::sync::Arc;

/// A query that is ready to be asked of documents.
#[derive(Debug)]
#[allow(missing_docs, reason = "the variants are those of a query")]
pub enum Node {
    All(f32),
    Nothing,
    Bool {
        must: Vec<Node>,
        filter: Vec<Node>,
        should: Vec<Node>,
        must_not: Vec<Node>,
        minimum: usize,
        boost: f32,
    },
    Constant(Box<Node>, f32),
    DisMax(Vec<Node>, f32, f32),
    Boosting {
        positive: Box<Node>,
        negative: Box<Node>,
        factor: f32,
        boost: f32,
    },
    Nested {
        path: String,
        node: Box<Node>,
        mode: NestedMode,
        boost: f32,
    },
    Ids(HashSet<String>, f32),
    Covering(Box<Covering>),
    Functions(Box<Functions>),
    ScriptScore(Box<ScriptScore>),
    Script(DocumentScript, f32),
    Slice(Arc<Sliced>, Option<Arc<Field>>),
    Found(Arc<Neighbours>, f32),
    Leaf(Box<Leaf>),
}

/// What a node does within another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It may make a document match, and its score counts.
    Scored,
    /// It may make a document match, however well.
    Matching,
    /// It takes documents away, or changes the scores of those that match.
    Beside,
}

impl Node {
    /// The score of a document that matches; `None` for one that does not, and for all once the operation must end: it learns that
    /// from the next of its own steps.
    pub fn score(&self, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        steps(1).ok()?;
        let score = |node: &Node| node.score(view, statistics);
        match self {
            Node::All(boost) => Some(*boost),
            Node::Nothing => None,
            Node::Constant(node, boost) => score(node).map(|_| *boost),
            Node::Ids(ids, boost) => ids.contains(view.id).then_some(*boost),
            Node::Found(found, boost) => found.score(view).map(|score| score * boost),
            Node::Slice(sliced, field) => sliced.has(field.as_deref(), view).then_some(1.0),
            Node::Leaf(leaf) => leaf.score(view, statistics),
            Node::Covering(covering) => covering.score(view, statistics),
            Node::Functions(functions) => functions.score(view, statistics),
            Node::ScriptScore(script) => script.score(view, statistics),
            Node::Script(script, boost) => is_true(script, view, statistics).then_some(*boost),
            Node::Bool {
                must,
                filter,
                should,
                must_not,
                minimum,
                boost,
            } => {
                if filter.iter().any(|node| score(node).is_none())
                    || must_not.iter().any(|node| score(node).is_some())
                {
                    return None;
                }
                total(must, should, *minimum, score).map(|total| total * boost)
            }
            Node::DisMax(nodes, tie, boost) => {
                let scores: Vec<f32> = nodes.iter().filter_map(score).collect();
                let best = scores.iter().copied().reduce(f32::max)?;
                let rest = scores.iter().sum::<f32>() - best;
                Some((best + rest * tie) * boost)
            }
            Node::Boosting {
                positive,
                negative,
                factor,
                boost,
            } => {
                let found = score(positive)?;
                Some(found * boost * if score(negative).is_some() { *factor } else { 1.0 })
            }
            Node::Nested {
                path,
                node,
                mode,
                boost,
            } => {
                let inner = view.nested(path);
                let scores = inner.iter().filter_map(|view| node.score(view, statistics));
                mode.of(&scores.collect::<Vec<f32>>()).map(|score| boost * score)
            }
        }
    }

    /// Shows each node that this one is made of, and as what.
    fn parts<'n>(&'n self, see: &mut dyn FnMut(Part, &'n Node)) {
        let mut all = |part, nodes: &'n [Node]| nodes.iter().for_each(|node| see(part, node));
        match self {
            Node::Bool {
                must,
                filter,
                should,
                must_not,
                ..
            } => {
                all(Part::Scored, must);
                all(Part::Matching, filter);
                all(Part::Scored, should);
                all(Part::Beside, must_not);
            }
            Node::DisMax(nodes, ..) => all(Part::Scored, nodes),
            Node::Covering(covering) => all(Part::Scored, covering.nodes()),
            Node::Constant(node, _) => see(Part::Matching, node),
            Node::Nested { node, .. } => see(Part::Scored, node),
            Node::Boosting {
                positive, negative, ..
            } => {
                see(Part::Scored, positive);
                see(Part::Beside, negative);
            }
            Node::Functions(functions) => {
                see(Part::Scored, functions.matched().0);
                functions.filters().for_each(|node| see(Part::Beside, node));
            }
            Node::ScriptScore(script) => see(Part::Scored, script.matched().0),
            Node::All(_)
            | Node::Nothing
            | Node::Ids(..)
            | Node::Script(..)
            | Node::Slice(..)
            | Node::Found(..)
            | Node::Leaf(_) => {}
        }
    }

    /// The tests that may make a document match.
    pub fn leaves<'n>(&'n self, out: &mut Vec<&'n Leaf>) {
        if let Node::Leaf(leaf) = self {
            out.push(leaf);
        }
        self.parts(&mut |part, node| {
            if part != Part::Beside {
                node.leaves(out);
            }
        });
    }

    /// All its tests, those of what must not match too.
    fn all_leaves<'n>(&'n self, out: &mut Vec<&'n Leaf>) {
        if let Node::Leaf(leaf) = self {
            out.push(leaf);
        }
        self.parts(&mut |_, node| node.all_leaves(out));
    }

    /// The fields whose values say whether a document matches; `None` where there is more to be asked.
    pub fn columns(&self, out: &mut Vec<Arc<Field>>) -> Option<()> {
        match self {
            Node::Leaf(leaf) => {
                out.push(leaf.asks_values().then(|| leaf.field.clone())?);
                Some(())
            }
            Node::Functions(functions) => functions.columns(out),
            Node::ScriptScore(_)
            | Node::Covering(_)
            | Node::Script(..)
            | Node::Slice(..)
            | Node::Nested { .. }
            | Node::Ids(..)
            | Node::Found(..) => None,
            Node::All(_)
            | Node::Nothing
            | Node::Bool { .. }
            | Node::Constant(..)
            | Node::DisMax(..)
            | Node::Boosting { .. } => {
                let mut found = Some(());
                self.parts(&mut |_, node| found = found.and_then(|()| node.columns(out)));
                found
            }
        }
    }

    /// The terms that scores are made of.
    pub fn scored(&self, out: &mut Scored) {
        if let Node::Leaf(leaf) = self {
            out.add(leaf);
        }
        self.parts(&mut |part, node| {
            if part == Part::Scored {
                node.scored(out);
            }
        });
    }
}

/// Whether a script is true of a document; the search is told of one that fails.
fn is_true(script: &DocumentScript, view: &View<'_>, statistics: &Statistics) -> bool {
    script.is_true(view).unwrap_or_else(|error| {
        statistics.fail(error);
        false
    })
}

/// The scores of what must match and of what may; `None` if not all of the former match, or too few of the latter.
fn total(
    must: &[Node],
    should: &[Node],
    minimum: usize,
    score: impl Fn(&Node) -> Option<f32>,
) -> Option<f32> {
    let mut total = 0.0;
    for node in must {
        total += score(node)?;
    }
    let mut matched = 0;
    for found in should.iter().filter_map(score) {
        matched += 1;
        total += found;
    }
    (matched >= minimum).then_some(total)
}

impl NestedMode {
    /// The score that those of nested objects come to; `None` if none matches.
    fn of(self, scores: &[f32]) -> Option<f32> {
        let best = |pick: fn(f32, f32) -> f32| scores.iter().copied().reduce(pick);
        let sum = scores.iter().sum::<f32>();
        match self {
            _ if scores.is_empty() => None,
            NestedMode::Avg => Some(sum / scores.len() as f32),
            NestedMode::Sum => Some(sum),
            NestedMode::Max => best(f32::max),
            NestedMode::Min => best(f32::min),
            NestedMode::None => Some(0.0),
        }
    }
}
