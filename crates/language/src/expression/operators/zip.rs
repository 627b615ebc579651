//! `$zip`: arrays side by side.

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::building::Building;
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::{Code, Result};
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[operator("$zip", Syntax::Own(parse_zip))];

#[derive(Debug)]
struct Zip {
    inputs: Vec<Node>,
    defaults: Vec<Node>,
    longest: bool,
}

fn parse_zip(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let fields = ["inputs", "useLongestLength", "defaults"];
    let argument = named::object(
        "$zip",
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(34_460),
            unknown: Code::location(34_464),
        },
    )?;
    let mut zip = Zip {
        inputs: Vec::new(),
        defaults: Vec::new(),
        longest: false,
    };
    for (name, value) in argument.iter() {
        match (name, value) {
            ("inputs", Value::Array(inputs)) => zip.inputs = parse_all(parser, inputs)?,
            ("defaults", Value::Array(defaults)) => zip.defaults = parse_all(parser, defaults)?,
            ("useLongestLength", Value::Bool(longest)) => zip.longest = *longest,
            (name, wrong) => {
                let (code, wanted) = match name {
                    "inputs" => (Code::location(34_461), "an array of expressions"),
                    "defaults" => (Code::location(34_462), "an array of expressions"),
                    _ => (Code::location(34_463), "a bool"),
                };
                return Err(error(
                    code,
                    format!("{name} must be {wanted}, found {}", wrong.type_of().alias()),
                ));
            }
        }
    }
    if zip.inputs.is_empty() {
        return Err(error(
            Code::location(34_465),
            "$zip requires at least one input array",
        ));
    }
    if !zip.defaults.is_empty() && !zip.longest {
        return Err(error(
            Code::location(34_466),
            "cannot specify defaults unless useLongestLength is true",
        ));
    }
    if !zip.defaults.is_empty() && zip.defaults.len() != zip.inputs.len() {
        return Err(error(
            Code::location(34_467),
            "defaults and inputs must have the same length",
        ));
    }
    Ok(Node::Operation(Box::new(zip)))
}

fn parse_all(parser: &mut Parser<'_>, operands: &[Value]) -> Result<Vec<Node>> {
    operands.iter().map(|operand| parser.operand(operand)).collect()
}

impl Operation for Zip {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let inputs = self
            .inputs
            .iter()
            .map(|input| input.evaluate(scope))
            .collect::<Result<Vec<_>>>()?;
        let mut arrays = Vec::with_capacity(inputs.len());
        for input in &inputs {
            match input.present() {
                None => return Ok(Evaluated::of(Value::Null)),
                Some(ValueRef::Array(array)) => arrays.push(array.iter().collect::<Vec<_>>()),
                Some(_) => {
                    return Err(error(
                        Code::location(34_468),
                        format!("$zip found a non-array expression in input: {}", type_name(input)),
                    ));
                }
            }
        }
        let lengths = arrays.iter().map(Vec::len);
        let length = if self.longest {
            lengths.max()
        } else {
            lengths.min()
        }
        .unwrap_or(0);
        let mut defaults = Vec::with_capacity(arrays.len());
        for at in 0..arrays.len() {
            let default = self
                .defaults
                .get(at)
                .map(|default| default.evaluate(scope))
                .transpose()?;
            defaults.push(default.and_then(Evaluated::into_value).unwrap_or(Value::Null));
        }
        let mut building = Building::new("$zip");
        let row = |at: usize| -> Result<Value> {
            let cells = arrays.iter().zip(&defaults);
            let cells = cells.map(|(array, default)| {
                let cell = array.get(at).copied();
                building.copy(cell.unwrap_or_else(|| default.as_ref()))
            });
            Ok(Value::Array(cells.collect::<Result<_>>()?))
        };
        Ok(Evaluated::Owned(Value::Array(
            (0..length).map(row).collect::<Result<_>>()?,
        )))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        self.inputs.iter_mut().chain(&mut self.defaults).collect()
    }

    fn reads_document(&self) -> bool {
        self.inputs.iter().chain(&self.defaults).any(Node::reads_document)
    }
}
