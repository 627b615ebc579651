//! `$percentile` and `$median` over the numbers among the values.

use super::Accumulator;
use crate::expression::evaluated::Evaluated;
use crate::expression::number::Number;
use crate::interruption::place_ranks;
use crate::{Code, Error, Fields, Result};
use value::Value;

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
    let nulls = || vec![Value::Null; shares.len()];
    numbers.retain(|number| !number.is_nan());
    let Some(last) = numbers.len().checked_sub(1) else {
        return nulls();
    };
    let places: Vec<Place> = shares
        .iter()
        .map(|share| Place::new(*share, last, method))
        .collect();
    let mut ranks: Vec<usize> = places
        .iter()
        .flat_map(|place| [place.below, place.above])
        .collect();
    ranks.sort_unstable();
    // An operation that must end does so at its next step, whatever this gives.
    if place_ranks(numbers, &ranks).is_err() {
        return nulls();
    }
    let at = |place: &Place| between(numbers[place.below], numbers[place.above], place.rank);
    places.iter().map(at).map(Value::Double).collect()
}

/// Where among the sorted numbers the value of a share is.
#[derive(Debug)]
struct Place {
    rank: f64,
    /// The whole ranks on both sides of it, or it itself.
    below: usize,
    above: usize,
}

impl Place {
    /// The place of a share, from 0 to 1, among numbers of which the last has this rank.
    fn new(share: f64, last: usize, method: Method) -> Place {
        let rank = match method {
            Method::Discrete => (share * (last + 1) as f64).ceil() - 1.0,
            Method::Continuous => share * last as f64,
        };
        let rank = rank.clamp(0.0, last as f64);
        Place {
            rank,
            below: rank.floor() as usize,
            above: rank.ceil() as usize,
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
