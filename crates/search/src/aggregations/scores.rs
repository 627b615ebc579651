//! Which aggregations need scores.

use super::metric_kind::MetricKind;
use super::values::Source;
use super::{Aggregations, Spec};

impl Aggregations {
    /// Whether any of them shows scores, or has a script that uses them.
    pub(crate) fn want_scores(&self) -> bool {
        let mut all = self.named.iter();
        all.any(|named| named.spec.wants_scores() || named.inner.want_scores())
    }
}

impl Spec {
    fn wants_scores(&self) -> bool {
        match self {
            Spec::TopHits(_) | Spec::TopMetrics(_) | Spec::Sample(_) => true,
            Spec::Metric(source, MetricKind::WeightedAvg(by)) => source.reads_score() || by.reads_score(),
            Spec::Metric(source, _)
            | Spec::Terms(source, _)
            | Spec::Significant(source, _)
            | Spec::Values(source)
            | Spec::Histogram(source, _)
            | Spec::Auto(source, _)
            | Spec::Varied(source, _)
            | Spec::Range(source, _)
            | Spec::Missing(source)
            | Spec::Grid { source, .. } => source.reads_score(),
            Spec::Composite(spec) => spec.parts.iter().any(|part| part.source.reads_score()),
            Spec::MultiTerms(spec) => spec.sources.iter().any(Source::reads_score),
            Spec::Filters { .. }
            | Spec::Adjacency { .. }
            | Spec::Filter(_)
            | Spec::Nested(_)
            | Spec::ReverseNested(_)
            | Spec::Global
            | Spec::Objects
            | Spec::Pipeline(_) => false,
        }
    }
}
