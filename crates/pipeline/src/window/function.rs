//! The functions of `$setWindowFields`, and how each runs over a partition.

use super::frame::Frame;
use super::moving::{Filling, Smoothing};
use super::partition::{Partition, Shown};
use super::position::{PlaceCount, Shift};
use super::removable::{Removable, RemovableKind};
use super::scaling::{self, Scaling};
use super::slope::{Derivative, Integral};
use crate::Result;
use crate::stages::accumulation::{Accumulation, Asking};
use language::expression::{Expression, Variables};
use language::interruption::steps;
use value::{Document, Value};

/// Called with each computed value; fails if there is no room to keep it.
pub(super) type Room<'r> = &'r mut dyn FnMut(&Option<Value>) -> Result<()>;

/// A parsed function.
#[derive(Clone, Debug)]
pub(super) enum Function {
    /// An accumulator from whose state values can be removed.
    Removable(RemovableKind, Expression),
    /// Any other accumulator of `$group`.
    Accumulated(Accumulation),
    PlaceCount(PlaceCount),
    Shift(Shift),
    Derivative(Derivative),
    Integral(Integral),
    Smoothing(Smoothing),
    Filling(Filling),
    Scaling(Scaling),
}

impl Function {
    /// The values for all documents of a partition, in order.
    pub(super) fn apply(
        &self,
        partition: &Partition,
        frame: &Frame,
        variables: &Variables,
        room: Room<'_>,
    ) -> Result<Vec<Option<Value>>> {
        let values = match self {
            Function::Removable(kind, input) => {
                let values = partition.evaluate(input, variables)?;
                return slide(
                    kind.start(frame.begins_with_partition(), variables.collation()),
                    &values,
                    partition,
                    frame,
                    room,
                );
            }
            Function::Accumulated(accumulation) => {
                return recompute(accumulation, partition, frame, variables, room);
            }
            Function::PlaceCount(place) => Ok(place.apply(partition)),
            Function::Shift(shift) => shift.apply(partition, variables),
            Function::Derivative(derivative) => derivative.apply(partition, frame, variables),
            Function::Integral(integral) => integral.apply(partition, frame, variables),
            Function::Smoothing(smoothing) => smoothing.apply(partition, variables),
            Function::Filling(filling) => filling.apply(partition, variables),
            Function::Scaling(scaling) => scale(scaling, partition, frame, variables),
        }?;
        values.iter().try_for_each(room)?;
        Ok(values)
    }
}

/// The place of each value between the ends of its frame.
fn scale(
    scaling: &Scaling,
    partition: &Partition,
    frame: &Frame,
    variables: &Variables,
) -> Result<Vec<Option<Value>>> {
    let values = partition.evaluate(&scaling.input, variables)?;
    scaling::check(&values, frame)?;
    // Two numbers for each document, besides the bytes that are counted for it.
    let ends = |kind: RemovableKind| {
        let state = kind.start(frame.begins_with_partition(), None);
        slide(state, &values, partition, frame, &mut |_: &Option<Value>| Ok(()))
    };
    let (smallest, largest) = (ends(RemovableKind::Min)?, ends(RemovableKind::Max)?);
    let frames = values.iter().zip(smallest.iter().zip(&largest));
    let scaled = frames.map(|(value, (smallest, largest))| {
        scaling.scaled(value.as_ref()?, smallest.as_ref()?, largest.as_ref()?)
    });
    Ok(scaled.collect())
}

/// Moves a frame over the values, adding and removing.
fn slide(
    mut state: Box<dyn Removable>,
    values: &[Option<Value>],
    partition: &Partition,
    frame: &Frame,
    room: Room<'_>,
) -> Result<Vec<Option<Value>>> {
    let (mut begin, mut end) = (0, 0);
    let mut results: Vec<Option<Value>> = Vec::with_capacity(values.len());
    for range in frame.of_all(partition)? {
        let unchanged = range == (begin..end) && !results.is_empty();
        if unchanged {
            let same = results.last().cloned().flatten();
            room(&same)?;
            results.push(same);
            continue;
        }
        while end < range.end {
            steps(1)?;
            state.add(values[end].as_ref())?;
            end += 1;
        }
        while begin < range.start {
            state.remove(values[begin].as_ref());
            begin += 1;
        }
        let result = Some(state.result());
        room(&result)?;
        results.push(result);
    }
    Ok(results)
}

/// Computes an accumulator anew for each different frame.
fn recompute(
    accumulation: &Accumulation,
    partition: &Partition,
    frame: &Frame,
    variables: &Variables,
    room: Room<'_>,
) -> Result<Vec<Option<Value>>> {
    let group = Document::new();
    let asking = match frame.begins_with_partition() {
        true => Asking::GrowingFrame,
        false => Asking::MovingFrame,
    };
    let start = || accumulation.start((&group).into(), variables, asking);
    let mut shown = Shown::new(variables);
    let mut known: Option<(std::ops::Range<usize>, Option<Value>)> = None;
    let mut results = Vec::with_capacity(partition.len());
    for range in frame.of_all(partition)? {
        let value = match &known {
            Some((same, value)) if *same == range => value.clone(),
            _ => {
                let mut state = start()?;
                for row in &partition.rows()[range.clone()] {
                    steps(1)?;
                    accumulation.add(&mut state, row.as_ref(), shown.of(row))?;
                }
                let value = state.result()?;
                known = Some((range, value.clone()));
                value
            }
        };
        room(&value)?;
        results.push(value);
    }
    Ok(results)
}
