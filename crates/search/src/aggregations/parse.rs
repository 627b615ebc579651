//! Reading aggregations from JSON.

mod composite;
mod histograms;
mod metrics;
mod terms;

use super::buckets::BucketOrder;
use super::metrics::MetricKind;
use super::pipeline::{self, PipelineSpec};
use super::ranges::{self, RangeSpec};
use super::top_hits::TopSpec;
use super::top_metrics::TopMetricsSpec;
use super::values::Source;
use super::{Aggregations, DEPTH_MAX, Named, Spec};
use crate::query::parse_query;
use jiff::tz::TimeZone;
use mapping::dates::{self, DateFormats};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
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
        let (kind, body) = members.take_first().ok_or_else(missing)?;
        if let Some((other, _)) = members.take_first() {
            return Err(SearchError::parsing(format!(
                "Found two aggregation type definitions in [{name}]: [{kind}] and [{other}]"
            )));
        }
        let spec = spec(kind, name, body, now_ms, depth)?;
        let is_leaf = matches!(
            spec,
            Spec::Metric(..) | Spec::TopHits(_) | Spec::TopMetrics(_) | Spec::Pipeline(_)
        );
        if is_leaf && !inner.is_empty() {
            return Err(SearchError::illegal(format!(
                "Aggregator [{name}] of type [{kind}] cannot accept sub-aggregations"
            )));
        }
        let named = Named {
            name: name.clone(),
            spec,
            inner,
            meta,
        };
        for inner in &named.inner.named {
            if matches!(inner.spec, Spec::Composite(_)) {
                super::composite::check_parent(&named, &inner.name)?;
            }
        }
        out.named.push(named);
    }
    Ok(out)
}

fn spec(kind: &str, name: &str, body: &Value, now_ms: i64, depth: usize) -> Result<Spec> {
    match kind {
        "filter" => return Ok(Spec::Filter(Box::new(parse_query(body)?))),
        "filters" => return filters(body),
        "top_hits" => {
            let body = body
                .as_object()
                .ok_or_else(|| SearchError::parsing("[top_hits] must be an object"))?;
            return Ok(Spec::TopHits(Box::new(TopSpec::parse(body)?)));
        }
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
        "percentiles" => metrics::percentiles(&mut members)?,
        "percentile_ranks" => metrics::percentile_ranks(&mut members)?,
        "extended_stats" => {
            let sigma = members.number("sigma")?.unwrap_or(2.0);
            if sigma < 0.0 {
                return Err(SearchError::illegal(format!(
                    "[sigma] must be greater than or equal to 0. Found [{sigma}] in [{name}]"
                )));
            }
            Spec::Metric(source(&mut members)?, MetricKind::ExtendedStats { sigma })
        }
        "median_absolute_deviation" => metrics::median_absolute_deviation(name, &mut members)?,
        "weighted_avg" => metrics::weighted_avg(&mut members)?,
        "global" if depth > 0 => {
            return Err(SearchError::illegal(format!(
                "Aggregator [{name}] of type [global] cannot be nested: it is for the top level"
            )));
        }
        "global" => Spec::Global,
        "nested" => {
            let path = members.text("path")?;
            Spec::Nested(path.ok_or_else(|| {
                SearchError::parsing(format!("Missing [path] field for nested aggregation [{name}]"))
            })?)
        }
        "reverse_nested" => match members.text("path")? {
            None => Spec::ReverseNested(None),
            Some(_) => return Err(SearchError::unsupported("[path] of reverse_nested")),
        },
        "adjacency_matrix" => adjacency(&mut members)?,
        "geotile_grid" | "geohash_grid" => composite::grid(kind, &mut members)?,
        "composite" => composite::composite(&mut members, now_ms)?,
        known if pipeline::NAMES.contains(&known) => Spec::Pipeline(Box::new(PipelineSpec::parse(
            known,
            name,
            &mut members,
            depth == 0,
        )?)),
        "missing" => Spec::Missing(source(&mut members)?),
        "terms" => terms::terms(&mut members)?,
        "multi_terms" => terms::multi(name, &mut members)?,
        "top_metrics" => Spec::TopMetrics(TopMetricsSpec::parse(&mut members)?),
        "significant_terms" | "significant_text" => terms::significant(kind, &mut members)?,
        "sampler" | "diversified_sampler" | "auto_date_histogram" if depth > 0 => {
            return Err(SearchError::unsupported(format!(
                "[{kind}] within other aggregations"
            )));
        }
        "sampler" | "diversified_sampler" => terms::sample(kind, &mut members)?,
        "rare_terms" => terms::rare(name, &mut members)?,
        "geo_distance" => ranges::parse_distances(&mut members)?,
        "histogram" => histograms::histogram(&mut members)?,
        "date_histogram" => histograms::date_histogram(&mut members, now_ms)?,
        "auto_date_histogram" => histograms::auto_date_histogram(name, &mut members)?,
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
                    distances: None,
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

const UNSUPPORTED: [&str; 14] = [
    "boxplot",
    "children",
    "cumulative_cardinality",
    "geo_bounds",
    "geo_centroid",
    "ip_range",
    "matrix_stats",
    "normalize",
    "parent",
    "rate",
    "scripted_metric",
    "string_stats",
    "t_test",
    "variable_width_histogram",
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
        value_type: members.text("value_type")?,
    })
}

fn filters(body: &Value) -> Result<Spec> {
    let mut members = Members::of("filters", body)?;
    let named = members
        .take("filters")
        .filter(|filters| {
            !filters.as_array().is_some_and(Vec::is_empty)
                && !filters.as_object().is_some_and(serde_json::Map::is_empty)
        })
        .ok_or_else(|| SearchError::illegal("[filters] cannot be empty"))?;
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

fn adjacency(members: &mut Members<'_>) -> Result<Spec> {
    let given = members.take("filters").and_then(Value::as_object);
    let given = given.ok_or_else(|| SearchError::parsing("Missing [filters] of [adjacency_matrix]"))?;
    if given.len() > ADJACENT_MAX {
        return Err(SearchError::illegal(format!(
            "Number of filters is too large, must be less than or equal to: [{ADJACENT_MAX}] but was [{}].",
            given.len()
        )));
    }
    let mut queries = given
        .iter()
        .map(|(name, query)| Ok((name.clone(), parse_query(query)?)))
        .collect::<Result<Vec<_>>>()?;
    queries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Spec::Adjacency {
        queries,
        separator: members.text("separator")?.unwrap_or_else(|| "&".to_owned()),
    })
}

/// The filters of one `adjacency_matrix` at most.
const ADJACENT_MAX: usize = 100;

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
