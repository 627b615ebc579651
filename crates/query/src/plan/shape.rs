//! The shape of a query: what remains without its values.

use super::sort::{Ordering, sign};
use language::filter::{Filter, Node, Predicate};
use std::fmt::Write;
use store::Order;
use value::collation::Collation;
use value::{Document, Value};

/// The shape of a query, as text that is equal for equal shapes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape(String);

impl Shape {
    /// The shape of a filter, a sort, and the fields that the results are made of.
    pub fn new(
        filter: &Filter,
        ordering: &Ordering,
        needed: Option<&[String]>,
        collation: Option<&Collation>,
    ) -> Shape {
        let mut text = String::new();
        node(filter.root(), &mut text);
        match ordering {
            Ordering::Any => {}
            Ordering::Natural(Order::Forward) => text.push_str(" natural 1"),
            Ordering::Natural(Order::Backward) => text.push_str(" natural -1"),
            Ordering::By(pattern) => {
                for field in pattern.fields() {
                    add(
                        &mut text,
                        format_args!(" by {}:{}", field.name, sign(field.direction)),
                    );
                }
            }
        }
        if let Some(collation) = collation {
            add(&mut text, format_args!(" in {:?}", collation.description()));
        }
        for name in needed.unwrap_or_default() {
            add(&mut text, format_args!(" of {name}"));
        }
        Shape(text)
    }

    /// The shape of a pipeline that reads no collection: the names of its stages.
    pub fn of_stages(stages: &[Document]) -> Shape {
        let names = stages.iter().filter_map(|stage| stage.iter().next());
        Shape(names.map(|(name, _)| name).collect::<Vec<_>>().join(" "))
    }

    /// Eight hexadecimal digits that stand for the shape in explain and statistics.
    pub fn hash(&self) -> String {
        shown(self.number())
    }

    /// The hash as a number.
    pub fn number(&self) -> u32 {
        hash(&self.0)
    }

    /// The hash of the shape together with the collection's indexes.
    pub fn key(&self, indexes: &[&str]) -> String {
        shown(hash(&format!("{} {}", self.0, indexes.join(","))))
    }
}

/// FNV-1a, folded to 32 bits: the same in every process.
fn hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    (hash ^ (hash >> 32)) as u32
}

/// A hash as `explain` and the profiler show it.
fn shown(hash: u32) -> String {
    format!("{hash:08X}")
}

fn add(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing into a String does not fail.
    let _ = text.write_fmt(arguments);
}

fn node(node: &Node, text: &mut String) {
    match node {
        Node::And(nodes) => several("and", nodes, text),
        Node::Or(nodes) => several("or", nodes, text),
        Node::Nor(nodes) => several("nor", nodes, text),
        Node::Field {
            name,
            predicate: condition,
            ..
        } => {
            add(text, format_args!("{name}:"));
            predicate(condition, text);
        }
        Node::Expr(_) => text.push_str("expr"),
        Node::Where(_) => text.push_str("where"),
        Node::Text(_) => text.push_str("text"),
        Node::JsonSchema(_) => text.push_str("schema"),
        Node::SampleRate(_) => text.push_str("sample"),
        Node::AlwaysTrue => {}
        Node::AlwaysFalse => text.push_str("never"),
    }
}

/// Writes conditions in an order that does not depend on that in the query.
fn several(name: &str, nodes: &[Node], text: &mut String) {
    let mut shapes: Vec<String> = nodes
        .iter()
        .map(|inner| {
            let mut shape = String::new();
            node(inner, &mut shape);
            shape
        })
        .collect();
    shapes.sort_unstable();
    add(text, format_args!("{name}({})", shapes.join(",")));
}

fn predicate(condition: &Predicate, text: &mut String) {
    match condition {
        Predicate::Compare { op, value } => {
            text.push_str(op.operator());
            // These values have other bounds, or cannot use some indexes.
            match value {
                Value::Null | Value::Undefined => text.push_str(" null"),
                Value::Array(_) => text.push_str(" array"),
                _ => {}
            }
        }
        Predicate::In { values, regexes } => {
            text.push_str("$in");
            if values.iter().any(|value| matches!(value, Value::Null)) {
                text.push_str(" null");
            }
            if !regexes.is_empty() {
                text.push_str(" regex");
            }
        }
        Predicate::Exists => text.push_str("$exists"),
        Predicate::Type(_) => text.push_str("$type"),
        Predicate::Mod { .. } => text.push_str("$mod"),
        Predicate::Regex(pattern) => {
            text.push_str(if pattern.literal_prefix().is_some() {
                "$regex ^"
            } else {
                "$regex"
            });
        }
        Predicate::Size(_) => text.push_str("$size"),
        Predicate::ElemMatchObject(inner) => {
            text.push_str("$elemMatch(");
            node(inner, text);
            text.push(')');
        }
        Predicate::ElemMatchValue(inner) => nested("$elemMatch", inner, text),
        Predicate::Bits(_) => text.push_str("$bits"),
        Predicate::Geo(condition) => text.push_str(condition.operator.name()),
        Predicate::Near(_) => text.push_str("$near"),
        Predicate::Not(inner) => nested("$not", inner, text),
    }
}

fn nested(name: &str, inner: &[Predicate], text: &mut String) {
    add(text, format_args!("{name}("));
    for condition in inner {
        predicate(condition, text);
        text.push(',');
    }
    text.push(')');
}
