//! Buckets of one width: of numbers, or of time.

use super::buckets::{Bucket, Key, bucket_of, listed, sort};
use super::ordering::BucketOrder;
use super::units::{Span, months, unit_ms};
use super::values::Source;
use super::{Aggregations, BUCKETS_MAX, Finish, too_many_buckets};
use mapping::dates::{add_unit, floor_local, floor_unit, next_local};
use mapping::decimals::double_text;
use mapping::error::{Result, SearchError};
use mapping::fields::Term;
use mapping::json::scalar;
use mapping::value_format::ValueType;
use querying::Held;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How wide buckets are.
#[derive(Clone, Debug)]
pub(super) enum Width {
    Number(f64),
    /// Milliseconds, of the local clock.
    Fixed(i64),
    /// A unit of the calendar.
    Calendar(char),
    /// From each of these, in their order, to the next one; how wide that is, in words.
    Listed {
        starts: Arc<[i64]>,
        text: String,
    },
}

/// Between which values there are buckets.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// As the request has them.
    pub(super) given: (Option<Value>, Option<Value>),
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
}

impl Bounds {
    /// Reads bounds of dates.
    fn resolve(&mut self, name: &str, aggregation: &str, source: &Source, now_ms: i64) -> Result<()> {
        let read = |value: &Value| match value {
            Value::Number(ms) => Ok(ms.as_f64().unwrap_or(0.0)),
            text => {
                let term = source.read(ValueType::Date, text, now_ms)?;
                Ok(term.as_f64().unwrap_or(0.0))
            }
        };
        self.low = self.given.0.as_ref().map(read).transpose()?;
        self.high = self.given.1.as_ref().map(read).transpose()?;
        match self.low.zip(self.high).filter(|(low, high)| low > high) {
            None => Ok(()),
            Some((low, high)) => Err(SearchError::illegal(format!(
                "[{name}.min][{low}] cannot be greater than [{name}.max][{high}] for histogram aggregation [{aggregation}]"
            ))),
        }
    }

    /// Whether others lie within these.
    fn hold(&self, others: &Bounds) -> bool {
        let is_low = self
            .low
            .is_none_or(|low| others.low.is_none_or(|other| other >= low));
        is_low
            && self
                .high
                .is_none_or(|high| others.high.is_none_or(|other| other <= high))
    }

    fn text(&self, are_dates: bool) -> String {
        let end = |given: &Option<Value>, end: Option<f64>| match (are_dates, end) {
            (true, Some(_)) => given.as_ref().and_then(scalar).unwrap_or_default(),
            (false, Some(number)) => double_text(number),
            (_, None) => String::new(),
        };
        format!(
            "{}--{}",
            end(&self.given.0, self.low),
            end(&self.given.1, self.high)
        )
    }
}

/// What is asked of a histogram.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    pub(super) width: Width,
    pub(super) offset: f64,
    pub(super) least: u64,
    /// Buckets are there from and to these, even where they are empty.
    pub(super) extended: Bounds,
    /// Nothing outside of these counts.
    pub(super) hard: Bounds,
    pub(super) keyed: bool,
    pub(super) orders: Vec<BucketOrder>,
}

impl Interval {
    /// A histogram of this width and nothing more.
    pub(super) fn of_width(width: Width) -> Interval {
        Interval {
            width,
            offset: 0.0,
            least: 0,
            extended: Bounds::default(),
            hard: Bounds::default(),
            keyed: false,
            orders: Vec::new(),
        }
    }

    /// Reads bounds as the field's values are read.
    pub(super) fn resolve(&mut self, aggregation: &str, source: &Source, now_ms: i64) -> Result<()> {
        let are_dates = self.is_of_dates();
        if are_dates {
            self.extended
                .resolve("extended_bounds", aggregation, source, now_ms)?;
            self.hard.resolve("hard_bounds", aggregation, source, now_ms)?;
        }
        match self.hard.hold(&self.extended) {
            true => Ok(()),
            false => Err(SearchError::illegal(format!(
                "Extended bounds have to be inside hard bounds, hard bounds: [{}], extended bounds: [{}]",
                self.hard.text(are_dates),
                self.extended.text(are_dates)
            ))),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self.width {
            Width::Number(_) => "histogram",
            Width::Fixed(_) | Width::Calendar(_) => "date_histogram",
            Width::Listed { .. } => "auto_date_histogram",
        }
    }

    /// How wide buckets are, where that was chosen.
    pub(super) fn chosen(&self) -> Option<&str> {
        match &self.width {
            Width::Listed { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_of_dates(&self) -> bool {
        !matches!(self.width, Width::Number(_))
    }

    /// The buckets of values, each of which may be a range.
    pub(super) fn keys_in(&self, values: &[Term], source: &Source) -> Result<Vec<Term>> {
        let mut keys = Vec::new();
        for value in values {
            match value {
                Term::Interval(range) => keys.extend(self.keys_of(range, source)?),
                other => keys.extend(other.as_f64().and_then(|number| self.key(number, source))),
            }
        }
        Ok(keys)
    }

    /// The bucket of a value.
    pub(super) fn key(&self, value: f64, source: &Source) -> Option<Term> {
        let key = self.floor(value, source)?;
        let is_in = match self.width {
            // Both bounds of numbers count, and no offset (Elasticsearch's `DoubleBounds`).
            Width::Number(_) => {
                let key = key - self.offset;
                self.hard.low.is_none_or(|low| key >= low) && self.hard.high.is_none_or(|high| key <= high)
            }
            _ => self.hard.low.is_none_or(|low| key >= low) && self.hard.high.is_none_or(|high| key < high),
        };
        is_in.then(|| self.term(key))
    }

    /// The buckets that a range goes through.
    pub(super) fn keys_of(
        &self,
        values: &mapping::intervals::Interval,
        source: &Source,
    ) -> Result<Vec<Term>> {
        let (Some(mut low), Some(mut high)) = (values.low.as_f64(), values.high.as_f64()) else {
            return Ok(Vec::new());
        };
        low = self.hard.low.map_or(low, |least| low.max(least));
        high = self.hard.high.map_or(high, |most| high.min(most));
        let mut keys = Vec::new();
        let Some(mut key) = self.floor(low, source).filter(|key| key.is_finite()) else {
            return Err(too_many_buckets(BUCKETS_MAX));
        };
        while key <= high && low <= high {
            keys.push(self.term(key));
            if keys.len() > BUCKETS_MAX {
                return Err(too_many_buckets(BUCKETS_MAX));
            }
            match self.next(key, source) {
                Some(next) if next > key => key = next,
                _ => break,
            }
        }
        Ok(keys)
    }

    /// How long a bucket between two moments is. Only months and their multiples are measured; other units have their nominal length, also
    /// where clocks change, as in Elasticsearch.
    fn span(&self, from: f64, to: f64) -> Span {
        let (ms, months) = match self.width {
            Width::Calendar(unit) => match months(unit) {
                Some(months) => (to - from, Some(months)),
                None => (unit_ms(unit), None),
            },
            Width::Fixed(ms) => (ms as f64, None),
            Width::Number(_) | Width::Listed { .. } => (to - from, None),
        };
        Span { ms, months }
    }

    /// The name of a bucket whose key is shown like this.
    pub(super) fn bucket_name(&self, key: &Term, shown: &Map<String, Value>) -> String {
        match (key, shown.get("key_as_string").and_then(Value::as_str)) {
            (_, Some(text)) => text.to_owned(),
            (Term::Date(ms), None) => ms.to_string(),
            (key, None) => double_text(key.as_f64().unwrap_or(0.0)),
        }
    }

    pub(super) fn term(&self, key: f64) -> Term {
        match self.width {
            Width::Number(_) => Term::Float(key),
            _ => Term::Date(key as i64),
        }
    }

    pub(super) fn floor(&self, value: f64, source: &Source) -> Option<f64> {
        let moved = value - self.offset;
        Some(
            self.offset
                + match &self.width {
                    Width::Number(width) => (moved / width).floor() * width,
                    Width::Fixed(width) => floor_local(moved as i64, *width, &source.zone) as f64,
                    Width::Calendar(unit) => floor_unit(moved as i64, *unit, &source.zone)? as f64,
                    Width::Listed { starts, .. } => {
                        let behind = starts.partition_point(|start| *start as f64 <= moved);
                        *starts.get(behind.checked_sub(1)?)? as f64
                    }
                },
        )
    }

    /// The bucket after another.
    pub(super) fn next(&self, key: f64, source: &Source) -> Option<f64> {
        match &self.width {
            // From the middle of the next one, so that what is rounded does not add up.
            Width::Number(width) => self.floor(key + width + width / 2.0, source),
            Width::Fixed(width) => {
                Some(next_local((key - self.offset) as i64, *width, &source.zone) as f64 + self.offset)
            }
            Width::Calendar(unit) => {
                let next = add_unit((key - self.offset) as i64, *unit, 1, &source.zone)?;
                Some(floor_unit(next, *unit, &source.zone)? as f64 + self.offset)
            }
            Width::Listed { starts, .. } => {
                let behind = starts.partition_point(|start| *start as f64 <= key);
                starts.get(behind).map(|start| *start as f64)
            }
        }
    }
}

pub(super) fn finish(
    mut by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    interval: &Interval,
    inner: &Aggregations,
    finish: &Finish<'_>,
) -> Result<Value> {
    let filled_bytes = match interval.least {
        0 => fill(&mut by_key, source, interval, inner, finish.held)?,
        _ => 0,
    };
    let mut buckets: Vec<(Key, Bucket)> = by_key
        .into_iter()
        .filter(|(_, bucket)| bucket.count >= interval.least)
        .collect();
    if !interval.orders.is_empty() {
        sort(&mut buckets, &interval.orders, inner);
    }
    let mut out = Vec::with_capacity(buckets.len());
    for (key, bucket) in buckets {
        let mut one = Map::new();
        source.put_key(&key.0, &mut one);
        let name = interval.bucket_name(&key.0, &one);
        let span = || {
            let from = key.0.as_f64()?;
            Some(interval.span(from, interval.next(from, source)?))
        };
        let around = finish.within.get();
        finish
            .within
            .set(if interval.is_of_dates() { span() } else { around });
        bucket.put(inner, finish, &mut one)?;
        finish.within.set(around);
        out.push((name, Value::Object(one)));
    }
    finish.held.give_back(filled_bytes);
    Ok(listed(out, interval.keyed))
}

/// Adds the empty buckets between the first and the last one. Returns the bytes that were counted for them.
fn fill(
    by_key: &mut BTreeMap<Key, Bucket>,
    source: &Source,
    interval: &Interval,
    inner: &Aggregations,
    held: &Held,
) -> Result<usize> {
    let number = |key: Option<(&Key, &Bucket)>| key.and_then(|(key, _)| key.0.as_f64());
    let (first, last) = (number(by_key.first_key_value()), number(by_key.last_key_value()));
    let bound = |end: Option<f64>| end.and_then(|end| interval.floor(end, source));
    let (low, high) = (bound(interval.extended.low), bound(interval.extended.high));
    let least = [first, low].into_iter().flatten().reduce(f64::min);
    let most = [last, high].into_iter().flatten().reduce(f64::max);
    let (Some(mut key), Some(most)) = (least, most) else {
        return Ok(0);
    };
    let mut bytes = 0;
    while key <= most {
        bucket_of(by_key, Key(interval.term(key)), inner, held, |key, bucket| {
            let of_bucket = key.bytes() + bucket.bytes();
            bytes += of_bucket;
            of_bucket
        })?;
        if by_key.len() > BUCKETS_MAX {
            return Err(too_many_buckets(BUCKETS_MAX));
        }
        match interval.next(key, source) {
            Some(next) if next > key => key = next,
            _ => break,
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_beyond_all_dates_have_buckets_like_others() {
        let interval = Interval::of_width(Width::Fixed(7));
        let source = Source {
            zone: jiff::tz::TimeZone::fixed(jiff::tz::offset(14)),
            ..Source::of_field("at".to_owned())
        };
        for moment in [-1e300, i64::MIN as f64, 8.0, i64::MAX as f64, 1e300] {
            assert!(
                interval.floor(moment, &source).is_some_and(f64::is_finite),
                "{moment}"
            );
        }
    }

    #[test]
    fn days_are_days_where_clocks_are_put_forward() {
        let hours = |hours: f64| hours * 3_600_000.0;
        let span = |width, ms| Interval::of_width(width).span(0.0, ms);
        assert_eq!(span(Width::Calendar('d'), hours(23.0)).units('d'), 1.0);
        assert_eq!(span(Width::Fixed(172_800_000), hours(47.0)).units('d'), 2.0);
        let month = span(Width::Calendar('M'), hours(29.0 * 24.0));
        assert_eq!([month.units('d'), month.units('M')], [29.0, 1.0]);
    }
}
