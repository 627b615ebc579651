//! All operators, a file a family, and the one table that names them.

mod accumulate;
mod arithmetic;
mod array;
mod array_ranked;
mod bitwise;
mod boolean;
mod comparison;
mod conditional;
mod convert;
mod date;
mod decimal_trigonometry;
mod field;
mod iteration;
mod literal;
mod misc;
mod named;
mod numeric;
mod object;
mod regex;
mod rounding;
mod search;
mod set;
mod sort_array;
mod string;
mod text;
mod trigonometry;
mod trim;
mod variable;
mod zip;

pub(super) use text::check_size;

use super::found::Found;
use super::node::Node;
use super::parse::Parser;
use crate::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::LazyLock;
use value::Value;
use value::collation::Collation;

/// An operator's name and how its argument is read.
#[derive(Clone, Copy)]
pub(super) struct Operator {
    pub(super) name: &'static str,
    pub(super) syntax: Syntax,
}

/// How the argument of an operator is read.
#[derive(Clone, Copy)]
pub(super) enum Syntax {
    /// Exactly one operand.
    One(fn(Found<'_>) -> Result<Option<Value>>),
    /// Exactly two.
    Two(fn(Found<'_>, Found<'_>) -> Result<Option<Value>>),
    /// Between so many and so many.
    Many(usize, usize, fn(Vec<Found<'_>>) -> Result<Option<Value>>),
    /// Between so many and so many, compared by the collation where there is one.
    Collated(
        usize,
        usize,
        fn(Option<&Collation>, Vec<Found<'_>>) -> Result<Option<Value>>,
    ),
    /// A form of its own.
    Own(fn(&mut Parser<'_>, &Value) -> Result<Node>),
    /// A form that several operators share; the name says which.
    Named(fn(&mut Parser<'_>, &str, &Value) -> Result<Node>),
}

static TABLE: LazyLock<HashMap<&'static str, Operator>> = LazyLock::new(|| {
    [
        accumulate::OPERATORS,
        arithmetic::OPERATORS,
        array::OPERATORS,
        array_ranked::OPERATORS,
        bitwise::OPERATORS,
        boolean::OPERATORS,
        comparison::OPERATORS,
        conditional::OPERATORS,
        convert::OPERATORS,
        &date::operators(),
        field::OPERATORS,
        iteration::OPERATORS,
        literal::OPERATORS,
        misc::OPERATORS,
        numeric::OPERATORS,
        object::OPERATORS,
        regex::OPERATORS,
        rounding::OPERATORS,
        search::OPERATORS,
        set::OPERATORS,
        sort_array::OPERATORS,
        string::OPERATORS,
        trigonometry::OPERATORS,
        trim::OPERATORS,
        variable::OPERATORS,
        zip::OPERATORS,
    ]
    .concat()
    .into_iter()
    .map(|operator| (operator.name, operator))
    .collect()
});

/// The operator of this name, `$` included.
pub(super) fn find(name: &str) -> Option<&'static Operator> {
    TABLE.get(name)
}

/// The names of all operators.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.keys().copied()
}

const fn operator(name: &'static str, syntax: Syntax) -> Operator {
    Operator { name, syntax }
}

fn error(code: Code, message: impl Into<String>) -> Error {
    Error::new(code, message)
}

/// The type's name as error messages have it; nothing there is `missing`.
fn type_name(value: &Found<'_>) -> &'static str {
    value.get().map_or("missing", |value| value.type_of().alias())
}
