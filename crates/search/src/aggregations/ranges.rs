//! Buckets from one value to another.

use super::takes::Takes;
use super::values::{Source, number_of};
use mapping::dates::{DateFormats, Rounding, parse_math};
use mapping::decimals::double_text;
use mapping::decimals::java_number;
use mapping::error::Result;
use mapping::fields::Term;
use mapping::geo::Point;
use mapping::json::scalar;
use mapping::value_format::ValueFormat;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;

/// What ranges are of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    Numbers,
    Dates,
    Addresses,
    /// Distances: from where, and how many metres count as one.
    Distances(Point, f64),
}

/// One range.
#[derive(Clone, Debug)]
pub(super) struct OneRange {
    pub(super) key: Option<String>,
    /// Its ends as the request has them.
    pub(super) given: (Option<Value>, Option<Value>),
    /// The same as the field has them: from this, and to before that.
    pub(super) low: Option<Term>,
    pub(super) high: Option<Term>,
}

/// What is asked of ranges.
#[derive(Clone, Debug)]
pub(super) struct RangeSpec {
    pub(super) ranges: Vec<OneRange>,
    pub(super) keyed: bool,
    pub(super) of: Of,
}

impl RangeSpec {
    pub(super) fn name(&self) -> &'static str {
        match self.of {
            Of::Numbers => "range",
            Of::Dates => "date_range",
            Of::Addresses => "ip_range",
            Of::Distances(..) => "geo_distance",
        }
    }

    pub(super) fn takes(&self) -> Takes {
        match self.of {
            Of::Numbers => Takes::Numbers,
            Of::Dates => Takes::Dates,
            Of::Addresses => Takes::Addresses,
            Of::Distances(..) => Takes::Points,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Reads the ends of ranges as the field's values are read, and puts the ranges in order.
    pub(super) fn resolve(&mut self, source: &Source, now_ms: i64) -> Result<()> {
        if matches!(self.of, Of::Numbers | Of::Dates) {
            for range in &mut self.ranges {
                let end = |given: &Option<Value>| {
                    given.as_ref().map(|value| end(value, source, now_ms)).transpose()
                };
                (range.low, range.high) = (end(&range.given.0)?, end(&range.given.1)?);
            }
        }
        match self.of {
            Of::Numbers | Of::Dates => self.ranges.sort_by(|a, b| {
                let number =
                    |end: &Option<Term>, none: f64| end.as_ref().and_then(Term::as_f64).unwrap_or(none);
                let low = |range: &OneRange| number(&range.low, f64::NEG_INFINITY);
                let high = |range: &OneRange| number(&range.high, f64::INFINITY);
                low(a).total_cmp(&low(b)).then(high(a).total_cmp(&high(b)))
            }),
            Of::Addresses => self.ranges.sort_by(|a, b| {
                addresses(&a.low, &b.low, Ordering::Less).then(addresses(&a.high, &b.high, Ordering::Greater))
            }),
            // As the request has them.
            Of::Distances(..) => {}
        }
        Ok(())
    }

    /// Whether a value is in the range at this place.
    pub(super) fn has(&self, at: usize, term: &Term) -> bool {
        let distance = match (self.of, term) {
            (Of::Distances(origin, metres), Term::Point(point)) => {
                Some(Term::Float(point.distance(origin) / metres))
            }
            (Of::Distances(..), _) => return false,
            _ => None,
        };
        let term = distance.as_ref().unwrap_or(term);
        self.ranges.get(at).is_some_and(|range| {
            let is_low = range.low.as_ref().is_none_or(|low| term.compare(low).is_ge());
            is_low && range.high.as_ref().is_none_or(|high| term.compare(high).is_lt())
        })
    }

    /// An end in the key of a bucket.
    fn text(&self, end: Option<&Term>, shown: &ValueFormat) -> String {
        match end {
            None => "*".to_owned(),
            Some(Term::Ip(ip)) => Term::ip_text(ip),
            Some(end) => {
                let number = end.as_f64().unwrap_or(0.0);
                shown.text(number).unwrap_or_else(|| double_text(number))
            }
        }
    }
}

/// Which of two ends of ranges of addresses is first, where one that is not given is as `none` says
/// to one that is.
fn addresses(a: &Option<Term>, b: &Option<Term>, none: Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.compare(b),
        (None, Some(_)) => none,
        (Some(_), None) => none.reverse(),
        (None, None) => Ordering::Equal,
    }
}

/// An end of a range of numbers or dates: texts are read as the field's values are.
fn end(value: &Value, source: &Source, now_ms: i64) -> Result<Term> {
    let text = scalar(value).unwrap_or_default();
    match (&source.shown, value) {
        (ValueFormat::Dates(formats, zone), Value::Number(number)) => {
            let whole = number.as_f64().map_or(0, |number| number as i64);
            match *formats == DateFormats::default() {
                true => Ok(Term::Date(whole)),
                // Other formats read its digits.
                false => {
                    parse_math(&whole.to_string(), formats, zone, now_ms, Rounding::Down).map(Term::Date)
                }
            }
        }
        (ValueFormat::Dates(formats, zone), _) => {
            parse_math(&text, formats, zone, now_ms, Rounding::Down).map(Term::Date)
        }
        (ValueFormat::Boolean, Value::String(_)) => {
            let flag = source.read(mapping::value_format::ValueType::Boolean, value, now_ms)?;
            Ok(Term::Float(flag.as_f64().unwrap_or(0.0)))
        }
        _ => java_number(&text).map(Term::Float),
    }
}

impl RangeSpec {
    /// What is said of each range besides its documents, by its key.
    pub(super) fn heads(&self, shown: &ValueFormat) -> Vec<(String, Map<String, Value>)> {
        self.ranges.iter().map(|range| self.head(range, shown)).collect()
    }

    fn head(&self, range: &OneRange, shown: &ValueFormat) -> (String, Map<String, Value>) {
        let (low, high) = (range.low.as_ref(), range.high.as_ref());
        let text = |end: Option<&Term>| self.text(end, shown);
        let key = range
            .key
            .clone()
            .unwrap_or_else(|| format!("{}-{}", text(low), text(high)));
        let mut one = Map::new();
        if !self.keyed {
            one.insert("key".to_owned(), json!(key));
        }
        if matches!(self.of, Of::Distances(..)) && low.is_none() {
            one.insert("from".to_owned(), json!(0.0));
        }
        for (name, end) in [("from", low), ("to", high)] {
            let Some(end) = end else { continue };
            let number = end.as_f64();
            let value = number.map_or_else(|| json!(text(Some(end))), number_of);
            one.insert(name.to_owned(), value);
            let as_text = number.and_then(|number| shown.text(number));
            one.extend(as_text.map(|text| (format!("{name}_as_string"), text.into())));
        }
        (key, one)
    }
}
