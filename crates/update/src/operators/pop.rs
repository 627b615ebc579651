//! `$pop`.

use super::{Context, Effect, whole_number};
use language::{Error, Result};
use value::{Value, shell};

/// Which element is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    First,
    Last,
}

pub(super) fn parse(field: &str, operand: &Value) -> Result<End> {
    let shown = || shell::field(field, operand.as_ref());
    if !operand.as_ref().is_number() {
        return Err(Error::failed_to_parse(format!(
            "Expected a number in: {}",
            shown()
        )));
    }
    match whole_number(operand) {
        Some(1) => Ok(End::Last),
        Some(-1) => Ok(End::First),
        Some(other) => Err(Error::failed_to_parse(format!(
            "$pop expects 1 or -1, found: {other}"
        ))),
        None => Err(Error::failed_to_parse(format!(
            "Expected an integer: {}",
            shown()
        ))),
    }
}

impl End {
    pub(super) fn apply(self, present: &mut Value, context: &Context<'_>) -> Result<Effect> {
        let Value::Array(elements) = present else {
            return Err(Error::type_mismatch(format!(
                "Path '{}' contains an element of non-array type '{}'",
                context.path_text(),
                present.type_of().alias()
            )));
        };
        if elements.is_empty() {
            return Ok(Effect::Unchanged);
        }
        match self {
            End::First => drop(elements.remove(0)),
            End::Last => drop(elements.pop()),
        }
        Ok(Effect::Changed)
    }
}
