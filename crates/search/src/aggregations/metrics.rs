//! Aggregations that are numbers.

use super::values::{Source, number_of};
use crate::error::{Result, SearchError};
use crate::fields::Term;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The values that percentiles and cardinalities keep at most.
const VALUES_MAX: usize = 4_000_000;

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
    Percentiles { percents: Vec<f64>, keyed: bool },
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
        }
    }

    /// The name that typed keys have in front.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            MetricKind::Percentiles { .. } => "tdigest_percentiles",
            other => other.name(),
        }
    }

    pub(super) fn wants_numbers(&self) -> bool {
        !matches!(self, MetricKind::ValueCount | MetricKind::Cardinality)
    }
}

/// What was seen so far.
#[derive(Clone, Debug)]
pub(super) struct Metric {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
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
            count: 0,
            sum: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            is_date: false,
            different: matches!(kind, MetricKind::Cardinality).then(HashSet::new),
            values: matches!(kind, MetricKind::Percentiles { .. }).then(Vec::new),
            kind: kind.clone(),
        }
    }

    pub(super) fn collect(&mut self, terms: &[Term]) -> Result<()> {
        for term in terms {
            self.count += 1;
            if let Some(different) = &mut self.different {
                different.insert(hash(term));
            }
            let Some(number) = term.as_f64() else { continue };
            self.is_date |= matches!(term, Term::Date(_));
            self.sum += number;
            self.min = self.min.min(number);
            self.max = self.max.max(number);
            if let Some(values) = &mut self.values {
                values.push(number);
            }
        }
        let kept = self
            .values
            .as_ref()
            .map_or(0, Vec::len)
            .max(self.different.as_ref().map_or(0, HashSet::len));
        match kept > VALUES_MAX {
            false => Ok(()),
            true => Err(SearchError::illegal(format!(
                "[{}] is made of more than {VALUES_MAX} values, which is the limit here; narrow the query",
                self.kind.name()
            ))),
        }
    }

    fn avg(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The number that buckets are ordered by.
    pub(super) fn number(&self, part: Option<&str>) -> Option<f64> {
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
            "avg" => Some(self.avg().unwrap_or(f64::NEG_INFINITY)),
            "min" => Some(self.min),
            "max" => Some(self.max),
            "sum" => Some(self.sum),
            "count" | "value_count" => Some(self.count as f64),
            "cardinality" => Some(self.different.as_ref()?.len() as f64),
            other => percent(other),
        }
    }

    pub(super) fn finish(self, kind: &MetricKind, source: &Source) -> Map<String, Value> {
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
        let seen = |value: f64| (self.count > 0).then_some(value);
        match kind {
            MetricKind::Avg => put("value", self.avg()),
            MetricKind::Min => put("value", seen(self.min)),
            MetricKind::Max => put("value", seen(self.max)),
            MetricKind::Sum => put("value", Some(self.sum)),
            MetricKind::ValueCount => drop(out.insert("value".to_owned(), json!(self.count))),
            MetricKind::Cardinality => {
                let different = self.different.as_ref().map_or(0, HashSet::len);
                out.insert("value".to_owned(), json!(different));
            }
            MetricKind::Stats => {
                put("min", seen(self.min));
                put("max", seen(self.max));
                put("avg", self.avg());
                put("sum", Some(self.sum));
                out.shift_insert(0, "count".to_owned(), json!(self.count));
            }
            MetricKind::Percentiles { percents, keyed } => {
                let mut values = self.values.unwrap_or_default();
                values.sort_by(f64::total_cmp);
                let found = percents.iter().map(|percent| {
                    (
                        *percent,
                        percentile(&values, *percent).map_or(Value::Null, number_of),
                    )
                });
                let answer = match keyed {
                    true => Value::Object(
                        found
                            .map(|(percent, value)| (format!("{percent:?}"), value))
                            .collect(),
                    ),
                    false => found
                        .map(|(percent, value)| json!({"key": percent, "value": value}))
                        .collect(),
                };
                out.insert("values".to_owned(), answer);
            }
        }
        out
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
