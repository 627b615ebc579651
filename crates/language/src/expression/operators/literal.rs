//! `$literal` (and `$const`, its older name): the argument as it is. `$expr`: the argument as an expression, as in filters.

use super::{Operator, Syntax, operator};
use crate::expression::node::Node;
use crate::expression::parse::Parser;

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$literal",
        Syntax::Own(|_, argument| Ok(Node::Constant(Some(argument.clone())))),
    ),
    operator(
        "$const",
        Syntax::Own(|_, argument| Ok(Node::Constant(Some(argument.clone())))),
    ),
    operator("$expr", Syntax::Own(Parser::operand)),
];
