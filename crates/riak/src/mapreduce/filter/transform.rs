//! Steps that make something else of a key.

use super::bad;
use super::operand::Operand;
use crate::error::Result;
use crate::names::unescaped;
use serde_json::Value;

#[derive(Clone, Debug)]
pub(super) enum Transform {
    IntToString,
    StringToInt,
    FloatToString,
    StringToFloat,
    ToUpper,
    ToLower,
    UrlDecode,
    /// The part of this number, from 1, between bytes that separate.
    Tokenize(Vec<u8>, usize),
}

impl Transform {
    /// The step of a name; `None` if that is no transformation.
    pub(super) fn read(name: &str, arguments: &[Value]) -> Result<Option<Transform>> {
        Ok(Some(match name {
            "int_to_string" => Transform::IntToString,
            "string_to_int" => Transform::StringToInt,
            "float_to_string" => Transform::FloatToString,
            "string_to_float" => Transform::StringToFloat,
            "to_upper" => Transform::ToUpper,
            "to_lower" => Transform::ToLower,
            "urldecode" => Transform::UrlDecode,
            "tokenize" => {
                let separators = Operand::read(arguments.first())?.to_text().into_owned();
                let number = arguments
                    .get(1)
                    .and_then(Value::as_u64)
                    .filter(|&number| number > 0);
                let number = number.ok_or_else(|| bad("tokenize wants separators and a number from 1"))?;
                Transform::Tokenize(separators, number as usize)
            }
            _ => return Ok(None),
        }))
    }

    /// What it makes of an operand, if it can take it.
    pub(super) fn apply(&self, operand: Operand) -> Option<Operand> {
        let text_of = |operand: &Operand| String::from_utf8(operand.to_text().into_owned()).ok();
        Some(match (self, operand) {
            (Transform::IntToString, operand @ Operand::Integer(_))
            | (Transform::FloatToString, operand @ Operand::Float(_)) => {
                Operand::Text(operand.to_text().into_owned())
            }
            (Transform::IntToString | Transform::FloatToString, _) => return None,
            (Transform::StringToInt, operand) => Operand::Integer(text_of(&operand)?.parse().ok()?),
            (Transform::StringToFloat, operand) => {
                let number: f64 = text_of(&operand)?.parse().ok()?;
                Operand::Float(Some(number).filter(|number| number.is_finite())?)
            }
            (Transform::ToUpper, operand) => Operand::Text(operand.to_text().to_ascii_uppercase()),
            (Transform::ToLower, operand) => Operand::Text(operand.to_text().to_ascii_lowercase()),
            (Transform::UrlDecode, operand) => Operand::Text(url_decoded(&operand.to_text())),
            (Transform::Tokenize(separators, number), operand) => {
                let text = operand.to_text();
                let mut tokens = text
                    .split(|byte| separators.contains(byte))
                    .filter(|token| !token.is_empty());
                Operand::Text(tokens.nth(number - 1)?.to_vec())
            }
        })
    }
}

/// Decodes a text as in a query, where `+` is a space.
fn url_decoded(text: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> = text
        .iter()
        .map(|&byte| if byte == b'+' { b' ' } else { byte })
        .collect();
    unescaped(&String::from_utf8_lossy(&spaced))
}
