//! The update operators: each parsed once from its operand, then applied to a value or where no value is.

mod add_to_set;
mod arithmetic;
mod bit;
mod current_date;
mod pop;
mod pull;
mod push;

use crate::context::Context;
use crate::growth::value_bytes;
use arithmetic::Arithmetic;
use language::filter::FilterScope;
use language::{Error, Result};
use std::cmp::Ordering;
use value::Value;
use value::collation::compare_in;

/// As many values are compared with each element one by one; more are looked up in a set, since the elements may be a million.
const COMPARED_MAX: usize = 32;

/// What an operator does to the value at its path.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    Set(Value),
    SetOnInsert(Value),
    Unset,
    Increment(Value),
    Multiply(Value),
    Min(Value),
    Max(Value),
    CurrentDate(current_date::Clock),
    Push(push::Push),
    AddToSet(Vec<Value>),
    Pop(pop::End),
    Pull(pull::Pull),
    Bit(Vec<bit::Step>),
    /// The value that the rename of this number found at its source.
    Renamed(usize),
}

/// What became of an existing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Unchanged,
    Changed,
    /// To be taken out of its document (in an array: to become null).
    Removed,
}

/// What to do where the path ends in nothing.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// Make the path, with this value at its end.
    Create(Value),
    /// Nothing, but the path must be one that could be made.
    CheckPath,
    /// Nothing.
    Ignore,
}

/// The operator of this name; none for `$rename`, which has two paths, and for unknown names.
pub(crate) fn parse(
    name: &str,
    field: &str,
    operand: &Value,
    scope: &FilterScope<'_>,
) -> Result<Option<Operator>> {
    let collation = scope.variables.and_then(|variables| variables.collation());
    Ok(Some(match name {
        "$set" => Operator::Set(operand.clone()),
        "$setOnInsert" => Operator::SetOnInsert(operand.clone()),
        "$unset" => Operator::Unset,
        "$inc" => Operator::Increment(arithmetic::operand("increment", field, operand)?),
        "$mul" => Operator::Multiply(arithmetic::operand("multiply", field, operand)?),
        "$min" => Operator::Min(operand.clone()),
        "$max" => Operator::Max(operand.clone()),
        "$currentDate" => Operator::CurrentDate(current_date::parse(operand)?),
        "$push" => Operator::Push(push::parse(operand)?),
        "$addToSet" => Operator::AddToSet(add_to_set::parse(operand, collation)?),
        "$pop" => Operator::Pop(pop::parse(field, operand)?),
        "$pull" => Operator::Pull(pull::parse(operand, scope)?),
        "$pullAll" => Operator::Pull(pull::parse_all(operand, collation)?),
        "$bit" => Operator::Bit(bit::parse(field, operand)?),
        _ => return Ok(None),
    }))
}

impl Operator {
    /// Applies the operator to a value that is there; `field` is its name, for messages.
    pub(crate) fn on_present(
        &self,
        present: &mut Value,
        field: &str,
        context: &Context<'_>,
    ) -> Result<Effect> {
        match self {
            Operator::Set(wanted) => Ok(replace_if_other(present, wanted)),
            Operator::SetOnInsert(_) if !context.is_insert => Ok(Effect::Unchanged),
            Operator::SetOnInsert(wanted) => Ok(replace_if_other(present, wanted)),
            Operator::Unset => Ok(Effect::Removed),
            Operator::Increment(by) => Arithmetic::Add.apply(present, by, field, context),
            Operator::Multiply(by) => Arithmetic::Multiply.apply(present, by, field, context),
            Operator::Min(bound) => Ok(replace_if_ordered(present, bound, Ordering::Less, context)),
            Operator::Max(bound) => Ok(replace_if_ordered(present, bound, Ordering::Greater, context)),
            Operator::CurrentDate(clock) => {
                *present = clock.value(context.variables.now_ms()?);
                Ok(Effect::Changed)
            }
            Operator::Push(push) => push.apply(present, field, context),
            Operator::AddToSet(values) => {
                add_to_set::apply(values, present, field, context.variables.collation())
            }
            Operator::Pop(end) => end.apply(present, context),
            Operator::Pull(pull) => pull.apply(present),
            Operator::Bit(steps) => bit::apply(steps, present, field, context),
            Operator::Renamed(number) => match context.renamed_value(*number) {
                Some(found) => {
                    *present = found.clone();
                    Ok(Effect::Changed)
                }
                None => Ok(Effect::Unchanged),
            },
        }
    }

    /// The bytes at least that this operator put into a value that it changed.
    pub(crate) fn put_bytes(&self, changed: &Value) -> usize {
        match self {
            Operator::Push(push) => push.put_bytes(changed),
            Operator::Unset
            | Operator::Increment(_)
            | Operator::Multiply(_)
            | Operator::CurrentDate(_)
            | Operator::Pop(_)
            | Operator::Pull(_)
            | Operator::Bit(_) => 0,
            Operator::Set(_)
            | Operator::SetOnInsert(_)
            | Operator::Min(_)
            | Operator::Max(_)
            | Operator::AddToSet(_)
            | Operator::Renamed(_) => value_bytes(changed),
        }
    }

    /// What the operator does where there is no value.
    pub(crate) fn on_missing(&self, context: &Context<'_>) -> Result<Missing> {
        Ok(match self {
            Operator::Set(value)
            | Operator::Min(value)
            | Operator::Max(value)
            | Operator::Increment(value) => Missing::Create(value.clone()),
            Operator::SetOnInsert(value) if context.is_insert => Missing::Create(value.clone()),
            Operator::SetOnInsert(_) | Operator::Unset => Missing::Ignore,
            Operator::Multiply(by) => {
                let mut zero = Value::Int32(0);
                Arithmetic::Multiply.apply(&mut zero, by, "", context)?;
                Missing::Create(zero)
            }
            Operator::CurrentDate(clock) => Missing::Create(clock.value(context.variables.now_ms()?)),
            Operator::Push(push) => Missing::Create(push.fresh(context.variables.collation())?),
            Operator::AddToSet(values) => {
                let mut set = Value::Array(Vec::new());
                add_to_set::apply(values, &mut set, "", context.variables.collation())?;
                Missing::Create(set)
            }
            Operator::Pop(_) | Operator::Pull(_) => Missing::CheckPath,
            Operator::Bit(steps) => {
                let mut zero = Value::Int32(0);
                bit::apply(steps, &mut zero, "", context)?;
                Missing::Create(zero)
            }
            Operator::Renamed(number) => match context.renamed_value(*number) {
                Some(found) => Missing::Create(found.clone()),
                None => Missing::Ignore,
            },
        })
    }
}

/// Same bytes are no change; the same number in another type is one.
fn replace_if_other(present: &mut Value, wanted: &Value) -> Effect {
    if present == wanted {
        return Effect::Unchanged;
    }
    *present = wanted.clone();
    Effect::Changed
}

/// Takes the bound where it stands in this order to the present value.
fn replace_if_ordered(present: &mut Value, bound: &Value, wanted: Ordering, context: &Context<'_>) -> Effect {
    if compare_in(context.variables.collation(), bound.as_ref(), present.as_ref()) != wanted {
        return Effect::Unchanged;
    }
    *present = bound.clone();
    Effect::Changed
}

/// The whole number that this is, or why it is none, in the words of MongoDB's update parsers.
fn whole_number(operand: &Value) -> Option<i64> {
    match operand {
        Value::Int32(number) => Some(i64::from(*number)),
        Value::Int64(number) => Some(*number),
        Value::Double(number) if number.fract() == 0.0 && number.abs() < 9.3e18 => Some(*number as i64),
        Value::Decimal128(_) => {
            let number = language::expression::number::Number::of(operand.as_ref())?;
            number.to_i64()
        }
        _ => None,
    }
}

fn not_array(operator: &str, field: &str, present: &Value) -> Error {
    Error::bad_value(format!(
        "Cannot apply {operator} to non-array field. Field named '{field}' has non-array type {}",
        present.type_of().alias()
    ))
}
