//! The documents that were found to be the nearest, which a query takes as they are.

use crate::held::Held;
use mapping::error::Result;
use mapping::fields::View;
use std::collections::HashMap;

/// What one takes in memory, besides its `_id`.
const NEIGHBOUR_BYTES: usize = 96;

/// Documents with how near each is, by the names of their indices and the numbers of their last changes.
#[derive(Debug)]
pub struct Neighbours {
    by_index: HashMap<String, HashMap<u64, Neighbour>>,
    held: Held,
}

#[derive(Debug)]
struct Neighbour {
    id: String,
    score: f32,
}

impl Neighbours {
    /// None yet; what there will be is of this memory.
    pub fn new(held: Held) -> Neighbours {
        Neighbours {
            by_index: HashMap::new(),
            held,
        }
    }

    /// Adds a document of an index, by the number of its last change.
    pub fn add(&mut self, index: &str, sequence: u64, id: String, score: f32) -> Result<()> {
        self.held.add(NEIGHBOUR_BYTES + id.len())?;
        let of_index = self.by_index.entry(index.to_owned()).or_default();
        of_index.insert(sequence, Neighbour { id, score });
        Ok(())
    }

    /// How near a document is, where it is one of them.
    pub fn score(&self, view: &View<'_>) -> Option<f32> {
        let found = self.by_index.get(view.index)?.get(&view.sequence)?;
        Some(found.score)
    }

    /// The `_id`s of those of an index.
    pub fn ids(&self, index: &str) -> impl Iterator<Item = &str> {
        let of_index = self.by_index.get(index).into_iter().flatten();
        of_index.map(|(_, found)| found.id.as_str())
    }
}
