//! The operators of an update arranged by path, so that conflicts show and a document is walked once.

use crate::operators::Operator;
use crate::path::{Part, UpdatePath, field_order};
use language::interruption::steps;
use language::{Code, Error, Result};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What happens at a path and below.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// An operator on the value here.
    Operator(Operator),
    /// Changes below, in named fields.
    Fields(Fields),
    /// Changes in elements of the array here.
    Elements(Elements),
    /// Nothing happens here, but nothing else may either: the source of a `$rename`.
    Reserved,
}

/// Changes in the fields of a document, or in the elements of an array by their index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    /// In the order of application.
    pub(crate) named: BTreeMap<Name, Node>,
    /// At the position that the query matched.
    pub(crate) matched: Option<Box<Node>>,
}

/// Changes in all elements of an array, or in those that array filters match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    pub(crate) all: Option<Box<Node>>,
    /// By the filter's name.
    pub(crate) filtered: BTreeMap<String, Node>,
}

/// The name of a field or the index of an element, in the order of application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) String);

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        field_order(&self.0, &other.0)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Fields {
    /// Puts an operator at its path.
    pub(crate) fn add(&mut self, path: &UpdatePath, node: Node) -> Result<()> {
        let text = path.to_string();
        self.insert(&path.parts, 0, node, &text)
    }

    fn insert(&mut self, parts: &[Part], depth: usize, node: Node, path: &str) -> Result<()> {
        let Some(part) = parts.get(depth) else {
            return Err(conflict(path, path));
        };
        if let Part::Matched = part {
            let slot = self
                .matched
                .get_or_insert_with(|| Box::new(placeholder(parts, depth)));
            return descend(slot, parts, depth, node, path);
        }
        let slot = self
            .named
            .entry(Name(part.to_string()))
            .or_insert_with(|| placeholder(parts, depth));
        descend(slot, parts, depth, node, path)
    }
}

impl Elements {
    fn insert(&mut self, parts: &[Part], depth: usize, node: Node, path: &str) -> Result<()> {
        let slot = match parts.get(depth) {
            Some(Part::All) => &mut **self
                .all
                .get_or_insert_with(|| Box::new(placeholder(parts, depth))),
            Some(Part::Filtered(name)) => self
                .filtered
                .entry(name.clone())
                .or_insert_with(|| placeholder(parts, depth)),
            _ => return Err(conflict(path, &prefix(parts, depth))),
        };
        descend(slot, parts, depth, node, path)
    }
}

/// A node without content, to be filled: of the kind that the next part needs. The last part's is empty fields,
/// which [`descend`] replaces.
fn placeholder(parts: &[Part], depth: usize) -> Node {
    match parts.get(depth + 1) {
        Some(Part::All | Part::Filtered(_)) => Node::Elements(Elements::default()),
        _ => Node::Fields(Fields::default()),
    }
}

fn descend(slot: &mut Node, parts: &[Part], depth: usize, node: Node, path: &str) -> Result<()> {
    let last = depth + 1 == parts.len();
    let next_is_element = matches!(parts.get(depth + 1), Some(Part::All | Part::Filtered(_)));
    match slot {
        Node::Fields(fields) if last && fields.named.is_empty() && fields.matched.is_none() => {
            *slot = node;
            Ok(())
        }
        Node::Fields(fields) if !last && !next_is_element => fields.insert(parts, depth + 1, node, path),
        Node::Elements(elements) if !last && next_is_element => elements.insert(parts, depth + 1, node, path),
        _ => Err(conflict(path, &prefix(parts, depth + 1))),
    }
}

fn prefix(parts: &[Part], length: usize) -> String {
    UpdatePath {
        parts: parts.iter().take(length).cloned().collect(),
    }
    .to_string()
}

pub(crate) fn conflict(path: &str, at: &str) -> Error {
    Error::new(
        Code::CONFLICTING_UPDATE_OPERATORS,
        format!("Updating the path '{path}' would create a conflict at '{at}'"),
    )
}

impl Node {
    /// Both nodes in one: needed where `$`, `$[]` or `$[name]` turn out to mean the same element.
    pub(crate) fn merged(&self, other: &Node, path: &str) -> Result<Node> {
        match (self, other) {
            (Node::Fields(a), Node::Fields(b)) => a.merged(b, path).map(Node::Fields),
            (Node::Elements(a), Node::Elements(b)) => a.merged(b, path).map(Node::Elements),
            _ => Err(conflict(path, path)),
        }
    }
}

impl Fields {
    fn merged(&self, other: &Fields, path: &str) -> Result<Fields> {
        steps(self.named.len() + other.named.len())?;
        let mut merged = self.clone();
        for (name, node) in &other.named {
            match merged.named.get_mut(name) {
                Some(present) => *present = present.merged(node, &format!("{path}.{}", name.0))?,
                None => {
                    merged.named.insert(name.clone(), node.clone());
                }
            }
        }
        merged.matched = merge_optional(&self.matched, &other.matched, path)?;
        Ok(merged)
    }
}

impl Elements {
    fn merged(&self, other: &Elements, path: &str) -> Result<Elements> {
        steps(self.filtered.len() + other.filtered.len())?;
        let mut merged = self.clone();
        for (name, node) in &other.filtered {
            match merged.filtered.get_mut(name) {
                Some(present) => *present = present.merged(node, &format!("{path}.$[{name}]"))?,
                None => {
                    merged.filtered.insert(name.clone(), node.clone());
                }
            }
        }
        merged.all = merge_optional(&self.all, &other.all, path)?;
        Ok(merged)
    }
}

fn merge_optional(a: &Option<Box<Node>>, b: &Option<Box<Node>>, path: &str) -> Result<Option<Box<Node>>> {
    Ok(match (a, b) {
        (Some(a), Some(b)) => Some(Box::new(a.merged(b, path)?)),
        (a, b) => a.clone().or_else(|| b.clone()),
    })
}
