//! The facts about an index that the planner needs.

use geometry::cells::Grid;
use language::filter::Filter;
use std::sync::Arc;
use value::Document;
use value::collation::Collation;
use value::key::Direction;

/// An index as the planner sees it.
#[derive(Clone, Debug)]
pub struct IndexFacts {
    /// The name, which hints use.
    pub name: String,
    /// The name that explanations show.
    pub shown_name: String,
    /// Its key pattern as given.
    pub key: Document,
    /// Its fields in order.
    pub fields: Vec<FieldFacts>,
    /// No two documents share a key.
    pub unique: bool,
    /// Documents without any of the fields are not in it.
    pub sparse: bool,
    /// Neither the planner nor a hint may use it.
    pub hidden: bool,
    /// Only documents that match are in it.
    pub partial: Option<Arc<Filter>>,
    /// Why the planner cannot use it, in words; `None` if it can.
    pub unusable: Option<String>,
    /// The order of its strings, if it is not that of their bytes. Its keys then do not hold the strings themselves.
    pub collation: Option<Collation>,
    /// The path for which a wildcard index is used; `None` for other indexes.
    pub wildcard_path: Option<String>,
}

/// One field of an index.
#[derive(Clone, Debug)]
pub struct FieldFacts {
    /// Its dotted path.
    pub name: String,
    /// How its values are kept.
    pub kind: FieldKind,
    /// Whether any document had an array on the path.
    pub multikey: bool,
}

/// How an index keeps a field's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldKind {
    /// In this order.
    Ordered(Direction),
    /// By their hashes.
    Hashed,
    /// Many paths, with their values in this order. The module `wildcard` turns it into an index on one path.
    Wildcard(Direction),
    /// The path in a key of a wildcard index.
    Path,
    /// As cells of the sphere.
    Sphere,
    /// As cells of this part of a plane.
    Plane(Grid),
    /// In another form, for which the planner makes no bounds: text, CouchDB's order.
    Opaque,
}

impl FieldKind {
    /// The direction in which the values are encoded.
    pub fn direction(self) -> Direction {
        match self {
            FieldKind::Ordered(direction) | FieldKind::Wildcard(direction) => direction,
            _ => Direction::Ascending,
        }
    }

    /// Whether it keeps places.
    pub fn is_geo(self) -> bool {
        matches!(self, FieldKind::Sphere | FieldKind::Plane(_))
    }
}

impl IndexFacts {
    /// Whether any document may have several keys in it.
    pub fn is_multikey(&self) -> bool {
        self.fields.iter().any(|field| field.multikey)
    }
}
