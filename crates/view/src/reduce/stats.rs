//! `_stats`: sum, count, least, greatest and sum of squares, of numbers or place by place of arrays.
//!
//! Reference: CouchDB documentation, "Built-in Reduce Functions". A value may be such statistics already.

use super::sum::{add_numbers, float};
use crate::{Error, Result};
use serde_json::{Map, Number, Value};

const FIELDS: [&str; 5] = ["sum", "count", "min", "max", "sumsqr"];

/// The statistics of values.
pub(super) fn stats<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<Value> {
    let mut total = Total::default();
    for value in values {
        total.add(value)?;
    }
    Ok(total.to_value())
}

/// The statistics of values that come one by one.
#[derive(Default)]
pub(super) struct Total(Option<Stats>);

impl Total {
    /// Adds a value.
    pub(super) fn add(&mut self, value: &Value) -> Result<()> {
        let next = Stats::of(value)?;
        self.0 = Some(match self.0.take() {
            Some(total) => total.with(&next)?,
            None => next,
        });
        Ok(())
    }

    /// What a client sees of them.
    pub(super) fn to_value(&self) -> Value {
        let none = || One::none().to_value();
        self.0.as_ref().map_or_else(none, Stats::to_value)
    }
}

/// Of numbers, or of arrays of them.
enum Stats {
    One(One),
    Many(Vec<Stats>),
}

/// In the order of [`FIELDS`].
struct One([Number; 5]);

impl Stats {
    fn of(value: &Value) -> Result<Stats> {
        match value {
            Value::Number(number) => Ok(Stats::One(One::of(number))),
            Value::Array(values) => Ok(Stats::Many(values.iter().map(Stats::of).collect::<Result<_>>()?)),
            Value::Object(fields) => One::read(fields).map(Stats::One),
            other => Err(Error::InvalidValue(format!("non-numeric _stats input: {other}"))),
        }
    }

    fn with(self, other: &Stats) -> Result<Stats> {
        match (self, other) {
            (Stats::One(a), Stats::One(b)) => Ok(Stats::One(a.with(b))),
            (Stats::Many(a), Stats::Many(b)) if a.len() == b.len() => {
                let pairs = a.into_iter().zip(b);
                Ok(Stats::Many(pairs.map(|(a, b)| a.with(b)).collect::<Result<_>>()?))
            }
            _ => Err(Error::InvalidValue(format!(
                "The _stats function requires that map values be numbers or arrays of numbers, not '{}'",
                other.to_value()
            ))),
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Stats::One(one) => one.to_value(),
            Stats::Many(many) => many.iter().map(Stats::to_value).collect(),
        }
    }
}

impl One {
    fn none() -> One {
        One([0; 5].map(Number::from))
    }

    fn of(number: &Number) -> One {
        let square = match number.as_i64().and_then(|number| number.checked_mul(number)) {
            Some(square) => Number::from(square),
            None => float(number.as_f64().unwrap_or(0.0).powi(2)),
        };
        One([
            number.clone(),
            Number::from(1),
            number.clone(),
            number.clone(),
            square,
        ])
    }

    fn read(fields: &Map<String, Value>) -> Result<One> {
        let mut numbers = One::none().0;
        for (name, number) in FIELDS.iter().zip(&mut numbers) {
            *number = match fields.get(*name) {
                Some(Value::Number(found)) => found.clone(),
                Some(other) => {
                    let message = format!("non-numeric _stats input received for {name}: {other}");
                    return Err(Error::InvalidValue(message));
                }
                None => {
                    let fields = Value::Object(fields.clone());
                    let message = format!("user _stats input missing required field {name} ({fields})");
                    return Err(Error::InvalidValue(message));
                }
            };
        }
        Ok(One(numbers))
    }

    fn with(&self, other: &One) -> One {
        let [sum, count, least, greatest, squares] = &self.0;
        let [more_sum, more_count, other_least, other_greatest, more_squares] = &other.0;
        One([
            add_numbers(sum, more_sum),
            add_numbers(count, more_count),
            pick(least, other_least, |a, b| a <= b),
            pick(greatest, other_greatest, |a, b| a >= b),
            add_numbers(squares, more_squares),
        ])
    }

    fn to_value(&self) -> Value {
        let fields = FIELDS.iter().zip(&self.0);
        let fields = fields.map(|(name, number)| ((*name).to_owned(), Value::Number(number.clone())));
        Value::Object(fields.collect())
    }
}

fn pick(a: &Number, b: &Number, first: fn(f64, f64) -> bool) -> Number {
    let of = |number: &Number| number.as_f64().unwrap_or(0.0);
    if first(of(a), of(b)) { a.clone() } else { b.clone() }
}
