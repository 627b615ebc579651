//! `$bit`.

use super::{Context, Effect};
use language::{Error, Result};
use value::{Value, shell};

/// One operation with its operand.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    kind: Kind,
    operand: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    And,
    Or,
    Xor,
}

pub(super) fn parse(field: &str, operand: &Value) -> Result<Vec<Step>> {
    let Value::Document(operations) = operand else {
        return Err(Error::bad_value(format!(
            "The $bit modifier is not compatible with a {}. You must pass in an embedded document: {{$bit: {{field: \
             {{and/or/xor: #}}}}}}",
            operand.type_of().alias()
        )));
    };
    if operations.is_empty() {
        return Err(Error::bad_value(format!(
            "You must pass in at least one bitwise operation. The format is: {{$bit: {{field: {{and/or/xor: #}}}}}} \
             but was given {{{}}}",
            shell::field(field, operand.as_ref())
        )));
    }
    operations.iter().map(|(name, value)| step(name, value)).collect()
}

fn step(name: &str, value: &Value) -> Result<Step> {
    let kind = match name {
        "and" => Kind::And,
        "or" => Kind::Or,
        "xor" => Kind::Xor,
        _ => {
            return Err(Error::bad_value(format!(
                "The $bit modifier only supports 'and', 'or', and 'xor', not '{name}' which is an unknown operator: \
                 {{{}}}",
                shell::field(name, value.as_ref())
            )));
        }
    };
    if !matches!(value, Value::Int32(_) | Value::Int64(_)) {
        return Err(Error::bad_value(format!(
            "The $bit modifier field must be an Integer(32/64 bit); a '{}' is not supported here: {{{}}}",
            value.type_of().alias(),
            shell::field(name, value.as_ref())
        )));
    }
    Ok(Step {
        kind,
        operand: value.clone(),
    })
}

pub(super) fn apply(
    steps: &[Step],
    present: &mut Value,
    field: &str,
    context: &Context<'_>,
) -> Result<Effect> {
    let mut result = present.clone();
    for step in steps {
        result = step.apply(&result).ok_or_else(|| {
            Error::bad_value(format!(
                "Cannot apply $bit to a value of non-integral type.{{{}}} has the field {field} of non-integer type {}",
                context.id_text(),
                present.type_of().alias()
            ))
        })?;
    }
    if result == *present {
        return Ok(Effect::Unchanged);
    }
    *present = result;
    Ok(Effect::Changed)
}

impl Step {
    /// `None` if the value is no integer. A long on either side makes the result a long.
    fn apply(&self, present: &Value) -> Option<Value> {
        if let (Value::Int32(a), Value::Int32(b)) = (present, &self.operand) {
            return Some(Value::Int32(match self.kind {
                Kind::And => a & b,
                Kind::Or => a | b,
                Kind::Xor => a ^ b,
            }));
        }
        let (a, b) = (long(present)?, long(&self.operand)?);
        Some(Value::Int64(match self.kind {
            Kind::And => a & b,
            Kind::Or => a | b,
            Kind::Xor => a ^ b,
        }))
    }
}

fn long(value: &Value) -> Option<i64> {
    match value {
        Value::Int32(number) => Some(i64::from(*number)),
        Value::Int64(number) => Some(*number),
        _ => None,
    }
}
