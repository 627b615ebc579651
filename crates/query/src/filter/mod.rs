//! MongoDB's query language: a query document parsed once, then matched against raw documents.
//!
//! [`Filter::parse`] turns the query into a tree of [`Node`]s (conditions on a document) whose leaves are
//! [`Predicate`]s (conditions on what a path reaches); the planner reads that tree, and [`Filter::matches`] walks it
//! for each document. Sugar is gone after parsing: `$ne` is `Not` of `Eq`, `$nin` `Not` of `In`, `$exists: false`
//! `Not` of `Exists`, and `$all` a conjunction.
//!
//! What must hold: matching allocates nothing for comparisons, and never decodes a value that it does not look at.
//!
//! Left to others: expressions in `$expr` (`expression`), which index helps (`plan`).

mod node;
mod regex;
mod scope;

pub use node::{BitTest, BitsTest, Comparison, ExprCondition, Node, Predicate, TypeSet};
pub use regex::Regex;
pub use scope::{FilterPlace, FilterScope};

/// A parsed query.
#[derive(Clone, Debug)]
pub struct Filter {
    root: Node,
}

impl Filter {
    /// The filter that every document matches.
    pub fn empty() -> Filter {
        Filter {
            root: Node::AlwaysTrue,
        }
    }

    /// The conditions as a tree, for the planner.
    pub fn root(&self) -> &Node {
        &self.root
    }
}
