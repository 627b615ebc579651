//! The conditions of a filter's top conjunction, all of which must hold.

use language::filter::{Comparison, Filter, Node, Predicate, TextCondition};
use std::borrow::Cow;
use value::Value;
use value::collation::Collation;

/// One condition on one path in the conjunction.
#[derive(Clone, Debug)]
pub struct Leaf<'a> {
    /// The whole dotted path, beginning with the array's path if the condition is within an `$elemMatch`.
    pub path: String,
    /// The condition.
    pub predicate: &'a Predicate,
    /// The array, if one of its elements must satisfy the condition.
    pub element: Option<Element>,
    /// The order of strings; `None` if it is that of their bytes.
    pub collation: Option<&'a Collation>,
}

impl Leaf<'_> {
    /// The condition as it applies to the keys of an index with this collation; `None` if the keys cannot answer it.
    pub fn on_keys_of(&self, index: Option<&Collation>) -> Option<Cow<'_, Predicate>> {
        match (self.collation, index) {
            (None, None) => Some(Cow::Borrowed(self.predicate)),
            // Conditions that do not depend on strings are the same in all collations.
            _ if !self.predicate.depends_on_collation() => Some(Cow::Borrowed(self.predicate)),
            (Some(own), Some(index)) if own == index => self.predicate.on_keys_of(index).map(Cow::Owned),
            _ => None,
        }
    }
}

/// The array element that must satisfy a condition in `$elemMatch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The number of the `$elemMatch` in the filter.
    pub number: usize,
    /// The length of the array's path in bytes, including the dot after it.
    pub prefix: usize,
}

/// The conjunction at the top of a filter.
#[derive(Clone, Debug, Default)]
pub struct Conjunction<'a> {
    /// Conditions on paths.
    pub leaves: Vec<Leaf<'a>>,
    /// Disjunctions, one branch of each of which must hold.
    pub alternatives: Vec<&'a [Node]>,
    /// A search of texts.
    pub text: Option<&'a TextCondition>,
    /// Whether there are other conditions, which no index can answer.
    pub others: bool,
    /// Whether nothing can match.
    pub never: bool,
    elements: usize,
}

impl<'a> Conjunction<'a> {
    /// A whole filter as a conjunction.
    pub fn of(filter: &'a Filter) -> Conjunction<'a> {
        Conjunction::of_node(filter.root())
    }

    /// A part of a filter as a conjunction.
    pub fn of_node(node: &'a Node) -> Conjunction<'a> {
        let mut conjunction = Conjunction::default();
        conjunction.add(node);
        conjunction
    }

    /// The same with one more condition.
    #[must_use]
    pub fn and(&self, node: &'a Node) -> Conjunction<'a> {
        let mut with = self.clone();
        with.add(node);
        with
    }

    /// The conditions on one path, by their numbers.
    pub fn on<'s>(&'s self, path: &'s str) -> impl Iterator<Item = (usize, &'s Leaf<'a>)> + 's {
        self.leaves
            .iter()
            .enumerate()
            .filter(move |(_, leaf)| leaf.path == path)
    }

    /// The same without one of its disjunctions.
    #[must_use]
    pub fn without(&self, alternative: &[Node]) -> Conjunction<'a> {
        let mut without = self.clone();
        without
            .alternatives
            .retain(|branches| !std::ptr::eq(*branches, alternative));
        without
    }

    /// The same without all of its disjunctions.
    #[must_use]
    pub fn without_alternatives(&self) -> Conjunction<'a> {
        Conjunction {
            alternatives: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether documents must still be matched against the filter. `ensured` has for each leaf whether the bounds ensure it; leaves
    /// after its end are not ensured.
    pub fn leaves_over(&self, ensured: &[bool]) -> bool {
        self.text.is_some() || self.leaves_over_beside_text(ensured)
    }

    /// As [`Conjunction::leaves_over`], if the text search is ensured.
    pub fn leaves_over_beside_text(&self, ensured: &[bool]) -> bool {
        let all_ensured = (0..self.leaves.len()).all(|number| ensured.get(number) == Some(&true));
        self.never || self.others || !self.alternatives.is_empty() || !all_ensured
    }

    /// The value of `_id`, if the filter asks for exactly one.
    pub fn id(&self) -> Option<&'a Value> {
        self.leaves.iter().find_map(|leaf| match leaf.predicate {
            Predicate::Compare {
                op: Comparison::Eq,
                value,
            } if leaf.path == "_id" && is_plain_id(value) => Some(value),
            _ => None,
        })
    }

    fn add(&mut self, node: &'a Node) {
        match node {
            Node::And(nodes) => nodes.iter().for_each(|node| self.add(node)),
            Node::Or(nodes) => match nodes.as_slice() {
                [one] => self.add(one),
                several => self.alternatives.push(several),
            },
            Node::Field {
                name,
                predicate,
                collation,
                ..
            } => self.add_field(name.clone(), predicate, None, collation.as_ref()),
            Node::AlwaysTrue => {}
            Node::AlwaysFalse => self.never = true,
            Node::Text(condition) => self.text = Some(condition),
            Node::Nor(_) | Node::Expr(_) | Node::Where(_) | Node::JsonSchema(_) | Node::SampleRate(_) => {
                self.others = true;
            }
        }
    }

    fn add_field(
        &mut self,
        path: String,
        predicate: &'a Predicate,
        element: Option<Element>,
        collation: Option<&'a Collation>,
    ) {
        if let Predicate::ElemMatchObject(node) = predicate {
            self.others = true;
            self.elements += 1;
            let element = Element {
                number: self.elements,
                prefix: path.len() + 1,
            };
            self.add_element(&path, node, &element);
        }
        self.leaves.push(Leaf {
            path,
            predicate,
            element,
            collation,
        });
    }

    /// Adds the conditions on the fields of an element. Numbers in a path may be positions of a nested array, so conditions on such
    /// paths are left to matching.
    fn add_element(&mut self, prefix: &str, node: &'a Node, element: &Element) {
        match node {
            Node::And(nodes) => nodes
                .iter()
                .for_each(|node| self.add_element(prefix, node, element)),
            Node::Field {
                name,
                predicate,
                collation,
                ..
            } if !has_number(name) => {
                let path = format!("{prefix}.{name}");
                self.add_field(path, predicate, Some(element.clone()), collation.as_ref());
            }
            _ => {}
        }
    }
}

/// Whether a part of the path is a number, which may be a place in an array or a field's name.
pub fn has_number(path: &str) -> bool {
    path.split('.')
        .any(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether an `_id` equal to this value has exactly one key in the index on `_id`.
pub fn is_plain_id(value: &Value) -> bool {
    !matches!(
        value,
        Value::Array(_) | Value::Null | Value::Undefined | Value::Regex(_)
    )
}
