//! `$derivative` and `$integral`: change and area over the value that is sorted by.

use super::frame::Frame;
use super::partition::Partition;
use crate::{Code, QueryError, Result};
use language::expression::date::Unit;
use language::expression::number::Number;
use language::expression::{Expression, Variables};
use value::{Value, ValueRef};

/// `$derivative`: the mean rate of change from the first to the last document of the frame.
#[derive(Clone, Debug)]
pub(super) struct Derivative {
    pub(super) input: Expression,
    pub(super) unit: Option<Unit>,
}

/// `$integral`: the area under the values, by trapezoids.
#[derive(Clone, Debug)]
pub(super) struct Integral {
    pub(super) input: Expression,
    pub(super) unit: Option<Unit>,
}

/// The codes of MongoDB's errors for one of the functions.
struct Codes {
    not_a_date: Code,
    not_a_number: Code,
    not_numeric_input: Code,
}

const DERIVATIVE: Codes = Codes {
    not_a_date: Code::location(5_624_900),
    not_a_number: Code::location(5_624_901),
    not_numeric_input: Code::location(5_624_903),
};

const INTEGRAL: Codes = Codes {
    not_a_date: Code::location(5_423_901),
    not_a_number: Code::location(5_423_902),
    not_numeric_input: Code::location(5_423_900),
};

/// The place of a document on the axis: a number, or a date in milliseconds.
fn axis(name: &str, value: &Value, unit: Option<Unit>, codes: &Codes) -> Result<Number> {
    match (value.as_ref(), unit) {
        (ValueRef::DateTime(ms), Some(_)) => Ok(Number::Long(ms)),
        (_, Some(_)) => Err(QueryError::new(
            codes.not_a_date,
            format!("{name} with unit expects the sortBy field to be a Date"),
        )),
        (ValueRef::DateTime(_), None) => Err(QueryError::new(
            codes.not_a_number,
            format!("{name} where the sortBy is a Date requires a 'unit'"),
        )),
        (value, None) => Number::of(value).ok_or_else(|| {
            QueryError::new(
                codes.not_a_number,
                format!("{name} requires the sortBy field to be a number"),
            )
        }),
    }
}

fn input(name: &str, value: Option<&Value>, codes: &Codes) -> Result<Option<Number>> {
    match value.map(Value::as_ref) {
        None | Some(ValueRef::Null | ValueRef::Undefined) => Ok(None),
        Some(value) => match Number::of(value) {
            Some(number) => Ok(Some(number)),
            None => Err(QueryError::new(
                codes.not_numeric_input,
                format!(
                    "{name} input must be a number, but found {}",
                    value.type_of().alias()
                ),
            )),
        },
    }
}

/// The milliseconds of a unit, all of which have the same here.
pub(super) fn unit_milliseconds(unit: Unit) -> Option<i64> {
    Some(match unit {
        Unit::Millisecond => 1,
        Unit::Second => 1_000,
        Unit::Minute => 60_000,
        Unit::Hour => 3_600_000,
        Unit::Day => 86_400_000,
        Unit::Week => 604_800_000,
        Unit::Month | Unit::Quarter | Unit::Year => return None,
    })
}

fn divide(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Decimal(_), _) | (_, Number::Decimal(_)) => {
            Number::Decimal(a.to_decimal().divide(b.to_decimal()))
        }
        _ => Number::Double(a.to_f64() / b.to_f64()),
    }
}

/// A quantity per millisecond in the unit that was asked for.
fn unit_number(unit: Option<Unit>) -> Option<Number> {
    unit.and_then(unit_milliseconds).map(Number::Long)
}

impl Derivative {
    pub(super) fn apply(
        &self,
        partition: &Partition,
        frame: &Frame,
        variables: &Variables,
    ) -> Result<Vec<Option<Value>>> {
        let name = "$derivative";
        let values = partition.evaluate(&self.input, variables)?;
        let mut results = Vec::with_capacity(values.len());
        for range in frame.of_all(partition)? {
            if range.len() < 2 {
                results.push(Some(Value::Null));
                continue;
            }
            let (first, last) = (range.start, range.end - 1);
            let at = |place: usize| axis(name, &partition.sort_values()[place], self.unit, &DERIVATIVE);
            let run = at(last)?.subtract(at(first)?);
            let (low, high) = (
                input(name, values[first].as_ref(), &DERIVATIVE)?,
                input(name, values[last].as_ref(), &DERIVATIVE)?,
            );
            let (Some(low), Some(high)) = (low, high) else {
                results.push(Some(Value::Null));
                continue;
            };
            if run.is_zero() {
                results.push(Some(Value::Null));
                continue;
            }
            let run = match unit_number(self.unit) {
                Some(length) => divide(run, length),
                None => run,
            };
            results.push(Some(divide(high.subtract(low), run).into()));
        }
        Ok(results)
    }
}

impl Integral {
    pub(super) fn apply(
        &self,
        partition: &Partition,
        frame: &Frame,
        variables: &Variables,
    ) -> Result<Vec<Option<Value>>> {
        let areas = self.areas(partition, variables)?;
        let mut results = Vec::with_capacity(areas.len());
        let mut known: Option<(std::ops::Range<usize>, Value)> = None;
        for range in frame.of_all(partition)? {
            let value = match &known {
                Some((same, value)) if *same == range => value.clone(),
                // What was there is only added to, as long as the frame grows.
                Some((before, value)) if before.start == range.start && before.end < range.end => {
                    let sum = Number::of(value.as_ref()).unwrap_or(Number::Int(0));
                    let from = before.end.max(range.start + 1);
                    areas[from..range.end]
                        .iter()
                        .fold(sum, |sum, area| sum.add(*area))
                        .into()
                }
                _ if range.is_empty() => Value::Null,
                _ => areas[range.start + 1..range.end]
                    .iter()
                    .fold(Number::Int(0), |sum, area| sum.add(*area))
                    .into(),
            };
            known = Some((range, value.clone()));
            results.push(Some(match (unit_number(self.unit), Number::of(value.as_ref())) {
                (Some(length), Some(sum)) => divide(sum, length).into(),
                _ => value,
            }));
        }
        Ok(results)
    }

    /// The area between each document and the one before it.
    fn areas(&self, partition: &Partition, variables: &Variables) -> Result<Vec<Number>> {
        let name = "$integral";
        let values = partition.evaluate(&self.input, variables)?;
        let mut areas = Vec::with_capacity(values.len());
        let mut before: Option<(Number, Number)> = None;
        for (value, sort_value) in values.iter().zip(partition.sort_values()) {
            let at = axis(name, sort_value, self.unit, &INTEGRAL)?;
            let Some(height) = input(name, value.as_ref(), &INTEGRAL)? else {
                areas.push(Number::Int(0));
                continue;
            };
            areas.push(match before {
                None => Number::Int(0),
                Some((last_at, last_height)) => divide(
                    at.subtract(last_at).multiply(height.add(last_height)),
                    Number::Int(2),
                ),
            });
            before = Some((at, height));
        }
        Ok(areas)
    }
}
