//! `$derivative` and `$integral`: change and area over the sort value.

use super::frame::Frame;
use super::partition::Partition;
use crate::{Code, QueryError, Result};
use calendar::Unit;
use language::expression::accumulator::RemovableTotal;
use language::expression::number::Number;
use language::expression::{Expression, Variables};
use language::fields;
use language::interruption::steps;
use std::ops::Range;
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

/// An error of `$derivative`.
fn no_derivative(code: i32, why: &str) -> QueryError {
    QueryError::new(Code::location(code), format!("$derivative {why}"))
}

/// An error of `$integral`.
fn no_integral(code: i32, why: &str) -> QueryError {
    QueryError::new(Code::location(code), format!("$integral {why}"))
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

/// The quotient, a double unless a decimal came.
pub(super) fn divide(a: Number, b: Number) -> Number {
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
        let values = partition.evaluate(&self.input, variables)?;
        let mut results = Vec::with_capacity(values.len());
        for range in frame.of_all(partition)? {
            if range.is_empty() {
                results.push(Some(Value::Null));
                continue;
            }
            let (first, last) = (range.start, range.end - 1);
            let times = partition.sort_values();
            let run = self.run(&times[first], &times[last])?;
            let rise = rise(values[first].as_ref(), values[last].as_ref())?;
            let slope = (!run.is_zero()).then(|| divide(rise, run));
            results.push(Some(match (slope, unit_number(self.unit)) {
                (None, _) => Value::Null,
                // Of two dates the slope is for each millisecond.
                (Some(slope), Some(length)) => slope.multiply(length).into(),
                (Some(slope), None) => slope.into(),
            }));
        }
        Ok(results)
    }

    /// The distance between two values that are sorted by; with a unit, the milliseconds between two dates.
    fn run(&self, first: &Value, last: &Value) -> Result<Number> {
        let wrong = match (self.unit, first, last) {
            (Some(_), Value::DateTime(first), Value::DateTime(last)) => {
                return Ok(Number::Long(*last).subtract(Number::Long(*first)));
            }
            (Some(_), ..) => no_derivative(5_624_900, "with 'unit' expects the sortBy field to be a Date"),
            (None, Value::DateTime(_), _) | (None, _, Value::DateTime(_)) => {
                no_derivative(5_624_901, "where the sortBy is a Date requires a 'unit'")
            }
            (None, first, last) => match (Number::of(first.as_ref()), Number::of(last.as_ref())) {
                (Some(first), Some(last)) => return Ok(last.subtract(first)),
                _ => no_derivative(5_624_902, "without 'unit' expects the sortBy field to be numeric"),
            },
        };
        Err(wrong)
    }
}

/// The growth of the input from one value to another; between two dates in milliseconds.
fn rise(first: Option<&Value>, last: Option<&Value>) -> Result<Number> {
    let present = |value: &&Value| !fields::is_null(value.as_ref());
    match (first.filter(present), last.filter(present)) {
        (Some(Value::DateTime(first)), Some(Value::DateTime(last))) => {
            Ok(Number::Long(*last).subtract(Number::Long(*first)))
        }
        (Some(first), Some(last)) => {
            let numbers = (Number::of(first.as_ref()), Number::of(last.as_ref()));
            let (Some(low), Some(high)) = numbers else {
                return Err(QueryError::type_mismatch(format!(
                    "$derivative input must be numbers or dates: can't subtract {} from {}",
                    first.type_of().alias(),
                    last.type_of().alias()
                )));
            };
            Ok(high.subtract(low))
        }
        _ => Err(no_derivative(5_624_903, "input must not be null or missing")),
    }
}

/// A point of the curve: its sort value and its height.
type Point = (Number, Number);

impl Integral {
    pub(super) fn apply(
        &self,
        partition: &Partition,
        frame: &Frame,
        variables: &Variables,
    ) -> Result<Vec<Option<Value>>> {
        let values = partition.evaluate(&self.input, variables)?;
        let frames = frame.of_all(partition)?;
        let points = self.points(partition, &values, &frames)?;
        // The area between each document and the one before it.
        let areas: Vec<Number> = (0..points.len())
            .map(
                |at| match (at.checked_sub(1).and_then(|before| points[before]), points[at]) {
                    (Some(before), Some(point)) => area(before, point),
                    _ => Number::Int(0),
                },
            )
            .collect();
        // How many of the points before each are not numbers.
        let mut nans = vec![0];
        nans.extend(points.iter().scan(0, |count, point| {
            *count += usize::from(point.as_ref().is_some_and(is_nan));
            Some(*count)
        }));
        let mut results: Vec<Option<Value>> = Vec::with_capacity(points.len());
        let mut sliding = Sliding::default();
        for range in frames {
            if range.is_empty() {
                results.push(Some(Value::Null));
                continue;
            }
            let sum = sliding.sum(&areas, range.start + 1..range.end)?;
            let has_nan = nans[range.end] > nans[range.start];
            results.push(Some(match unit_number(self.unit) {
                _ if has_nan => Value::Double(f64::NAN),
                Some(length) => divide(sum, length).into(),
                None => sum.into(),
            }));
        }
        Ok(results)
    }

    /// The points of the documents that are in any frame; the others are not read, so they cannot fail.
    fn points(
        &self,
        partition: &Partition,
        values: &[Option<Value>],
        frames: &[Range<usize>],
    ) -> Result<Vec<Option<Point>>> {
        let mut points = vec![None; values.len()];
        let mut seen = 0;
        for range in frames {
            // No frame begins or ends before the one in front of it.
            for at in seen.max(range.start)..range.end {
                points[at] = Some(self.point(&partition.sort_values()[at], values[at].as_ref())?);
            }
            seen = seen.max(range.end);
        }
        Ok(points)
    }

    fn point(&self, sort_value: &Value, input: Option<&Value>) -> Result<Point> {
        let height = input.and_then(|value| Number::of(value.as_ref()));
        let (at, is_date) = match sort_value.as_ref() {
            ValueRef::DateTime(ms) => (Some(Number::Long(ms)), true),
            other => (Number::of(other), false),
        };
        let (Some(at), Some(height)) = (at, height) else {
            return Err(no_integral(
                5_423_900,
                "input must be a number, and the sortBy field a number or a date",
            ));
        };
        match (self.unit, is_date) {
            (Some(_), false) => Err(no_integral(
                5_423_901,
                "with 'unit' expects the sortBy field to be a Date",
            )),
            (None, true) => Err(no_integral(
                5_423_902,
                "without 'unit' expects the sortBy field to be numeric",
            )),
            _ => Ok((at, height)),
        }
    }
}

/// The sum of the areas of a frame that moves on, kept as that of `$sum` is.
#[derive(Debug, Default)]
struct Sliding {
    total: RemovableTotal,
    held: Range<usize>,
}

impl Sliding {
    /// The sum of these areas, which neither begin nor end before those that it was asked for last.
    fn sum(&mut self, areas: &[Number], wanted: Range<usize>) -> Result<Number> {
        if self.held.end < wanted.start {
            *self = Sliding {
                total: RemovableTotal::default(),
                held: wanted.start..wanted.start,
            };
        }
        while self.held.end < wanted.end {
            steps(1)?;
            self.total.add(areas[self.held.end]);
            self.held.end += 1;
        }
        while self.held.start < wanted.start {
            self.total.remove(areas[self.held.start]);
            self.held.start += 1;
        }
        Ok(self.total.number())
    }
}

fn is_nan((at, height): &Point) -> bool {
    at.is_nan() || height.is_nan()
}

/// The area of the trapezoid below two points. 0 if it is not a number; the frames that contain it have no sum at all.
fn area(before: Point, point: Point) -> Number {
    if is_nan(&before) || is_nan(&point) {
        return Number::Int(0);
    }
    let ((last_at, last_height), (at, height)) = (before, point);
    divide(
        at.subtract(last_at).multiply(height.add(last_height)),
        Number::Int(2),
    )
}
