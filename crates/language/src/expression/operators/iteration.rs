//! `$map $filter $reduce`: an expression evaluated for each element of an array.

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::building::Building;
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::number::Number;
use crate::expression::parse::{Parser, check_new_variable};
use crate::interruption::steps;
use crate::{Code, Result};
use value::{ArrayRef, Document, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$map", Syntax::Own(parse_map)),
    operator("$filter", Syntax::Own(parse_filter)),
    operator("$reduce", Syntax::Own(parse_reduce)),
];

/// The elements of an input; `None` if it is null.
fn elements<'a>(input: &'a Evaluated<'_>, name: &str, code: Code) -> Result<Option<ArrayRef<'a>>> {
    if input.present().is_none() {
        return Ok(None);
    }
    match input.get().and_then(ValueRef::as_array) {
        Some(array) => Ok(Some(array)),
        None => Err(error(
            code,
            format!("input to {name} must be an array not {}", type_name(input)),
        )),
    }
}

/// The name that the elements go by.
fn element_name(argument: &Document) -> Result<String> {
    let name = match argument.get("as") {
        None => "this",
        Some(Value::String(name)) => name,
        // Whatever is no string is as good as an empty name.
        Some(_) => "",
    };
    check_new_variable(name)?;
    Ok(name.to_owned())
}

/// Parses an operand that sees one more variable.
fn with_variable(parser: &mut Parser<'_>, name: &str, operand: &Value) -> Result<(usize, Node)> {
    let slot = parser.declare(name);
    let node = parser.operand(operand)?;
    parser.forget(1);
    Ok((slot, node))
}

#[derive(Debug)]
struct Map {
    input: Node,
    slot: usize,
    body: Node,
}

fn parse_map(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let argument = named::object(
        "$map",
        argument,
        &["input", "as", "in"],
        &Wrong {
            not_object: Code::location(16_878),
            unknown: Code::location(16_879),
        },
    )?;
    named::require(
        "$map",
        argument,
        &[("input", Code::location(16_880)), ("in", Code::location(16_882))],
    )?;
    let input = parser.operand(argument.get("input").unwrap_or(&Value::Null))?;
    let name = element_name(argument)?;
    let (slot, body) = with_variable(parser, &name, argument.get("in").unwrap_or(&Value::Null))?;
    Ok(Node::Operation(Box::new(Map { input, slot, body })))
}

impl Operation for Map {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let input = self.input.evaluate(scope)?;
        let Some(elements) = elements(&input, "$map", Code::location(16_883))? else {
            return Ok(Evaluated::of(Value::Null));
        };
        let mut building = Building::new("$map");
        let mapped = elements.iter().map(|element| {
            let local = scope.bind(self.slot, Some(element));
            let value = building.take(self.body.evaluate(&scope.with(&local))?)?;
            Ok(value.unwrap_or(Value::Null))
        });
        Ok(Evaluated::Owned(Value::Array(mapped.collect::<Result<_>>()?)))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        vec![&mut self.input, &mut self.body]
    }

    fn reads_document(&self) -> bool {
        self.input.reads_document() || self.body.reads_document()
    }
}

#[derive(Debug)]
struct Filter {
    input: Node,
    slot: usize,
    condition: Node,
    limit: Option<Node>,
}

fn parse_filter(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let fields = ["input", "as", "cond", "limit"];
    let argument = named::object(
        "$filter",
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(28_646),
            unknown: Code::location(28_647),
        },
    )?;
    named::require(
        "$filter",
        argument,
        &[
            ("input", Code::location(28_648)),
            ("cond", Code::location(28_650)),
        ],
    )?;
    let input = parser.operand(argument.get("input").unwrap_or(&Value::Null))?;
    let name = element_name(argument)?;
    let (slot, condition) = with_variable(parser, &name, argument.get("cond").unwrap_or(&Value::Null))?;
    let limit = argument
        .get("limit")
        .map(|limit| parser.operand(limit))
        .transpose()?;
    Ok(Node::Operation(Box::new(Filter {
        input,
        slot,
        condition,
        limit,
    })))
}

impl Filter {
    fn limit(&self, scope: &Scope<'_>) -> Result<usize> {
        let Some(limit) = &self.limit else {
            return Ok(usize::MAX);
        };
        let limit = limit.evaluate(scope)?;
        let Some(present) = limit.present() else {
            return Ok(usize::MAX);
        };
        let number = Number::of(present).and_then(Number::to_i32).ok_or_else(|| {
            error(
                Code::location(327_391),
                format!(
                    "$filter: limit must be represented as a 32-bit integral value, found: {}",
                    type_name(&limit)
                ),
            )
        })?;
        match usize::try_from(number) {
            Ok(limit @ 1..) => Ok(limit),
            _ => Err(error(
                Code::location(327_392),
                format!("$filter: limit must be greater than 0: {number}"),
            )),
        }
    }
}

impl Operation for Filter {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let input = self.input.evaluate(scope)?;
        let Some(elements) = elements(&input, "$filter", Code::location(28_651))? else {
            return Ok(Evaluated::of(Value::Null));
        };
        let limit = self.limit(scope)?;
        let mut building = Building::new("$filter");
        let mut kept = Vec::new();
        for element in elements.iter() {
            steps(1)?;
            let local = scope.bind(self.slot, Some(element));
            if self.condition.evaluate(&scope.with(&local))?.is_true() {
                kept.push(building.copy(element)?);
                if kept.len() >= limit {
                    break;
                }
            }
        }
        Ok(Evaluated::Owned(Value::Array(kept)))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        [&mut self.input, &mut self.condition]
            .into_iter()
            .chain(&mut self.limit)
            .collect()
    }

    fn reads_document(&self) -> bool {
        [&self.input, &self.condition]
            .into_iter()
            .chain(&self.limit)
            .any(Node::reads_document)
    }
}

#[derive(Debug)]
struct Reduce {
    input: Node,
    initial: Node,
    this: usize,
    value: usize,
    body: Node,
}

fn parse_reduce(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let fields = ["input", "initialValue", "in"];
    let argument = named::object(
        "$reduce",
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(40_075),
            unknown: Code::location(40_076),
        },
    )?;
    named::require(
        "$reduce",
        argument,
        &[
            ("input", Code::location(40_077)),
            ("initialValue", Code::location(40_078)),
            ("in", Code::location(40_079)),
        ],
    )?;
    let mut operand = |field| parser.operand(argument.get(field).unwrap_or(&Value::Null));
    let (input, initial) = (operand("input")?, operand("initialValue")?);
    let this = parser.declare("this");
    let (value, body) = with_variable(parser, "value", argument.get("in").unwrap_or(&Value::Null))?;
    parser.forget(1);
    Ok(Node::Operation(Box::new(Reduce {
        input,
        initial,
        this,
        value,
        body,
    })))
}

impl Operation for Reduce {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let input = self.input.evaluate(scope)?;
        let Some(elements) = elements(&input, "$reduce", Code::location(40_080))? else {
            return Ok(Evaluated::of(Value::Null));
        };
        let mut accumulated = self.initial.evaluate(scope)?.into_value();
        for element in elements.iter() {
            steps(1)?;
            let this = scope.bind(self.this, Some(element));
            let scope = scope.with(&this);
            let value = scope.bind(self.value, accumulated.as_ref().map(Value::as_ref));
            let next = self.body.evaluate(&scope.with(&value))?.into_value();
            accumulated = next;
        }
        Ok(Evaluated::from(accumulated))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        vec![&mut self.input, &mut self.initial, &mut self.body]
    }

    fn reads_document(&self) -> bool {
        [&self.input, &self.initial, &self.body]
            .into_iter()
            .any(Node::reads_document)
    }
}
