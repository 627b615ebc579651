//! Aggregations: numbers and buckets of what matches.
//!
//! [`Aggregations`] is what a request asks ([`parse`]); [`Collected`] is what was collected of the documents so far, a
//! state for each ([`metrics`], [`buckets`]).

mod answers;
mod auto;
mod background;
mod buckets;
mod columns;
mod composite;
mod context;
mod copies;
mod counts;
mod fields;
mod heuristics;
mod histogram;
mod letters;
mod metric_kind;
mod metrics;
mod multi_terms;
mod ordering;
mod parse;
mod path;
mod percentiles;
mod pipeline;
mod places;
mod ranges;
mod rates;
mod sample;
mod scores;
mod scripted;
mod significant;
mod spans;
mod takes;
mod terms;
mod top_hits;
mod top_metrics;
mod units;
mod values;
mod varied;
mod wanted;

use auto::AutoSpec;
pub use background::Counting;
use buckets::{Bucket, Buckets};
pub use columns::{Grouping, Rows};
use composite::{Area, Composite, CompositeSpec};
pub use context::ShowHit;
pub(crate) use context::{Context, Finish, Within, too_many_buckets};
pub use counts::{Background, Counts};
use histogram::Interval;
use mapping::Mapping;
use mapping::error::Result;
use mapping::fields::View;
use metrics::Metric;
use multi_terms::{MultiTerms, MultiTermsSpec};
use ordering::BucketOrder;
use path::Step;
use pipeline::PipelineSpec;
use querying::Query;
use querying::{Clauses, Node, compile};
use ranges::RangeSpec;
use sample::{Sample, SampleSpec};
use serde_json::{Map, Value};
use significant::SignificantSpec;
use terms::TermsSpec;
use top_hits::{TopHits, TopSpec};
use top_metrics::{TopMetrics, TopMetricsSpec};
use values::Source;
use varied::VariedSpec;

/// The buckets of one search at most.
pub const BUCKETS_MAX: usize = 65_535;
/// Aggregations within aggregations at most.
pub(crate) const DEPTH_MAX: usize = 20;

/// What a request asks besides hits.
#[derive(Clone, Debug, Default)]
pub struct Aggregations {
    pub(crate) named: Vec<Named>,
    /// The places of those over the buckets of others, in the order in which they are carried out.
    pipelines: Vec<usize>,
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
    Metric(Source, metric_kind::MetricKind),
    Terms(Source, TermsSpec),
    Significant(Source, SignificantSpec),
    /// All values, which are counted for others.
    Values(Source),
    /// All nested objects, which are counted for others.
    Objects,
    Sample(SampleSpec),
    Histogram(Source, Box<Interval>),
    /// A histogram whose interval is to be chosen.
    Auto(Source, AutoSpec),
    /// A histogram of values that lie near each other.
    Varied(Source, VariedSpec),
    Range(Source, RangeSpec),
    Missing(Source),
    /// Queries by their names, or by their places.
    Filters {
        queries: Vec<(String, Query)>,
        keyed: bool,
        other: Option<String>,
    },
    /// Queries by their names; a bucket for each, and for each two.
    Adjacency {
        queries: Vec<(String, Query)>,
        separator: String,
    },
    Filter(Box<Query>),
    Nested(String),
    /// Back to the whole document, or to the nested object at a path that others are in.
    ReverseNested(Option<String>),
    /// All documents, whatever the query says.
    Global,
    /// Cells of the earth, `size` at most: tiles of a zoom, or geohashes of a length.
    Grid {
        source: Source,
        is_tile: bool,
        precision: u32,
        size: usize,
        /// Where points count.
        bounds: Option<Area>,
    },
    Composite(CompositeSpec),
    MultiTerms(MultiTermsSpec),
    TopHits(Box<TopSpec>),
    TopMetrics(TopMetricsSpec),
    Pipeline(Box<PipelineSpec>),
}

impl Aggregations {
    /// The fields whose values are read one by one, texts and keywords for their terms among them.
    pub(crate) fn fields(&self) -> Vec<String> {
        let mut names = Vec::new();
        for one in &self.named {
            match &one.spec {
                Spec::Terms(source, spec) if !spec.is_mapped => names.push(source.field.clone()),
                Spec::Significant(source, _) => names.push(source.field.clone()),
                Spec::Metric(source, _) | Spec::Missing(source) => names.push(source.field.clone()),
                _ => {}
            }
            names.extend(one.inner.fields());
        }
        names
    }
}

impl Spec {
    /// The queries of its own, in the order of their numbers.
    fn queries(&self) -> Vec<&Query> {
        match self {
            Spec::Filter(query) => vec![query],
            Spec::Filters { queries, .. } | Spec::Adjacency { queries, .. } => {
                queries.iter().map(|(_, query)| query).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it makes one bucket.
    fn is_single(&self) -> bool {
        matches!(
            self,
            Spec::Filter(_)
                | Spec::Missing(_)
                | Spec::Nested(_)
                | Spec::ReverseNested(_)
                | Spec::Global
                | Spec::Sample(_)
        )
    }

    /// The order in which its buckets come, if a request can say it.
    fn orders(&self) -> Option<&[BucketOrder]> {
        match self {
            Spec::Terms(_, spec) => Some(&spec.orders),
            Spec::MultiTerms(spec) => Some(&spec.orders),
            Spec::Histogram(_, interval) => Some(&interval.orders),
            _ => None,
        }
    }

    /// The buckets that there are of it whatever the documents are.
    fn fixed_buckets(&self) -> usize {
        match self {
            Spec::Filter(_) | Spec::Missing(_) | Spec::Nested(_) | Spec::ReverseNested(_) => 1,
            Spec::Adjacency { queries, .. } => queries.len() * (queries.len() + 1) / 2,
            Spec::Filters { queries, other, .. } => queries.len() + usize::from(other.is_some()),
            Spec::Range(_, range) => range.len(),
            _ => 0,
        }
    }
}

impl Aggregations {
    /// Refuses what has more buckets than may be given before any document is looked at: each has those within it, so that few
    /// names can stand for more than memory has.
    pub(crate) fn check_buckets(&self, most: usize) -> Result<()> {
        match self.fixed_buckets() > most {
            true => Err(too_many_buckets(most)),
            false => Ok(()),
        }
    }

    fn fixed_buckets(&self) -> usize {
        let of = |named: &Named| {
            let within = named.inner.fixed_buckets();
            match named.spec.fixed_buckets() {
                0 => within,
                own => own.saturating_mul(within.saturating_add(1)),
            }
        };
        self.named.iter().map(of).fold(0, usize::saturating_add)
    }

    /// About the most bytes that are made at once for them: at the beginning, or for one bucket.
    pub(crate) fn bytes_at_once(&self) -> usize {
        let within = self.named.iter().map(|named| named.inner.bytes_at_once());
        within.fold(self.first_bytes(), usize::max)
    }

    /// About the bytes of what is collected before any document was looked at.
    fn first_bytes(&self) -> usize {
        let of = |named: &Named| {
            let buckets = match named.spec {
                Spec::Sample(_) => 1,
                ref other => other.fixed_buckets(),
            };
            let of_bucket = size_of::<Bucket>().saturating_add(named.inner.first_bytes());
            size_of::<State>().saturating_add(buckets.saturating_mul(of_bucket))
        };
        self.named.iter().map(of).fold(0, usize::saturating_add)
    }

    /// Whether what the query does not find counts, too: all documents, or their terms.
    pub fn sees_all(&self) -> bool {
        self.named.iter().any(|named| match &named.spec {
            Spec::Global => true,
            Spec::Terms(_, spec) => spec.least == 0,
            _ => false,
        })
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// All queries of filters, in the order in which collecting numbers them.
    pub(crate) fn compile(
        &self,
        mapping: &Mapping,
        now_ms: i64,
        clauses: &Clauses,
        out: &mut Vec<Node>,
    ) -> Result<()> {
        for named in &self.named {
            for query in named.spec.queries() {
                out.push(compile(query, mapping, now_ms, clauses)?);
            }
            named.inner.compile(mapping, now_ms, clauses, out)?;
        }
        Ok(())
    }

    /// How many queries of filters it has, those within included.
    fn filters(&self) -> usize {
        let of = |named: &Named| named.spec.queries().len() + named.inner.filters();
        self.named.iter().map(of).sum()
    }

    /// Takes those out that are of all documents, each with its name, its `meta` and what it asks.
    pub fn take_global(&mut self) -> Vec<(String, Option<Value>, Aggregations)> {
        // Where each of the others stands then.
        let mut places = Vec::with_capacity(self.named.len());
        let (mut global, mut others) = (Vec::new(), Vec::new());
        for named in std::mem::take(&mut self.named) {
            let is_global = matches!(named.spec, Spec::Global);
            places.push(others.len());
            if is_global { &mut global } else { &mut others }.push(named);
        }
        self.named = others;
        let moved = |at: &usize| places.get(*at).copied();
        self.pipelines = self.pipelines.iter().filter_map(moved).collect();
        global
            .into_iter()
            .map(|named| (named.name, named.meta, named.inner))
            .collect()
    }
}

/// What was collected so far, in the order of the aggregations.
#[derive(Clone, Debug)]
pub(crate) struct Collected(Vec<State>);

#[derive(Clone, Debug)]
enum State {
    Metric(Metric),
    Buckets(Buckets),
    Composite(Composite),
    MultiTerms(MultiTerms),
    TopHits(TopHits),
    TopMetrics(TopMetrics),
    /// The best of an index, and what those of all gave.
    Sample(Sample, Bucket),
    /// What is made of the others' answers.
    None,
}

impl Collected {
    pub(crate) fn new(aggregations: &Aggregations) -> Collected {
        let state = |named: &Named| match &named.spec {
            Spec::Metric(_, kind) => State::Metric(Metric::new(kind)),
            Spec::Composite(_) => State::Composite(Composite::default()),
            Spec::MultiTerms(_) => State::MultiTerms(MultiTerms::default()),
            Spec::TopHits(_) => State::TopHits(TopHits::default()),
            Spec::TopMetrics(_) => State::TopMetrics(TopMetrics::default()),
            Spec::Sample(_) => State::Sample(Sample::default(), Bucket::new(&named.inner)),
            Spec::Pipeline(_) => State::None,
            _ => State::Buckets(Buckets::new(named)),
        };
        Collected(aggregations.named.iter().map(state).collect())
    }

    /// About the bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let of = |state: &State| {
            let own = match state {
                State::Metric(metric) => metric.bytes(),
                State::Buckets(buckets) => buckets.bytes(),
                State::Composite(composite) => composite.bytes(),
                State::MultiTerms(buckets) => buckets.bytes(),
                State::TopHits(hits) => hits.bytes(),
                State::TopMetrics(top) => top.bytes(),
                State::Sample(sample, bucket) => sample.bytes() + bucket.bytes(),
                State::None => 0,
            };
            size_of::<State>() + own
        };
        self.0.iter().map(of).sum()
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
            let own = named.spec.queries().len();
            match (state, &named.spec) {
                (State::Metric(metric), Spec::Metric(source, kind)) => {
                    metric.collect(kind, source, view, context.weight, context.held)?;
                }
                (State::Composite(composite), Spec::Composite(spec)) => {
                    composite.collect(spec, named, view, context, first_filter)?;
                }
                (State::MultiTerms(buckets), Spec::MultiTerms(spec)) => {
                    buckets.collect(spec, named, view, context, first_filter)?;
                }
                (State::TopHits(hits), Spec::TopHits(spec)) => hits.collect(spec, view, context)?,
                (State::TopMetrics(top), Spec::TopMetrics(spec)) => top.collect(spec, view, context)?,
                (State::Sample(sample, _), Spec::Sample(spec)) => {
                    sample.add(spec, view, context.score, context.held)?;
                }
                (State::Buckets(buckets), _) => buckets.collect(named, view, context, first_filter)?,
                _ => {}
            }
            first_filter += own + named.inner.filters();
        }
        Ok(())
    }

    /// After the last document of an index: collects those that were kept until it was known which are the best.
    pub(crate) fn settle(
        &mut self,
        aggregations: &Aggregations,
        index: (usize, &Mapping),
        context: &Context<'_>,
    ) -> Result<()> {
        let mut first_filter = 0;
        for (state, named) in self.0.iter_mut().zip(&aggregations.named) {
            let own = named.spec.queries().len();
            if let (State::Sample(sample, bucket), Spec::Sample(spec)) = (state, &named.spec) {
                for kept in sample.take(spec, index, context.held)? {
                    let context = Context {
                        score: kept.score,
                        ..*context
                    };
                    bucket.count += 1;
                    let view = kept.view(index);
                    bucket
                        .inner
                        .collect(&named.inner, &view, &context, first_filter)?;
                }
            }
            first_filter += own + named.inner.filters();
        }
        Ok(())
    }

    /// The answer.
    pub(crate) fn finish(
        self,
        aggregations: &Aggregations,
        finish: &Finish<'_>,
    ) -> Result<Map<String, Value>> {
        let mut out = Map::new();
        for (state, named) in self.0.into_iter().zip(&aggregations.named) {
            let (kind, mut answer) = match (state, &named.spec) {
                (State::Metric(metric), Spec::Metric(source, kind)) => {
                    (kind.type_name(), metric.finish(kind, source, finish.within.get()))
                }
                (State::Buckets(buckets), _) => buckets.finish(named, finish)?,
                (State::Composite(composite), Spec::Composite(spec)) => {
                    ("composite", composite.finish(spec, named, finish)?)
                }
                (State::MultiTerms(buckets), Spec::MultiTerms(spec)) => {
                    ("multi_terms", buckets.finish(spec, named, finish)?)
                }
                (State::TopHits(hits), Spec::TopHits(spec)) => ("top_hits", hits.finish(spec, finish)?),
                (State::TopMetrics(top), Spec::TopMetrics(_)) => ("top_metrics", top.finish(finish)?),
                (State::Sample(_, bucket), Spec::Sample(spec)) => {
                    let mut answer = Map::new();
                    bucket.put(&named.inner, finish, &mut answer)?;
                    (spec.name(), answer)
                }
                _ => continue,
            };
            pipeline::parents(named, finish, &mut answer)?;
            if let Some(meta) = &named.meta {
                answer.insert("meta".to_owned(), meta.clone());
            }
            out.insert(finish.name(kind, &named.name), Value::Object(answer));
        }
        pipeline::siblings(aggregations, finish, &mut out)?;
        Ok(out)
    }

    /// The number by which buckets are ordered, at the end of a path; NaN if there is none.
    fn number(&self, aggregations: &Aggregations, steps: &[Step]) -> f64 {
        let Some((step, rest)) = steps.split_first() else {
            return f64::NAN;
        };
        let mut all = self.0.iter().zip(&aggregations.named);
        match all.find(|(_, named)| named.name == step.name) {
            Some((State::Metric(metric), _)) => metric.number(step.key.as_deref()),
            Some((State::TopMetrics(top), _)) => top.number(step.key.as_deref()),
            Some((State::Buckets(buckets), named)) => buckets.number(named, rest),
            _ => f64::NAN,
        }
    }
}
