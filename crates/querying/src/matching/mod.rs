//! Matching documents one by one: what a query means.
//!
//! A query is compiled for a mapping ([`compile`]) to a tree of tests on the terms and values of fields ([`test`]), whose
//! scores follow BM25 with the statistics of the whole collection ([`statistics`]).

mod blend;
mod clauses;
mod compile;
mod expansion;
mod functions;
mod intervals;
mod minimum;
mod nearest;
mod patterns;
mod phrase;
mod scored;
mod statistics;
mod test;

pub use clauses::Clauses;
pub use compile::compile;
pub use expansion::Expanding;
pub use patterns::TermPattern;
pub use patterns::expression;
pub use scored::{Counted, Scored};
pub use statistics::{Statistics, Weighing};
pub use test::{Leaf, Test, flag_term, is_above, is_below, terms};

use crate::neighbours::Neighbours;
use crate::query::NestedMode;
use crate::script::DocumentScript;
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
    Functions(Box<Functions>),
    ScriptScore(Box<ScriptScore>),
    Script(DocumentScript, f32),
    Found(Arc<Neighbours>, f32),
    Leaf(Box<Leaf>),
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
            Node::Leaf(leaf) => leaf.score(view, statistics),
            Node::Functions(functions) => functions.score(view, statistics),
            Node::ScriptScore(script) => script.score(view, statistics),
            Node::Script(script, boost) => match script.is_true(view) {
                Ok(is_true) => is_true.then_some(*boost),
                Err(error) => {
                    statistics.fail(error);
                    None
                }
            },
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
                let mut total = 0.0;
                for node in must {
                    total += score(node)?;
                }
                let mut matched = 0;
                for found in should.iter().filter_map(score) {
                    matched += 1;
                    total += found;
                }
                (matched >= *minimum).then_some(total * boost)
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
                let scores: Vec<f32> = inner
                    .iter()
                    .filter_map(|view| node.score(view, statistics))
                    .collect();
                let (count, sum) = (scores.len() as f32, scores.iter().sum::<f32>());
                let best = |pick: fn(f32, f32) -> f32| scores.iter().copied().reduce(pick).unwrap_or(0.0);
                (!scores.is_empty()).then(|| {
                    boost
                        * match mode {
                            NestedMode::Avg => sum / count,
                            NestedMode::Sum => sum,
                            NestedMode::Max => best(f32::max),
                            NestedMode::Min => best(f32::min),
                            NestedMode::None => 0.0,
                        }
                })
            }
        }
    }

    /// The tests that may make a document match.
    pub fn leaves<'n>(&'n self, out: &mut Vec<&'n Leaf>) {
        match self {
            Node::Bool {
                must, filter, should, ..
            } => {
                let all = must.iter().chain(filter).chain(should);
                all.for_each(|node| node.leaves(out));
            }
            Node::DisMax(nodes, ..) => nodes.iter().for_each(|node| node.leaves(out)),
            Node::Constant(node, _) | Node::Boosting { positive: node, .. } | Node::Nested { node, .. } => {
                node.leaves(out);
            }
            Node::Functions(functions) => functions.matched().0.leaves(out),
            Node::ScriptScore(script) => script.matched().0.leaves(out),
            Node::Leaf(leaf) => out.push(leaf),
            Node::All(_) | Node::Nothing | Node::Ids(..) | Node::Script(..) | Node::Found(..) => {}
        }
    }

    /// All its tests, those of what must not match too.
    fn all_leaves<'n>(&'n self, out: &mut Vec<&'n Leaf>) {
        match self {
            Node::Bool {
                must,
                filter,
                should,
                must_not,
                ..
            } => {
                let all = must.iter().chain(filter).chain(should).chain(must_not);
                all.for_each(|node| node.all_leaves(out));
            }
            Node::DisMax(nodes, ..) => nodes.iter().for_each(|node| node.all_leaves(out)),
            Node::Constant(node, _) | Node::Nested { node, .. } => node.all_leaves(out),
            Node::Boosting {
                positive, negative, ..
            } => {
                positive.all_leaves(out);
                negative.all_leaves(out);
            }
            Node::Functions(functions) => functions.nodes().for_each(|node| node.all_leaves(out)),
            Node::ScriptScore(script) => script.matched().0.all_leaves(out),
            Node::Leaf(leaf) => out.push(leaf),
            Node::All(_) | Node::Nothing | Node::Ids(..) | Node::Script(..) | Node::Found(..) => {}
        }
    }

    /// The fields whose values say whether a document matches; `None` where there is more to be asked.
    pub fn columns(&self, out: &mut Vec<Arc<Field>>) -> Option<()> {
        let mut all = |nodes: &[Node]| nodes.iter().try_for_each(|node| node.columns(out));
        match self {
            Node::All(_) | Node::Nothing => Some(()),
            Node::Bool {
                must,
                filter,
                should,
                must_not,
                ..
            } => [must, filter, should, must_not]
                .into_iter()
                .try_for_each(|nodes| all(nodes)),
            Node::DisMax(nodes, ..) => all(nodes),
            Node::Constant(node, _) => node.columns(out),
            Node::Boosting {
                positive, negative, ..
            } => {
                positive.columns(out)?;
                negative.columns(out)
            }
            Node::Leaf(leaf) => {
                out.push(leaf.asks_values().then(|| leaf.field.clone())?);
                Some(())
            }
            Node::Functions(functions) => functions.columns(out),
            Node::ScriptScore(_)
            | Node::Script(..)
            | Node::Nested { .. }
            | Node::Ids(..)
            | Node::Found(..) => None,
        }
    }

    /// The terms that scores are made of.
    pub fn scored(&self, out: &mut Scored) {
        match self {
            Node::Bool { must, should, .. } => must.iter().chain(should).for_each(|node| node.scored(out)),
            Node::DisMax(nodes, ..) => nodes.iter().for_each(|node| node.scored(out)),
            Node::Boosting { positive: node, .. } | Node::Nested { node, .. } => node.scored(out),
            Node::Leaf(leaf) => {
                let terms = leaf.scored_terms();
                if terms.is_empty() && leaf.expanding().is_empty() {
                    return;
                }
                let counted = out.entry(&leaf.field);
                counted.is_scored = true;
                counted.terms.extend(terms.into_iter().map(str::to_owned));
            }
            Node::Functions(functions) => functions.matched().0.scored(out),
            Node::ScriptScore(script) => script.matched().0.scored(out),
            Node::All(_)
            | Node::Nothing
            | Node::Constant(..)
            | Node::Ids(..)
            | Node::Script(..)
            | Node::Found(..) => {}
        }
    }
}
