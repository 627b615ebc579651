//! Functions of a document's place in its partition: `$rank $denseRank $documentNumber $shift`.

use super::partition::Partition;
use crate::Result;
use language::expression::number::Number;
use language::expression::{Expression, Variables};
use value::Value;

/// How the place is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceCount {
    /// The number of documents before it, plus 1; equal documents have the same rank.
    Rank,
    /// The number of different documents before it, plus 1.
    Dense,
    /// The place itself, from 1.
    Number,
}

const PLACES: [(&str, PlaceCount); 3] = [
    ("$rank", PlaceCount::Rank),
    ("$denseRank", PlaceCount::Dense),
    ("$documentNumber", PlaceCount::Number),
];

impl PlaceCount {
    pub(super) fn find(name: &str) -> Option<PlaceCount> {
        let (_, place) = PLACES.iter().find(|(known, _)| *known == name)?;
        Some(*place)
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        PLACES.iter().map(|(name, _)| *name)
    }

    pub(super) fn apply(self, partition: &Partition) -> Vec<Option<Value>> {
        let (mut rank, mut dense) = (1, 0);
        let ranks = (0..partition.len()).map(|at| {
            if !partition.ties_with_previous(at) {
                rank = at as i64 + 1;
                dense += 1;
            }
            let number = match self {
                PlaceCount::Rank => rank,
                PlaceCount::Dense => dense,
                PlaceCount::Number => at as i64 + 1,
            };
            Some(Number::int_or_long(number).into())
        });
        ranks.collect()
    }
}

/// `$shift`: the value of a document some places away.
#[derive(Clone, Debug)]
pub(super) struct Shift {
    pub(super) output: Expression,
    pub(super) by: i64,
    /// The value if there is no such document, or if it has no value.
    pub(super) default: Value,
}

impl Shift {
    pub(super) fn apply(&self, partition: &Partition, variables: &Variables) -> Result<Vec<Option<Value>>> {
        let values = partition.evaluate(&self.output, variables)?;
        let shifted = (0..values.len()).map(|at| {
            let place = (at as i64)
                .checked_add(self.by)
                .and_then(|place| usize::try_from(place).ok());
            let value = place.and_then(|place| values.get(place)).cloned().flatten();
            Some(value.unwrap_or_else(|| self.default.clone()))
        });
        Ok(shifted.collect())
    }
}
