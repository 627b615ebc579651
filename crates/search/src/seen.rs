//! What is shown to a run, and what it gives.

use crate::hit::Hit;
use crate::profile::Profile;
use mapping::Mapping;
use mapping::fields::View;
use querying::Held;
use serde_json::{Map, Value};
use std::sync::Arc;
use value::DocumentBuf;

/// A collection that is searched.
#[derive(Clone, Debug)]
pub struct Index {
    /// Its name, as hits show it.
    pub name: String,
    /// Its mapping.
    pub mapping: Arc<Mapping>,
    /// A factor for the scores of its hits.
    pub boost: f32,
}

/// A document that is shown to a run.
#[derive(Clone, Debug)]
pub struct Seen<'d> {
    /// Its `_id` as text.
    pub id: &'d str,
    /// The number of its last change.
    pub sequence: u64,
    /// How often it was changed.
    pub version: u64,
    /// The document.
    pub document: &'d DocumentBuf,
}

impl<'d> Seen<'d> {
    /// Its fields, as those of a document of an index, which is the `at`th of the search.
    pub fn view(&self, at: usize, index: &'d Index) -> View<'d> {
        View {
            mapping: &index.mapping,
            document: self.document.as_ref(),
            scope: None,
            offset: 0,
            root: self.document.as_ref(),
            index_at: at,
            version: self.version,
            id: self.id,
            index: &index.name,
            sequence: self.sequence,
            row: None,
            score: None,
        }
    }
}

/// What was found.
#[derive(Debug)]
pub struct Outcome {
    /// The documents that match.
    pub total: u64,
    /// The best score; `None` if scores are not made or nothing was found.
    pub max_score: Option<f32>,
    /// The hits that were asked for, in order.
    pub hits: Vec<Hit>,
    /// Whether it stopped before all were seen.
    pub terminated_early: bool,
    /// What aggregations gave; `None` where there are none.
    pub aggregations: Option<Map<String, Value>>,
    /// How the documents of each index were found.
    pub profiles: Vec<Profile>,
    /// The memory that it takes.
    pub held: Held,
}
