//! `$dateToString` and `$dateFromString`.

use super::super::named::{self, Wrong};
use super::super::{Operator, Syntax, error, operator, type_name};
use super::{date, zone};
use crate::expression::date::{Zone, check_format, check_read_format, format, parse_text, parse_with_format};
use crate::expression::found::Found;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::{Code, Result};
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$dateToString", Syntax::Named(parse_to_string)),
    operator("$dateFromString", Syntax::Named(parse_from_string)),
];

const FORMAT_UTC: &str = "%Y-%m-%dT%H:%M:%S.%LZ";
const FORMAT_ZONED: &str = "%Y-%m-%dT%H:%M:%S.%L";

fn parse_to_string(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["date", "format", "timezone", "onNull"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(18_629),
            unknown: Code::location(18_534),
        },
    )?;
    named::require(name, argument, &[("date", Code::location(18_628))])?;
    if let Some(Value::String(format)) = argument.get("format")
        && !format.starts_with('$')
    {
        check_format(format)?;
    }
    named::call(parser, argument, &fields, to_string)
}

fn to_string(operands: Vec<Option<Found<'_>>>) -> Result<Option<Value>> {
    let [Some(operand), pattern, timezone, on_null] = <[_; 4]>::try_from(operands).unwrap_or_default() else {
        return Ok(None);
    };
    let zone = zone(timezone.as_ref())?;
    let pattern = match pattern.as_ref().map(|pattern| (pattern, pattern.present())) {
        None => Some(default_format(zone.as_ref())),
        Some((_, None)) => None,
        Some((_, Some(ValueRef::String(pattern)))) => Some(pattern),
        Some((wrong, Some(_))) => {
            return Err(error(
                Code::location(18_533),
                format!(
                    "$dateToString requires that 'format' be a string, found: {}",
                    type_name(wrong)
                ),
            ));
        }
    };
    let Some(ms) = date(&operand)? else {
        return Ok(on_null.map_or(Some(Value::Null), Found::into_value));
    };
    let (Some(zone), Some(pattern)) = (zone, pattern) else {
        return Ok(Some(Value::Null));
    };
    check_format(pattern)?;
    Ok(Some(Value::String(format(ms, pattern, &zone)?)))
}

fn default_format(zone: Option<&Zone>) -> &'static str {
    match zone {
        Some(Zone::Fixed(0)) | None => FORMAT_UTC,
        Some(_) => FORMAT_ZONED,
    }
}

/// `$dateFromString`: what stands for a failure is only evaluated when it is needed.
#[derive(Debug)]
struct FromString {
    text: Node,
    format: Option<Node>,
    timezone: Option<Node>,
    on_error: Option<Node>,
    on_null: Option<Node>,
}

fn parse_from_string(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let fields = ["dateString", "format", "timezone", "onError", "onNull"];
    let argument = named::object(
        name,
        argument,
        &fields,
        &Wrong {
            not_object: Code::location(40_540),
            unknown: Code::location(40_541),
        },
    )?;
    named::require(name, argument, &[("dateString", Code::location(40_542))])?;
    if let Some(Value::String(format)) = argument.get("format")
        && !format.starts_with('$')
    {
        check_read_format(format)?;
    }
    let mut operand = |field| argument.get(field).map(|value| parser.operand(value)).transpose();
    Ok(Node::Operation(Box::new(FromString {
        text: operand("dateString")?.unwrap_or(Node::Constant(None)),
        format: operand("format")?,
        timezone: operand("timezone")?,
        on_error: operand("onError")?,
        on_null: operand("onNull")?,
    })))
}

impl Operation for FromString {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Found<'e>> {
        let text = self.text.evaluate(scope)?;
        let timezone = self
            .timezone
            .as_ref()
            .map(|zone| zone.evaluate(scope))
            .transpose()?;
        let parsed_zone = zone(timezone.as_ref())?;
        let pattern = self
            .format
            .as_ref()
            .map(|format| format.evaluate(scope))
            .transpose()?;
        let pattern = match pattern.as_ref().map(|pattern| (pattern, pattern.present())) {
            None => Some(None),
            Some((_, None)) => None,
            Some((_, Some(ValueRef::String(pattern)))) => Some(Some(pattern)),
            Some((wrong, Some(_))) => {
                return Err(error(
                    Code::location(40_684),
                    format!(
                        "$dateFromString requires that 'format' be a string, found: {}",
                        type_name(wrong)
                    ),
                ));
            }
        };
        let Some(present) = text.present() else {
            return match &self.on_null {
                Some(on_null) => on_null.evaluate(scope),
                None => Ok(Found::of(Value::Null)),
            };
        };
        let (Some(parsed_zone), Some(pattern)) = (parsed_zone, pattern) else {
            return Ok(Found::of(Value::Null));
        };
        let zone = timezone.is_some().then_some(&parsed_zone);
        let failure = match present {
            ValueRef::String(text) => match from_text(text, pattern, zone) {
                Ok(ms) => return Ok(Found::Owned(Value::DateTime(ms))),
                Err(failure) => failure,
            },
            other => error(
                Code::CONVERSION_FAILURE,
                format!(
                    "$dateFromString requires that 'dateString' be a string, found: {}",
                    other.type_of().alias()
                ),
            ),
        };
        match &self.on_error {
            Some(on_error) if failure.code == Code::CONVERSION_FAILURE => on_error.evaluate(scope),
            _ => Err(failure),
        }
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        let rest = [
            &mut self.format,
            &mut self.timezone,
            &mut self.on_error,
            &mut self.on_null,
        ];
        std::iter::once(&mut self.text)
            .chain(rest.into_iter().flatten())
            .collect()
    }

    fn reads_document(&self) -> bool {
        let rest = [&self.format, &self.timezone, &self.on_error, &self.on_null];
        self.text.reads_document() || rest.into_iter().flatten().any(Node::reads_document)
    }
}

/// The moment of a text, in a given format or in one of the usual ones.
pub(in crate::expression::operators) fn from_text(
    text: &str,
    pattern: Option<&str>,
    zone: Option<&Zone>,
) -> Result<i64> {
    let parsed = match pattern {
        Some(pattern) => {
            check_read_format(pattern)?;
            parse_with_format(text, pattern, zone)
        }
        None => parse_text(text, zone),
    };
    parsed.map_err(|why| {
        error(
            Code::CONVERSION_FAILURE,
            format!("Error parsing date string '{text}'; {}", why.0),
        )
    })
}
