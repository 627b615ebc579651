//! Aggregations that are numbers.

use super::values::{Source, number_of};
use crate::held::Held;
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View};
use mapping::rows::Summary;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The values that percentiles and cardinalities keep at most.
const VALUES_MAX: usize = 4_000_000;

/// What a hash takes in a set: itself and the byte that finds it, with a seventh of the places empty.
const DIFFERENT_BYTES: usize = 11;

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
    },
    ExtendedStats {
        sigma: f64,
    },
    MedianAbsoluteDeviation,
    /// By the values of another field.
    WeightedAvg(Box<Source>),
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
        }
    }

    /// The name that typed keys have in front.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            MetricKind::Percentiles { digits: Some(_), .. } => "hdr_percentiles",
            MetricKind::Percentiles { .. } => "tdigest_percentiles",
            MetricKind::PercentileRanks { .. } => "tdigest_percentile_ranks",
            other => other.name(),
        }
    }

    fn keeps_values(&self) -> bool {
        matches!(
            self,
            MetricKind::Percentiles { .. }
                | MetricKind::PercentileRanks { .. }
                | MetricKind::MedianAbsoluteDeviation
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

    pub(super) fn wants_numbers(&self) -> bool {
        !matches!(self, MetricKind::ValueCount | MetricKind::Cardinality)
    }
}

/// What was seen so far.
#[derive(Clone, Debug)]
pub(super) struct Metric {
    summary: Summary,
    /// The sum of weights.
    weight: f64,
    is_date: bool,
    /// The hashes of different values, where they are counted.
    different: Option<HashSet<u64>>,
    /// All values, where percentiles are made of them.
    values: Option<Vec<f64>>,
    kind: MetricKind,
}

impl Metric {
    pub(super) fn new(kind: &MetricKind) -> Metric {
        Metric {
            summary: Summary::default(),
            weight: 0.0,
            is_date: false,
            different: matches!(kind, MetricKind::Cardinality).then(HashSet::new),
            values: kind.keeps_values().then(Vec::new),
            kind: kind.clone(),
        }
    }

    /// About the bytes that it keeps besides itself.
    pub(super) fn bytes(&self) -> usize {
        let values = self.values.as_ref().map_or(0, Vec::capacity);
        let different = self.different.as_ref().map_or(0, HashSet::capacity);
        values * size_of::<f64>() + different * DIFFERENT_BYTES
    }

    /// Takes a document, as if it came so often.
    pub(super) fn collect(
        &mut self,
        kind: &MetricKind,
        source: &Source,
        view: &View<'_>,
        times: u64,
        held: &Held,
    ) -> Result<()> {
        if let Some((summary, are_dates)) = source.summary(view) {
            self.summary.merge(summary);
            self.is_date |= are_dates && summary.count > 0;
            return Ok(());
        }
        let before = self.bytes();
        let terms = source.terms(view);
        if let MetricKind::WeightedAvg(by) = kind {
            let weights = by.terms(view);
            if weights.len() > 1 {
                return Err(SearchError::illegal(
                    "Encountered more than one weight for a single document. Use a script to combine multiple weights-per-doc into a \
                     single value.",
                ));
            }
            let Some(weight) = weights.first().and_then(Term::as_f64) else {
                return Ok(());
            };
            for number in terms.iter().filter_map(Term::as_f64) {
                self.summary.add(number * weight, 1);
                self.weight += weight;
            }
            return Ok(());
        }
        for term in &terms {
            if let Some(different) = &mut self.different {
                different.insert(hash(term));
            }
            let Some(number) = term.as_f64() else {
                self.summary.count += times;
                continue;
            };
            self.summary.add(number, times);
            self.is_date |= matches!(term, Term::Date(_));
            if let Some(values) = &mut self.values {
                let kept = times.min(VALUES_MAX as u64 + 1) as usize;
                values.extend(std::iter::repeat_n(number, kept));
            }
        }
        let kept = self
            .values
            .as_ref()
            .map_or(0, Vec::len)
            .max(self.different.as_ref().map_or(0, HashSet::len));
        match kept > VALUES_MAX {
            false => held.add(self.bytes() - before),
            true => Err(SearchError::illegal(format!(
                "[{}] is made of more than {VALUES_MAX} values, which is the limit here; narrow the query",
                self.kind.name()
            ))),
        }
    }

    /// The number that buckets are ordered by.
    pub(super) fn number(&self, part: Option<&str>) -> Option<f64> {
        let Summary {
            count,
            sum,
            squares,
            min,
            max,
        } = self.summary;
        let percent = |text: &str| {
            let mut values = self.values.clone()?;
            values.sort_by(f64::total_cmp);
            percentile(&values, text.parse().ok()?)
        };
        let wanted = match part {
            None | Some("value") => self.kind.name(),
            Some(part) => part,
        };
        match wanted {
            "weighted_avg" => Some(sum / self.weight),
            "variance" => self.summary.variance(),
            "std_deviation" => self.summary.variance().map(f64::sqrt),
            "sum_of_squares" => Some(squares),
            "avg" => Some(self.summary.avg().unwrap_or(f64::NEG_INFINITY)),
            "min" => Some(min),
            "max" => Some(max),
            "sum" => Some(sum),
            "count" | "value_count" => Some(count as f64),
            "cardinality" => Some(self.different.as_ref()?.len() as f64),
            other => percent(other),
        }
    }

    pub(super) fn finish(self, kind: &MetricKind, source: &Source) -> Map<String, Value> {
        let Summary {
            count, sum, min, max, ..
        } = self.summary;
        let mut out = Map::new();
        let has_text = self.is_date || source.formats.is_some();
        let mut put = |name: &str, value: Option<f64>| {
            out.insert(name.to_owned(), value.map_or(Value::Null, number_of));
            if let Some(value) = value.filter(|_| has_text) {
                out.insert(
                    format!("{name}_as_string"),
                    source.date(value as i64, None).into(),
                );
            }
        };
        let seen = |value: f64| (count > 0).then_some(value);
        match kind {
            MetricKind::Avg => put("value", self.summary.avg()),
            MetricKind::Min => put("value", seen(min)),
            MetricKind::Max => put("value", seen(max)),
            MetricKind::Sum => put("value", Some(sum)),
            MetricKind::ValueCount => drop(out.insert("value".to_owned(), json!(count))),
            MetricKind::Cardinality => {
                let different = self.different.as_ref().map_or(0, HashSet::len);
                out.insert("value".to_owned(), json!(different));
            }
            MetricKind::Stats => {
                put("min", seen(min));
                put("max", seen(max));
                put("avg", self.summary.avg());
                put("sum", Some(sum));
                out.shift_insert(0, "count".to_owned(), json!(count));
            }
            MetricKind::ExtendedStats { sigma } => {
                put("min", seen(min));
                put("max", seen(max));
                put("avg", self.summary.avg());
                put("sum", Some(sum));
                out.shift_insert(0, "count".to_owned(), json!(count));
                self.deviations(*sigma, &mut out);
            }
            MetricKind::MedianAbsoluteDeviation => {
                let value = median_absolute_deviation(self.values.unwrap_or_default());
                out.insert("value".to_owned(), optional(value));
            }
            MetricKind::WeightedAvg(_) => {
                let value = (self.weight != 0.0).then(|| sum / self.weight);
                out.insert("value".to_owned(), optional(value));
            }
            MetricKind::PercentileRanks {
                values: wanted,
                keyed,
            } => {
                let found = self.values.unwrap_or_default();
                let rank = |value: &f64| {
                    let below = found.iter().filter(|one| *one <= value).count();
                    let share = (!found.is_empty()).then(|| below as f64 * 100.0 / found.len() as f64);
                    (*value, optional(share))
                };
                out.insert("values".to_owned(), listed(wanted.iter().map(rank), *keyed));
            }
            MetricKind::Percentiles {
                percents,
                keyed,
                digits,
            } => {
                let mut values = self.values.unwrap_or_default();
                values.sort_by(f64::total_cmp);
                let at = |percent: &f64| {
                    let value = match digits {
                        Some(digits) => rounded_percentile(&values, *percent, *digits),
                        None => percentile(&values, *percent),
                    };
                    (*percent, optional(value))
                };
                out.insert("values".to_owned(), listed(percents.iter().map(at), *keyed));
            }
        }
        out
    }

    /// Variance and deviation, as `extended_stats` has them.
    fn deviations(&self, sigma: f64, out: &mut Map<String, Value>) {
        let Summary { count, squares, .. } = self.summary;
        let count = count as f64;
        let population = self.summary.variance();
        let sampling = population.map(|variance| variance * count / (count - 1.0));
        let deviation = population.map(f64::sqrt);
        let bound = |deviation: Option<f64>, sign: f64| {
            optional(
                self.summary
                    .avg()
                    .zip(deviation)
                    .map(|(avg, deviation)| avg + sign * sigma * deviation),
            )
        };
        let of_sample = sampling.map(f64::sqrt);
        let mut all = vec![
            ("sum_of_squares", optional((count > 0.0).then_some(squares))),
            ("variance", optional(population)),
            ("variance_population", optional(population)),
            ("variance_sampling", nan(sampling)),
            ("std_deviation", optional(deviation)),
            ("std_deviation_population", optional(deviation)),
            ("std_deviation_sampling", nan(of_sample)),
        ];
        let bounds = json!({
            "upper": bound(deviation, 1.0), "lower": bound(deviation, -1.0),
            "upper_population": bound(deviation, 1.0), "lower_population": bound(deviation, -1.0),
            "upper_sampling": bound(of_sample, 1.0), "lower_sampling": bound(of_sample, -1.0),
        });
        all.push(("std_deviation_bounds", bounds));
        out.extend(all.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
}

fn optional(number: Option<f64>) -> Value {
    number.map_or(Value::Null, number_of)
}

/// What a sample of one value has no variance of is no number, which Elasticsearch shows as text.
fn nan(number: Option<f64>) -> Value {
    match number {
        Some(number) if number.is_nan() => json!("NaN"),
        number => optional(number),
    }
}

fn listed(found: impl Iterator<Item = (f64, Value)>, keyed: bool) -> Value {
    match keyed {
        true => Value::Object(found.map(|(key, value)| (format!("{key:?}"), value)).collect()),
        false => found
            .map(|(key, value)| json!({"key": key, "value": value}))
            .collect(),
    }
}

fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

fn median_absolute_deviation(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = median(&values)?;
    for value in &mut values {
        *value = (*value - middle).abs();
    }
    values.sort_by(f64::total_cmp);
    median(&values)
}

/// A percentile as a histogram of high dynamic range gives it: the end of the range of values that have the same digits.
fn rounded_percentile(sorted: &[f64], percent: f64, digits: u32) -> Option<f64> {
    let positive: Vec<f64> = sorted.iter().copied().filter(|value| *value >= 0.0).collect();
    let ranges = f64::from(2 * 10_u32.pow(digits)).log2().ceil() as i32;
    let width = |value: f64| match value > 0.0 {
        true => 2_f64.powi(value.log2().floor() as i32 + 1 - ranges),
        false => 0.0,
    };
    let unit = positive
        .iter()
        .copied()
        .find(|value| *value > 0.0)
        .map_or(0.0, width);
    let place = ((percent / 100.0 * positive.len() as f64 + 0.5).floor() as usize).max(1);
    let value = *positive.get(place.min(positive.len()).checked_sub(1)?)?;
    let width = width(value);
    match width > 0.0 {
        true => Some((value / width).floor() * width + width - unit),
        false => Some(0.0),
    }
}

/// The value below which this many of a hundred are, between two values in proportion.
fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = (percent / 100.0 * sorted.len() as f64 - 0.5).clamp(0.0, last as f64);
    let (below, part) = (place.floor() as usize, place.fract());
    let next = sorted[(below + 1).min(last)];
    Some(sorted[below] + (next - sorted[below]) * part)
}

fn hash(term: &Term) -> u64 {
    let mut hasher = DefaultHasher::new();
    match term {
        Term::Integer(number) | Term::Date(number) => number.hash(&mut hasher),
        Term::Float(number) => number.to_bits().hash(&mut hasher),
        Term::Boolean(flag) => flag.hash(&mut hasher),
        Term::Text(text) => text.hash(&mut hasher),
        Term::Ip(ip) => ip.hash(&mut hasher),
        Term::Point(point) => (point.lat.to_bits(), point.lon.to_bits()).hash(&mut hasher),
        Term::Interval(interval) => {
            (hash(&interval.low), hash(&interval.high)).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_values() {
        let values = [1.0, 51.0, 101.0, 151.0];
        for (percent, wanted) in [
            (1.0, 1.0),
            (5.0, 1.0),
            (25.0, 26.0),
            (50.0, 76.0),
            (75.0, 126.0),
            (99.0, 151.0),
        ] {
            assert_eq!(percentile(&values, percent), Some(wanted), "{percent}");
        }
        assert_eq!(percentile(&[], 50.0), None);
    }
}
