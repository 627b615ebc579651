//! `$literal` (and `$const`, its older name): the argument as it is. `$expr`: the argument as an expression, as in filters.

use super::{Operator, Syntax, operator};
use crate::Result;
use crate::expression::node::Node;
use crate::expression::parse::Parser;
use value::Value;

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$literal",
        Syntax::Own(|_, argument| Ok(Node::Constant(Some(argument.clone())))),
    ),
    operator(
        "$const",
        Syntax::Own(|_, argument| Ok(Node::Constant(Some(argument.clone())))),
    ),
    operator("$expr", Syntax::Own(operand)),
];

fn operand(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    parser.operand(argument)
}
