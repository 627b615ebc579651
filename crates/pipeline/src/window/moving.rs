//! Functions that go through a partition from its beginning: `$expMovingAvg $locf $linearFill`.

use super::partition::Partition;
use super::slope::divide;
use crate::{Code, QueryError, Result};
use language::expression::number::Number;
use language::expression::{Expression, Variables};
use value::{Decimal128, Value, ValueRef};

/// `$expMovingAvg`: an average in which what lies further back weighs less. As in MongoDB it is computed in decimals, and is
/// a double unless a decimal came.
#[derive(Clone, Debug)]
pub(super) struct Smoothing {
    pub(super) input: Expression,
    /// What the newest value weighs.
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
    /// `$locf`: the last one that was there.
    LastObserved(Expression),
    /// `$linearFill`: on the line between those around it.
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
    let mut places: Vec<Number> = Vec::with_capacity(values.len());
    let mut before: Option<(usize, Number)> = None;
    for (at, (value, sort_value)) in values.iter().zip(axis).enumerate() {
        let present = value.as_ref().filter(|value| !is_nullish(value));
        let height = present.map(height).transpose()?;
        places.push(place(
            sort_value,
            at.checked_sub(1).and_then(|last| axis.get(last)),
        )?);
        let Some(height) = height else { continue };
        if let Some((first, first_height)) = before {
            for between in first + 1..at {
                let line = interpolated(
                    (places[first], first_height),
                    (places[at], height),
                    places[between],
                );
                filled[between] = Some(line.into());
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

/// The place on the axis of a value that is sorted by, which must be another than the last one's and of its kind.
fn place(value: &Value, last: Option<&Value>) -> Result<Number> {
    let place = match value.as_ref() {
        ValueRef::DateTime(ms) => Some(Number::Long(ms)),
        other => Number::of(other),
    };
    let place = place.ok_or_else(|| {
        QueryError::type_mismatch(format!(
            "Value of the sortBy field must be numeric or a date, but found {}",
            value.type_of().alias()
        ))
    })?;
    let Some(last) = last else { return Ok(place) };
    if value::compare(value.as_ref(), last.as_ref()).is_eq() {
        return Err(QueryError::new(
            Code::location(6_050_106),
            "There can be no repeated values in the sort field",
        ));
    }
    let is_date = |value: &Value| matches!(value, Value::DateTime(_));
    match is_date(value) == is_date(last) {
        true => Ok(place),
        false => Err(QueryError::type_mismatch(format!(
            "Conflicting sort value types, previously received type {}, but found {}",
            last.type_of().alias(),
            value.type_of().alias()
        ))),
    }
}

/// The height at `x` on the line through two points.
fn interpolated((x1, y1): (Number, Number), (x2, y2): (Number, Number), x: Number) -> Number {
    let slope = divide(y2.subtract(y1), x2.subtract(x1));
    y1.add(x.subtract(x1).multiply(slope))
}
