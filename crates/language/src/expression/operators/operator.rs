//! What an operator is: its name, how its argument is read, and what computes its value.

use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::parse::Parser;
use crate::{Code, Error, Result};
use value::collation::Collation;
use value::{Value, ValueRef};

/// An operator's name and how its argument is read.
#[derive(Clone, Copy)]
pub(in crate::expression) struct Operator {
    pub(in crate::expression) name: &'static str,
    pub(in crate::expression) syntax: Syntax,
}

/// How the argument of an operator is read.
#[derive(Clone, Copy)]
pub(in crate::expression) enum Syntax {
    /// Exactly one operand.
    One(fn(Evaluated<'_>) -> Result<Option<Value>>),
    /// Exactly two.
    Two(fn(Evaluated<'_>, Evaluated<'_>) -> Result<Option<Value>>),
    /// Exactly three, which the operator only looks at.
    Three(fn([Option<ValueRef<'_>>; 3]) -> Result<Option<Value>>),
    /// From the first number of operands to the second, both included.
    Many(usize, usize, fn(Vec<Evaluated<'_>>) -> Result<Option<Value>>),
    /// As `Many`, with operands that are compared by the collation, if there is one.
    Collated(
        usize,
        usize,
        fn(Option<&Collation>, Vec<Evaluated<'_>>) -> Result<Option<Value>>,
    ),
    /// Any number of operands. None is evaluated after the first that is null or missing; they are compared by the collation, if any.
    UntilNull(fn(Option<&Collation>, Vec<Evaluated<'_>>) -> Result<Option<Value>>),
    /// A form of its own.
    Own(fn(&mut Parser<'_>, &Value) -> Result<Node>),
    /// A form that several operators share; the name says which.
    Named(fn(&mut Parser<'_>, &str, &Value) -> Result<Node>),
}

pub(super) const fn operator(name: &'static str, syntax: Syntax) -> Operator {
    Operator { name, syntax }
}

pub(super) fn error(code: Code, message: impl Into<String>) -> Error {
    Error::new(code, message)
}

/// The type's name in error messages; `missing` if there is no value.
pub(super) fn type_name(value: &Evaluated<'_>) -> &'static str {
    name_of_type(value.get())
}

/// As [`type_name`].
pub(super) fn name_of_type(value: Option<ValueRef<'_>>) -> &'static str {
    value.map_or("missing", |value| value.type_of().alias())
}
