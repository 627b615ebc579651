//! Accumulators: many values to one. `$group` feeds them one document after another; the expression operators of the
//! same names feed them the elements of an array.

mod collect;
mod deviation;
mod extreme;
mod percentile;
mod ranked;
mod removable_sum;
mod sum;

pub use percentile::{Method, method, percentiles, shares};
pub use ranked::{Ranked, Ties};
pub use removable_sum::RemovableTotal;
pub use sum::Total;

use super::evaluated::Evaluated;
use crate::Result;
use collect::{AddToSet, ConcatArrays, MergeObjects, Push, SetUnion};
use deviation::Deviation;
use extreme::{Edge, Extreme};
use percentile::Percentile;
use std::fmt::Debug;
use sum::{Average, Sum};
use value::collation::Collation;
use value::{Value, ValueRef};

/// The state of one accumulator in one group.
pub trait Accumulator: Debug + Send {
    /// Takes one more value.
    fn add(&mut self, value: Evaluated<'_>) -> Result<()>;

    /// As [`Accumulator::add`], of a borrowed value, which accumulators that keep no values need not copy.
    fn see(&mut self, value: Option<ValueRef<'_>>) -> Result<()> {
        self.add(Evaluated::from(value))
    }

    /// The result; `None` if it is missing.
    fn result(&mut self) -> Option<Value>;

    /// The approximate bytes that the state holds beyond its own size.
    fn bytes(&self) -> usize {
        0
    }
}

/// An accumulator that takes one value a document and needs nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are MongoDB's accumulators")]
pub enum AccumulatorKind {
    Sum,
    Average,
    Min,
    Max,
    First,
    Last,
    Push,
    AddToSet,
    MergeObjects,
    SetUnion,
    ConcatArrays,
    DeviationOfPopulation,
    DeviationOfSample,
}

const KINDS: [(&str, AccumulatorKind); 13] = [
    ("$sum", AccumulatorKind::Sum),
    ("$avg", AccumulatorKind::Average),
    ("$min", AccumulatorKind::Min),
    ("$max", AccumulatorKind::Max),
    ("$first", AccumulatorKind::First),
    ("$last", AccumulatorKind::Last),
    ("$push", AccumulatorKind::Push),
    ("$addToSet", AccumulatorKind::AddToSet),
    ("$mergeObjects", AccumulatorKind::MergeObjects),
    ("$setUnion", AccumulatorKind::SetUnion),
    ("$concatArrays", AccumulatorKind::ConcatArrays),
    ("$stdDevPop", AccumulatorKind::DeviationOfPopulation),
    ("$stdDevSamp", AccumulatorKind::DeviationOfSample),
];

impl AccumulatorKind {
    /// The accumulator of this name, `$` included.
    pub fn find(name: &str) -> Option<AccumulatorKind> {
        let (_, kind) = KINDS.iter().find(|(known, _)| *known == name)?;
        Some(*kind)
    }

    /// Whether the size of the state never changes.
    pub fn keeps_its_size(self) -> bool {
        matches!(
            self,
            AccumulatorKind::Sum
                | AccumulatorKind::Average
                | AccumulatorKind::DeviationOfPopulation
                | AccumulatorKind::DeviationOfSample
        )
    }

    /// The names of all, `$` included.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(name, _)| *name)
    }

    /// The state before any value; values are compared by the collation where there is one.
    pub fn start(self, collation: Option<&Collation>) -> Box<dyn Accumulator> {
        match self {
            AccumulatorKind::Sum => Box::<Sum>::default(),
            AccumulatorKind::Average => Box::<Average>::default(),
            AccumulatorKind::Min => Box::new(Extreme::smallest(collation)),
            AccumulatorKind::Max => Box::new(Extreme::largest(collation)),
            AccumulatorKind::First => Box::new(Edge::first()),
            AccumulatorKind::Last => Box::new(Edge::last()),
            AccumulatorKind::Push => Box::<Push>::default(),
            AccumulatorKind::AddToSet => Box::new(AddToSet::new(collation)),
            AccumulatorKind::MergeObjects => Box::<MergeObjects>::default(),
            AccumulatorKind::SetUnion => Box::new(SetUnion::new(collation)),
            AccumulatorKind::ConcatArrays => Box::<ConcatArrays>::default(),
            AccumulatorKind::DeviationOfPopulation => Box::new(Deviation::of_population()),
            AccumulatorKind::DeviationOfSample => Box::new(Deviation::of_sample()),
        }
    }
}

/// The state of `$percentile` (all of `shares`) or `$median` (a single value).
pub fn percentile(shares: &[f64], method: Method, single: bool) -> Box<dyn Accumulator> {
    Box::new(Percentile::new(shares, method, single))
}
