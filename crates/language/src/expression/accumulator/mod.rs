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

use super::found::Found;
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
    fn add(&mut self, value: Found<'_>) -> Result<()>;

    /// As [`Accumulator::add`], of a value where it lies: those that keep no values need not be given one.
    fn see(&mut self, value: Option<ValueRef<'_>>) -> Result<()> {
        self.add(Found::from(value))
    }

    /// What came out; none is missing.
    fn result(&mut self) -> Option<Value>;

    /// About how many bytes the state holds beyond its own size.
    fn bytes(&self) -> usize {
        0
    }
}

/// An accumulator that takes one value a document and needs nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are MongoDB's accumulators")]
pub enum Kind {
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

const KINDS: [(&str, Kind); 13] = [
    ("$sum", Kind::Sum),
    ("$avg", Kind::Average),
    ("$min", Kind::Min),
    ("$max", Kind::Max),
    ("$first", Kind::First),
    ("$last", Kind::Last),
    ("$push", Kind::Push),
    ("$addToSet", Kind::AddToSet),
    ("$mergeObjects", Kind::MergeObjects),
    ("$setUnion", Kind::SetUnion),
    ("$concatArrays", Kind::ConcatArrays),
    ("$stdDevPop", Kind::DeviationOfPopulation),
    ("$stdDevSamp", Kind::DeviationOfSample),
];

impl Kind {
    /// The accumulator of this name, `$` included.
    pub fn find(name: &str) -> Option<Kind> {
        let (_, kind) = KINDS.iter().find(|(known, _)| *known == name)?;
        Some(*kind)
    }

    /// Whether the state takes the same bytes whatever it is given.
    pub fn keeps_its_size(self) -> bool {
        matches!(
            self,
            Kind::Sum | Kind::Average | Kind::DeviationOfPopulation | Kind::DeviationOfSample
        )
    }

    /// The names of all, `$` included.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(name, _)| *name)
    }

    /// The state before any value; values are compared by the collation where there is one.
    pub fn start(self, collation: Option<&Collation>) -> Box<dyn Accumulator> {
        match self {
            Kind::Sum => Box::<Sum>::default(),
            Kind::Average => Box::<Average>::default(),
            Kind::Min => Box::new(Extreme::smallest(collation)),
            Kind::Max => Box::new(Extreme::largest(collation)),
            Kind::First => Box::new(Edge::first()),
            Kind::Last => Box::new(Edge::last()),
            Kind::Push => Box::<Push>::default(),
            Kind::AddToSet => Box::new(AddToSet::new(collation)),
            Kind::MergeObjects => Box::<MergeObjects>::default(),
            Kind::SetUnion => Box::new(SetUnion::new(collation)),
            Kind::ConcatArrays => Box::<ConcatArrays>::default(),
            Kind::DeviationOfPopulation => Box::new(Deviation::of_population()),
            Kind::DeviationOfSample => Box::new(Deviation::of_sample()),
        }
    }
}

/// The state of `$percentile` (all of `shares`) or `$median` (a single value).
pub fn percentile(shares: &[f64], method: Method, single: bool) -> Box<dyn Accumulator> {
    Box::new(Percentile::new(shares, method, single))
}
