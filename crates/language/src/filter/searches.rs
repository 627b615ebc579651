//! Where in a filter `$text` may stand.

use super::{Node, TextCondition};
use crate::{Error, Result};

/// Refuses more than one search, and one among what must not hold.
pub(super) fn check_text(root: &Node) -> Result<()> {
    if count(root) > 1 {
        return Err(Error::bad_value("Too many text expressions"));
    }
    match within_nor(root) {
        true => Err(Error::bad_value("text expression not allowed in nor")),
        false => Ok(()),
    }
}

/// The search in a filter.
pub(super) fn text_in(node: &Node) -> Option<&TextCondition> {
    match node {
        Node::Text(condition) => Some(condition),
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().find_map(text_in),
        _ => None,
    }
}

fn count(node: &Node) -> usize {
    match node {
        Node::Text(_) => 1,
        Node::And(nodes) | Node::Or(nodes) | Node::Nor(nodes) => nodes.iter().map(count).sum(),
        _ => 0,
    }
}

fn within_nor(node: &Node) -> bool {
    match node {
        Node::Nor(nodes) => nodes.iter().any(|node| count(node) > 0),
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(within_nor),
        _ => false,
    }
}
