//! Reading aggregations from JSON.

use super::buckets::BucketOrder;
use super::histogram::{Interval, Width};
use super::metrics::MetricKind;
use super::ranges::{self, RangeSpec};
use super::terms::{TermsSpec, Wanted};
use super::values::Source;
use super::{Aggregations, DEPTH_MAX, Named, Spec};
use crate::dates::{self, DateFormats, Rounding, parse_math};
use crate::error::{Result, SearchError};
use crate::json::{Members, as_f64, one_or_many, scalar};
use crate::query::parse_query;
use jiff::tz::TimeZone;
use regex::Regex;
use serde_json::Value;

impl Aggregations {
    /// Reads `aggs`. `now_ms` is what `now` means in them.
    pub fn parse(value: &Value, now_ms: i64) -> Result<Aggregations> {
        aggregations(value, now_ms, 0)
    }
}

fn aggregations(value: &Value, now_ms: i64, depth: usize) -> Result<Aggregations> {
    if depth > DEPTH_MAX {
        return Err(SearchError::illegal(format!(
            "aggregations are nested more than {DEPTH_MAX} deep"
        )));
    }
    let object = value
        .as_object()
        .ok_or_else(|| SearchError::parsing("[aggs] must be an object"))?;
    let mut out = Aggregations::default();
    for (name, definition) in object {
        if name.contains(['[', ']', '>']) {
            return Err(SearchError::illegal(format!(
                "Invalid aggregation name [{name}]. Aggregation names can contain any character except '[', ']', and '>'"
            )));
        }
        let mut members = Members::of(name, definition)?;
        let inner = members.take("aggs").or_else(|| members.take("aggregations"));
        let inner = inner.map_or(Ok(Aggregations::default()), |inner| {
            aggregations(inner, now_ms, depth + 1)
        })?;
        let meta = members.take("meta").cloned();
        let missing = || SearchError::parsing(format!("Missing definition for aggregation [{name}]"));
        let (kind, body) = members.next().ok_or_else(missing)?;
        if let Some((other, _)) = members.next() {
            return Err(SearchError::parsing(format!(
                "Found two aggregation type definitions in [{name}]: [{kind}] and [{other}]"
            )));
        }
        let spec = spec(kind, body, now_ms)?;
        if matches!(spec, Spec::Metric(..)) && !inner.is_empty() {
            return Err(SearchError::illegal(format!(
                "Aggregator [{name}] of type [{kind}] cannot accept sub-aggregations"
            )));
        }
        out.named.push(Named {
            name: name.clone(),
            spec,
            inner,
            meta,
        });
    }
    Ok(out)
}

fn spec(kind: &str, body: &Value, now_ms: i64) -> Result<Spec> {
    match kind {
        "filter" => return Ok(Spec::Filter(Box::new(parse_query(body)?))),
        "filters" => return filters(body),
        _ => {}
    }
    let mut members = Members::of(kind, body)?;
    let mut metric = |kind: MetricKind| -> Result<Spec> { Ok(Spec::Metric(source(&mut members)?, kind)) };
    let spec = match kind {
        "avg" => metric(MetricKind::Avg)?,
        "min" => metric(MetricKind::Min)?,
        "max" => metric(MetricKind::Max)?,
        "sum" => metric(MetricKind::Sum)?,
        "value_count" => metric(MetricKind::ValueCount)?,
        "stats" => metric(MetricKind::Stats)?,
        "cardinality" => {
            let spec = metric(MetricKind::Cardinality)?;
            // All values are counted, however many.
            members.integer("precision_threshold")?;
            spec
        }
        "percentiles" => percentiles(&mut members)?,
        "missing" => Spec::Missing(source(&mut members)?),
        "terms" => terms(&mut members)?,
        "histogram" => histogram(&mut members)?,
        "date_histogram" => date_histogram(&mut members, now_ms)?,
        "range" | "date_range" => {
            let source = source(&mut members)?;
            let listed = members.take("ranges").map(one_or_many).unwrap_or_default();
            if listed.is_empty() {
                return Err(SearchError::illegal(format!(
                    "No [ranges] specified for the [{kind}] aggregation"
                )));
            }
            let ranges = listed.into_iter().map(ranges::parse).collect::<Result<_>>()?;
            let keyed = members.flag("keyed")?.unwrap_or(false);
            Spec::Range(
                source,
                RangeSpec {
                    ranges,
                    keyed,
                    is_date: kind == "date_range",
                    now_ms,
                },
            )
        }
        known if UNSUPPORTED.contains(&known) => {
            return Err(SearchError::unsupported(format!("the aggregation [{known}]")));
        }
        other => {
            return Err(SearchError::parsing(format!(
                "Unknown aggregation type [{other}]"
            )));
        }
    };
    members.end()?;
    Ok(spec)
}

const UNSUPPORTED: [&str; 50] = [
    "adjacency_matrix",
    "auto_date_histogram",
    "avg_bucket",
    "boxplot",
    "bucket_script",
    "bucket_selector",
    "bucket_sort",
    "children",
    "composite",
    "cumulative_cardinality",
    "cumulative_sum",
    "derivative",
    "diversified_sampler",
    "extended_stats",
    "extended_stats_bucket",
    "geo_bounds",
    "geo_centroid",
    "geo_distance",
    "geohash_grid",
    "geotile_grid",
    "global",
    "ip_range",
    "matrix_stats",
    "max_bucket",
    "median_absolute_deviation",
    "min_bucket",
    "moving_avg",
    "moving_fn",
    "multi_terms",
    "nested",
    "normalize",
    "parent",
    "percentile_ranks",
    "percentiles_bucket",
    "rare_terms",
    "rate",
    "reverse_nested",
    "sampler",
    "scripted_metric",
    "serial_diff",
    "significant_terms",
    "significant_text",
    "stats_bucket",
    "string_stats",
    "sum_bucket",
    "t_test",
    "top_hits",
    "top_metrics",
    "variable_width_histogram",
    "weighted_avg",
];

fn source(members: &mut Members<'_>) -> Result<Source> {
    if members.take("script").is_some() {
        return Err(SearchError::unsupported("a [script] in an aggregation"));
    }
    let field = members.text("field")?;
    Ok(Source {
        field: field.ok_or_else(|| {
            SearchError::illegal("Required one of fields [field, script], but none were specified. ")
        })?,
        missing: members.take("missing").cloned(),
        formats: members
            .text("format")?
            .map(|format| DateFormats::parse(&format))
            .transpose()?,
        zone: members
            .text("time_zone")?
            .map_or(Ok(TimeZone::UTC), |zone| dates::zone(&zone))?,
    })
}

fn filters(body: &Value) -> Result<Spec> {
    let mut members = Members::of("filters", body)?;
    let named = members
        .take("filters")
        .ok_or_else(|| SearchError::illegal("[filters] cannot be null in [filters]"))?;
    let queries = match named {
        Value::Object(named) => named
            .iter()
            .map(|(name, query)| Ok((name.clone(), parse_query(query)?)))
            .collect(),
        other => one_or_many(other)
            .into_iter()
            .map(|query| Ok((String::new(), parse_query(query)?)))
            .collect::<Result<Vec<_>>>(),
    }?;
    let key = members.text("other_bucket_key")?;
    let wants_other = members.flag("other_bucket")?.unwrap_or(key.is_some());
    let other = wants_other.then(|| key.unwrap_or_else(|| "_other_".to_owned()));
    members.end()?;
    Ok(Spec::Filters {
        queries,
        keyed: named.is_object(),
        other,
    })
}

fn percentiles(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let percents = match members.take("percents") {
        None => vec![1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0],
        Some(list) => one_or_many(list).into_iter().filter_map(as_f64).collect(),
    };
    if let Some(wrong) = percents.iter().find(|percent| !(0.0..=100.0).contains(*percent)) {
        return Err(SearchError::illegal(format!(
            "percent must be in [0,100], got [{wrong}]"
        )));
    }
    if percents.is_empty() {
        return Err(SearchError::illegal("[percents] must not be empty"));
    }
    let keyed = members.flag("keyed")?.unwrap_or(true);
    if members.take("hdr").is_some() {
        return Err(SearchError::unsupported("[hdr] of percentiles"));
    }
    // Percentiles here are exact.
    members.take("tdigest");
    Ok(Spec::Metric(source, MetricKind::Percentiles { percents, keyed }))
}

fn orders(value: Option<&Value>) -> Result<Vec<BucketOrder>> {
    let mut orders = Vec::new();
    for one in value.map(one_or_many).unwrap_or_default() {
        let object = one
            .as_object()
            .ok_or_else(|| SearchError::parsing("[order] must be an object"))?;
        for (by, order) in object {
            let ascending = match scalar(order).unwrap_or_default().to_ascii_lowercase().as_str() {
                "asc" => true,
                "desc" => false,
                other => return Err(SearchError::parsing(format!("Unknown order direction [{other}]"))),
            };
            orders.push(BucketOrder {
                by: by.clone(),
                ascending,
            });
        }
    }
    Ok(orders)
}

fn terms(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let size = members.integer("size")?.unwrap_or(10);
    if size <= 0 {
        return Err(SearchError::illegal(format!(
            "[size] must be greater than 0. Found [{size}] in [terms]"
        )));
    }
    let least = members.integer("min_doc_count")?.unwrap_or(1);
    if least <= 0 {
        return Err(SearchError::unsupported("[min_doc_count] 0 of [terms]"));
    }
    let mut orders = orders(members.take("order"))?;
    if orders.is_empty() {
        orders.push(BucketOrder {
            by: "_count".to_owned(),
            ascending: false,
        });
    }
    let wanted = |value: Option<&Value>| match value {
        None => Ok(None),
        Some(Value::String(pattern)) => Regex::new(&format!("^(?:{pattern})$"))
            .map(|pattern| Some(Wanted::Pattern(pattern)))
            .map_err(|_| SearchError::illegal(format!("[{pattern}] is no pattern"))),
        Some(Value::Object(_)) => Err(SearchError::unsupported("partitions of [terms]")),
        Some(list) => Ok(Some(Wanted::Values(
            one_or_many(list).into_iter().filter_map(scalar).collect(),
        ))),
    };
    let include = wanted(members.take("include"))?;
    let exclude = wanted(members.take("exclude"))?;
    // How shards and heaps are used changes nothing of the answer: all values are counted.
    for name in [
        "shard_size",
        "shard_min_doc_count",
        "execution_hint",
        "collect_mode",
        "show_term_doc_count_error",
        "value_type",
    ] {
        members.take(name);
    }
    Ok(Spec::Terms(
        source,
        TermsSpec {
            size: size as usize,
            least: least as u64,
            orders,
            include,
            exclude,
        },
    ))
}

fn bounds(value: Option<&Value>, read: impl Fn(&Value) -> Result<f64>) -> Result<Option<(f64, f64)>> {
    let Some(value) = value else { return Ok(None) };
    let mut members = Members::of("bounds", value)?;
    let low = members
        .take("min")
        .filter(|end| !end.is_null())
        .map(&read)
        .transpose()?;
    let high = members
        .take("max")
        .filter(|end| !end.is_null())
        .map(&read)
        .transpose()?;
    members.end()?;
    match (low, high) {
        (Some(low), Some(high)) if low > high => Err(SearchError::illegal(
            "the bounds of a histogram have a [min] that is greater than their [max]",
        )),
        (Some(low), Some(high)) => Ok(Some((low, high))),
        _ => Err(SearchError::unsupported(
            "bounds of a histogram without [min] or [max]",
        )),
    }
}

fn histogram(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let width = members.number("interval")?.unwrap_or(0.0);
    if width <= 0.0 {
        return Err(SearchError::illegal(
            "[interval] must be >0 for histogram aggregation [histogram]",
        ));
    }
    let number = |value: &Value| {
        as_f64(value).ok_or_else(|| SearchError::parsing("a bound of a histogram must be a number"))
    };
    let interval = Interval {
        width: Width::Number(width),
        offset: members.number("offset")?.unwrap_or(0.0),
        least: members.integer("min_doc_count")?.unwrap_or(0).max(0) as u64,
        extended: bounds(members.take("extended_bounds"), number)?,
        hard: bounds(members.take("hard_bounds"), number)?,
        keyed: members.flag("keyed")?.unwrap_or(false),
        orders: orders(members.take("order"))?,
    };
    Ok(Spec::Histogram(source, interval))
}

fn date_histogram(members: &mut Members<'_>, now_ms: i64) -> Result<Spec> {
    let source = source(members)?;
    let calendar = members.text("calendar_interval")?;
    let fixed = members.text("fixed_interval")?;
    let old = members.text("interval")?;
    let width = match (calendar, fixed, old) {
        (Some(calendar), None, None) => calendar_unit(&calendar).map(Width::Calendar).ok_or_else(|| {
            SearchError::illegal(format!(
                "The supplied interval [{calendar}] could not be parsed as a calendar interval."
            ))
        })?,
        (None, Some(fixed), None) => Width::Fixed(duration_ms(&fixed)?),
        (None, None, Some(old)) => match calendar_unit(&old) {
            Some(unit) => Width::Calendar(unit),
            None => Width::Fixed(duration_ms(&old)?),
        },
        (None, None, None) => {
            return Err(SearchError::illegal(
                "Invalid interval specified, must be non-null and non-empty",
            ));
        }
        _ => {
            return Err(SearchError::illegal(
                "Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.",
            ));
        }
    };
    let offset = match members.text("offset")? {
        None => 0.0,
        Some(text) => match text.strip_prefix('-') {
            Some(text) => -(duration_ms(text)? as f64),
            None => duration_ms(text.trim_start_matches('+'))? as f64,
        },
    };
    let date = |value: &Value| match value {
        Value::Number(ms) => Ok(ms.as_f64().unwrap_or(0.0)),
        other => {
            let default = DateFormats::default();
            let formats = source.formats.as_ref().unwrap_or(&default);
            let ms = parse_math(
                &scalar(other).unwrap_or_default(),
                formats,
                &source.zone,
                now_ms,
                Rounding::Down,
            )?;
            Ok(ms as f64)
        }
    };
    let interval = Interval {
        width,
        offset,
        least: members.integer("min_doc_count")?.unwrap_or(0).max(0) as u64,
        extended: bounds(members.take("extended_bounds"), date)?,
        hard: bounds(members.take("hard_bounds"), date)?,
        keyed: members.flag("keyed")?.unwrap_or(false),
        orders: orders(members.take("order"))?,
    };
    Ok(Spec::Histogram(source, interval))
}

fn calendar_unit(text: &str) -> Option<char> {
    Some(match text {
        "second" | "1s" => 's',
        "minute" | "1m" => 'm',
        "hour" | "1h" => 'h',
        "day" | "1d" => 'd',
        "week" | "1w" => 'w',
        "month" | "1M" => 'M',
        "quarter" | "1q" => 'q',
        "year" | "1y" => 'y',
        _ => return None,
    })
}

/// `90s`, `1h`, `500ms`.
fn duration_ms(text: &str) -> Result<i64> {
    let invalid = || {
        SearchError::illegal(format!(
            "failed to parse setting [date_histogram.fixedInterval] with value [{text}] as a time value"
        ))
    };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: i64 = text[..digits].parse().map_err(|_| invalid())?;
    let unit = match &text[digits..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" | "H" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(invalid()),
    };
    number.checked_mul(unit).filter(|ms| *ms > 0).ok_or_else(invalid)
}
