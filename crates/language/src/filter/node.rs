//! The tree that a query is parsed into.

use super::{ExprCondition, GeoCondition, JsonSchema, NearCondition, TextCondition, WhereCondition};
use crate::expression::names_operator;
use crate::regex::Regex;
use std::sync::Arc;
use value::collation::Collation;
use value::path::FieldPath;
use value::{Type, Value};

/// A condition on a whole document.
#[derive(Clone, Debug)]
pub enum Node {
    /// All hold.
    And(Vec<Node>),
    /// At least one holds.
    Or(Vec<Node>),
    /// None holds.
    Nor(Vec<Node>),
    /// What the path reaches satisfies the predicate.
    Field {
        /// The path, split.
        path: FieldPath,
        /// The path as it was written.
        name: String,
        /// The condition.
        predicate: Predicate,
        /// The order of strings, where it is not that of their bytes.
        collation: Option<Collation>,
    },
    /// An aggregation expression that is true.
    Expr(ExprCondition),
    /// A function in JavaScript that holds.
    Where(WhereCondition),
    /// A search of texts; only once in a filter.
    Text(Box<TextCondition>),
    /// A schema that the document satisfies.
    JsonSchema(Box<JsonSchema>),
    /// Holds at random, at this rate between 0 and 1.
    SampleRate(f64),
    /// Every document.
    AlwaysTrue,
    /// No document.
    AlwaysFalse,
}

impl Node {
    /// The condition of being near on a path.
    pub(super) fn near(path: &str, near: NearCondition) -> Node {
        Node::Field {
            path: FieldPath::parse(path),
            name: path.to_owned(),
            predicate: Predicate::Near(Arc::new(near)),
            collation: None,
        }
    }

    pub(super) fn has_expr(&self) -> bool {
        match self {
            Node::And(nodes) | Node::Or(nodes) | Node::Nor(nodes) => nodes.iter().any(Node::has_expr),
            Node::Expr(_) => true,
            // Within arrays' elements it is not allowed.
            _ => false,
        }
    }

    pub(super) fn has_encryption(&self) -> bool {
        match self {
            Node::And(nodes) | Node::Or(nodes) | Node::Nor(nodes) => nodes.iter().any(Node::has_encryption),
            Node::JsonSchema(schema) => schema.has_encryption(),
            Node::Field {
                predicate: Predicate::ElemMatchObject(node),
                ..
            } => node.has_encryption(),
            _ => false,
        }
    }

    pub(super) fn is_random(&self) -> bool {
        match self {
            Node::And(nodes) | Node::Or(nodes) | Node::Nor(nodes) => nodes.iter().any(Node::is_random),
            Node::Expr(condition) => ["$rand", "$function"]
                .iter()
                .any(|operator| names_operator(condition.source(), operator)),
            Node::SampleRate(_) | Node::Where(_) => true,
            // Within arrays' elements neither is allowed.
            Node::Field { .. }
            | Node::Text(_)
            | Node::JsonSchema(_)
            | Node::AlwaysTrue
            | Node::AlwaysFalse => false,
        }
    }
}

/// A condition on what one path reaches.
///
/// A predicate holds for a path if it holds for one of the values that the path reaches; each is tried on its own,
/// so `{a: {$gt: 1, $lt: 5}}` is two predicates, which two elements of an array may satisfy between them.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// Compares within the type of `value`; an array is compared whole and element by element.
    Compare {
        /// How.
        op: Comparison,
        /// The right-hand side.
        value: Value,
    },
    /// Equals one of the values or matches one of the patterns. Without either, nothing matches.
    In {
        /// Sorted by MongoDB's order (and the collation), without duplicates.
        values: Vec<Value>,
        /// Patterns.
        regexes: Vec<Regex>,
    },
    /// The field is there, even as null.
    Exists,
    /// Has one of these types.
    Type(TypeSet),
    /// A number that leaves this remainder, both truncated to integers.
    Mod {
        /// Never 0.
        divisor: i64,
        /// With the sign of the dividend.
        remainder: i64,
    },
    /// A string that the pattern matches, or this very regular expression.
    Regex(Regex),
    /// An array of this many elements.
    Size(u32),
    /// An array with an element, itself a document or array, that satisfies the condition.
    ElemMatchObject(Box<Node>),
    /// An array with an element that satisfies all of these.
    ElemMatchValue(Vec<Predicate>),
    /// A test of bits.
    Bits(BitsTest),
    /// A place in relation to an area.
    Geo(Arc<GeoCondition>),
    /// A place within some distance; only once in a filter, in its top conjunction.
    Near(Arc<NearCondition>),
    /// It is not so that all of these hold for the path.
    Not(Vec<Predicate>),
}

/// The relation of a value to the right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Eq,
    Lt,
    Lte,
    Gt,
    Gte,
}

impl Comparison {
    /// The operator's name in a query.
    pub fn operator(self) -> &'static str {
        match self {
            Comparison::Eq => "$eq",
            Comparison::Lt => "$lt",
            Comparison::Lte => "$lte",
            Comparison::Gt => "$gt",
            Comparison::Gte => "$gte",
        }
    }
}

/// A set of BSON types, as `$type` takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeSet {
    bits: u64,
    number: bool,
}

impl TypeSet {
    /// The set of these types.
    pub fn new(types: impl IntoIterator<Item = Type>) -> TypeSet {
        let mut set = TypeSet::default();
        for kind in types {
            set.insert(kind);
        }
        set
    }

    /// Adds a type.
    pub fn insert(&mut self, kind: Type) {
        self.bits |= bit(kind);
    }

    /// Adds the types of another set.
    pub fn extend(&mut self, other: TypeSet) {
        self.bits |= other.bits;
        self.number |= other.number;
    }

    /// Adds all types of numbers, under their common alias.
    pub fn insert_number(&mut self) {
        self.number = true;
        for kind in [Type::Double, Type::Int32, Type::Int64, Type::Decimal128] {
            self.insert(kind);
        }
    }

    /// Whether the type is in the set.
    pub fn contains(self, kind: Type) -> bool {
        self.bits & bit(kind) != 0
    }

    /// Whether there is no type.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether the alias `number` was given.
    pub fn has_number_alias(self) -> bool {
        self.number
    }

    /// The types in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Type> {
        (-1..=127)
            .filter_map(Type::from_number)
            .filter(move |kind| self.contains(*kind))
    }
}

/// One bit a type; MinKey and MaxKey take those after the common types.
fn bit(kind: Type) -> u64 {
    match kind {
        Type::MinKey => 1 << 62,
        Type::MaxKey => 1 << 63,
        other => 1 << (other as u8),
    }
}

/// What `$bitsAllSet` and the others ask of the bits at some positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are MongoDB's")]
pub enum BitTest {
    AllSet,
    AllClear,
    AnySet,
    AnyClear,
}

impl BitTest {
    /// The operator's name in a query.
    pub fn operator(self) -> &'static str {
        match self {
            BitTest::AllSet => "$bitsAllSet",
            BitTest::AllClear => "$bitsAllClear",
            BitTest::AnySet => "$bitsAnySet",
            BitTest::AnyClear => "$bitsAnyClear",
        }
    }
}

/// A test of the bits at some positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitsTest {
    /// The condition on the bits.
    pub test: BitTest,
    /// The positions, ascending, without duplicates; 0 is the lowest bit.
    pub positions: Box<[u32]>,
}
