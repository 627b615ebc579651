//! Stages on picked fields.

use super::Names;
use crate::Result;
use language::expression::{Found, Variables};
use language::filter::Filter;
use language::interruption::steps;
use language::projection::{FieldSource, Projection};
use std::sync::Arc;
use value::{DocumentRef, Picked, ValueRef};

/// One stage in front of the group.
#[derive(Debug)]
pub(super) enum FusedStage {
    Match(Arc<Filter>),
    /// Of the field in this place.
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

/// Gives what the stages make of a document with these fields.
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
            let computed = fused.projection.computed().iter();
            let found: Vec<Found<'_>> = computed
                .map(|(_, expression)| expression.find(document, variables))
                .collect::<Result<_, _>>()?;
            let sources = fused.sources.iter();
            let values: Vec<Option<ValueRef<'_>>> = sources
                .map(|source| match source {
                    PlaceSource::Place(place) => values[*place],
                    PlaceSource::Computed(at) => found[*at].get(),
                    PlaceSource::Absent => None,
                })
                .collect();
            run(rest, &fused.names, &values, variables, give)
        }
    }
}
