//! Which fields a selector speaks of, and how (`mango_selector.erl`, `mango_idx_view.erl`).

use super::{Node, Selector, Test};
use crate::text::DEFAULT_FIELD;

impl Selector {
    /// Whether it asks for nothing, so that every document matches.
    pub fn is_empty(&self) -> bool {
        matches!(&self.root, Node::All(parts) if parts.is_empty())
    }

    /// Whether it is an operator that is given no conditions: such a query finds nothing, although every document
    /// matches (`mango_cursor.erl`, `maybe_noop_range`).
    pub fn is_vacuous(&self) -> bool {
        self.vacuous
    }

    /// Whether every document that matches has all of these fields.
    pub fn requires<'a>(&self, fields: impl IntoIterator<Item = &'a str>) -> bool {
        self.root.unrequired(fields.into_iter().collect()).is_empty()
    }

    /// Whether the field equals one value in every document that matches, as far as a conjunction says so.
    pub fn is_constant(&self, field: &str) -> bool {
        self.root.is_constant(field)
    }

    /// The fields that are spoken of, in the order of their mention.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields = Vec::new();
        self.root.collect_fields(&mut fields);
        fields
    }

    /// The fields by which an index could be bounded, in order, each once.
    pub fn indexable_fields(&self) -> Vec<&str> {
        let mut fields = Vec::new();
        self.root.collect_indexable(&mut fields);
        fields.sort_unstable();
        fields.dedup();
        fields
    }
}

impl Node {
    /// Those of the fields that a document might lack and yet match.
    fn unrequired<'a>(&self, fields: Vec<&'a str>) -> Vec<&'a str> {
        match self {
            Node::All(parts) => parts.iter().fold(fields, |left, part| part.unrequired(left)),
            Node::Any(parts) => {
                let mut left: Vec<&str> = parts
                    .iter()
                    .flat_map(|part| part.unrequired(fields.clone()))
                    .collect();
                left.sort_unstable();
                left.dedup();
                left
            }
            Node::None(_) | Node::Not(_) | Node::Text(_) => fields,
            Node::Field(field) => match field.test {
                Test::Exists(false) => fields,
                _ => fields.into_iter().filter(|name| *name != field.name).collect(),
            },
        }
    }

    fn is_constant(&self, name: &str) -> bool {
        match self {
            Node::All(parts) => parts.iter().any(|part| part.is_constant(name)),
            Node::Field(field) => field.name == name && !field.negated && matches!(field.test, Test::Eq(_)),
            Node::Any(_) | Node::None(_) | Node::Not(_) | Node::Text(_) => false,
        }
    }

    fn collect_fields<'a>(&'a self, fields: &mut Vec<&'a str>) {
        match self {
            Node::All(parts) | Node::Any(parts) | Node::None(parts) => {
                parts.iter().for_each(|part| part.collect_fields(fields));
            }
            Node::Not(inner) => inner.collect_fields(fields),
            Node::Field(field) => fields.push(&field.name),
            Node::Text(_) => fields.push(DEFAULT_FIELD),
        }
    }

    fn collect_indexable<'a>(&'a self, fields: &mut Vec<&'a str>) {
        match self {
            Node::All(parts) => parts.iter().for_each(|part| part.collect_indexable(fields)),
            Node::Field(field) if !field.negated && field.test.is_indexable() => fields.push(&field.name),
            _ => {}
        }
    }
}

impl Test {
    fn is_indexable(&self) -> bool {
        matches!(
            self,
            Test::Lt(_)
                | Test::Lte(_)
                | Test::Eq(_)
                | Test::Gte(_)
                | Test::Gt(_)
                | Test::BeginsWith(_)
                | Test::Exists(_)
        )
    }
}
