//! Which fields of a document a filter looks at.

use super::{Filter, Node};
use std::collections::BTreeSet;

impl Filter {
    /// The paths of the document that are read; `None` if it is read as a whole.
    pub fn fields_read(&self) -> Option<BTreeSet<String>> {
        let mut paths = BTreeSet::new();
        collect(&self.root, &mut paths).then_some(paths)
    }
}

/// Collects the paths. Returns false if the whole document is read.
fn collect(node: &Node, paths: &mut BTreeSet<String>) -> bool {
    match node {
        Node::And(nodes) | Node::Or(nodes) | Node::Nor(nodes) => {
            nodes.iter().all(|node| collect(node, paths))
        }
        Node::Field { name, .. } => {
            paths.insert(name.clone());
            true
        }
        Node::Expr(condition) => match condition.expression().fields_read() {
            Some(fields) => {
                paths.extend(fields.iter().cloned());
                true
            }
            None => false,
        },
        Node::Where(_) | Node::Text(_) | Node::JsonSchema(_) => false,
        Node::SampleRate(_) | Node::AlwaysTrue | Node::AlwaysFalse => true,
    }
}
