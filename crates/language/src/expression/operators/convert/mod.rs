//! `$convert` and its short forms `$toInt`, `$toString` ….

mod binary;
mod number;
mod target;
mod text;

use super::named::{self, Wrong};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::{Code, Error, Result};
use binary::{ByteOrder, Format};
use target::{Target, checked_subtype};
use value::{Type, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$convert", Syntax::Named(parse_convert)),
    operator("$toInt", Syntax::Named(parse_short)),
    operator("$toLong", Syntax::Named(parse_short)),
    operator("$toDouble", Syntax::Named(parse_short)),
    operator("$toDecimal", Syntax::Named(parse_short)),
    operator("$toString", Syntax::Named(parse_short)),
    operator("$toBool", Syntax::Named(parse_short)),
    operator("$toDate", Syntax::Named(parse_short)),
    operator("$toObjectId", Syntax::Named(parse_short)),
    operator("$toUUID", Syntax::Named(parse_short)),
];

/// What a conversion goes by, besides the value.
#[derive(Clone, Copy, Debug)]
struct Options<'v> {
    target: Target,
    /// The subtype of bytes, as it was given.
    subtype: Option<ValueRef<'v>>,
    format: Option<Format>,
    order: ByteOrder,
}

#[derive(Debug)]
struct Convert {
    input: Node,
    to: Node,
    format: Option<Node>,
    order: Option<Node>,
    on_error: Option<Node>,
    on_null: Option<Node>,
}

fn parse_convert(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["input", "to", "format", "byteOrder", "onError", "onNull"];
    let wrong = Wrong {
        not_object: Code::FAILED_TO_PARSE,
        unknown: Code::FAILED_TO_PARSE,
    };
    let argument = named::object(name, argument, &fields, &wrong)?;
    named::require(
        name,
        argument,
        &[("input", Code::FAILED_TO_PARSE), ("to", Code::FAILED_TO_PARSE)],
    )?;
    let mut operand = |field| argument.get(field).map(|value| parser.operand(value)).transpose();
    Ok(Node::Operation(Box::new(Convert {
        input: operand("input")?.unwrap_or(Node::Constant(None)),
        to: operand("to")?.unwrap_or(Node::Constant(None)),
        format: operand("format")?,
        order: operand("byteOrder")?,
        on_error: operand("onError")?,
        on_null: operand("onNull")?,
    })))
}

fn parse_short(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let argument = match argument {
        Value::Array(operands) => match operands.as_slice() {
            [single] => single,
            _ => {
                return Err(error(
                    Code::location(50_723),
                    format!("{name} requires a single argument, got {}", operands.len()),
                ));
            }
        },
        other => other,
    };
    let (to, format) = match name {
        "$toInt" => (Value::from("int"), None),
        "$toLong" => (Value::from("long"), None),
        "$toDouble" => (Value::from("double"), None),
        "$toDecimal" => (Value::from("decimal"), None),
        "$toBool" => (Value::from("bool"), None),
        "$toDate" => (Value::from("date"), None),
        "$toObjectId" => (Value::from("objectId"), None),
        "$toUUID" => (Value::Document(Target::uuid()), Some(Node::constant("uuid"))),
        _ => (Value::from("string"), Some(Node::constant("auto"))),
    };
    Ok(Node::Operation(Box::new(Convert {
        input: parser.operand(argument)?,
        to: Node::Constant(Some(to)),
        format,
        order: None,
        on_error: None,
        on_null: None,
    })))
}

impl Operation for Convert {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let input = self.input.evaluate(scope)?;
        let to = self.to.evaluate(scope)?;
        let given = |operand: &'e Option<Node>| match operand {
            Some(operand) => operand.evaluate(scope),
            None => Ok(Evaluated::Missing),
        };
        let (format, order) = (given(&self.format)?, given(&self.order)?);
        let target = Target::of(&to)?;
        let Some(present) = input.present() else {
            return match &self.on_null {
                Some(on_null) => on_null.evaluate(scope),
                None => Ok(Evaluated::of(Value::Null)),
            };
        };
        let Some(target) = target else {
            return Ok(Evaluated::of(Value::Null));
        };
        // Where there is nothing to convert, how does not matter.
        let options = Options {
            target,
            subtype: Target::subtype(&to),
            format: Format::of(&format)?,
            order: ByteOrder::of(&order)?,
        };
        match convert(present, &options) {
            Ok(value) => Ok(Evaluated::Owned(value)),
            Err(failure) => match &self.on_error {
                Some(on_error) if failure.code == Code::CONVERSION_FAILURE => on_error.evaluate(scope),
                _ => Err(failure),
            },
        }
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        let rest = [
            &mut self.format,
            &mut self.order,
            &mut self.on_error,
            &mut self.on_null,
        ];
        [&mut self.input, &mut self.to]
            .into_iter()
            .chain(rest.into_iter().flatten())
            .collect()
    }

    fn reads_document(&self) -> bool {
        let rest = [&self.format, &self.order, &self.on_error, &self.on_null];
        [&self.input, &self.to]
            .into_iter()
            .chain(rest.into_iter().flatten())
            .any(Node::reads_document)
    }
}

fn failure(message: impl Into<String>) -> Error {
    error(Code::CONVERSION_FAILURE, message)
}

fn unsupported(value: ValueRef<'_>, target: &str) -> Error {
    failure(format!(
        "Unsupported conversion from {} to {target} in $convert with no onError value",
        value.type_of().alias()
    ))
}

impl Options<'_> {
    /// The subtype that bytes get.
    fn checked_subtype(&self) -> Result<u8> {
        self.subtype.map_or(Ok(0), checked_subtype)
    }
}

fn convert(value: ValueRef<'_>, options: &Options<'_>) -> Result<Value> {
    match options.target {
        Target::Missing => Err(unsupported(value, "missing")),
        Target::Type(kind) => match kind {
            Type::Int32 => number::to_int(value, options.order),
            Type::Int64 => number::to_long(value, options.order),
            Type::Double => number::to_double(value, options.order),
            Type::Decimal128 => number::to_decimal(value),
            Type::String => text::to_string(value, options.format),
            Type::Bool => to_bool(value),
            Type::DateTime => text::to_date(value),
            Type::ObjectId => text::to_object_id(value),
            Type::Binary => binary::to_binary(value, options),
            other => Err(unsupported(value, other.alias())),
        },
    }
}

fn to_bool(value: ValueRef<'_>) -> Result<Value> {
    match value {
        ValueRef::Bool(_)
        | ValueRef::Int32(_)
        | ValueRef::Int64(_)
        | ValueRef::Double(_)
        | ValueRef::Decimal128(_)
        | ValueRef::String(_)
        | ValueRef::DateTime(_)
        | ValueRef::ObjectId(_)
        | ValueRef::Binary { .. }
        | ValueRef::Timestamp(_)
        | ValueRef::Document(_)
        | ValueRef::Array(_)
        | ValueRef::JavaScript(_)
        | ValueRef::JavaScriptWithScope { .. }
        | ValueRef::MinKey
        | ValueRef::MaxKey
        | ValueRef::Regex { .. }
        | ValueRef::Symbol(_)
        | ValueRef::DbPointer { .. } => Ok(Value::Bool(crate::expression::evaluated::is_true(value))),
        ValueRef::Null | ValueRef::Undefined => Ok(Value::Null),
    }
}
