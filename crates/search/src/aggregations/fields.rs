//! What is made of a request once the fields of all indices are known.

use super::histogram::Width;
use super::metric_kind::MetricKind;
use super::takes::Takes;
use super::values::Source;
use super::{Aggregations, Spec};
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::{FieldKind, Mapping};

impl Spec {
    /// Its field, which values of it are taken, and the name of the aggregation.
    fn taken(&mut self) -> Option<(&mut Source, Takes, &'static str)> {
        Some(match self {
            Spec::Metric(source, kind) => {
                let (takes, name) = (kind.takes(), kind.name());
                (source, takes, name)
            }
            Spec::Histogram(source, interval) => {
                let takes = match interval.width {
                    Width::Number(_) => Takes::Ranges,
                    Width::Listed { .. } => Takes::Dates,
                    _ => Takes::DateRanges,
                };
                (source, takes, interval.name())
            }
            Spec::Auto(source, _) => (source, Takes::Dates, "auto_date_histogram"),
            Spec::Varied(source, _) => (source, Takes::PlainNumbers, "variable_width_histogram"),
            Spec::Range(source, range) => (source, range.takes(), range.name()),
            Spec::Terms(source, spec) => match spec.most {
                Some(_) => (source, Takes::WholeTerms, "rare_terms"),
                None => (source, Takes::Terms, "terms"),
            },
            Spec::Significant(source, spec) => match spec.is_text {
                true => (source, Takes::Texts, spec.name()),
                false => (source, Takes::WholeTerms, spec.name()),
            },
            Spec::Missing(source) => (source, Takes::All, "missing"),
            // What a script makes is known only when the fields are.
            Spec::Values(source) if source.script.is_some() => (source, Takes::All, "terms"),
            Spec::Sample(spec) => match &mut spec.diversity {
                Some((source, _)) => (source, Takes::Sampled, "diversified_sampler"),
                None => return None,
            },
            Spec::Grid { source, is_tile, .. } => {
                let name = if *is_tile { "geotile_grid" } else { "geohash_grid" };
                (source, Takes::Points, name)
            }
            _ => return None,
        })
    }
}

/// Refuses a path to objects that are not nested.
fn check_nested(mapping: &Mapping, path: &str) -> Result<()> {
    match mapping
        .field(path)
        .is_some_and(|field| field.kind == FieldKind::Object)
    {
        false => Ok(()),
        true => Err(SearchError::new(
            ErrorKind::Aggregation,
            format!("[nested] nested path [{path}] is not nested"),
        )),
    }
}

impl Aggregations {
    /// Reads what a request says by the fields of the indices that are searched; `now_ms` is what `now` means.
    pub(crate) fn resolve(&mut self, mappings: &[&Mapping], now_ms: i64) -> Result<()> {
        for named in &mut self.named {
            if let Some((source, takes, aggregation)) = named.spec.taken() {
                source.resolve(mappings, takes, aggregation, now_ms)?;
            }
            match &mut named.spec {
                Spec::Metric(_, MetricKind::WeightedAvg(weight)) => {
                    weight.resolve(mappings, Takes::Numbers, "weighted_avg", now_ms)?;
                }
                Spec::Histogram(source, interval) => interval.resolve(&named.name, source, now_ms)?,
                Spec::Range(source, range) => range.resolve(source, now_ms)?,
                Spec::Terms(source, spec) => spec.resolve(&named.name, source, mappings, now_ms)?,
                Spec::Composite(spec) => {
                    for part in &mut spec.parts {
                        let (takes, aggregation) = part.kind.taken();
                        part.source.resolve(mappings, takes, aggregation, now_ms)?;
                    }
                    spec.resolve_after(now_ms)?;
                }
                Spec::MultiTerms(spec) => {
                    for source in &mut spec.sources {
                        source.resolve(mappings, Takes::Terms, "multi_terms", now_ms)?;
                    }
                }
                Spec::Nested(path) => mappings
                    .iter()
                    .try_for_each(|mapping| check_nested(mapping, path))?,
                Spec::TopHits(spec) => mappings.iter().try_for_each(|mapping| spec.check(mapping))?,
                Spec::TopMetrics(spec) => spec.resolve(mappings, now_ms)?,
                _ => {}
            }
            named.inner.resolve(mappings, now_ms)?;
        }
        Ok(())
    }
}
