//! The front of a pipeline that a query on the collection answers: filter, sort, skip, limit, projection.

use super::Pipeline;
use super::implied::with_implied;
use super::stage::QueryPart;
use super::stages::geo_near::GeoNear;
use crate::Result;
use language::expression::Variables;
use language::filter::Filter;
use language::projection::Projection;
use query::plan::SortPattern;
use std::sync::Arc;

/// What a query on the collection does for a pipeline.
#[derive(Clone, Debug, Default)]
pub struct Leading {
    /// All `$match` before anything else; `None` if there is none.
    pub filter: Option<Arc<Filter>>,
    /// `$geoNear`.
    pub(super) near: Option<Arc<GeoNear>>,
    /// `$sort`.
    pub sort: Option<SortPattern>,
    /// `$skip`.
    pub skip: u64,
    /// `$limit`.
    pub limit: Option<u64>,
    /// `$project` (or one of its relatives) after those.
    pub projection: Option<Arc<Projection>>,
}

impl Leading {
    /// The filter, with what follows from it for indexes.
    pub fn filter(&self, variables: &Variables) -> Result<Arc<Filter>> {
        match &self.filter {
            None => Ok(Arc::new(Filter::empty())),
            Some(filter) => with_implied(filter, variables),
        }
    }

    fn is_cut(&self) -> bool {
        self.skip > 0 || self.limit.is_some()
    }

    fn add_filter(&mut self, filter: &Arc<Filter>) {
        self.filter = Some(match self.filter.take() {
            None => Arc::clone(filter),
            Some(known) => Arc::new(Filter::all_of([
                Arc::unwrap_or_clone(known),
                Filter::clone(filter),
            ])),
        });
    }

    fn add_limit(&mut self, limit: u64) {
        self.limit = Some(self.limit.map_or(limit, |known| known.min(limit)));
    }

    fn add_skip(&mut self, skip: u64) {
        self.skip = self.skip.saturating_add(skip);
        self.limit = self.limit.map(|limit| limit.saturating_sub(skip));
    }

    /// Adds a stage to the query, if the query can do it after what it does already. Returns whether it can.
    fn take(&mut self, part: QueryPart<'_>) -> bool {
        if self.projection.is_some() {
            return false;
        }
        match part {
            QueryPart::Near(near) => {
                self.filter.clone_from(&near.query);
                self.near = Some(Arc::new(near.clone()));
            }
            // The stages after it see the distances.
            QueryPart::Filter(_) | QueryPart::Sort(..) | QueryPart::Projection(_) if self.near.is_some() => {
                return false;
            }
            // So they see the scores of texts.
            QueryPart::Projection(_)
                if self.filter.as_ref().is_some_and(|filter| filter.text().is_some()) =>
            {
                return false;
            }
            // A filter may go before a sort, but not before a limit.
            QueryPart::Filter(filter) if !self.is_cut() => self.add_filter(filter),
            QueryPart::Sort(pattern, limit) if !self.is_cut() => {
                // What was sorted before only decides among equals, which a new sort need not keep.
                self.sort = Some(pattern.clone());
                self.limit = limit;
            }
            QueryPart::Skip(skip) => self.add_skip(skip),
            QueryPart::Limit(limit) => self.add_limit(limit),
            QueryPart::Projection(projection) => self.projection = Some(Arc::clone(projection)),
            QueryPart::None | QueryPart::Filter(_) | QueryPart::Sort(..) => return false,
        }
        true
    }
}

impl Pipeline {
    /// The front that a query on the collection answers, and the remaining stages.
    pub fn split_leading(&self) -> (Leading, Pipeline) {
        let mut leading = Leading::default();
        let taken = self
            .stages
            .iter()
            .take_while(|stage| leading.take(stage.part()))
            .count();
        let rest = Pipeline {
            stages: self.stages[taken..].to_vec(),
            variables: Arc::clone(&self.variables),
        };
        (leading, rest)
    }
}
