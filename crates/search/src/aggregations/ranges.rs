//! Buckets from one value to another.

use super::buckets::{Bucket, listed, number_text};
use super::values::{Source, number_of};
use super::{Aggregations, Finish, Spec};
use mapping::FieldKind;
use mapping::dates::{DateFormats, Rounding, parse_math};
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View};
use mapping::geo::{self, Point};
use mapping::json::{Members, one_or_many, scalar};
use serde_json::{Map, Value, json};

/// One range; its ends as the request has them.
#[derive(Clone, Debug)]
pub(super) struct OneRange {
    pub(super) key: Option<String>,
    pub(super) from: Option<Value>,
    pub(super) to: Option<Value>,
}

/// What is asked of ranges.
#[derive(Clone, Debug)]
pub(super) struct RangeSpec {
    pub(super) ranges: Vec<OneRange>,
    pub(super) keyed: bool,
    pub(super) is_date: bool,
    pub(super) now_ms: i64,
    /// Where the ranges are of distances: from where, and how many metres count as one.
    pub(super) distances: Option<(Point, f64)>,
}

impl RangeSpec {
    pub(super) fn name(&self) -> &'static str {
        match (&self.distances, self.is_date) {
            (Some(_), _) => "geo_distance",
            (None, true) => "date_range",
            (None, false) => "range",
        }
    }

    /// The number by which a value is in ranges.
    pub(super) fn number(&self, term: &Term) -> Option<f64> {
        match (&self.distances, term) {
            (Some((origin, metres)), Term::Point(point)) => Some(point.distance(*origin) / metres),
            (Some(_), _) => None,
            (None, term) => term.as_f64(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The ends as numbers.
    pub(super) fn bounds(
        &self,
        source: &Source,
        view: &View<'_>,
        now_ms: i64,
    ) -> Result<Vec<(Option<f64>, Option<f64>)>> {
        let field = view.mapping.field(&source.field);
        let field = field.as_ref();
        let is_date = self.is_date || field.is_some_and(|field| field.kind == FieldKind::Date);
        let formats = source
            .formats
            .clone()
            .or_else(|| field.map(|field| field.formats.clone()))
            .unwrap_or_default();
        let each = |range: &OneRange| {
            Ok((
                end(range.from.as_ref(), is_date, &formats, source, now_ms)?,
                end(range.to.as_ref(), is_date, &formats, source, now_ms)?,
            ))
        };
        self.ranges.iter().map(each).collect()
    }
}

fn end(
    value: Option<&Value>,
    is_date: bool,
    formats: &DateFormats,
    source: &Source,
    now_ms: i64,
) -> Result<Option<f64>> {
    let Some(value) = value else { return Ok(None) };
    if let (true, Value::String(text)) = (is_date, value) {
        let ms = parse_math(text, formats, &source.zone, now_ms, Rounding::Down)?;
        return Ok(Some(ms as f64));
    }
    Ok(mapping::json::as_f64(value))
}

pub(super) fn finish(
    buckets: Vec<Bucket>,
    source: &Source,
    spec: &RangeSpec,
    inner: &Aggregations,
    finish: &Finish<'_>,
) -> Result<Value> {
    let formats = source.formats.clone().unwrap_or_default();
    let mut out = Vec::new();
    for (range, bucket) in spec.ranges.iter().zip(buckets) {
        let low = end(range.from.as_ref(), spec.is_date, &formats, source, spec.now_ms)?;
        let high = end(range.to.as_ref(), spec.is_date, &formats, source, spec.now_ms)?;
        let text = |end: Option<f64>| match (end, spec.is_date) {
            (Some(ms), true) => formats.write(ms as i64, &source.zone),
            (Some(number), false) => number_text(number),
            (None, _) => "*".to_owned(),
        };
        let key = range
            .key
            .clone()
            .unwrap_or_else(|| format!("{}-{}", text(low), text(high)));
        let mut one = Map::new();
        if !spec.keyed {
            one.insert("key".to_owned(), json!(key));
        }
        for (name, end) in [("from", low), ("to", high)] {
            if let Some(number) = end {
                one.insert(name.to_owned(), number_of(number));
                if spec.is_date {
                    one.insert(format!("{name}_as_string"), json!(text(end)));
                }
            }
        }
        bucket.put(inner, finish, &mut one)?;
        out.push((low, high, key, Value::Object(one)));
    }
    out.sort_by(|a, b| {
        let number = |end: Option<f64>, none: f64| end.unwrap_or(none);
        let low = number(a.0, f64::NEG_INFINITY).total_cmp(&number(b.0, f64::NEG_INFINITY));
        low.then(number(a.1, f64::INFINITY).total_cmp(&number(b.1, f64::INFINITY)))
    });
    Ok(listed(
        out.into_iter().map(|(_, _, key, one)| (key, one)).collect(),
        spec.keyed,
    ))
}

/// Reads one range.
pub(super) fn parse(value: &Value) -> Result<OneRange> {
    let mut members = Members::of("range", value)?;
    let range = OneRange {
        key: members.take("key").and_then(scalar),
        from: members.take("from").filter(|end| !end.is_null()).cloned(),
        to: members.take("to").filter(|end| !end.is_null()).cloned(),
    };
    members.end()?;
    Ok(range)
}

/// Reads `geo_distance`: ranges of distances from a point.
pub(super) fn parse_distances(members: &mut Members<'_>) -> Result<Spec> {
    let missing = |name: &str| {
        SearchError::illegal(format!(
            "Required field [{name}] is missing in the [geo_distance] aggregation"
        ))
    };
    let origin = members.take("origin").ok_or_else(|| missing("origin"))?;
    let origin = Point::of_json(origin).ok_or_else(|| SearchError::parsing("failed to parse a point"))?;
    let unit = members.text("unit")?.unwrap_or_else(|| "m".to_owned());
    let unknown = || SearchError::illegal(format!("No distance unit match [{unit}]"));
    let metres = geo::metres(&format!("1{unit}")).ok_or_else(unknown)?;
    // On a sphere, whichever way is asked for: the way over a plane is shorter by less than is read.
    if let Some(kind) = members.text("distance_type")?
        && !["arc", "plane"].contains(&kind.to_ascii_lowercase().as_str())
    {
        return Err(SearchError::illegal(format!("No geo distance for [{kind}]")));
    }
    let listed = members.take("ranges").map(one_or_many).unwrap_or_default();
    if listed.is_empty() {
        return Err(SearchError::illegal(
            "No [ranges] specified for the [geo_distance] aggregation",
        ));
    }
    let field = members.text("field")?.ok_or_else(|| missing("field"))?;
    Ok(Spec::Range(
        Source::of_field(field),
        RangeSpec {
            ranges: listed.into_iter().map(parse).collect::<Result<_>>()?,
            keyed: members.flag("keyed")?.unwrap_or(false),
            is_date: false,
            now_ms: 0,
            distances: Some((origin, metres)),
        },
    ))
}
