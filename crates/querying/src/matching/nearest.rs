//! How near the vectors of a field are to another one.

use mapping::Field;
use mapping::fields::View;
use mapping::vectors::{Similarity, Vectors};
use std::sync::Arc;

/// What vectors are compared with, and how.
#[derive(Debug)]
pub struct Nearest {
    pub(super) vector: Arc<[f32]>,
    pub(super) vectors: Vectors,
    pub(super) similarity: Similarity,
    /// The least score.
    pub(super) least: Option<f32>,
}

impl Nearest {
    /// The score of the nearest vector that a document has in a field.
    pub(super) fn score(&self, field: &Field, view: &View<'_>) -> Option<f32> {
        let vectors = view.vectors(field);
        let scores = vectors
            .iter()
            .map(|vector| self.similarity.score(self.vectors.element, vector, &self.vector));
        let best = scores.reduce(f32::max)?;
        self.least.is_none_or(|least| best >= least).then_some(best)
    }
}
