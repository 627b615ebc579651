//! `$percentile` and `$median` over the numbers among the values.

use super::Accumulator;
use crate::expression::evaluated::Evaluated;
use crate::expression::number::Number;
use crate::interruption::long_step;
use crate::{Code, Error, Fields, Result};
use value::Value;

/// So many are sorted in a millisecond or two.
const NUMBERS_FEW: usize = 20_000;

/// How a value between two is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A value of the input. `approximate` returns one too, since all values are kept.
    Discrete,
    /// Interpolated between the two nearest.
    Continuous,
}

#[derive(Debug)]
pub(super) struct Percentile {
    shares: Vec<f64>,
    method: Method,
    /// A single value instead of an array: `$median`.
    single: bool,
    numbers: Vec<f64>,
}

impl Percentile {
    pub(super) fn new(shares: &[f64], method: Method, single: bool) -> Percentile {
        Percentile {
            shares: shares.to_vec(),
            method,
            single,
            numbers: Vec::new(),
        }
    }
}

impl Accumulator for Percentile {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        if let Some(number) = value.get().and_then(Number::of) {
            self.numbers.push(number.to_f64());
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        let mut values = percentiles(&mut self.numbers, &self.shares, self.method).into_iter();
        if self.single {
            return Some(values.next().unwrap_or(Value::Null));
        }
        Some(values.collect())
    }

    fn bytes(&self) -> usize {
        self.numbers.len() * size_of::<f64>()
    }
}

/// The value below which each share of the numbers lies; null where there are none.
pub fn percentiles(numbers: &mut Vec<f64>, shares: &[f64], method: Method) -> Vec<Value> {
    // The sort of as many as fit takes a second. An operation that must end does so at its next step, whatever this gives.
    if numbers.len() > NUMBERS_FEW && long_step().is_err() {
        return vec![Value::Null; shares.len()];
    }
    numbers.retain(|number| !number.is_nan());
    numbers.sort_unstable_by(f64::total_cmp);
    shares
        .iter()
        .map(|share| at(numbers, *share, method).map_or(Value::Null, Value::Double))
        .collect()
}

fn at(sorted: &[f64], share: f64, method: Method) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    match method {
        Method::Discrete => {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1).min(last)).copied()
        }
        Method::Continuous => {
            let rank = share * last as f64;
            let (below, above) = (
                sorted.get(rank.floor() as usize)?,
                sorted.get(rank.ceil() as usize)?,
            );
            Some(between(*below, *above, rank))
        }
    }
}

/// The value at a rank between two, as MongoDB computes it.
fn between(below: f64, above: f64, rank: f64) -> f64 {
    let (floor, ceil) = (rank.floor(), rank.ceil());
    if floor >= ceil || below.is_infinite() {
        below
    } else if above.is_infinite() {
        above
    } else {
        (ceil - rank) * below + (rank - floor) * above
    }
}

/// The `method` that `$percentile` and `$median` must name.
pub fn method(fields: &Fields<'_>) -> Result<Method> {
    match fields.required_string("method")? {
        "approximate" | "discrete" => Ok(Method::Discrete),
        "continuous" => Ok(Method::Continuous),
        other => Err(Error::bad_value(format!(
            "Currently only 'approximate', 'discrete' and 'continuous' can be used as percentile 'method', found: {other}"
        ))),
    }
}

/// The value of `p`: shares of the whole, from 0 to 1.
pub fn shares(value: Option<&Value>) -> Result<Vec<f64>> {
    match value {
        Some(Value::Array(shares)) if !shares.is_empty() => shares.iter().map(share).collect(),
        _ => Err(Error::new(
            Code::location(7_750_301),
            "The $percentile 'p' field must be a non-empty array of numbers",
        )),
    }
}

fn share(value: &Value) -> Result<f64> {
    let number = Number::of(value.as_ref()).ok_or_else(|| {
        Error::new(
            Code::location(7_750_302),
            format!(
                "The $percentile 'p' field must be an array of numbers, but found value of type {}",
                value.type_of().alias()
            ),
        )
    })?;
    let share = number.to_f64();
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(Error::new(
        Code::location(7_750_303),
        format!("The $percentile 'p' field must be an array of numbers from [0.0, 1.0], but found: {share}"),
    ))
}
