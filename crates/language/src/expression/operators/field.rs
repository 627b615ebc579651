//! `$getField $setField $unsetField`: fields whose names may hold dots and dollars.

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::expression::path::Base;
use crate::{Code, Result};
use value::{Document, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$getField", Syntax::Own(parse_get)),
    operator("$setField", Syntax::Named(parse_set)),
    operator("$unsetField", Syntax::Named(parse_set)),
];

#[derive(Debug)]
struct GetField {
    field: Node,
    input: Node,
}

fn parse_get(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    // An object is the long form unless it is an operator that computes the name.
    let long = match argument {
        Value::Document(long) if !long.iter().next().is_some_and(|(name, _)| name.starts_with('$')) => long,
        name => {
            let field = parser.operand(name)?;
            let input = parser.read(Base::Current, Vec::new());
            return Ok(Node::Operation(Box::new(GetField { field, input })));
        }
    };
    if let Some((unknown, _)) = long.iter().find(|(name, _)| !matches!(*name, "field" | "input")) {
        return Err(error(
            Code::location(3_041_701),
            format!("$getField found an unknown argument: {unknown}"),
        ));
    }
    let part = |name, code| {
        long.get(name)
            .ok_or_else(|| error(code, format!("$getField requires '{name}' to be specified")))
    };
    let (field, input) = (
        part("field", Code::location(3_041_702))?,
        part("input", Code::location(3_041_703))?,
    );
    let get = GetField {
        field: parser.operand(field)?,
        input: parser.operand(input)?,
    };
    Ok(Node::Operation(Box::new(get)))
}

impl Operation for GetField {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let field = self.field.evaluate(scope)?;
        let Some(ValueRef::String(name)) = field.get() else {
            return Err(error(
                Code::location(3_041_704),
                format!(
                    "$getField requires 'field' to evaluate to type String, but got {}",
                    type_name(&field)
                ),
            ));
        };
        match self.input.evaluate(scope)? {
            Evaluated::Borrowed(ValueRef::Document(document)) => Ok(Evaluated::from(document.get(name))),
            Evaluated::Owned(Value::Document(mut document)) => Ok(Evaluated::from(document.remove(name))),
            Evaluated::Missing => Ok(Evaluated::Missing),
            other if other.present().is_none() => Ok(Evaluated::of(Value::Null)),
            _ => Ok(Evaluated::Missing),
        }
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        vec![&mut self.field, &mut self.input]
    }

    fn reads_document(&self) -> bool {
        self.field.reads_document() || self.input.reads_document()
    }
}

#[derive(Debug)]
struct SetField {
    name: String,
    field: String,
    input: Node,
    /// What the field is set to; a missing value takes it out.
    value: Node,
}

fn parse_set(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let sets = name == "$setField";
    let known: &[&str] = if sets {
        &["field", "input", "value"]
    } else {
        &["field", "input"]
    };
    let argument = named::object(
        name,
        argument,
        known,
        &Wrong {
            not_object: Code::location(4_161_100),
            unknown: Code::location(4_161_101),
        },
    )?;
    named::require(name, argument, &[("field", Code::location(4_161_102))])?;
    if sets {
        named::require(name, argument, &[("value", Code::location(4_161_103))])?;
    }
    named::require(name, argument, &[("input", Code::location(4_161_109))])?;
    let input = parser.operand(argument.get("input").unwrap_or(&Value::Null))?;
    let field = constant_name(parser, name, argument)?;
    let value = match argument.get("value") {
        Some(value) => parser.operand(value)?,
        None => Node::Constant(None),
    };
    Ok(Node::Operation(Box::new(SetField {
        name: name.to_owned(),
        field,
        input,
        value,
    })))
}

fn constant_name(parser: &mut Parser<'_>, name: &str, argument: &Document) -> Result<String> {
    let field = argument.get("field").unwrap_or(&Value::Null);
    if matches!(field, Value::String(path) if path.starts_with('$')) {
        return Err(error(
            Code::location(4_161_108),
            format!(
                "'field' argument to {name} must be a constant string, found a field path; use {{$literal: …}} for names that start with '$'"
            ),
        ));
    }
    match parser.operand(field)? {
        Node::Constant(Some(Value::String(field))) if field.contains('\0') => Err(error(
            Code::location(9_534_700),
            format!("'field' argument to {name} must not contain a null byte"),
        )),
        Node::Constant(Some(Value::String(field))) => Ok(field),
        Node::Constant(other) => Err(error(
            Code::location(4_161_107),
            format!(
                "{name} requires 'field' to evaluate to type String, but got {}",
                type_name(&Evaluated::from(other))
            ),
        )),
        _ => Err(error(
            Code::location(4_161_106),
            format!("{name} requires 'field' to evaluate to a constant"),
        )),
    }
}

impl Operation for SetField {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let input = self.input.evaluate(scope)?;
        if input.present().is_none() {
            return Ok(Evaluated::of(Value::Null));
        }
        let Some(Value::Document(mut document)) = input.into_value() else {
            return Err(error(
                Code::location(4_161_105),
                format!("{} requires 'input' to evaluate to type Object", self.name),
            ));
        };
        match self.value.evaluate(scope)?.into_value() {
            Some(value) => document.set(self.field.as_str(), value),
            None => document.retain(|name, _| name != self.field),
        }
        Ok(Evaluated::of(document))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        vec![&mut self.input, &mut self.value]
    }

    fn reads_document(&self) -> bool {
        self.input.reads_document() || self.value.reads_document()
    }
}
