//! The aggregation expression language.
//!
//! [`Expression::parse`] turns a BSON value (`{$add: ["$price", 1]}`) into a tree once: operators are looked up,
//! variables resolved, constant parts computed. [`Expression::evaluate`] then runs it on one document after
//! another; field paths are followed in the BSON bytes, and a value that is only passed on or compared is never
//! decoded.
//!
//! Operators are in [`operators`], one file for each family, and one table names them all.
//!
//! What must hold:
//! - a missing value is not null: evaluation gives `None` for it, and an object leaves such a field out;
//! - errors carry MongoDB's codes, at parse time where MongoDB finds them then (constant folding included).
//!
//! Left to others: how a stage or an update uses the value (`pipeline`, `projection`, `update`).

pub mod accumulator;
pub(crate) mod building;
mod evaluated;
mod let_variables;
mod node;
pub mod number;
mod operators;
mod ordered;
mod parse;
mod path;
mod scope;
mod value_set;

pub use evaluated::Evaluated;
pub(crate) use scope::reads_user_roles;
pub use scope::{ParseScope, Variables, names_operator, reads_clock};

pub(crate) use operators::ABSENT_METADATA;
pub use ordered::Ordered;
pub use parse::{check_field_name, check_new_variable};
pub(crate) use path::INDEX_KEY;
pub use value::size::{document_bytes, size_bytes};
pub use value_set::ValueSet;

use crate::Result;
use node::{Node, Scope};
use parse::{Parser, Reads};
use std::collections::BTreeSet;
use std::sync::Arc;
use value::{DocumentRef, Value, ValueRef};

/// The names of all operators, `$` included.
pub fn operator_names() -> impl Iterator<Item = &'static str> {
    operators::names()
}

/// A parsed expression. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Arc<Node>,
    reads: Arc<Reads>,
    /// The names of the metadata that is read.
    metadata: Arc<BTreeSet<Box<str>>>,
}

impl Expression {
    /// Parses an operand: a literal, `"$field.path"`, `"$$variable"`, an object or array of operands, or an operator.
    pub fn parse(value: &Value, scope: &ParseScope) -> Result<Expression> {
        let mut parser = Parser::new(scope, operators::find);
        let node = match parser.operand(value)?.folded() {
            Ok(folded) => folded,
            Err(_) if scope.keeps_failing() => Parser::new(scope, operators::find).operand(value)?,
            Err(error) => return Err(error),
        };
        Ok(Expression {
            node: Arc::new(node),
            metadata: Arc::new(parser.metadata()),
            reads: Arc::new(parser.reads()),
        })
    }

    /// Whether there is an operator of this name, `$` included.
    pub(crate) fn has_operator(name: &str) -> bool {
        operators::find(name).is_some()
    }

    /// An expression whose value is this one as it is, including `$` signs; `None` is missing.
    pub fn constant(value: Option<Value>) -> Expression {
        Expression {
            node: Arc::new(Node::Constant(value)),
            reads: Arc::new(Reads::Fields(BTreeSet::new())),
            metadata: Arc::default(),
        }
    }

    /// The value for this document; `None` if it is missing.
    pub fn evaluate(&self, root: DocumentRef<'_>, variables: &Variables) -> Result<Option<Value>> {
        Ok(self.find(root, variables)?.into_value())
    }

    /// As [`Expression::evaluate`], but the value is borrowed from the document if possible.
    pub fn find<'e>(&'e self, root: DocumentRef<'e>, variables: &'e Variables) -> Result<Evaluated<'e>> {
        self.node.evaluate(&Scope::new(root, variables))
    }

    /// As [`Expression::find`], with a document for `$$CURRENT` (and so `"$field"`) that is not `$$ROOT`, as in `$redact`
    /// below the top.
    pub fn find_at<'e>(
        &'e self,
        current: DocumentRef<'e>,
        root: DocumentRef<'e>,
        variables: &'e Variables,
    ) -> Result<Evaluated<'e>> {
        self.node.evaluate(&Scope::new(root, variables).at(current))
    }

    /// If the expression is an object of computed fields, calls `visit` with each value, missing or not, in their order; no object
    /// is built. Otherwise returns false, and nothing is visited.
    pub fn visit_fields(
        &self,
        root: DocumentRef<'_>,
        variables: &Variables,
        visit: &mut dyn FnMut(&str, Option<ValueRef<'_>>),
    ) -> Result<bool> {
        let Node::Object(fields) = &*self.node else {
            return Ok(false);
        };
        let scope = Scope::new(root, variables);
        for (name, field) in fields {
            field.see(&scope, |value| {
                visit(name, value);
                Ok(())
            })?;
        }
        Ok(true)
    }

    /// If the expression is a field of the document, its value in place; the inner `None` is a missing field. The outer `None` is any
    /// other expression, or a field below an array.
    pub fn field<'d>(&self, root: DocumentRef<'d>, variables: &'d Variables) -> Option<Option<ValueRef<'d>>> {
        match &*self.node {
            Node::Path(path) => path.reached(&Scope::new(root, variables)),
            _ => None,
        }
    }

    /// Whether the expression holds for this document, in the sense of `$expr` and `$cond`.
    pub fn is_true(&self, root: DocumentRef<'_>, variables: &Variables) -> Result<bool> {
        Ok(self.find(root, variables)?.is_true())
    }

    /// The value, if the expression is the same for every document; `Some(None)` is missing.
    pub fn as_constant(&self) -> Option<Option<ValueRef<'_>>> {
        match &*self.node {
            Node::Constant(value) => Some(value.as_ref().map(Value::as_ref)),
            _ => None,
        }
    }

    /// The path, if the expression is a plain field of the document: `a.b` for `"$a.b"`.
    pub fn as_field_path(&self) -> Option<String> {
        match &*self.node {
            Node::Path(path) => path.as_field_path(),
            _ => None,
        }
    }

    /// The paths of the document that are read; `None` if it is read as a whole.
    pub fn fields_read(&self) -> Option<&BTreeSet<String>> {
        match &*self.reads {
            Reads::Fields(fields) => Some(fields),
            Reads::Whole => None,
        }
    }

    /// Whether the metadata of this name is read: `{$meta: "indexKey"}`.
    pub fn reads_metadata(&self, name: &str) -> bool {
        self.metadata.contains(name)
    }

    /// Whether the value depends on the document, and not only on constants, variables and chance.
    pub fn reads_document(&self) -> bool {
        self.node.reads_document()
    }
}
