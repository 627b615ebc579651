//! Aggregations: numbers and buckets of what matches.
//!
//! [`Aggregations`] is what a request asks ([`parse`]); [`Collected`] is what was collected of the documents so far, a
//! state for each ([`metrics`], [`buckets`]).

mod buckets;
mod histogram;
mod metrics;
mod parse;
mod ranges;
mod terms;
mod values;

use crate::error::{Kind, Result, SearchError};
use crate::fields::View;
use crate::mapping::Mapping;
use crate::matching::{Node, Statistics, compile};
use crate::query::Query;
use buckets::Buckets;
use histogram::Interval;
use metrics::Metric;
use ranges::RangeSpec;
use serde_json::{Map, Value};
use std::cell::Cell;
use terms::TermsSpec;
use values::Source;

/// The buckets of one search at most.
pub const BUCKETS_MAX: usize = 65_535;
/// Aggregations within aggregations at most.
pub(crate) const DEPTH_MAX: usize = 20;

/// What a request asks besides hits.
#[derive(Clone, Debug, Default)]
pub struct Aggregations {
    pub(crate) named: Vec<Named>,
}

/// One aggregation by its name.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    name: String,
    spec: Spec,
    inner: Aggregations,
    meta: Option<Value>,
}

#[derive(Clone, Debug)]
enum Spec {
    Metric(Source, metrics::MetricKind),
    Terms(Source, TermsSpec),
    Histogram(Source, Interval),
    Range(Source, RangeSpec),
    Missing(Source),
    /// Queries by their names, or by their places.
    Filters {
        queries: Vec<(String, Query)>,
        keyed: bool,
        other: Option<String>,
    },
    Filter(Box<Query>),
}

/// What collecting needs of the index whose documents are shown.
pub(crate) struct Context<'c> {
    pub(crate) filters: &'c [Node],
    pub(crate) statistics: &'c Statistics,
    pub(crate) now_ms: i64,
    pub(crate) buckets: &'c Cell<usize>,
}

impl Context<'_> {
    /// Makes room for one more bucket.
    fn bucket(&self) -> Result<()> {
        self.buckets.set(self.buckets.get() + 1);
        match self.buckets.get() > BUCKETS_MAX {
            false => Ok(()),
            true => Err(too_many_buckets()),
        }
    }
}

pub(crate) fn too_many_buckets() -> SearchError {
    SearchError::new(
        Kind::TooManyBuckets,
        format!(
            "Trying to create too many buckets. Must be less than or equal to: [{BUCKETS_MAX}] but was [{}]. This limit can be set by \
             changing the [search.max_buckets] cluster level setting.",
            BUCKETS_MAX + 1
        ),
    )
}

impl Aggregations {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// All queries of filters, in the order in which collecting numbers them.
    pub(crate) fn compile(&self, mapping: &Mapping, now_ms: i64, out: &mut Vec<Node>) -> Result<()> {
        for named in &self.named {
            match &named.spec {
                Spec::Filter(query) => out.push(compile(query, mapping, now_ms)?),
                Spec::Filters { queries, .. } => {
                    for (_, query) in queries {
                        out.push(compile(query, mapping, now_ms)?);
                    }
                }
                Spec::Metric(source, kind) => source.check(mapping, kind.name(), kind.wants_numbers())?,
                Spec::Histogram(source, interval) => source.check(mapping, interval.name(), true)?,
                Spec::Range(source, range) => source.check(mapping, range.name(), true)?,
                Spec::Terms(source, _) => source.check(mapping, "terms", false)?,
                Spec::Missing(source) => source.check(mapping, "missing", false)?,
            }
            named.inner.compile(mapping, now_ms, out)?;
        }
        Ok(())
    }

    /// How many queries of filters it has, those within included.
    fn filters(&self) -> usize {
        let of = |named: &Named| {
            let own = match &named.spec {
                Spec::Filter(_) => 1,
                Spec::Filters { queries, .. } => queries.len(),
                _ => 0,
            };
            own + named.inner.filters()
        };
        self.named.iter().map(of).sum()
    }
}

/// What was collected so far, in the order of the aggregations.
#[derive(Clone, Debug)]
pub(crate) struct Collected(Vec<State>);

#[derive(Clone, Debug)]
enum State {
    Metric(Metric),
    Buckets(Buckets),
}

impl Collected {
    pub(crate) fn new(aggregations: &Aggregations) -> Collected {
        let state = |named: &Named| match &named.spec {
            Spec::Metric(_, kind) => State::Metric(Metric::new(kind)),
            _ => State::Buckets(Buckets::new(named)),
        };
        Collected(aggregations.named.iter().map(state).collect())
    }

    /// Takes a document. `first_filter` is the number of the first query within these aggregations.
    pub(crate) fn collect(
        &mut self,
        aggregations: &Aggregations,
        view: &View<'_>,
        context: &Context<'_>,
        mut first_filter: usize,
    ) -> Result<()> {
        for (state, named) in self.0.iter_mut().zip(&aggregations.named) {
            let own = match &named.spec {
                Spec::Filter(_) => 1,
                Spec::Filters { queries, .. } => queries.len(),
                _ => 0,
            };
            match (state, &named.spec) {
                (State::Metric(metric), Spec::Metric(source, _)) => metric.collect(&source.terms(view))?,
                (State::Buckets(buckets), _) => buckets.collect(named, view, context, first_filter)?,
                _ => {}
            }
            first_filter += own + named.inner.filters();
        }
        Ok(())
    }

    /// The answer. With `typed`, names have the type of their aggregation in front.
    pub(crate) fn finish(self, aggregations: &Aggregations, typed: bool) -> Result<Map<String, Value>> {
        let mut out = Map::new();
        for (state, named) in self.0.into_iter().zip(&aggregations.named) {
            let (kind, mut answer) = match (state, &named.spec) {
                (State::Metric(metric), Spec::Metric(source, kind)) => {
                    (kind.type_name(), metric.finish(kind, source))
                }
                (State::Buckets(buckets), _) => buckets.finish(named, typed)?,
                _ => continue,
            };
            if let Some(meta) = &named.meta {
                answer.insert("meta".to_owned(), meta.clone());
            }
            let name = if typed {
                format!("{kind}#{}", named.name)
            } else {
                named.name.clone()
            };
            out.insert(name, Value::Object(answer));
        }
        Ok(out)
    }

    /// The number by which buckets are ordered: a metric, or one of its numbers.
    fn number(&self, aggregations: &Aggregations, path: &str) -> Option<f64> {
        let (name, rest) = match path.split_once(['.', '>']) {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        let at = aggregations.named.iter().position(|named| named.name == name)?;
        match self.0.get(at)? {
            State::Metric(metric) => metric.number(rest),
            State::Buckets(buckets) => buckets.number(aggregations.named.get(at)?, rest),
        }
    }
}
