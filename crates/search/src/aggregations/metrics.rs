//! Aggregations that are numbers.

use super::letters::Letters;
use super::metric_kind::{BOXPLOT, EXTENDED, MetricKind};
use super::percentiles::{median_absolute_deviation, percentile, rank, rounded, rounded_rank};
use super::places::Places;
use super::units::Span;
use super::values::{Source, number_of};
use mapping::decimals::double_text;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{Term, View};
use mapping::rows::{Sum, Summary};
use mapping::value_format::ValueFormat;
use querying::Held;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The values that percentiles and cardinalities keep at most.
const VALUES_MAX: usize = 4_000_000;

/// What a hash takes in a set: itself and the byte that finds it, with a seventh of the places empty.
const DIFFERENT_BYTES: usize = 11;

/// What was seen so far.
#[derive(Clone, Debug)]
pub(super) struct Metric {
    summary: Summary,
    /// The sum of weights.
    weight: Sum,
    /// The hashes of different values, where they are counted.
    different: Option<HashSet<u64>>,
    /// All values, where percentiles are made of them.
    values: Option<Vec<f64>>,
    places: Places,
    /// The figures of strings, where they are wanted.
    letters: Option<Box<Letters>>,
    kind: MetricKind,
}

impl Metric {
    pub(super) fn new(kind: &MetricKind) -> Metric {
        Metric {
            summary: Summary::default(),
            weight: Sum::default(),
            places: Places::default(),
            letters: matches!(kind, MetricKind::StringStats { .. }).then(Box::default),
            different: matches!(kind, MetricKind::Cardinality).then(HashSet::new),
            values: kind.keeps_values().then(Vec::new),
            kind: kind.clone(),
        }
    }

    /// What was seen, where that is all that is known.
    pub(super) fn of_summary(kind: &MetricKind, summary: Summary) -> Metric {
        Metric {
            summary,
            ..Metric::new(kind)
        }
    }

    /// About the bytes that it keeps besides itself.
    pub(super) fn bytes(&self) -> usize {
        let values = self.values.as_ref().map_or(0, Vec::capacity);
        let different = self.different.as_ref().map_or(0, HashSet::capacity);
        let letters = self.letters.as_ref().map_or(0, |letters| letters.bytes());
        values * size_of::<f64>() + different * DIFFERENT_BYTES + letters
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
        if let Some(summary) = source.summary(view) {
            self.summary.merge(summary);
            return Ok(());
        }
        if let MetricKind::Rate {
            counts_documents: true,
            ..
        } = kind
        {
            self.summary.add(1.0, times);
            return Ok(());
        }
        let before = self.bytes();
        let mut terms = source.terms(view)?;
        if let MetricKind::StringStats { .. } = kind {
            // Each string counts once for a document.
            terms.sort_by(Term::compare);
            terms.dedup();
        }
        if let MetricKind::WeightedAvg(by) = kind {
            return self.add_weighted(&terms, &by.terms(view)?);
        }
        for term in &terms {
            self.add(term, times)?;
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

    /// Adds a value, counted `times` times.
    fn add(&mut self, term: &Term, times: u64) -> Result<()> {
        if let Some(different) = &mut self.different {
            different.insert(hash(term));
        }
        if let Some(letters) = &mut self.letters {
            letters.add(term, times);
            return Ok(());
        }
        if let Term::Point(point) = term {
            self.places.add(*point, times);
        }
        let Some(number) = term.as_f64() else {
            self.summary.count += times;
            return Ok(());
        };
        if number < 0.0 && self.kind.digits().is_some() {
            let reason = format!(
                "The value {number:?} is out of bounds for histogram: negative values cannot be recorded with [hdr]"
            );
            return Err(SearchError::new(ErrorKind::OutOfBounds, reason));
        }
        self.summary.add(number, times);
        if let Some(values) = &mut self.values {
            let kept = times.min(VALUES_MAX as u64 + 1) as usize;
            values.extend(std::iter::repeat_n(number, kept));
        }
        Ok(())
    }

    fn add_weighted(&mut self, terms: &[Term], weights: &[Term]) -> Result<()> {
        if weights.len() > 1 {
            return Err(SearchError::new(
                ErrorKind::Aggregation,
                "Encountered more than one weight for a single document. Use a script to combine multiple weights-per-doc into a \
                 single value.",
            ));
        }
        let Some(weight) = weights.first().and_then(Term::as_f64) else {
            return Ok(());
        };
        for number in terms.iter().filter_map(Term::as_f64) {
            self.summary.add(number * weight, 1);
            self.weight.add(weight);
        }
        Ok(())
    }

    /// The number that buckets are ordered by; NaN if there is none.
    pub(super) fn number(&self, key: Option<&str>) -> f64 {
        let Summary {
            count, sum, min, max, ..
        } = self.summary;
        let sum = sum.value();
        let sorted = || {
            let mut values = self.values.clone().unwrap_or_default();
            values.sort_by(f64::total_cmp);
            values
        };
        let number = match (&self.kind, key) {
            (MetricKind::Percentiles { digits, .. }, Some(percent)) => percent
                .parse()
                .ok()
                .and_then(|percent| at(&sorted(), percent, *digits)),
            (MetricKind::PercentileRanks { digits, .. }, Some(value)) => value
                .parse()
                .ok()
                .and_then(|value| rank_of(&sorted(), value, *digits)),
            // As long as others in the same bucket, those of it are in the order of their sums.
            (MetricKind::Rate { .. }, _) => Some(sum),
            (MetricKind::Boxplot, Some(name)) => Some(boxplot(&sorted(), name)),
            (MetricKind::StringStats { .. }, Some(name)) => {
                self.letters.as_ref().map(|letters| letters.number(name))
            }
            (MetricKind::MedianAbsoluteDeviation, _) => median_absolute_deviation(sorted()),
            (MetricKind::WeightedAvg(_), _) => Some(sum / self.weight.value()),
            (MetricKind::Cardinality, _) => self.different.as_ref().map(|all| all.len() as f64),
            (kind, key) => match key.filter(|key| *key != "value").unwrap_or(kind.name()) {
                "avg" => self.summary.avg(),
                "min" => Some(min),
                "max" => Some(max),
                "sum" => Some(sum),
                "count" | "value_count" => Some(count as f64),
                name => self.extended(name),
            },
        };
        number.unwrap_or(f64::NAN)
    }

    /// One of the numbers that `extended_stats` has besides; `None` without any values.
    fn extended(&self, name: &str) -> Option<f64> {
        let MetricKind::ExtendedStats { sigma } = self.kind else {
            return None;
        };
        let population = self.summary.variance()?;
        let sampling = self.summary.sample_variance()?;
        let avg = self.summary.avg()?;
        Some(match name {
            "sum_of_squares" => self.summary.squares.value(),
            "variance" | "variance_population" => population,
            "variance_sampling" => sampling,
            "std_deviation" | "std_deviation_population" => population.sqrt(),
            "std_deviation_sampling" => sampling.sqrt(),
            "std_upper" | "std_upper_population" => avg + sigma * population.sqrt(),
            "std_lower" | "std_lower_population" => avg - sigma * population.sqrt(),
            "std_upper_sampling" => avg + sigma * sampling.sqrt(),
            "std_lower_sampling" => avg - sigma * sampling.sqrt(),
            _ => return None,
        })
    }

    /// The answer; `within` is the bucket of a date histogram in which it is.
    pub(super) fn finish(
        mut self,
        kind: &MetricKind,
        source: &Source,
        within: Option<Span>,
    ) -> Map<String, Value> {
        let Summary {
            count, sum, min, max, ..
        } = self.summary;
        let sum = sum.value();
        let seen = |value: f64| (count > 0).then_some(value);
        let one = |value: Option<f64>| {
            let mut out = Map::from_iter([("value".to_owned(), optional(value))]);
            let text = value.and_then(|value| source.shown.text(value));
            out.extend(text.map(|text| ("value_as_string".to_owned(), text.into())));
            out
        };
        let counted = |count: usize| Map::from_iter([("value".to_owned(), json!(count))]);
        if let Some(values) = &mut self.values {
            values.sort_by(f64::total_cmp);
        }
        let values = self.values.take().unwrap_or_default();
        match kind {
            MetricKind::Avg => one(self.summary.avg()),
            MetricKind::Min => one(seen(min)),
            MetricKind::Max => one(seen(max)),
            MetricKind::Sum => one(Some(sum)),
            MetricKind::Rate { unit, .. } => {
                let units = within.zip(*unit).map(|(span, unit)| span.units(unit));
                one(Some(sum / units.unwrap_or(1.0)))
            }
            MetricKind::ValueCount => counted(count as usize),
            MetricKind::Cardinality => counted(self.different.as_ref().map_or(0, HashSet::len)),
            MetricKind::Stats | MetricKind::ExtendedStats { .. } => self.stats(&source.shown),
            MetricKind::MedianAbsoluteDeviation => one(median_absolute_deviation(values)),
            MetricKind::WeightedAvg(_) => {
                let weight = self.weight.value();
                one((weight != 0.0).then(|| sum / weight))
            }
            MetricKind::GeoBounds { may_wrap } => self.places.bounds(*may_wrap),
            MetricKind::GeoCentroid => self.places.centroid(),
            MetricKind::StringStats { shows_distribution } => {
                self.letters.unwrap_or_default().finish(*shows_distribution)
            }
            MetricKind::Boxplot => box_of(&values, &source.shown),
            MetricKind::PercentileRanks {
                values: wanted,
                keyed,
                digits,
            } => {
                let found = wanted
                    .iter()
                    .map(|value| (*value, rank_of(&values, *value, *digits)));
                listed(found, *keyed, &source.shown)
            }
            MetricKind::Percentiles {
                percents,
                keyed,
                digits,
            } => {
                let found = percents
                    .iter()
                    .map(|percent| (*percent, at(&values, *percent, *digits)));
                listed(found, *keyed, &source.shown)
            }
        }
    }

    /// What `stats` and `extended_stats` give.
    pub(super) fn stats(&self, shown: &ValueFormat) -> Map<String, Value> {
        let Summary {
            count, sum, min, max, ..
        } = self.summary;
        let sum = sum.value();
        let seen = |value: f64| (count > 0).then_some(value);
        let numbers = [
            ("min", seen(min)),
            ("max", seen(max)),
            ("avg", self.summary.avg()),
            ("sum", Some(sum)),
        ];
        let mut out = Map::from_iter([("count".to_owned(), json!(count))]);
        let number = |(name, value): (&str, Option<f64>)| (name.to_owned(), optional(value));
        out.extend(numbers.into_iter().map(number));
        if count > 0 {
            out.extend(
                numbers
                    .into_iter()
                    .filter_map(|(name, value)| text_of(name, value, shown)),
            );
        }
        if !matches!(self.kind, MetricKind::ExtendedStats { .. }) {
            return out;
        }
        let deviations = EXTENDED[..7].iter().map(|name| (*name, self.extended(name)));
        out.extend(
            deviations
                .clone()
                .map(|(name, value)| (name.to_owned(), nan(value))),
        );
        let bound = |name: &str| {
            let (end, of) = name.split_once('_').unwrap_or((name, ""));
            let of = if of.is_empty() {
                String::new()
            } else {
                format!("_{of}")
            };
            self.extended(&format!("std_{end}{of}"))
        };
        let bounds = BOUNDS.map(|name| (name, bound(name)));
        let all: Map<String, Value> = bounds
            .map(|(name, value)| (name.to_owned(), nan(value)))
            .into_iter()
            .collect();
        out.insert("std_deviation_bounds".to_owned(), all.into());
        if count > 0 && *shown != ValueFormat::Raw {
            out.extend(deviations.filter_map(|(name, value)| text_of(name, value, shown)));
            let texts = bounds
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), Value::from(shown.text(value?)?))));
            out.insert(
                "std_deviation_bounds_as_string".to_owned(),
                texts.collect::<Map<_, _>>().into(),
            );
        }
        out
    }
}

const BOUNDS: [&str; 6] = [
    "upper",
    "lower",
    "upper_population",
    "lower_population",
    "upper_sampling",
    "lower_sampling",
];

/// A number of several as text; what is true or false is that itself but for deviations, as Elasticsearch has it.
fn text_of(name: &str, value: Option<f64>, shown: &ValueFormat) -> Option<(String, Value)> {
    let text = shown.text(value?)?;
    let is_flag = *shown == ValueFormat::Boolean && !name.starts_with("std");
    let text = if is_flag {
        (text == "true").into()
    } else {
        text.into()
    };
    Some((format!("{name}_as_string"), text))
}

/// The ends and quartiles of numbers, each with its text where it has one.
fn box_of(sorted: &[f64], shown: &ValueFormat) -> Map<String, Value> {
    let all = BOXPLOT.map(|name| (name, boxplot(sorted, name)));
    let numbers = all.map(|(name, number)| (name.to_owned(), endless(number)));
    let texts = all
        .into_iter()
        .filter_map(|(name, number)| text_of(name, Some(number), shown));
    numbers.into_iter().chain(texts).collect()
}

/// One of the ends or quartiles of numbers; of no numbers those that Elasticsearch gives.
fn boxplot(sorted: &[f64], name: &str) -> f64 {
    let quarter = |percent| percentile(sorted, percent).unwrap_or(f64::NAN);
    match name {
        "min" => sorted.first().copied().unwrap_or(f64::INFINITY),
        "max" => sorted.last().copied().unwrap_or(f64::NEG_INFINITY),
        "q1" => quarter(25.0),
        "q2" => quarter(50.0),
        _ => quarter(75.0),
    }
}

/// A number, or a string for one that JSON cannot express.
fn endless(number: f64) -> Value {
    match number.is_finite() {
        true => number_of(number),
        false => double_text(number).into(),
    }
}

fn at(sorted: &[f64], percent: f64, digits: Option<u32>) -> Option<f64> {
    match digits {
        Some(digits) => rounded(sorted, percent, digits),
        None => percentile(sorted, percent),
    }
}

fn rank_of(sorted: &[f64], value: f64, digits: Option<u32>) -> Option<f64> {
    match digits {
        Some(digits) => rounded_rank(sorted, value, digits),
        None => rank(sorted, value),
    }
}

/// Numbers by what they are of, each with its text where it has one.
fn listed(
    found: impl Iterator<Item = (f64, Option<f64>)>,
    keyed: bool,
    shown: &ValueFormat,
) -> Map<String, Value> {
    let (mut by_name, mut list) = (Map::new(), Vec::new());
    for (key, value) in found {
        let text = value.and_then(|value| shown.text(value));
        if keyed {
            let name = double_text(key);
            by_name.insert(name.clone(), optional(value));
            by_name.extend(text.map(|text| (format!("{name}_as_string"), text.into())));
        } else {
            let mut one = Map::from_iter([
                ("key".to_owned(), json!(key)),
                ("value".to_owned(), optional(value)),
            ]);
            one.extend(text.map(|text| ("value_as_string".to_owned(), text.into())));
            list.push(Value::Object(one));
        }
    }
    let values = if keyed {
        Value::Object(by_name)
    } else {
        Value::Array(list)
    };
    Map::from_iter([("values".to_owned(), values)])
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

fn hash(term: &Term) -> u64 {
    let mut hasher = DefaultHasher::new();
    match term {
        Term::Integer(number) | Term::Date(number) => number.hash(&mut hasher),
        Term::Unsigned(number) => number.hash(&mut hasher),
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
