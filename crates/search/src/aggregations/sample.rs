//! `sampler` and `diversified_sampler`: the best documents alone.

use super::values::{Key, Source};
use mapping::Mapping;
use mapping::error::Result;
use mapping::fields::View;
use querying::Held;
use std::collections::BTreeMap;
use value::DocumentBuf;

/// Documents beyond those that are wanted that are kept until they are sorted out.
const MORE: usize = 100;

/// Which documents are taken.
#[derive(Clone, Debug)]
pub(super) struct SampleSpec {
    pub(super) size: usize,
    /// A field, and how many documents are taken of each of its values.
    pub(super) diversity: Option<(Source, usize)>,
}

impl SampleSpec {
    pub(super) fn name(&self) -> &'static str {
        match self.diversity {
            Some(_) => "diversified_sampler",
            None => "sampler",
        }
    }
}

/// The best documents of an index so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample(Vec<Kept>);

/// A document that may be one of the best.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) score: f32,
    sequence: u64,
    id: String,
    document: DocumentBuf,
}

impl Kept {
    fn bytes(&self) -> usize {
        size_of::<Kept>() + self.id.len() + self.document.bytes().len()
    }

    pub(super) fn view<'d>(&'d self, (index_at, mapping): (usize, &'d Mapping)) -> View<'d> {
        View {
            index_at,
            id: &self.id,
            sequence: self.sequence,
            score: Some(self.score),
            ..View::of_document(mapping, self.document.as_ref())
        }
    }
}

impl Sample {
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(Kept::bytes).sum()
    }

    pub(super) fn add(&mut self, spec: &SampleSpec, view: &View<'_>, score: f32, held: &Held) -> Result<()> {
        let kept = Kept {
            score,
            sequence: view.sequence,
            id: view.id.to_owned(),
            document: view.document.to_buf(),
        };
        held.add(kept.bytes())?;
        self.0.push(kept);
        // Which ones are left out for others of the same value is known in the end alone.
        let most = spec.diversity.as_ref().map_or(spec.size, |_| usize::MAX);
        if self.0.len() > most.saturating_mul(2).saturating_add(MORE) {
            self.sort();
            let others = self.0.drain(most..);
            held.give_back(others.map(|kept| kept.bytes()).sum());
        }
        Ok(())
    }

    fn sort(&mut self) {
        self.0
            .sort_by(|a, b| b.score.total_cmp(&a.score).then(a.sequence.cmp(&b.sequence)));
    }

    /// The best of an index, all of whose documents were shown.
    pub(super) fn take(
        &mut self,
        spec: &SampleSpec,
        index: (usize, &Mapping),
        held: &Held,
    ) -> Result<Vec<Kept>> {
        self.sort();
        held.give_back(self.bytes());
        let mut by_value: BTreeMap<Key, usize> = BTreeMap::new();
        let mut is_new = |kept: &Kept| -> Result<bool> {
            let Some((source, most)) = &spec.diversity else {
                return Ok(true);
            };
            let value = source.terms(&kept.view(index))?.into_iter().next().map(Key);
            Ok(value.is_none_or(|value| {
                let count = by_value.entry(value).or_default();
                *count += 1;
                *count <= *most
            }))
        };
        let mut best = Vec::new();
        for kept in std::mem::take(&mut self.0) {
            if best.len() == spec.size {
                break;
            }
            if is_new(&kept)? {
                best.push(kept);
            }
        }
        Ok(best)
    }
}
