//! `convert`: another type for a value.

use crate::context::Context;
use crate::error::{PipelineError, Result, failed};
use crate::options::{self, Options};
use crate::template::shown;
use std::net::IpAddr;
use value::Value;

/// A type that values are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Integer,
    Long,
    Float,
    Double,
    Boolean,
    String,
    Ip,
    Auto,
}

impl Type {
    pub(crate) fn named(name: &str) -> Option<Type> {
        Some(match name.to_ascii_lowercase().as_str() {
            "integer" | "int" => Type::Integer,
            "long" => Type::Long,
            "float" => Type::Float,
            "double" => Type::Double,
            "boolean" => Type::Boolean,
            "string" => Type::String,
            "ip" => Type::Ip,
            "auto" => Type::Auto,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Type::Integer => "integer",
            Type::Long => "long",
            Type::Float => "float",
            Type::Double => "double",
            Type::Boolean => "boolean",
            Type::String => "string",
            Type::Ip => "ip",
            Type::Auto => "auto",
        }
    }

    /// A value of this type.
    pub(crate) fn of(self, value: &Value) -> Result<Value> {
        let text = shown(value);
        let wrong = || match self {
            Type::Boolean => failed(format!(
                "[{text}] is not a boolean value, cannot convert to boolean"
            )),
            Type::Ip => failed(format!("'{text}' is not an IP string literal.")),
            _ => failed(format!("unable to convert [{text}] to {}", self.name())),
        };
        match self {
            Type::Integer | Type::Long => match (integer(&text), self) {
                (Some(int), Type::Integer) if i32::try_from(int).is_err() => wrong(),
                (Some(int), _) => Ok(Value::integer(int)),
                (None, _) => wrong(),
            },
            Type::Float | Type::Double => match text.trim().parse::<f64>() {
                Ok(double) if double.is_finite() => Ok(Value::Double(double)),
                _ => wrong(),
            },
            Type::Boolean if text.eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
            Type::Boolean if text.eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
            Type::Boolean => wrong(),
            Type::String => Ok(Value::from(text)),
            Type::Ip if text.parse::<IpAddr>().is_ok() => Ok(Value::from(text)),
            Type::Ip => wrong(),
            Type::Auto => Ok(match value {
                Value::String(_) => automatic(&text),
                other => other.clone(),
            }),
        }
    }
}

fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16)
            .ok()
            .and_then(|int| int.checked_mul(sign)),
        None => text.parse().ok(),
    }
}

fn automatic(text: &str) -> Value {
    for kind in [Type::Boolean, Type::Integer, Type::Long, Type::Double] {
        if let Ok(value) = kind.of(&Value::from(text)) {
            return value;
        }
    }
    Value::from(text)
}

/// The processor.
#[derive(Debug)]
pub(crate) struct Convert {
    field: String,
    target: Option<String>,
    kind: Type,
    ignores_missing: bool,
}

impl Convert {
    pub(super) fn parse(options: &mut Options) -> options::Result<Convert> {
        let kind = options.text("type")?;
        let unknown = || {
            PipelineError::of(
                "type",
                format!("type [{kind}] not supported, cannot convert field."),
            )
        };
        Ok(Convert {
            field: options.text("field")?,
            target: options.optional_text("target_field")?,
            kind: Type::named(&kind).ok_or_else(unknown)?,
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let found = match context.get(&self.field) {
            None | Some(Value::Null) if self.ignores_missing => return Ok(()),
            Some(Value::Null) => {
                return failed(format!(
                    "Field [{}] is null, cannot be converted to type [{}]",
                    self.field,
                    self.kind.name()
                ));
            }
            Some(value) => value,
            None => context.required(&self.field)?,
        };
        let made = match &found {
            Value::Array(list) => {
                let made: Result<Vec<Value>> = list.iter().map(|one| self.kind.of(one)).collect();
                Value::Array(made?)
            }
            one => self.kind.of(one)?,
        };
        context.set(self.target.as_deref().unwrap_or(&self.field), made)
    }
}
