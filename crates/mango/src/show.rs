//! Selectors in their normal form, as `_explain` shows them and design documents keep them.

use super::{Field, Node, Selector, Test};
use crate::text::DEFAULT_FIELD;
use value::{Document, Value, doc};

impl Selector {
    /// The selector in its normal form.
    pub fn to_document(&self) -> Document {
        match self.is_empty() {
            true => Document::new(),
            false => self.root.to_document(),
        }
    }
}

impl Node {
    fn to_document(&self) -> Document {
        let all =
            |parts: &[Node]| -> Value { parts.iter().map(|part| Value::from(part.to_document())).collect() };
        match self {
            Node::All(parts) => doc! {"$and": all(parts)},
            Node::Any(parts) => doc! {"$or": all(parts)},
            Node::None(parts) => doc! {"$nor": all(parts)},
            Node::Not(inner) => doc! {"$not": inner.to_document()},
            Node::Field(field) => field.to_document(),
            Node::Text(text) => Document::new().with(DEFAULT_FIELD, doc! {"$text": text.clone()}),
        }
    }
}

impl Field {
    fn to_document(&self) -> Document {
        let (operator, argument) = self.test.shown();
        let condition = doc! {operator: argument};
        let condition = match self.negated {
            true => doc! {"$not": condition},
            false => condition,
        };
        match self.name.is_empty() {
            true => condition,
            false => Document::new().with(self.name.as_str(), condition),
        }
    }
}

impl Test {
    fn shown(&self) -> (&'static str, Value) {
        match self {
            Test::Lt(value) => ("$lt", value.clone()),
            Test::Lte(value) => ("$lte", value.clone()),
            Test::Eq(value) => ("$eq", value.clone()),
            Test::Ne(value) => ("$ne", value.clone()),
            Test::Gte(value) => ("$gte", value.clone()),
            Test::Gt(value) => ("$gt", value.clone()),
            Test::In(values) => ("$in", Value::Array(values.clone())),
            Test::Nin(values) => ("$nin", Value::Array(values.clone())),
            Test::Exists(there) => ("$exists", Value::Bool(*there)),
            Test::Type(name) => ("$type", Value::from(name.as_str())),
            Test::Mod(divisor, remainder) => (
                "$mod",
                Value::Array(vec![Value::Int64(*divisor), Value::Int64(*remainder)]),
            ),
            Test::Regex(regex) => ("$regex", Value::from(regex.pattern())),
            Test::All(values) => ("$all", Value::Array(values.clone())),
            Test::Size(size) => ("$size", Value::Int64(*size)),
            Test::BeginsWith(prefix) => ("$beginsWith", Value::from(prefix.as_str())),
            Test::ElemMatch(node) => ("$elemMatch", Value::from(node.to_document())),
            Test::AllMatch(node) => ("$allMatch", Value::from(node.to_document())),
            Test::KeyMapMatch(node) => ("$keyMapMatch", Value::from(node.to_document())),
        }
    }
}
