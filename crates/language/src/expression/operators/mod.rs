//! All operators, one file for each family, and the one table that names them.

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
mod field;
mod function;
mod hashed_key;
mod iteration;
mod literal;
mod misc;
mod named;
mod numeric;
mod object;
mod operator;
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

pub(super) use operator::{Operator, Syntax};
pub(super) use text::check_size;

pub(crate) use misc::ABSENT_METADATA;

use operator::{error, name_of_type, operator, type_name};
use std::collections::HashMap;
use std::sync::LazyLock;

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
        function::OPERATORS,
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
