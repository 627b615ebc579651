//! Stages on picked fields.

use super::Names;
use crate::Result;
use language::expression::{Evaluated, Variables};
use language::filter::Filter;
use language::interruption::steps;
use language::projection::{FieldSource, Projection};
use std::sync::Arc;
use value::{DocumentRef, Picked, ValueRef};

/// Fields that are projected without memory of their own.
const FEW: usize = 4;

/// One stage in front of the group.
#[derive(Debug)]
pub(super) enum FusedStage {
    Match(Arc<Filter>),
    /// Unwinds the field in this place.
    Unwind {
        place: usize,
        preserves: bool,
    },
    Project(FusedProjection),
}

/// A projection to the fields that are read after it.
#[derive(Debug)]
pub(super) struct FusedProjection {
    pub(super) projection: Arc<Projection>,
    /// The names after it, and where the value of each comes from: a place before it, or a computed field.
    pub(super) names: Names,
    pub(super) sources: Vec<PlaceSource>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum PlaceSource {
    Place(usize),
    Computed(usize),
    Absent,
}

impl PlaceSource {
    pub(super) fn of(source: FieldSource, place: impl FnOnce() -> Option<usize>) -> PlaceSource {
        match source {
            FieldSource::Kept => place().map_or(PlaceSource::Absent, PlaceSource::Place),
            FieldSource::Computed(at) => PlaceSource::Computed(at),
            FieldSource::Absent => PlaceSource::Absent,
        }
    }
}

/// Runs the stages on a document with these fields, and passes on the results.
pub(super) fn run(
    stages: &[FusedStage],
    names: &[Box<str>],
    values: &[Option<ValueRef<'_>>],
    variables: &Variables,
    give: &mut dyn FnMut(DocumentRef<'_>) -> Result<()>,
) -> Result<()> {
    let picked = Picked { names, values };
    let document = DocumentRef::Picked(&picked);
    let Some((stage, rest)) = stages.split_first() else {
        return give(document);
    };
    match stage {
        FusedStage::Match(filter) => match filter.matches(document)? {
            true => run(rest, names, values, variables, give),
            false => Ok(()),
        },
        FusedStage::Unwind { place, preserves } => {
            let mut with = |value: Option<ValueRef<'_>>| {
                let mut values = values.to_vec();
                values[*place] = value;
                run(rest, names, &values, variables, give)
            };
            match values[*place] {
                Some(ValueRef::Array(array)) if array.is_empty() => match preserves {
                    true => with(None),
                    false => Ok(()),
                },
                Some(ValueRef::Array(array)) => {
                    let mut values = values.to_vec();
                    for element in array.iter() {
                        steps(1)?;
                        values[*place] = Some(element);
                        run(rest, names, &values, variables, give)?;
                    }
                    Ok(())
                }
                None | Some(ValueRef::Null | ValueRef::Undefined) if !preserves => Ok(()),
                _ => run(rest, names, values, variables, give),
            }
        }
        FusedStage::Project(fused) => {
            let computed = fused.projection.computed();
            let count = fused.sources.len();
            if computed.len() <= FEW && count <= FEW {
                let mut found = [const { Evaluated::Missing }; FEW];
                fused.compute(document, variables, &mut found)?;
                let mut picked = [None; FEW];
                fused.place(values, &found, &mut picked[..count]);
                return run(rest, &fused.names, &picked[..count], variables, give);
            }
            let mut found = vec![Evaluated::Missing; computed.len()];
            fused.compute(document, variables, &mut found)?;
            let mut picked = vec![None; count];
            fused.place(values, &found, &mut picked);
            run(rest, &fused.names, &picked, variables, give)
        }
    }
}

impl FusedProjection {
    /// All computed fields of a document, in the order of the specification.
    fn compute<'e>(
        &'e self,
        document: DocumentRef<'e>,
        variables: &'e Variables,
        found: &mut [Evaluated<'e>],
    ) -> Result<()> {
        for ((_, expression), place) in self.projection.computed().iter().zip(found) {
            *place = expression.find(document, variables)?;
        }
        Ok(())
    }

    /// The values of the fields that are read after it.
    fn place<'v>(
        &self,
        values: &[Option<ValueRef<'v>>],
        found: &'v [Evaluated<'_>],
        places: &mut [Option<ValueRef<'v>>],
    ) {
        for (source, place) in self.sources.iter().zip(places) {
            *place = match source {
                PlaceSource::Place(at) => values[*at],
                PlaceSource::Computed(at) => found[*at].get(),
                PlaceSource::Absent => None,
            };
        }
    }
}
