//! `$cond $ifNull $switch`: only the operand that is chosen is evaluated.

use super::{Operator, Syntax, error, operator};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::{Code, Result};
use value::{Document, Value};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$cond", Syntax::Own(parse_cond)),
    operator("$ifNull", Syntax::Own(parse_if_null)),
    operator("$switch", Syntax::Own(parse_switch)),
];

/// Branches tried in order, `$cond` being one branch and a default.
#[derive(Debug)]
struct Switch {
    branches: Vec<(Node, Node)>,
    default: Option<Node>,
    is_cond: bool,
}

fn parse_cond(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let [condition, then, otherwise] = match argument {
        Value::Document(argument) => cond_fields(parser, argument)?,
        other => {
            let operands = parser.operands("$cond", other, 3, 3)?;
            let operands: Result<[Node; 3], _> = operands.try_into();
            operands.map_err(|_| {
                error(
                    Code::location(16_020),
                    "Expression $cond takes exactly 3 arguments.",
                )
            })?
        }
    };
    Ok(Node::Operation(Box::new(Switch {
        branches: vec![(condition, then)],
        default: Some(otherwise),
        is_cond: true,
    })))
}

fn cond_fields(parser: &mut Parser<'_>, argument: &Document) -> Result<[Node; 3]> {
    if let Some((unknown, _)) = argument
        .iter()
        .find(|(name, _)| !matches!(*name, "if" | "then" | "else"))
    {
        return Err(error(
            Code::location(17_083),
            format!("Unrecognized parameter to $cond: {unknown}"),
        ));
    }
    let mut field = |name, code| match argument.get(name) {
        Some(value) => parser.operand(value),
        None => Err(error(code, format!("Missing '{name}' parameter to $cond"))),
    };
    Ok([
        field("if", Code::location(17_080))?,
        field("then", Code::location(17_081))?,
        field("else", Code::location(17_082))?,
    ])
}

fn parse_switch(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let Value::Document(argument) = argument else {
        return Err(error(
            Code::location(40_060),
            format!(
                "$switch requires an object as an argument, found: {}",
                argument.type_of().alias()
            ),
        ));
    };
    let mut switch = Switch {
        branches: Vec::new(),
        default: None,
        is_cond: false,
    };
    for (name, value) in argument.iter() {
        match (name, value) {
            ("branches", Value::Array(branches)) => {
                for branch in branches {
                    switch.branches.push(parse_branch(parser, branch)?);
                }
            }
            ("branches", other) => {
                return Err(error(
                    Code::location(40_061),
                    format!(
                        "$switch expected an array for 'branches', found: {}",
                        other.type_of().alias()
                    ),
                ));
            }
            ("default", value) => switch.default = Some(parser.operand(value)?),
            (unknown, _) => {
                return Err(error(
                    Code::location(40_067),
                    format!("$switch found an unknown argument: {unknown}"),
                ));
            }
        }
    }
    if switch.branches.is_empty() {
        return Err(error(
            Code::location(40_068),
            "$switch requires at least one branch",
        ));
    }
    Ok(Node::Operation(Box::new(switch)))
}

fn parse_branch(parser: &mut Parser<'_>, branch: &Value) -> Result<(Node, Node)> {
    let Value::Document(branch) = branch else {
        return Err(error(
            Code::location(40_062),
            format!(
                "$switch expected each branch to be an object, found: {}",
                branch.type_of().alias()
            ),
        ));
    };
    if let Some((unknown, _)) = branch.iter().find(|(name, _)| !matches!(*name, "case" | "then")) {
        return Err(error(
            Code::location(40_063),
            format!("$switch found an unknown argument to a branch: {unknown}"),
        ));
    }
    let case = branch.get("case").ok_or_else(|| {
        error(
            Code::location(40_064),
            "$switch requires each branch have a 'case' expression",
        )
    })?;
    let then = branch.get("then").ok_or_else(|| {
        error(
            Code::location(40_065),
            "$switch requires each branch have a 'then' expression.",
        )
    })?;
    Ok((parser.operand(case)?, parser.operand(then)?))
}

impl Operation for Switch {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        for (case, then) in &self.branches {
            if case.evaluate(scope)?.is_true() {
                return then.evaluate(scope);
            }
        }
        match &self.default {
            Some(default) => default.evaluate(scope),
            None => Err(error(
                Code::location(40_066),
                "$switch could not find a matching branch for an input, and no default was specified.",
            )),
        }
    }

    fn fold(&mut self) -> Result<()> {
        if self.is_cond {
            // MongoDB computes the constants of both sides, whatever the condition is.
            for (case, then) in &mut self.branches {
                case.fold()?;
                then.fold()?;
            }
        }
        // MongoDB computes the default whether it is needed or not.
        self.default.as_mut().map_or(Ok(()), Node::fold)?;
        let mut kept = Vec::with_capacity(self.branches.len());
        for (mut case, mut then) in std::mem::take(&mut self.branches) {
            case.fold()?;
            match case.constant_truth() {
                // Never taken.
                Some(false) => {}
                // Always taken: nothing after it is.
                Some(true) => {
                    then.fold()?;
                    self.default = Some(then);
                    break;
                }
                None => {
                    then.fold()?;
                    kept.push((case, then));
                }
            }
        }
        self.branches = kept;
        if self.branches.is_empty() && self.default.is_none() {
            return Err(error(
                Code::location(40_069),
                "Cannot execute a switch statement where all the cases evaluate to false without a default",
            ));
        }
        Ok(())
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        let branches = self.branches.iter_mut().flat_map(|(case, then)| [case, then]);
        branches.chain(&mut self.default).collect()
    }

    fn reads_document(&self) -> bool {
        self.branches
            .iter()
            .any(|(case, then)| case.reads_document() || then.reads_document())
            || self.default.as_ref().is_some_and(Node::reads_document)
    }
}

/// The first operand that is there and not null, else the last whatever it is.
#[derive(Debug)]
struct IfNull {
    operands: Vec<Node>,
    last: Node,
}

fn parse_if_null(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let mut operands = parser.operands("$ifNull", argument, 0, usize::MAX)?;
    let count = operands.len();
    match operands.pop() {
        Some(last) if count >= 2 => Ok(Node::Operation(Box::new(IfNull { operands, last }))),
        _ => Err(error(
            Code::location(1_257_300),
            format!("$ifNull needs at least two arguments, had: {count}"),
        )),
    }
}

impl Operation for IfNull {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        for operand in &self.operands {
            let value = operand.evaluate(scope)?;
            if value.present().is_some() {
                return Ok(value);
            }
        }
        self.last.evaluate(scope)
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        self.operands
            .iter_mut()
            .chain(std::iter::once(&mut self.last))
            .collect()
    }

    fn reads_document(&self) -> bool {
        self.operands.iter().any(Node::reads_document) || self.last.reads_document()
    }
}
