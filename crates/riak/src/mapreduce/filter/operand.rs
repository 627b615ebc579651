//! What goes through a chain of filters.

use super::bad;
use crate::error::Result;
use serde_json::Value;
use std::borrow::Cow;
use std::cmp::Ordering;

/// A key, or what steps have made of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Text(Vec<u8>),
    Integer(i128),
    Float(f64),
    Bool(bool),
}

impl Operand {
    /// An argument as a client writes it.
    pub(super) fn read(argument: Option<&Value>) -> Result<Operand> {
        match argument {
            Some(Value::String(text)) => Ok(Operand::Text(text.clone().into_bytes())),
            Some(Value::Bool(value)) => Ok(Operand::Bool(*value)),
            Some(Value::Number(number)) => Ok(match (number.as_i128(), number.as_f64()) {
                (Some(integer), _) => Operand::Integer(integer),
                (None, float) => Operand::Float(float.unwrap_or_default()),
            }),
            Some(other) => Err(bad(format!("{other} is neither a text nor a number"))),
            None => Err(bad("an argument is missing")),
        }
    }

    /// Its text, as filters that take texts see it.
    pub(super) fn to_text(&self) -> Cow<'_, [u8]> {
        match self {
            Operand::Text(text) => Cow::Borrowed(text),
            Operand::Integer(number) => Cow::Owned(number.to_string().into_bytes()),
            Operand::Float(number) => Cow::Owned(float_text(*number)),
            Operand::Bool(value) => Cow::Owned(value.to_string().into_bytes()),
        }
    }

    /// Erlang's order: numbers, then truth values, then texts.
    pub(super) fn compare(&self, other: &Operand) -> Ordering {
        let rank = |operand: &Operand| match operand {
            Operand::Integer(_) | Operand::Float(_) => 0,
            Operand::Bool(_) => 1,
            Operand::Text(_) => 2,
        };
        match (self, other) {
            (Operand::Text(one), Operand::Text(other)) => one.cmp(other),
            (Operand::Integer(one), Operand::Integer(other)) => one.cmp(other),
            (Operand::Bool(one), Operand::Bool(other)) => one.cmp(other),
            _ => match (self.number(), other.number()) {
                (Some(one), Some(other)) => one.total_cmp(&other),
                _ => rank(self).cmp(&rank(other)),
            },
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Operand::Integer(number) => Some(*number as f64),
            Operand::Float(number) => Some(*number),
            _ => None,
        }
    }
}

/// As Erlang writes floats: `1.50000000000000000000e+00`.
fn float_text(number: f64) -> Vec<u8> {
    let text = format!("{number:.20e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}").into_bytes()
}
