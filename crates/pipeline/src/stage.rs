//! The interface of parsed stages.

use super::collections::{Collections, NoCollections};
use super::kept::Kept;
use super::stages::geo_near::GeoNear;
use super::step::Work;
use language::expression::{ParseScope, Variables};
use language::filter::Filter;
use language::projection::Projection;
use memory::Budget;
use query::execute::Sorter;
use query::plan::SortPattern;
use query::spill::{SpillFolder, Spilled};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Weak};
use store::{Moment, Namespace};
use value::{Document, Value};

/// A parsed stage.
pub(crate) trait Stage: Debug + Send + Sync {
    /// Starts to run the stage.
    fn start(&self, run: &Run) -> Work;

    /// The stage as a document, as explain shows it; an empty one if explain shows none.
    fn to_document(&self) -> Document;

    /// The part of a query that would do the same as the stage.
    fn part(&self) -> QueryPart<'_> {
        QueryPart::None
    }

    /// The fields that the stage reads, if it passes on nothing else of a document; `None` if it may.
    fn fields_read(&self) -> Option<BTreeSet<String>> {
        None
    }

    /// The number of documents that a `$sample` picks; `None` for other stages.
    fn picks(&self) -> Option<u64> {
        None
    }

    /// Whether it is a `$group`, which takes documents where they lie.
    fn is_group(&self) -> bool {
        false
    }

    /// The top-level field that it unwinds, and whether documents without elements stay; `None` if it does anything
    /// else.
    fn unwound(&self) -> Option<(&str, bool)> {
        None
    }

    /// The other collections that the stage reads, as it and the stages within it name them.
    fn reads(&self) -> Vec<&Namespace> {
        Vec::new()
    }

    /// The names of the metadata for `$meta` that it adds to documents.
    fn metadata(&self) -> &'static [&'static str] {
        &[]
    }

    /// Where in a pipeline the stage may stand.
    fn position(&self) -> Position {
        Position::Anywhere
    }

    /// The stage limited to this many results, if that saves work.
    fn limited(&self, _results_max: u64) -> Option<Box<dyn Stage>> {
        None
    }
}

/// Where in a pipeline a stage may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// Anywhere.
    Anywhere,
    /// Only first: it makes the documents, and no collection is read.
    First(Origin),
    /// Only first, on the documents of a collection; before it there may be a `$match` of everything.
    FirstOnCollection,
    /// Only last: it writes them.
    Last,
}

/// The subject of a stage that makes its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The collection that the pipeline names.
    Collection,
    /// The whole server, or nothing but the stage itself: the pipeline names no collection.
    Database,
}

/// The part of a query that corresponds to a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueryPart<'s> {
    /// Nothing of the kind.
    None,
    /// `$geoNear`
    Near(&'s GeoNear),
    /// `$match`
    Filter(&'s Arc<Filter>),
    /// `$sort`, with the limit that it has taken over
    Sort(&'s SortPattern, Option<u64>),
    /// `$skip`
    Skip(u64),
    /// `$limit`
    Limit(u64),
    /// `$project`, `$addFields`, `$set`, `$unset`
    Projection(&'s Arc<Projection>),
}

/// The scope in which stages are parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageScope<'v> {
    /// The variables, with their values.
    pub(crate) variables: &'v Variables,
    /// The collection that the pipeline reads.
    pub(crate) namespace: &'v Namespace,
    /// The pipelines around this one.
    pub(crate) depth: usize,
    /// The metadata of the documents that come to the stage.
    pub(crate) metadata: &'v [&'static str],
    /// Whether nothing stands before the stage but what MongoDB runs together with a group.
    pub(crate) leads: bool,
}

impl StageScope<'_> {
    /// A scope for expressions that see documents with their metadata.
    pub(crate) fn parse_scope(&self) -> ParseScope {
        self.variables.parse_scope().with_metadata(self.metadata)
    }
}

/// What running stages share. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) variables: Arc<Variables>,
    pub(crate) surroundings: Surroundings,
    pub(crate) memory: Budget,
}

impl Run {
    /// A counter for the memory of the stage with this name.
    pub(crate) fn kept(&self, stage: &'static str) -> Kept {
        Kept::new(stage, &self.memory)
    }

    /// A sorter for a stage.
    pub(crate) fn sorter<T: Spilled>(&self, results_max: Option<u64>) -> Sorter<T> {
        Sorter::new(results_max, self.surroundings.spill.clone(), &self.memory)
    }
}

/// The surroundings of a pipeline. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The other collections.
    pub collections: Arc<dyn Collections>,
    /// The moment at which all of them are read; `None` for now.
    pub moment: Option<Weak<Moment>>,
    /// The folder for stages that do not fit into memory; `None` if they may not use files.
    pub spill: Option<Arc<SpillFolder>>,
}

impl Default for Surroundings {
    /// No other collections, no files.
    fn default() -> Surroundings {
        Surroundings {
            collections: Arc::new(NoCollections),
            moment: None,
            spill: None,
        }
    }
}

pub(crate) fn named(name: &str, value: impl Into<Value>) -> Document {
    Document::new().with(name, value)
}

/// The name by which a client gives the stage.
pub(crate) fn stage_name(stage: &dyn Stage) -> String {
    stage
        .to_document()
        .iter()
        .next()
        .map(|(name, _)| name.to_owned())
        .unwrap_or_default()
}
