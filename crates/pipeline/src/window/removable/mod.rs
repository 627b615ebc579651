//! Accumulators that can forget: a value comes into the frame, and goes out of it again.

mod collection;
mod covariance;
mod deviation;
mod extreme;
mod multiset;
mod sum;

use crate::Result;
use collection::{Edge, Pushed, Set};
use covariance::Covariance;
use deviation::Deviation;
use extreme::Extreme;
use language::expression::Found;
use language::expression::accumulator::{self, Accumulator};
use std::fmt::Debug;
use sum::{Average, Sum};
use value::Value;
use value::collation::Collation;

/// The state of a function over a moving frame. Values are removed in the order in which they were added.
pub(super) trait Removable: Debug + Send {
    /// A value comes in; none is missing.
    fn add(&mut self, value: Option<&Value>) -> Result<()>;

    /// The oldest value goes out.
    fn remove(&mut self, value: Option<&Value>);

    /// What comes out of the values that are in.
    fn result(&mut self) -> Value;
}

/// The accumulators that can forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sum,
    Average,
    Min,
    Max,
    First,
    Last,
    Push,
    AddToSet,
    DeviationOfPopulation,
    DeviationOfSample,
    CovarianceOfPopulation,
    CovarianceOfSample,
}

const KINDS: [(&str, Kind); 12] = [
    ("$sum", Kind::Sum),
    ("$avg", Kind::Average),
    ("$min", Kind::Min),
    ("$max", Kind::Max),
    ("$first", Kind::First),
    ("$last", Kind::Last),
    ("$push", Kind::Push),
    ("$addToSet", Kind::AddToSet),
    ("$stdDevPop", Kind::DeviationOfPopulation),
    ("$stdDevSamp", Kind::DeviationOfSample),
    ("$covariancePop", Kind::CovarianceOfPopulation),
    ("$covarianceSamp", Kind::CovarianceOfSample),
];

impl Kind {
    /// The accumulator of this name.
    pub(super) fn find(name: &str) -> Option<Kind> {
        let (_, kind) = KINDS.iter().find(|(known, _)| *known == name)?;
        Some(*kind)
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(name, _)| *name)
    }

    /// The same accumulator in `$group`, where asking for its result leaves its state as it is.
    fn of_group(self) -> Option<accumulator::Kind> {
        Some(match self {
            Kind::Sum => accumulator::Kind::Sum,
            Kind::Average => accumulator::Kind::Average,
            Kind::Min => accumulator::Kind::Min,
            Kind::Max => accumulator::Kind::Max,
            Kind::DeviationOfPopulation => accumulator::Kind::DeviationOfPopulation,
            Kind::DeviationOfSample => accumulator::Kind::DeviationOfSample,
            _ => return None,
        })
    }

    /// The state before any value; values are compared by the collation where there is one. Of a frame that begins with the
    /// partition nothing ever goes out; there `$group` does it, whose rounding differs, and whose choice among equal values.
    pub(super) fn start(self, only_grows: bool, collation: Option<&Collation>) -> Box<dyn Removable> {
        if only_grows && let Some(growing) = self.of_group() {
            return Box::new(Growing(growing.start(collation)));
        }
        match self {
            Kind::Sum => Box::<Sum>::default(),
            Kind::Average => Box::<Average>::default(),
            Kind::Min => Box::new(Extreme::smallest(collation)),
            Kind::Max => Box::new(Extreme::largest(collation)),
            Kind::First => Box::new(Edge::first()),
            Kind::Last => Box::new(Edge::last()),
            Kind::Push => Box::<Pushed>::default(),
            Kind::AddToSet => Box::new(Set::new(collation)),
            Kind::DeviationOfPopulation => Box::new(Deviation::new(0)),
            Kind::DeviationOfSample => Box::new(Deviation::new(1)),
            Kind::CovarianceOfPopulation => Box::new(Covariance::new(0)),
            Kind::CovarianceOfSample => Box::new(Covariance::new(1)),
        }
    }
}

/// An accumulator of `$group` over a frame that only grows.
#[derive(Debug)]
struct Growing(Box<dyn Accumulator>);

impl Removable for Growing {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        Ok(self.0.add(Found::from(value.map(Value::as_ref)))?)
    }

    fn remove(&mut self, _value: Option<&Value>) {}

    fn result(&mut self) -> Value {
        self.0.result().unwrap_or(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slides a frame of two over the values.
    fn over_two(kind: Kind, values: &[Value]) -> Vec<Value> {
        let mut state = kind.start(false, None);
        let mut results = Vec::new();
        for (at, value) in values.iter().enumerate() {
            state.add(Some(value)).expect("any value may come");
            if at >= 2 {
                state.remove(Some(&values[at - 2]));
            }
            results.push(state.result());
        }
        results
    }

    #[test]
    fn a_sum_forgets_types_and_infinities_with_their_values() {
        let values: Vec<Value> = vec![1.into(), f64::INFINITY.into(), 2.into(), 3.into()];
        let sums = over_two(Kind::Sum, &values);
        assert_eq!(sums[2], Value::Double(f64::INFINITY));
        assert_eq!(sums[3], Value::Int32(5));
    }

    #[test]
    fn extremes_forget_the_best_once_it_goes() {
        let values: Vec<Value> = vec![1.into(), 5.into(), 3.into(), 2.into()];
        assert_eq!(over_two(Kind::Max, &values), [1, 5, 5, 3].map(Value::from));
        assert_eq!(over_two(Kind::Min, &values), [1, 1, 3, 2].map(Value::from));
    }

    #[test]
    fn a_set_keeps_what_is_still_in_once() {
        let values: Vec<Value> = vec![1.into(), 1.into(), 2.into()];
        let sets = over_two(Kind::AddToSet, &values);
        assert_eq!(sets[1], Value::Array(vec![1.into()]));
        assert_eq!(sets[2], Value::Array(vec![1.into(), 2.into()]));
    }

    #[test]
    fn the_deviation_of_equal_values_is_zero_after_others_went() {
        let values: Vec<Value> = vec![100.into(), 4.into(), 4.into()];
        let deviations = over_two(Kind::DeviationOfPopulation, &values);
        assert_eq!(deviations[2], Value::Double(0.0));
    }

    /// The numbers are MongoDB's, where what is not finite counts among the values while it is in the frame.
    #[test]
    fn deviations_are_numbers_again_once_what_is_not_finite_went() {
        let decimal = |text: &str| Value::Decimal128(text.parse().expect("a decimal"));
        let endless = [
            f64::INFINITY.into(),
            f64::NAN.into(),
            decimal("Infinity"),
            decimal("-Infinity"),
            decimal("NaN"),
        ];
        for value in endless {
            let values: Vec<Value> = vec![4.into(), value.clone(), 4.into(), 4.into()];
            for (kind, square) in [
                (Kind::DeviationOfPopulation, 4.0 / 3.0),
                (Kind::DeviationOfSample, 8.0 / 3.0),
            ] {
                let deviations = over_two(kind, &values);
                assert_eq!(
                    deviations[1..3],
                    [Value::Null, Value::Null],
                    "{kind:?} of {value:?}"
                );
                let Value::Double(deviation) = deviations[3] else {
                    panic!("{kind:?} of {value:?} gave {:?}", deviations[3]);
                };
                assert!(
                    (deviation * deviation - square).abs() < 1e-12,
                    "{kind:?} of {value:?}"
                );
            }
        }
    }
}
