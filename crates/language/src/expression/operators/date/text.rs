//! `$dateToString` and `$dateFromString`.

use super::super::named::{self, Wrong};
use super::super::{Operator, Syntax, error, operator, type_name};
use super::{date, zone};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::{Code, Result};
use calendar::{Zone, check_format, check_read_format, format, parse_text, parse_with_format};
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$dateToString", Syntax::Named(parse_to_string)),
    operator("$dateFromString", Syntax::Named(parse_from_string)),
];

/// The operands that both have; what stands for a failure or a null is only evaluated when it is needed.
#[derive(Debug)]
struct Operands {
    /// The date, or the text.
    subject: Node,
    format: Option<Node>,
    timezone: Option<Node>,
    on_error: Option<Node>,
    on_null: Option<Node>,
}

/// What is wrong with the argument of one of them.
struct Faults {
    wrong: Wrong,
    /// It lacks what is to be written or read.
    missing: Code,
    /// Refuses a format, which is looked at before there is any document where it is constant.
    check_format: fn(&str) -> calendar::Result<()>,
}

impl Operands {
    /// Reads them from an argument that has only these fields, of which the first one must be there.
    fn parse(
        parser: &mut Parser<'_>,
        name: &str,
        argument: &Value,
        fields: &[&str],
        faults: &Faults,
    ) -> Result<Operands> {
        let subject = fields.first().copied().unwrap_or_default();
        let argument = named::object(name, argument, fields, &faults.wrong)?;
        named::require(name, argument, &[(subject, faults.missing)])?;
        if let Some(Value::String(format)) = argument.get("format")
            && !format.starts_with('$')
        {
            (faults.check_format)(format)?;
        }
        let mut operand = |field| argument.get(field).map(|value| parser.operand(value)).transpose();
        Ok(Operands {
            subject: operand(subject)?.unwrap_or(Node::Constant(None)),
            format: operand("format")?,
            timezone: operand("timezone")?,
            on_error: operand("onError")?,
            on_null: operand("onNull")?,
        })
    }

    fn all(&mut self) -> Vec<&mut Node> {
        let rest = [
            &mut self.format,
            &mut self.timezone,
            &mut self.on_error,
            &mut self.on_null,
        ];
        std::iter::once(&mut self.subject)
            .chain(rest.into_iter().flatten())
            .collect()
    }

    fn fold(&mut self) -> Result<()> {
        self.all().into_iter().try_for_each(Node::fold)?;
        check_constant_zone(self.timezone.as_ref())
    }

    fn reads_document(&self) -> bool {
        let rest = [&self.format, &self.timezone, &self.on_error, &self.on_null];
        self.subject.reads_document() || rest.into_iter().flatten().any(Node::reads_document)
    }

    fn instead_of_null<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        match &self.on_null {
            Some(on_null) => on_null.evaluate(scope),
            None => Ok(Evaluated::of(Value::Null)),
        }
    }
}

/// `$dateToString`.
#[derive(Debug)]
struct DateToString(Operands);

const FORMAT_UTC: &str = "%Y-%m-%dT%H:%M:%S.%LZ";
const FORMAT_ZONED: &str = "%Y-%m-%dT%H:%M:%S.%L";

fn parse_to_string(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let faults = Faults {
        wrong: Wrong {
            not_object: Code::location(18_629),
            unknown: Code::location(18_534),
        },
        missing: Code::location(18_628),
        check_format,
    };
    let fields = ["date", "format", "timezone", "onNull"];
    let operands = Operands::parse(parser, name, argument, &fields, &faults)?;
    Ok(Node::Operation(Box::new(DateToString(operands))))
}

impl Operation for DateToString {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let operands = &self.0;
        let moment = operands.subject.evaluate(scope)?;
        let pattern = optional(operands.format.as_ref(), scope)?;
        let wrong = Code::location(18_533);
        let pattern = Format::of(pattern.as_ref(), "$dateToString", wrong, check_format)?;
        let timezone = optional(operands.timezone.as_ref(), scope)?;
        let zone = zone(timezone.as_ref())?;
        if moment.present().is_none() {
            return operands.instead_of_null(scope);
        }
        let Some(zone) = zone else {
            return Ok(Evaluated::of(Value::Null));
        };
        let pattern = match pattern {
            Format::Null => return Ok(Evaluated::of(Value::Null)),
            Format::Usual => usual_format(&zone),
            Format::Given(pattern) => pattern,
        };
        let Some(ms) = date(&moment)? else {
            return Ok(Evaluated::of(Value::Null));
        };
        Ok(Evaluated::of(format(ms, pattern, &zone)?))
    }

    fn fold(&mut self) -> Result<()> {
        self.0.fold()
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        self.0.all()
    }

    fn reads_document(&self) -> bool {
        self.0.reads_document()
    }
}

/// The value of an operand that may not be given.
fn optional<'e>(operand: Option<&'e Node>, scope: &Scope<'e>) -> Result<Option<Evaluated<'e>>> {
    operand.map(|operand| operand.evaluate(scope)).transpose()
}

/// MongoDB looks at a constant zone before there is any document.
fn check_constant_zone(timezone: Option<&Node>) -> Result<()> {
    match timezone {
        Some(Node::Constant(value)) => {
            let timezone = Evaluated::from(value.as_ref().map(Value::as_ref));
            zone(Some(&timezone)).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// The format that an operand asks for.
enum Format<'f> {
    /// It was not given.
    Usual,
    Null,
    Given(&'f str),
}

impl<'f> Format<'f> {
    /// Checked even where there is nothing to be written or read, as in MongoDB.
    fn of(
        operand: Option<&'f Evaluated<'_>>,
        name: &str,
        wrong: Code,
        check: fn(&str) -> calendar::Result<()>,
    ) -> Result<Format<'f>> {
        let Some(operand) = operand else {
            return Ok(Format::Usual);
        };
        match operand.present() {
            None => Ok(Format::Null),
            Some(ValueRef::String(pattern)) => {
                check(pattern)?;
                Ok(Format::Given(pattern))
            }
            Some(_) => Err(error(
                wrong,
                format!(
                    "{name} requires that 'format' be a string, found: {}",
                    type_name(operand)
                ),
            )),
        }
    }
}

fn usual_format(zone: &Zone) -> &'static str {
    match zone {
        Zone::Fixed(0) => FORMAT_UTC,
        _ => FORMAT_ZONED,
    }
}

/// `$dateFromString`.
#[derive(Debug)]
struct FromString(Operands);

fn parse_from_string(parser: &mut Parser<'_>, name: &str, argument: &Value) -> Result<Node> {
    let faults = Faults {
        wrong: Wrong {
            not_object: Code::location(40_540),
            unknown: Code::location(40_541),
        },
        missing: Code::location(40_542),
        check_format: check_read_format,
    };
    let fields = ["dateString", "format", "timezone", "onError", "onNull"];
    let operands = Operands::parse(parser, name, argument, &fields, &faults)?;
    Ok(Node::Operation(Box::new(FromString(operands))))
}

impl Operation for FromString {
    fn evaluate<'e>(&'e self, scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        let operands = &self.0;
        let text = operands.subject.evaluate(scope)?;
        let pattern = optional(operands.format.as_ref(), scope)?;
        let wrong = Code::location(40_684);
        let pattern = Format::of(pattern.as_ref(), "$dateFromString", wrong, check_read_format)?;
        let timezone = optional(operands.timezone.as_ref(), scope)?;
        let zone = zone(timezone.as_ref())?;
        let Some(present) = text.present() else {
            return operands.instead_of_null(scope);
        };
        let failure = match present {
            ValueRef::String(text) => {
                let pattern = match pattern {
                    Format::Null => return Ok(Evaluated::of(Value::Null)),
                    Format::Usual => None,
                    Format::Given(pattern) => Some(pattern),
                };
                let Some(zone) = &zone else {
                    return Ok(Evaluated::of(Value::Null));
                };
                match from_text(text, pattern, timezone.is_some().then_some(zone)) {
                    Ok(ms) => return Ok(Evaluated::Owned(Value::DateTime(ms))),
                    Err(failure) => failure,
                }
            }
            other => error(
                Code::CONVERSION_FAILURE,
                format!(
                    "$dateFromString requires that 'dateString' be a string, found: {}",
                    other.type_of().alias()
                ),
            ),
        };
        match &operands.on_error {
            Some(on_error) if failure.code == Code::CONVERSION_FAILURE => on_error.evaluate(scope),
            _ => Err(failure),
        }
    }

    fn fold(&mut self) -> Result<()> {
        self.0.fold()
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        self.0.all()
    }

    fn reads_document(&self) -> bool {
        self.0.reads_document()
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
            format!("Error parsing date string '{text}'; {why}"),
        )
    })
}
