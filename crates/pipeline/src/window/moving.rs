//! Functions that run through a partition from its beginning: `$expMovingAvg $locf $linearFill`.

use super::partition::Partition;
use super::slope::divide;
use crate::{Code, QueryError, Result};
use language::expression::number::Number;
use language::expression::{Expression, Variables};
use value::{Decimal128, Value, ValueRef};

/// `$expMovingAvg`: an average in which older values weigh less. As in MongoDB it is computed in decimals, and is
/// a double unless one of the values is a decimal.
#[derive(Clone, Debug)]
pub(super) struct Smoothing {
    pub(super) input: Expression,
    /// The weight of the newest value.
    pub(super) weight: Decimal128,
}

impl Smoothing {
    pub(super) fn apply(&self, partition: &Partition, variables: &Variables) -> Result<Vec<Option<Value>>> {
        let (mut average, mut is_decimal): (Option<Decimal128>, bool) = (None, false);
        let values = partition.evaluate(&self.input, variables)?;
        let averages = values.into_iter().map(|value| {
            // What is no number changes nothing.
            if let Some(number) = value.as_ref().map(Value::as_ref).and_then(Number::of) {
                is_decimal |= matches!(number, Number::Decimal(_));
                let number = number.to_decimal();
                average = Some(average.map_or(number, |average| self.weighed(number, average)));
            }
            Some(match average {
                None => Value::Null,
                Some(average) if is_decimal => Value::Decimal128(average),
                Some(average) => Value::Double(average.to_f64()),
            })
        });
        Ok(averages.collect())
    }

    fn weighed(&self, number: Decimal128, average: Decimal128) -> Decimal128 {
        let rest = Decimal128::from(1).subtract(self.weight);
        number.multiply(self.weight).add(average.multiply(rest))
    }
}

/// Values for documents that have none.
#[derive(Clone, Debug)]
pub(super) enum Filling {
    /// `$locf`: the last value before.
    LastObserved(Expression),
    /// `$linearFill`: a value on the line between those around it.
    Linear(Expression),
}

impl Filling {
    pub(super) fn apply(&self, partition: &Partition, variables: &Variables) -> Result<Vec<Option<Value>>> {
        match self {
            Filling::LastObserved(input) => {
                let mut last = Value::Null;
                let values = partition.evaluate(input, variables)?.into_iter();
                let filled = values.map(|value| {
                    if let Some(value) = value.filter(|value| !is_nullish(value)) {
                        last = value;
                    }
                    Some(last.clone())
                });
                Ok(filled.collect())
            }
            Filling::Linear(input) => {
                fill_lines(&partition.evaluate(input, variables)?, partition.sort_values())
            }
        }
    }
}

fn is_nullish(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Undefined)
}

fn fill_lines(values: &[Option<Value>], axis: &[Value]) -> Result<Vec<Option<Value>>> {
    let mut filled: Vec<Option<Value>> = vec![Some(Value::Null); values.len()];
    let mut before: Option<(usize, Number)> = None;
    for (at, (value, sort_value)) in values.iter().zip(axis).enumerate() {
        let present = value.as_ref().filter(|value| !is_nullish(value));
        let height = present.map(height).transpose()?;
        check_place(sort_value, at.checked_sub(1).and_then(|last| axis.get(last)))?;
        let Some(height) = height else { continue };
        if let Some((first, first_height)) = before {
            let (start, end) = ((&axis[first], first_height), (sort_value, height));
            for between in first + 1..at {
                filled[between] = Some(interpolated(start, end, &axis[between])?.into());
            }
        }
        filled[at] = present.cloned();
        before = Some((at, height));
    }
    Ok(filled)
}

fn height(value: &Value) -> Result<Number> {
    Number::of(value.as_ref()).ok_or_else(|| {
        QueryError::type_mismatch(format!(
            "Value to be filled must be numeric or nullish, but found {}",
            value.type_of().alias()
        ))
    })
}

/// Whether MongoDB takes the value for a date (`Value::coercibleToDate`), though it only reckons with dates.
fn passes_for_date(value: &Value) -> bool {
    matches!(
        value,
        Value::DateTime(_) | Value::Timestamp(_) | Value::ObjectId(_)
    )
}

/// Fails unless a sort value differs from the last one and is of the same kind.
fn check_place(value: &Value, last: Option<&Value>) -> Result<()> {
    if !passes_for_date(value) && Number::of(value.as_ref()).is_none() {
        return Err(QueryError::type_mismatch(format!(
            "Value of the sortBy field must be numeric or a date, but found {}",
            value.type_of().alias()
        )));
    }
    let Some(last) = last else { return Ok(()) };
    if value::compare(value.as_ref(), last.as_ref()).is_eq() {
        return Err(QueryError::new(
            Code::location(6_050_106),
            "There can be no repeated values in the sort field in the same partition",
        ));
    }
    match passes_for_date(value) == passes_for_date(last) {
        true => Ok(()),
        false => Err(QueryError::type_mismatch(format!(
            "Conflicting sort value types, previously received type {}, but found {}",
            last.type_of().alias(),
            value.type_of().alias()
        ))),
    }
}

/// The distance between two sort values, both of which are numbers or dates.
fn distance(from: &Value, to: &Value) -> Result<Number> {
    let place = |value: &Value| match value.as_ref() {
        ValueRef::DateTime(ms) => Some(Number::Long(ms)),
        other => Number::of(other),
    };
    match (place(from), place(to)) {
        (Some(from), Some(to)) => Ok(to.subtract(from)),
        _ => Err(QueryError::type_mismatch(format!(
            "can't $subtract {} from {}",
            from.type_of().alias(),
            to.type_of().alias()
        ))),
    }
}

/// The height at `x` on the line through two points.
fn interpolated((x1, y1): (&Value, Number), (x2, y2): (&Value, Number), x: &Value) -> Result<Number> {
    let slope = divide(y2.subtract(y1), distance(x1, x2)?);
    Ok(y1.add(distance(x1, x)?.multiply(slope)))
}
