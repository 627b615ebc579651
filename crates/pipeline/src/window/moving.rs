//! Functions that go through a partition from its beginning: `$expMovingAvg $locf $linearFill`.

use super::partition::Partition;
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
    let places = axis.iter().map(place).collect::<Result<Vec<Number>>>()?;
    for pair in axis.windows(2) {
        if let [a, b] = pair {
            if a.type_of() == value::Type::DateTime && b.type_of() != value::Type::DateTime {
                return Err(QueryError::new(
                    Code::location(6_050_202),
                    "$linearFill requires the sortBy field to be of one kind: numbers or dates",
                ));
            }
            if value::compare(a.as_ref(), b.as_ref()).is_eq() {
                return Err(QueryError::new(
                    Code::location(6_050_106),
                    "There can be no repeated values in the sort field",
                ));
            }
        }
    }
    let mut filled: Vec<Option<Value>> = vec![Some(Value::Null); values.len()];
    let mut before: Option<(usize, Number)> = None;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value.as_ref().filter(|value| !is_nullish(value)) else {
            continue;
        };
        let height = Number::of(value.as_ref()).ok_or_else(|| {
            QueryError::new(
                Code::location(6_050_201),
                format!(
                    "Value to be filled must be numeric or nullish, but found {}",
                    value.type_of().alias()
                ),
            )
        })?;
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
        filled[at] = Some(value.clone());
        before = Some((at, height));
    }
    Ok(filled)
}

fn place(value: &Value) -> Result<Number> {
    match value.as_ref() {
        ValueRef::DateTime(ms) => Ok(Number::Long(ms)),
        other => Number::of(other).ok_or_else(|| {
            QueryError::new(
                Code::location(6_050_202),
                format!(
                    "$linearFill requires the sortBy field to be numeric or a Date, but found {}",
                    value.type_of().alias()
                ),
            )
        }),
    }
}

/// The height at `x` on the line through two points.
fn interpolated((x1, y1): (Number, Number), (x2, y2): (Number, Number), x: Number) -> Number {
    let decimal = [x1, y1, x2, y2, x]
        .iter()
        .any(|n| matches!(n, Number::Decimal(_)));
    let rise = y2.subtract(y1).multiply(x.subtract(x1));
    let run = x2.subtract(x1);
    let share = match decimal {
        true => Number::Decimal(rise.to_decimal().divide(run.to_decimal())),
        false => Number::Double(rise.to_f64() / run.to_f64()),
    };
    y1.add(share)
}
