//! `$inc` and `$mul`: the result has the wider of the two types, and an int that overflows becomes a long.

use super::{Context, Effect};
use language::expression::number::{Number, Pair};
use language::{Code, Error, Result};
use value::{Value, compare, shell};

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Multiply,
}

/// Checks that the operand is a number.
pub(super) fn operand(verb: &str, field: &str, operand: &Value) -> Result<Value> {
    if operand.as_ref().is_number() {
        return Ok(operand.clone());
    }
    Err(Error::type_mismatch(format!(
        "Cannot {verb} with non-numeric argument: {{{}}}",
        shell::field(field, operand.as_ref())
    )))
}

impl Arithmetic {
    fn name(self) -> &'static str {
        match self {
            Arithmetic::Add => "$inc",
            Arithmetic::Multiply => "$mul",
        }
    }

    pub(super) fn apply(
        self,
        present: &mut Value,
        by: &Value,
        field: &str,
        context: &Context<'_>,
    ) -> Result<Effect> {
        let (Some(a), Some(b)) = (Number::of(present.as_ref()), Number::of(by.as_ref())) else {
            return Err(self.non_numeric(present, field, context));
        };
        let result = match a.pair(b) {
            Pair::Ints(a, b) | Pair::Longs(a, b) => {
                let exact = match self {
                    Arithmetic::Add => a.checked_add(b),
                    Arithmetic::Multiply => a.checked_mul(b),
                };
                let exact = exact.ok_or_else(|| self.overflow(present, context))?;
                match (&*present, by) {
                    (Value::Int32(_), Value::Int32(_)) => Value::integer(exact),
                    _ => Value::Int64(exact),
                }
            }
            Pair::Doubles(..) | Pair::Decimals(..) => match self {
                Arithmetic::Add => a.add(b).into(),
                Arithmetic::Multiply => a.multiply(b).into(),
            },
        };
        // Equal by value is no change, whatever the sign of a zero or the digits of a decimal. As in arithmetic, and unlike in the order
        // of values, what is not a number equals nothing.
        let is_nan = Number::of(result.as_ref()).is_some_and(Number::is_nan);
        let is_same_type = result.type_of() == present.type_of();
        if !is_nan && is_same_type && compare(result.as_ref(), present.as_ref()).is_eq() {
            return Ok(Effect::Unchanged);
        }
        *present = result;
        Ok(Effect::Changed)
    }

    fn non_numeric(self, present: &Value, field: &str, context: &Context<'_>) -> Error {
        Error::new(
            Code::TYPE_MISMATCH,
            format!(
                "Cannot apply {} to a value of non-numeric type. {{{}}} has the field '{field}' of non-numeric type {}",
                self.name(),
                context.id_text(),
                present.type_of().alias()
            ),
        )
    }

    fn overflow(self, present: &Value, context: &Context<'_>) -> Error {
        let kind = if matches!(present, Value::Int32(_)) {
            "NumberInt"
        } else {
            "NumberLong"
        };
        let shown = shell::value(present.as_ref());
        Error::bad_value(format!(
            "Failed to apply {} operations to current value (({kind}){shown}) for document {{{}}}",
            self.name(),
            context.id_text()
        ))
    }
}
