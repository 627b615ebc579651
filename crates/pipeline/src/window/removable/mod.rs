//! Accumulators for moving frames: values are added when they enter the frame, and removed when they leave it.

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
use language::expression::Evaluated;
use language::expression::accumulator::{Accumulator, AccumulatorKind};
use std::fmt::Debug;
use sum::{Average, Sum};
use value::Value;
use value::collation::Collation;

/// The state of a function over a moving frame. Values are removed in the order in which they were added.
pub(super) trait Removable: Debug + Send {
    /// Adds a value; `None` is a missing one.
    fn add(&mut self, value: Option<&Value>) -> Result<()>;

    /// Removes the oldest value, which is given.
    fn remove(&mut self, value: Option<&Value>);

    /// The result for the values in the frame.
    fn result(&mut self) -> Value;
}

/// The accumulators from which values can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemovableKind {
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

const KINDS: [(&str, RemovableKind); 12] = [
    ("$sum", RemovableKind::Sum),
    ("$avg", RemovableKind::Average),
    ("$min", RemovableKind::Min),
    ("$max", RemovableKind::Max),
    ("$first", RemovableKind::First),
    ("$last", RemovableKind::Last),
    ("$push", RemovableKind::Push),
    ("$addToSet", RemovableKind::AddToSet),
    ("$stdDevPop", RemovableKind::DeviationOfPopulation),
    ("$stdDevSamp", RemovableKind::DeviationOfSample),
    ("$covariancePop", RemovableKind::CovarianceOfPopulation),
    ("$covarianceSamp", RemovableKind::CovarianceOfSample),
];

impl RemovableKind {
    /// The accumulator of this name.
    pub(super) fn find(name: &str) -> Option<RemovableKind> {
        let (_, kind) = KINDS.iter().find(|(known, _)| *known == name)?;
        Some(*kind)
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(name, _)| *name)
    }

    /// The same accumulator in `$group`, where asking for its result leaves its state as it is.
    fn of_group(self) -> Option<AccumulatorKind> {
        Some(match self {
            RemovableKind::Sum => AccumulatorKind::Sum,
            RemovableKind::Average => AccumulatorKind::Average,
            RemovableKind::Min => AccumulatorKind::Min,
            RemovableKind::Max => AccumulatorKind::Max,
            RemovableKind::DeviationOfPopulation => AccumulatorKind::DeviationOfPopulation,
            RemovableKind::DeviationOfSample => AccumulatorKind::DeviationOfSample,
            _ => return None,
        })
    }

    /// The state before any value; values are compared by the collation, if there is one. Nothing ever leaves a frame that begins with
    /// the partition; for such a frame the accumulator of `$group` is used, whose rounding and choice among equal values differ.
    pub(super) fn start(self, only_grows: bool, collation: Option<&Collation>) -> Box<dyn Removable> {
        if only_grows && let Some(growing) = self.of_group() {
            return Box::new(Growing(growing.start(collation)));
        }
        match self {
            RemovableKind::Sum => Box::<Sum>::default(),
            RemovableKind::Average => Box::<Average>::default(),
            RemovableKind::Min => Box::new(Extreme::smallest(collation)),
            RemovableKind::Max => Box::new(Extreme::largest(collation)),
            RemovableKind::First => Box::new(Edge::first()),
            RemovableKind::Last => Box::new(Edge::last()),
            RemovableKind::Push => Box::<Pushed>::default(),
            RemovableKind::AddToSet => Box::new(Set::new(collation)),
            RemovableKind::DeviationOfPopulation => Box::new(Deviation::new(0)),
            RemovableKind::DeviationOfSample => Box::new(Deviation::new(1)),
            RemovableKind::CovarianceOfPopulation => Box::new(Covariance::new(0)),
            RemovableKind::CovarianceOfSample => Box::new(Covariance::new(1)),
        }
    }
}

/// An accumulator of `$group` over a frame that only grows.
#[derive(Debug)]
struct Growing(Box<dyn Accumulator>);

impl Removable for Growing {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        Ok(self.0.add(Evaluated::from(value.map(Value::as_ref)))?)
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
    fn over_two(kind: RemovableKind, values: &[Value]) -> Vec<Value> {
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
        let sums = over_two(RemovableKind::Sum, &values);
        assert_eq!(sums[2], Value::Double(f64::INFINITY));
        assert_eq!(sums[3], Value::Int32(5));
    }

    #[test]
    fn extremes_forget_the_best_once_it_goes() {
        let values: Vec<Value> = vec![1.into(), 5.into(), 3.into(), 2.into()];
        assert_eq!(
            over_two(RemovableKind::Max, &values),
            [1, 5, 5, 3].map(Value::from)
        );
        assert_eq!(
            over_two(RemovableKind::Min, &values),
            [1, 1, 3, 2].map(Value::from)
        );
    }

    #[test]
    fn a_set_keeps_what_is_still_in_once() {
        let values: Vec<Value> = vec![1.into(), 1.into(), 2.into()];
        let sets = over_two(RemovableKind::AddToSet, &values);
        assert_eq!(sets[1], Value::Array(vec![1.into()]));
        assert_eq!(sets[2], Value::Array(vec![1.into(), 2.into()]));
    }

    #[test]
    fn the_deviation_of_equal_values_is_zero_after_others_went() {
        let values: Vec<Value> = vec![100.into(), 4.into(), 4.into()];
        let deviations = over_two(RemovableKind::DeviationOfPopulation, &values);
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
                (RemovableKind::DeviationOfPopulation, 4.0 / 3.0),
                (RemovableKind::DeviationOfSample, 8.0 / 3.0),
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
