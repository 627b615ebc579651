//! `$and $or $not`: operands after the one that decides are not evaluated.

use super::{Operator, Syntax, operator};
use crate::Result;
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use value::Value;

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$and",
        Syntax::Own(|parser, argument| connective(parser, "$and", argument, false)),
    ),
    operator(
        "$or",
        Syntax::Own(|parser, argument| connective(parser, "$or", argument, true)),
    ),
    operator(
        "$not",
        Syntax::One(|operand| Ok(Some(Value::Bool(!operand.is_true())))),
    ),
];

/// Operands of which the first that is `decisive` decides.
#[derive(Debug)]
struct Connective {
    decisive: bool,
    operands: Vec<Node>,
}

fn connective(parser: &mut Parser<'_>, name: &str, argument: &Value, decisive: bool) -> Result<Node> {
    let operands = parser.operands(name, argument, 0, usize::MAX)?;
    Ok(Node::Operation(Box::new(Connective { decisive, operands })))
}

impl Operation for Connective {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        for operand in &self.operands {
            if operand.evaluate(scope)?.is_true() == self.decisive {
                return Ok(Evaluated::of(self.decisive));
            }
        }
        Ok(Evaluated::of(!self.decisive))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        self.operands.iter_mut().collect()
    }

    fn fold(&mut self) -> Result<()> {
        // All of them, as in MongoDB: what fails on constants fails even if another operand decides.
        self.operands.iter_mut().try_for_each(Node::fold)?;
        let decides = |operand: &Node| operand.constant_truth() == Some(self.decisive);
        if let Some(at) = self.operands.iter().position(decides) {
            // It decides whatever the others are, even those before it.
            self.operands.drain(..at);
            self.operands.truncate(1);
        }
        Ok(())
    }

    fn reads_document(&self) -> bool {
        self.operands.iter().any(Node::reads_document)
    }
}
