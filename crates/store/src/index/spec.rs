//! The description of an index as clients give and see it.

use super::Wildcard;
use crate::{FieldKind, INDEX_FIELDS_MAX, IndexField, StoreError};
use std::sync::Arc;
use value::collation::Collation;
use value::key::Direction;
use value::path::FieldPath;
use value::{Document, DocumentFilter, Value, compare, doc};

/// The name in a text index's key pattern that stands for the weights of its terms.
pub(super) const TEXT_ORDER: &str = "_ftsx";

/// The value in a key pattern of a field in CouchDB's order.
pub const COLLATED: &str = "collated";

/// The kept option of an index in CouchDB's order that it is read partition by partition.
pub const PARTITIONED_INDEX: &str = "partitioned";

/// The kept options by which no two descriptions of an index differ, because they are compared otherwise or mean nothing.
const NOT_COMPARED: [&str; 7] = [
    "collation",
    "wildcardProjection",
    "v",
    "textIndexVersion",
    "2dsphereIndexVersion",
    "background",
    "dropDups",
];

/// The kept options that tell indexes of the same key apart.
const SIGNATURE: [&str; 3] = ["collation", "wildcardProjection", PARTITIONED_INDEX];

/// Compiles a `partialFilterExpression` of an index with this collation; the query language is above the store.
pub type FilterCompiler = fn(&Document, Option<&Collation>) -> Result<Arc<dyn DocumentFilter>, String>;

/// The name of the index on `_id`.
const ID_INDEX: &str = "_id_";

/// The name of the index on `_id` under the collection's collation. Clients do not see it.
const ID_UNDER_COLLATION: &str = "_id_.collation";

/// The description of an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexSpec {
    /// The name, unique among the collection's.
    pub name: String,
    /// The key pattern as given: `{a: 1, b: -1}`, `{a: "hashed"}`.
    pub key: Document,
    /// No two documents with the same key.
    pub unique: bool,
    /// New documents and changes may not add a duplicate key, though there may be some: on the way to `unique`.
    pub prepare_unique: bool,
    /// It was made unique after it was built, so its entries still have the record id in the key.
    pub made_unique: bool,
    /// Documents that have none of the fields are left out.
    pub sparse: bool,
    /// Kept, but not used by queries.
    pub hidden: bool,
    /// Only documents that match are entered.
    pub partial_filter: Option<Document>,
    /// Documents are deleted this many seconds after the date in the field.
    pub expire_after_seconds: Option<i64>,
    /// It was made by an earlier version, which kept neither the cells of places nor the terms of texts: it has to be rebuilt.
    pub outdated: bool,
    /// Every other option as given (`v`, `background`, …).
    pub kept: Document,
}

impl IndexSpec {
    /// An index of this name and key pattern without options.
    pub fn new(name: impl Into<String>, key: Document) -> IndexSpec {
        IndexSpec {
            name: name.into(),
            key,
            ..IndexSpec::default()
        }
    }

    /// The index on `_id` that every collection has.
    pub(crate) fn id() -> IndexSpec {
        IndexSpec::new(ID_INDEX, doc! {"_id": 1})
    }

    /// The index that keeps two `_id`s of a collection from being equal under its collation. The index on `_id` that every collection
    /// has compares bytes; clients see both as that one.
    pub fn id_under(collation: Document) -> IndexSpec {
        IndexSpec {
            unique: true,
            kept: doc! {"collation": collation},
            ..IndexSpec::new(ID_UNDER_COLLATION, doc! {"_id": 1})
        }
    }

    /// Whether it is [`IndexSpec::id_under`] a collation.
    pub fn is_id_under_collation(&self) -> bool {
        self.name == ID_UNDER_COLLATION
    }

    /// The name that clients see.
    pub fn shown_name(&self) -> &str {
        match self.is_id_under_collation() {
            true => ID_INDEX,
            false => &self.name,
        }
    }

    /// Whether it was asked for in the version that knows no collations.
    pub fn is_of_first_version(&self) -> bool {
        self.kept.get("v").and_then(Value::as_f64) == Some(1.0)
    }

    /// The form of `listIndexes`: version, key and name first, then the options that are set.
    pub fn to_document(&self) -> Document {
        let version = self.kept.get("v").cloned().unwrap_or(Value::Int32(2));
        let mut document = doc! {"v": version, "key": self.key.clone(), "name": self.name.as_str()};
        for (name, set) in [
            ("unique", self.unique),
            ("prepareUnique", self.prepare_unique),
            ("sparse", self.sparse),
            ("hidden", self.hidden),
        ] {
            if set {
                document.push(name, true);
            }
        }
        if let Some(filter) = &self.partial_filter {
            document.push("partialFilterExpression", filter.clone());
        }
        if let Some(seconds) = self.expire_after_seconds {
            document.push("expireAfterSeconds", Value::integer(seconds));
        }
        for (name, value) in self.kept.iter().filter(|(name, _)| *name != "v") {
            document.push(name, value.clone());
        }
        document
    }

    /// The fields that the key pattern names.
    pub(crate) fn fields(&self) -> Result<Vec<IndexField>, StoreError> {
        if self.key.is_empty() || self.key.len() > INDEX_FIELDS_MAX {
            let message = format!(
                "an index has between 1 and {INDEX_FIELDS_MAX} fields, not {}",
                self.key.len()
            );
            return Err(StoreError::CannotCreateIndex(message));
        }
        let field = |(path, kind): (&str, &Value)| {
            let kind = field_kind(path, kind)?;
            let path = match kind {
                FieldKind::Collated => FieldPath::parse_escaped(path),
                _ => FieldPath::parse(path),
            };
            Some(IndexField { path, kind })
        };
        // The text part of a text index is followed by `_ftsx`, which is not a field.
        let is_text = self.is_text();
        let fields = self
            .key
            .iter()
            .filter(|(path, _)| !(is_text && *path == TEXT_ORDER));
        fields.map(field).collect::<Option<_>>().ok_or_else(|| {
            let key = value::shell::document((&self.key).into());
            StoreError::CannotCreateIndex(format!("Unknown index plugin in the key pattern {key}"))
        })
    }

    /// Whether each entry begins with the document's partition.
    pub(crate) fn is_partitioned(&self) -> bool {
        self.kept.contains(PARTITIONED_INDEX)
    }

    /// Whether it describes a text index.
    pub(crate) fn is_text(&self) -> bool {
        self.key
            .iter()
            .any(|(_, kind)| matches!(kind, Value::String(kind) if kind == "text"))
    }

    /// Whether both describe indexes that are the same to queries: with the same keys, filter and documents.
    pub(crate) fn same_signature(&self, other: &IndexSpec) -> bool {
        same_pattern(&self.key, &other.key)
            && match (&self.partial_filter, &other.partial_filter) {
                (Some(one), Some(other)) => same_condition(one, other),
                (one, other) => one == other,
            }
            && SIGNATURE
                .iter()
                .all(|name| self.kept.get(name) == other.kept.get(name))
            && self.unique == other.unique
            && self.sparse == other.sparse
    }

    /// Whether this index has all options of another description.
    pub fn same_options(&self, other: &IndexSpec) -> bool {
        self.same_signature(other)
            && self.expire_after_seconds == other.expire_after_seconds
            && same_kept(&self.kept, &other.kept)
            && self.hidden == other.hidden
            && self.prepare_unique == other.prepare_unique
    }
}

fn field_kind(path: &str, kind: &Value) -> Option<FieldKind> {
    let direction = match kind {
        Value::Int32(number) => f64::from(*number),
        Value::Int64(number) => *number as f64,
        Value::Double(number) => *number,
        Value::Decimal128(number) if number.is_negative() => -1.0,
        Value::Decimal128(_) => 1.0,
        Value::String(name) => {
            return match name.as_str() {
                "hashed" => Some(FieldKind::Hashed),
                "2d" => Some(FieldKind::Geo2d),
                "2dsphere" => Some(FieldKind::Geo2dSphere),
                "text" => Some(FieldKind::Text),
                COLLATED => Some(FieldKind::Collated),
                _ => None,
            };
        }
        _ => return None,
    };
    let wildcard = Wildcard::is_pattern(path);
    Some(match (wildcard, direction < 0.0) {
        (false, true) => FieldKind::Descending,
        (false, false) => FieldKind::Ascending,
        (true, true) => FieldKind::Wildcard(Direction::Descending),
        (true, false) => FieldKind::Wildcard(Direction::Ascending),
    })
}

/// Whether two indexes have the same further options, in any order; 1 and 1.0 are the same.
fn same_kept(one: &Document, other: &Document) -> bool {
    let compared = |kept: &Document| {
        let names = kept.iter().map(|(name, _)| name);
        names.filter(|name| !NOT_COMPARED.contains(name)).count()
    };
    compared(one) == compared(other)
        && one.iter().all(|(name, value)| {
            let same = |other: &Value| compare(value.as_ref(), other.as_ref()).is_eq();
            NOT_COMPARED.contains(&name) || other.get(name).is_some_and(same)
        })
}

/// Whether two conditions differ at most in the order of the clauses of `$and` and `$or`.
fn same_condition(one: &Document, other: &Document) -> bool {
    let same = |one: &Value, other: &Value| match (one, other) {
        (Value::Document(one), Value::Document(other)) => same_condition(one, other),
        _ => one == other,
    };
    one.len() == other.len()
        && one.iter().zip(other.iter()).all(|((name, one), (known, other))| {
            name == known
                && match (name, one, other) {
                    ("$and" | "$or", Value::Array(clauses), Value::Array(others)) => {
                        let has = |all: &[Value], clause: &Value| all.iter().any(|other| same(clause, other));
                        clauses.len() == others.len()
                            && clauses.iter().all(|clause| has(others, clause))
                            && others.iter().all(|clause| has(clauses, clause))
                    }
                    _ => one == other,
                }
        })
}

/// Whether the patterns name the same fields with the same values in the same order; 1 and 1.0 are the same.
fn same_pattern(a: &Document, b: &Document) -> bool {
    let same = |((a, x), (b, y)): ((&str, &Value), (&str, &Value))| {
        a == b && compare(x.as_ref(), y.as_ref()).is_eq()
    };
    a.len() == b.len() && a.iter().zip(b.iter()).all(same)
}
