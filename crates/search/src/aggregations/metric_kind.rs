//! Which number an aggregation is, and what can be said of it before any value is seen.

use super::takes::Takes;
use super::values::Source;

/// Which number is wanted.
#[derive(Clone, Debug)]
pub(super) enum MetricKind {
    Avg,
    Min,
    Max,
    Sum,
    ValueCount,
    Stats,
    Cardinality,
    Percentiles {
        percents: Vec<f64>,
        keyed: bool,
        /// The digits to which values are rounded; without, they are exact.
        digits: Option<u32>,
    },
    /// How many of a hundred values are below these.
    PercentileRanks {
        values: Vec<f64>,
        keyed: bool,
        digits: Option<u32>,
    },
    ExtendedStats {
        sigma: f64,
    },
    MedianAbsoluteDeviation,
    /// By the values of another field.
    WeightedAvg(Box<Source>),
    /// The box around points.
    GeoBounds {
        may_wrap: bool,
    },
    GeoCentroid,
    /// The ends and quartiles of numbers.
    Boxplot,
    /// The sum of values, or the number of documents, per unit of time.
    Rate {
        unit: Option<char>,
        counts_documents: bool,
    },
    /// The lengths of strings, and the distribution of their characters.
    StringStats {
        shows_distribution: bool,
    },
}

impl MetricKind {
    pub(super) fn name(&self) -> &'static str {
        match self {
            MetricKind::Avg => "avg",
            MetricKind::Min => "min",
            MetricKind::Max => "max",
            MetricKind::Sum => "sum",
            MetricKind::ValueCount => "value_count",
            MetricKind::Stats => "stats",
            MetricKind::Cardinality => "cardinality",
            MetricKind::Percentiles { .. } => "percentiles",
            MetricKind::PercentileRanks { .. } => "percentile_ranks",
            MetricKind::ExtendedStats { .. } => "extended_stats",
            MetricKind::MedianAbsoluteDeviation => "median_absolute_deviation",
            MetricKind::WeightedAvg(_) => "weighted_avg",
            MetricKind::GeoBounds { .. } => "geo_bounds",
            MetricKind::GeoCentroid => "geo_centroid",
            MetricKind::Boxplot => "boxplot",
            MetricKind::Rate { .. } => "rate",
            MetricKind::StringStats { .. } => "string_stats",
        }
    }

    /// The name that typed keys have in front.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            MetricKind::Percentiles { digits: Some(_), .. } => "hdr_percentiles",
            MetricKind::Percentiles { .. } => "tdigest_percentiles",
            MetricKind::PercentileRanks { digits: Some(_), .. } => "hdr_percentile_ranks",
            MetricKind::PercentileRanks { .. } => "tdigest_percentile_ranks",
            other => other.name(),
        }
    }

    /// Whether it is made of all values, which are kept until then.
    pub(super) fn keeps_values(&self) -> bool {
        matches!(
            self,
            MetricKind::Percentiles { .. }
                | MetricKind::PercentileRanks { .. }
                | MetricKind::MedianAbsoluteDeviation
                | MetricKind::Boxplot
        )
    }

    /// Whether what the values add up to is enough.
    pub(super) fn is_of_summary(&self) -> bool {
        matches!(
            self,
            MetricKind::Avg
                | MetricKind::Min
                | MetricKind::Max
                | MetricKind::Sum
                | MetricKind::ValueCount
                | MetricKind::Stats
                | MetricKind::ExtendedStats { .. }
        )
    }

    pub(super) fn takes(&self) -> Takes {
        match self {
            MetricKind::ValueCount | MetricKind::Cardinality => Takes::All,
            MetricKind::MedianAbsoluteDeviation | MetricKind::Boxplot | MetricKind::Rate { .. } => {
                Takes::PlainNumbers
            }
            MetricKind::StringStats { .. } => Takes::Bytes,
            MetricKind::GeoBounds { .. } | MetricKind::GeoCentroid => Takes::Points,
            _ => Takes::Numbers,
        }
    }

    /// Whether it is several numbers.
    pub(super) fn has_several(&self) -> bool {
        matches!(
            self,
            MetricKind::Stats
                | MetricKind::ExtendedStats { .. }
                | MetricKind::Percentiles { .. }
                | MetricKind::PercentileRanks { .. }
                | MetricKind::Boxplot
                | MetricKind::StringStats { .. }
        )
    }

    /// Whether one of its several numbers has this name.
    pub(super) fn has(&self, name: &str) -> Result<bool, String> {
        match self {
            MetricKind::Stats => Ok(STATS.contains(&name)),
            MetricKind::ExtendedStats { .. } => Ok(STATS.contains(&name) || EXTENDED.contains(&name)),
            MetricKind::Percentiles { percents: all, .. }
            | MetricKind::PercentileRanks { values: all, .. } => {
                let wanted: f64 = name
                    .parse()
                    .map_err(|_| format!("For input string: \"{name}\""))?;
                Ok(all.contains(&wanted))
            }
            MetricKind::Boxplot => Ok(BOXPLOT.contains(&name)),
            MetricKind::StringStats { .. } => Ok(LENGTHS.contains(&name)),
            _ => Ok(name == "value"),
        }
    }

    /// The digits to which values are rounded.
    pub(super) fn digits(&self) -> Option<u32> {
        match self {
            MetricKind::Percentiles { digits, .. } | MetricKind::PercentileRanks { digits, .. } => *digits,
            _ => None,
        }
    }
}

/// The numbers that `stats` gives.
const STATS: [&str; 5] = ["count", "min", "max", "avg", "sum"];

/// The figures of `boxplot`: the ends and quartiles.
pub(super) const BOXPLOT: [&str; 5] = ["min", "max", "q1", "q2", "q3"];

/// The figures of `string_stats`.
const LENGTHS: [&str; 5] = ["count", "min_length", "max_length", "avg_length", "entropy"];

/// Those that `extended_stats` has besides.
pub(super) const EXTENDED: [&str; 13] = [
    "sum_of_squares",
    "variance",
    "variance_population",
    "variance_sampling",
    "std_deviation",
    "std_deviation_population",
    "std_deviation_sampling",
    "std_upper",
    "std_lower",
    "std_upper_population",
    "std_lower_population",
    "std_upper_sampling",
    "std_lower_sampling",
];
