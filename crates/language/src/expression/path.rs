//! Field paths in expressions: `"$a.b"` on a document, on a variable, through arrays.
//!
//! Unlike a query's path, an expression's path never takes a number as a position in an array: `"$a.0"` is the
//! field `0`. An array on the way gives an array of what its documents have there.

use super::evaluated::Evaluated;
use super::node::Scope;
use crate::{Code, Error};
use value::{ArrayRef, DocumentRef, Value, ValueRef};

/// The metadata name of the key by which a document was found.
pub(crate) const INDEX_KEY: &str = "indexKey";

/// Where a path starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// `$$CURRENT`: the document, or the part of it that `$redact` looks at.
    Current,
    /// `$$ROOT`: the whole document.
    Root,
    /// A variable of an enclosing `$let`, `$map` … by the number of its declaration.
    Local(usize),
    /// A variable given with the command.
    Named(Box<str>),
    /// `$$NOW`.
    Now,
    /// `$$CLUSTER_TIME`.
    ClusterTime,
    /// `$$USER_ROLES`.
    UserRoles,
    /// `{$meta: "indexKey"}`.
    IndexKey,
    /// Other metadata, from an earlier stage.
    Metadata(Box<str>),
}

/// A variable and the fields to follow from it.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) base: Base,
    pub(super) fields: Vec<Box<str>>,
}

impl Path {
    /// The dotted path, if it starts at the document itself.
    pub(super) fn as_field_path(&self) -> Option<String> {
        let of_document = matches!(self.base, Base::Current | Base::Root) && !self.fields.is_empty();
        of_document.then(|| self.fields.join("."))
    }

    pub(super) fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> crate::Result<Evaluated<'e>> {
        let start = match &self.base {
            Base::Current => return Ok(follow_document(scope.current, &self.fields)),
            Base::Root => return Ok(follow_document(scope.root, &self.fields)),
            Base::Local(slot) => scope.local(*slot),
            Base::Named(name) => scope.variables.named(name),
            Base::Now => Some(ValueRef::DateTime(scope.variables.now_ms()?)),
            Base::UserRoles => Some(scope.variables.user_roles()),
            Base::IndexKey => scope.variables.index_key(),
            Base::Metadata(name) => scope.variables.metadata(name),
            Base::ClusterTime => return Err(no_cluster_time()),
        };
        Ok(start.map_or(Evaluated::Missing, |value| follow(value, &self.fields)))
    }

    /// The value at the path in place, if it leads only through documents; the inner `None` is missing. The outer `None` is a path
    /// that does not start at a document, or has an array on the way.
    pub(super) fn reached<'e>(&self, scope: &Scope<'e>) -> Option<Option<ValueRef<'e>>> {
        let mut value = ValueRef::Document(match self.base {
            Base::Current => scope.current,
            Base::Root => scope.root,
            _ => return None,
        });
        for field in &self.fields {
            let inner = match value {
                ValueRef::Document(document) => document.get(field),
                ValueRef::Array(_) => return None,
                _ => None,
            };
            match inner {
                Some(inner) => value = inner,
                None => return Some(None),
            }
        }
        Some(Some(value))
    }
}

/// The error of `$$CLUSTER_TIME`, as MongoDB has it where there are no other servers.
fn no_cluster_time() -> Error {
    Error::new(
        Code::location(10_071_200),
        "system variable $$CLUSTER_TIME is not available in standalone mode",
    )
}

fn follow_document<'e>(document: DocumentRef<'e>, fields: &[Box<str>]) -> Evaluated<'e> {
    follow(ValueRef::Document(document), fields)
}

/// The value that the fields lead to from a value.
pub(super) fn follow<'e>(mut value: ValueRef<'e>, fields: &[Box<str>]) -> Evaluated<'e> {
    for (depth, field) in fields.iter().enumerate() {
        match value {
            ValueRef::Document(document) => match document.get(field) {
                Some(inner) => value = inner,
                None => return Evaluated::Missing,
            },
            ValueRef::Array(array) => {
                return Evaluated::Owned(Value::Array(follow_elements(array, &fields[depth..])));
            }
            _ => return Evaluated::Missing,
        }
    }
    Evaluated::Borrowed(value)
}

/// The values that the fields lead to from each document of the array; other elements are skipped.
fn follow_elements(array: ArrayRef<'_>, fields: &[Box<str>]) -> Vec<Value> {
    array
        .iter()
        .filter(|element| matches!(element, ValueRef::Document(_)))
        .filter_map(|element| follow(element, fields).into_value())
        .collect()
}
