//! Choosing the stages that run as one, and the fields that they need.

use super::stages::{FusedProjection, FusedStage, PlaceSource};
use super::{Fused, Names};
use crate::Pipeline;
use crate::stage::{QueryPart, Stage};
use language::projection::{Projection, RECORD_ID, SORT_KEY};
use query::execute::FindSpec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Names of top-level fields.
type Fields = BTreeSet<String>;

/// A stage that can run on picked fields.
enum Part<'p> {
    Match(&'p Arc<language::filter::Filter>),
    Unwind { field: &'p str, preserves: bool },
    Project(&'p Arc<Projection>),
}

impl Fused {
    /// The stages before the first group of a pipeline, if all of them can run as one. The query then has no projection any
    /// more.
    pub(crate) fn of(spec: &mut FindSpec, pipeline: &Pipeline) -> Option<Fused> {
        let taken = pipeline.stages.iter().position(|stage| stage.is_group())?;
        if spec.return_key || spec.show_record_id || spec.filter.text().is_some() || spec.filter.asks_near() {
            return None;
        }
        let own = spec.projection.clone();
        let mut parts = Vec::with_capacity(taken + 1);
        if let Some(projection) = &own {
            parts.push(Part::of_projection(projection)?);
        }
        for stage in &pipeline.stages[..taken] {
            parts.push(Part::of(&**stage)?);
        }
        // From the group to the front: what each stage needs before it for what is needed after it.
        let mut fields = top_level(&pipeline.stages[taken].fields_read()?);
        let mut after = Vec::with_capacity(parts.len());
        for part in parts.iter().rev() {
            let before = part.needs(&fields)?;
            after.push(std::mem::replace(&mut fields, before));
        }
        after.reverse();
        fields.extend(top_level(&spec.filter.fields_read()?));

        let names = names(&fields);
        let mut at_hand = names.clone();
        let mut stages = Vec::with_capacity(parts.len());
        for (part, after) in parts.iter().zip(&after) {
            stages.push(part.fused(&mut at_hand, after)?);
        }
        if let Some(projection) = own {
            let required = projection.required_fields().map(BTreeSet::from_iter);
            let required = required.unwrap_or_else(|| fields.clone());
            spec.needed = Some(required.into_iter().collect());
            spec.projection = None;
        }
        Some(Fused {
            names,
            stages,
            taken,
            variables: Arc::clone(&pipeline.variables),
        })
    }
}

impl<'p> Part<'p> {
    fn of(stage: &'p dyn Stage) -> Option<Part<'p>> {
        match stage.part() {
            QueryPart::Filter(filter) if filter.text().is_none() => Some(Part::Match(filter)),
            QueryPart::Projection(projection) => Part::of_projection(projection),
            QueryPart::None => {
                let (field, preserves) = stage.unwound()?;
                Some(Part::Unwind { field, preserves })
            }
            _ => None,
        }
    }

    fn of_projection(projection: &'p Arc<Projection>) -> Option<Part<'p>> {
        let reads_metadata = projection.needs_index_key()
            || projection.needs_metadata(RECORD_ID)
            || projection.needs_metadata(SORT_KEY);
        (projection.is_simple() && !reads_metadata).then_some(Part::Project(projection))
    }

    /// The fields that are needed before the stage; `None` if whole documents are.
    fn needs(&self, after: &Fields) -> Option<Fields> {
        let mut before = after.clone();
        match self {
            Part::Match(filter) => before.extend(top_level(&filter.fields_read()?)),
            Part::Unwind { field, .. } => {
                before.insert((*field).to_owned());
            }
            Part::Project(projection) => {
                before.retain(|name| {
                    projection.source_of(name) == Some(language::projection::FieldSource::Kept)
                });
                for (_, computed) in projection.computed() {
                    before.extend(top_level(computed.fields_read()?));
                }
            }
        }
        Some(before)
    }

    /// The stage on the present fields, which become those after it.
    fn fused(&self, at_hand: &mut Names, after: &Fields) -> Option<FusedStage> {
        let place = |name: &str| at_hand.iter().position(|known| **known == *name);
        Some(match self {
            Part::Match(filter) => FusedStage::Match(Arc::clone(filter)),
            Part::Unwind { field, preserves } => FusedStage::Unwind {
                place: place(field)?,
                preserves: *preserves,
            },
            Part::Project(projection) => {
                let names = names(after);
                let source = |name: &str| {
                    let source = projection.source_of(name)?;
                    Some(PlaceSource::of(source, || place(name)))
                };
                let fused = FusedProjection {
                    projection: Arc::clone(projection),
                    sources: names.iter().map(|name| source(name)).collect::<Option<_>>()?,
                    names: names.clone(),
                };
                *at_hand = names;
                FusedStage::Project(fused)
            }
        })
    }
}

/// The first names of paths.
fn top_level(paths: &BTreeSet<String>) -> Fields {
    let first = |path: &String| path.split('.').next().unwrap_or_default().to_owned();
    paths.iter().map(first).collect()
}

fn names(fields: &Fields) -> Names {
    fields.iter().map(|name| name.as_str().into()).collect()
}
