//! The accumulators of `$bucketAuto` that go by the order of documents: that in which they came, and not that into which the
//! stage has sorted them (MongoDB's `accumulator_for_bucket_auto.cpp`).

use crate::Result;
use language::expression::Evaluated;
use language::expression::accumulator::{AccumulatorKind, Ranked, Ties};
use value::Value;

/// The values of one bucket by the places of their documents.
#[derive(Debug)]
pub(crate) struct Placed {
    kind: AccumulatorKind,
    kept: Ranked,
}

impl Placed {
    /// The state before any document; `None` for an accumulator to which no order matters.
    pub(super) fn start(kind: AccumulatorKind) -> Option<Placed> {
        let kept_max = match kind {
            AccumulatorKind::First | AccumulatorKind::Last => 1,
            AccumulatorKind::Push | AccumulatorKind::MergeObjects | AccumulatorKind::ConcatArrays => {
                usize::MAX
            }
            _ => return None,
        };
        Some(Placed {
            kind,
            kept: Ranked::new(kept_max, Ties::FirstFirst),
        })
    }

    /// Takes the value of the document at this place.
    pub(super) fn add(&mut self, place: usize, value: Evaluated<'_>) {
        let value = match self.kind {
            AccumulatorKind::First | AccumulatorKind::Last => Some(value.into_value().unwrap_or(Value::Null)),
            _ => value.into_value(),
        };
        if let Some(value) = value {
            self.kept
                .add(key(place, self.kind == AccumulatorKind::Last), || value);
        }
    }

    /// What came out of the values in the order of their places.
    pub(super) fn result(&mut self) -> Result<Option<Value>> {
        // One that compares would not be here, so that there is no collation to ask.
        let mut accumulator = self.kind.start(None);
        for value in self.kept.take() {
            accumulator.add(Evaluated::Owned(value))?;
        }
        Ok(accumulator.result())
    }

    pub(super) fn bytes(&self) -> usize {
        self.kept.bytes()
    }
}

/// The bytes by which documents are ranked by their places, the last first if that is wanted.
pub(super) fn key(place: usize, last_first: bool) -> Vec<u8> {
    let place = place as u64;
    let place = if last_first { !place } else { place };
    place.to_be_bytes().to_vec()
}
