//! What pipelines may stand where, and in which order they are carried out.

use super::{Path, PipelineKind, PipelineSpec};
use crate::aggregations::histogram::Width;
use crate::aggregations::{Aggregations, Named, Spec};
use mapping::error::{self, Result, SearchError};

/// Parts of a request that do not go together.
fn invalid(why: impl std::fmt::Display) -> SearchError {
    SearchError::new(
        error::ErrorKind::Validation,
        format!("Validation Failed: 1: {why};"),
    )
}

/// Refuses pipelines beside what has no buckets.
pub(in crate::aggregations) fn check_siblings(aggregations: &Aggregations) -> Result<()> {
    for named in &aggregations.named {
        if let Spec::Pipeline(spec) = &named.spec
            && !spec.is_parent()
        {
            check_sibling(&named.name, spec, aggregations)?;
        }
    }
    Ok(())
}

/// Refuses at the top what works within the buckets of another.
pub(in crate::aggregations) fn check_top(aggregations: &Aggregations) -> Result<()> {
    for named in &aggregations.named {
        let Spec::Pipeline(spec) = &named.spec else {
            continue;
        };
        let (kind, name) = (spec.type_name, &named.name);
        if spec.is_of_histograms() {
            return Err(invalid(format!(
                "{kind} aggregation [{name}] must have a histogram, date_histogram or auto_date_histogram as parent but doesn't have a \
                 parent"
            )));
        }
        if spec.is_parent() {
            return Err(invalid(format!(
                "{kind} aggregation [{name}] must be declared inside of another aggregation"
            )));
        }
    }
    Ok(())
}

/// Refuses pipelines in buckets that they cannot work on.
pub(in crate::aggregations) fn check_parents(parent: &Named) -> Result<()> {
    for named in &parent.inner.named {
        let Spec::Pipeline(spec) = &named.spec else {
            continue;
        };
        let (kind, name) = (spec.type_name, &named.name);
        if spec.is_of_histograms() {
            match &parent.spec {
                Spec::Auto(..) => {}
                Spec::Histogram(_, interval) if interval.least == 0 => {}
                Spec::Histogram(..) => {
                    return Err(invalid(format!(
                        "parent histogram of {kind} aggregation [{name}] must have min_doc_count of 0"
                    )));
                }
                _ => {
                    return Err(invalid(format!(
                        "{kind} aggregation [{name}] must have a histogram, date_histogram or auto_date_histogram as parent"
                    )));
                }
            }
        }
        if spec.is_parent() && parent.spec.is_single() {
            return Err(SearchError::illegal(format!(
                "{kind} aggregation [{name}] must have an aggregation of several buckets as parent"
            )));
        }
        let takes_one = matches!(
            spec.kind,
            PipelineKind::CumulativeSum
                | PipelineKind::Normalize(_)
                | PipelineKind::Moving(_)
                | PipelineKind::MovingAverage(_)
        );
        if takes_one && spec.paths.len() > 1 {
            return Err(invalid(format!(
                "buckets_path must contain a single entry for aggregation [{name}]"
            )));
        }
    }
    Ok(())
}

fn check_sibling(name: &str, spec: &PipelineSpec, beside: &Aggregations) -> Result<()> {
    let [(_, path)] = &spec.paths[..] else {
        return Err(invalid(format!(
            "buckets_path must contain a single entry for aggregation [{name}]"
        )));
    };
    let whole = &path.whole;
    let first = whole.split(['>', '.']).next().unwrap_or_default();
    let found = beside.named.iter().find(|named| named.name == first);
    match found.filter(|named| !matches!(named.spec, Spec::Pipeline(_))) {
        None => Err(invalid(format!(
            "buckets_path aggregation does not exist for aggregation [{name}]: {whole}"
        ))),
        Some(named) if named.spec.has_buckets() => Ok(()),
        Some(named) => Err(invalid(format!(
            "The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [{name}] found :{} for buckets \
             path: {whole}",
            named.spec.builder()
        ))),
    }
}

/// The places of pipelines in the order in which they are carried out: each after those whose numbers it takes. Refuses paths that
/// lead nowhere, or round in a circle.
pub(in crate::aggregations) fn ordered(aggregations: &Aggregations) -> Result<Vec<usize>> {
    let mut order = Order {
        all: aggregations,
        done: Vec::new(),
        begun: Vec::new(),
    };
    for at in 0..aggregations.named.len() {
        order.add(at)?;
    }
    Ok(order.done)
}

struct Order<'a> {
    all: &'a Aggregations,
    done: Vec<usize>,
    begun: Vec<usize>,
}

impl Order<'_> {
    /// Adds a pipeline after those that it needs. Each is begun once, so this goes no deeper than there are pipelines.
    fn add(&mut self, at: usize) -> Result<()> {
        let Some(Named {
            name,
            spec: Spec::Pipeline(spec),
            ..
        }) = self.all.named.get(at)
        else {
            return Ok(());
        };
        if self.done.contains(&at) {
            return Ok(());
        }
        if self.begun.contains(&at) {
            return Err(invalid(format!(
                "Cyclical dependency found with pipeline aggregator [{name}]"
            )));
        }
        if self.begun.len() >= PIPELINES_DEEP_MAX {
            return Err(SearchError::illegal(
                "too many pipeline aggregations take each other's numbers",
            ));
        }
        self.begun.push(at);
        for path in spec.all_paths() {
            if let Some(needed) = self.needed(path)? {
                self.add(needed)?;
            }
        }
        self.begun.pop();
        self.done.push(at);
        Ok(())
    }

    /// The pipeline whose number a path is, where it is one of those beside.
    fn needed(&self, path: &Path) -> Result<Option<usize>> {
        let whole = &path.whole;
        let Some((first, rest)) = path.steps.split_first() else {
            return Err(invalid(format!("Invalid path [{whole}]")));
        };
        if matches!(whole.as_str(), "_count" | "_key") {
            return Ok(None);
        }
        let found = self.all.named.iter().position(|named| named.name == first.name);
        let Some(at) = found else {
            return Err(invalid(format!("No aggregation found for path [{whole}]")));
        };
        let mut named = &self.all.named[at];
        if matches!(named.spec, Spec::Pipeline(_)) {
            return Ok(Some(at));
        }
        for (place, step) in rest.iter().enumerate() {
            let is_last = place + 1 == rest.len();
            if is_last && matches!(step.name.as_str(), "_key" | "_count") {
                break;
            }
            let within = named.inner.named.iter().find(|inner| {
                inner.name == step.name && (is_last || !matches!(inner.spec, Spec::Pipeline(_)))
            });
            named = within
                .ok_or_else(|| invalid(format!("No aggregation [{}] found for path [{whole}]", step.name)))?;
        }
        Ok(None)
    }
}

/// Pipelines that take each other's numbers at most.
const PIPELINES_DEEP_MAX: usize = 100;

impl Spec {
    /// Whether it makes several buckets.
    pub(super) fn has_buckets(&self) -> bool {
        !self.is_single()
            && !matches!(
                self,
                Spec::Metric(..) | Spec::TopHits(_) | Spec::TopMetrics(_) | Spec::Pipeline(_)
            )
    }

    /// The class that Elasticsearch names in errors.
    fn builder(&self) -> String {
        let camel = |name: &str| -> String {
            let words = name.split('_').map(|word| {
                let (first, rest) = word.split_at(word.len().min(1));
                first.to_ascii_uppercase() + rest
            });
            words.collect()
        };
        let class = match self {
            Spec::Metric(_, kind) => format!("metrics.{}AggregationBuilder", camel(kind.name())),
            Spec::TopHits(_) => "metrics.TopHitsAggregationBuilder".to_owned(),
            Spec::Filter(_) => "bucket.filter.FilterAggregationBuilder".to_owned(),
            Spec::Missing(_) => "bucket.missing.MissingAggregationBuilder".to_owned(),
            Spec::Nested(_) => "bucket.nested.NestedAggregationBuilder".to_owned(),
            Spec::ReverseNested(_) => "bucket.nested.ReverseNestedAggregationBuilder".to_owned(),
            Spec::Sample(_) => "bucket.sampler.SamplerAggregationBuilder".to_owned(),
            _ => "bucket.global.GlobalAggregationBuilder".to_owned(),
        };
        format!("org.elasticsearch.search.aggregations.{class}")
    }

    /// The class of an answer that Elasticsearch names in errors.
    pub(super) fn class(&self) -> &'static str {
        match self {
            Spec::Filter(_) => "InternalFilter",
            Spec::Missing(_) => "InternalMissing",
            Spec::Nested(_) => "InternalNested",
            Spec::ReverseNested(_) => "InternalReverseNested",
            Spec::Global => "InternalGlobal",
            Spec::Sample(_) => "InternalSampler",
            Spec::TopHits(_) => "InternalTopHits",
            Spec::Terms(source, _) => match source.prefix() {
                's' => "StringTerms",
                'd' => "DoubleTerms",
                _ => "LongTerms",
            },
            Spec::Histogram(_, interval) => match interval.width {
                Width::Number(_) => "InternalHistogram",
                Width::Listed { .. } => "InternalAutoDateHistogram",
                _ => "InternalDateHistogram",
            },
            Spec::Range(..) => "InternalRange",
            Spec::Filters { .. } => "InternalFilters",
            Spec::Adjacency { .. } => "InternalAdjacencyMatrix",
            Spec::Composite(_) => "InternalComposite",
            Spec::Metric(..) => "InternalGeoCentroid",
            _ => "InternalMultiBucketAggregation",
        }
    }
}
