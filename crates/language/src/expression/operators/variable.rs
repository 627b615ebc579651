//! `$let`: variables for one expression.

use super::{Operator, Syntax, error, operator};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Local, Node, Operation, Scope};
use crate::expression::parse::{Parser, check_new_variable};
use crate::{Code, Result};
use value::{Document, Value};

pub(super) const OPERATORS: &[Operator] = &[operator("$let", Syntax::Own(parse_let))];

#[derive(Debug)]
struct Let {
    variables: Vec<(usize, Node)>,
    body: Node,
}

fn parse_let(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let Value::Document(argument) = argument else {
        return Err(error(
            Code::location(16_874),
            "$let only supports an object as its argument",
        ));
    };
    if let Some((unknown, _)) = argument.iter().find(|(name, _)| !matches!(*name, "vars" | "in")) {
        return Err(error(
            Code::location(16_875),
            format!("Unrecognized parameter to $let: {unknown}"),
        ));
    }
    let definitions = argument
        .get("vars")
        .ok_or_else(|| error(Code::location(16_876), "Missing 'vars' parameter to $let"))?;
    let body = argument
        .get("in")
        .ok_or_else(|| error(Code::location(16_877), "Missing 'in' parameter to $let"))?;
    let variables = parse_definitions(parser, definitions)?;
    // The variables do not see each other: they are declared when all are parsed.
    let variables: Vec<(usize, Node)> = variables
        .into_iter()
        .map(|(name, node)| (parser.declare(&name), node))
        .collect();
    let body = parser.operand(body)?;
    parser.forget(variables.len());
    Ok(Node::Operation(Box::new(Let { variables, body })))
}

fn parse_definitions(parser: &mut Parser<'_>, definitions: &Value) -> Result<Vec<(String, Node)>> {
    let definitions: Document = match definitions {
        Value::Document(definitions) => definitions.clone(),
        // An array is a document named by positions, whose names are then refused.
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .map(|(at, element)| (at.to_string(), element.clone()))
            .collect(),
        other => {
            return Err(error(
                Code::location(10_065),
                format!(
                    "invalid parameter: expected an object (vars), found {}",
                    other.type_of().alias()
                ),
            ));
        }
    };
    let mut variables = Vec::with_capacity(definitions.len());
    for (name, value) in definitions.iter() {
        check_new_variable(name)?;
        variables.push((name.to_owned(), parser.operand(value)?));
    }
    Ok(variables)
}

impl Operation for Let {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let values = self
            .variables
            .iter()
            .map(|(slot, node)| Ok((*slot, node.evaluate(scope)?)));
        let values = values.collect::<Result<Vec<_>>>()?;
        self.evaluate_body(*scope, &values)
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        let variables = self.variables.iter_mut().map(|(_, node)| node);
        variables.chain(std::iter::once(&mut self.body)).collect()
    }

    fn reads_document(&self) -> bool {
        self.body.reads_document() || self.variables.iter().any(|(_, node)| node.reads_document())
    }
}

impl Let {
    /// Binds one variable after the other, each on the stack of this call.
    fn evaluate_body<'e>(
        &self,
        scope: Scope<'_>,
        values: &[(usize, Evaluated<'_>)],
    ) -> Result<Evaluated<'e>> {
        match values.split_first() {
            None => Ok(self.body.evaluate(&scope)?.into_owned()),
            Some(((slot, value), rest)) => {
                let local: Local<'_> = scope.bind(*slot, value.get());
                self.evaluate_body(scope.with(&local), rest)
            }
        }
    }
}
