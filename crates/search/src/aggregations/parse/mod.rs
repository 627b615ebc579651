//! Reading aggregations from JSON.

mod composite;
mod histograms;
mod metrics;
mod names;
mod orders;
mod ranges;
mod terms;

use super::pipeline::{self, PipelineSpec};
use super::rates;
use super::scripted::Scripted;
use super::top_hits::TopSpec;
use super::top_metrics::TopMetricsSpec;
use super::values::Source;
use super::{Aggregations, DEPTH_MAX, Named, Spec};
use jiff::tz::TimeZone;
use mapping::dates;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::{Members, one_or_many, token};
use mapping::meant::meant;
use mapping::value_format::ValueType;
use querying::{DocumentScript, parse_query};
use serde_json::{Map, Value};

impl Aggregations {
    /// Reads `aggs`.
    pub fn parse(value: &Value) -> Result<Aggregations> {
        let parsed = aggregations(value, 0)?;
        pipeline::check_top(&parsed)?;
        check_reverse(&parsed, false)?;
        rates::check(&parsed, None)?;
        Ok(parsed)
    }
}

fn aggregations(value: &Value, depth: usize) -> Result<Aggregations> {
    if depth > DEPTH_MAX {
        return Err(SearchError::illegal(format!(
            "aggregations are nested more than {DEPTH_MAX} deep"
        )));
    }
    let object = value
        .as_object()
        .ok_or_else(|| SearchError::parsing(format!("Unknown key for a {} in [aggs].", token(value))))?;
    let mut out = Aggregations::default();
    for (name, definition) in object {
        let named = named(name, definition, depth)?;
        for inner in &named.inner.named {
            if matches!(inner.spec, Spec::Composite(_)) {
                super::composite::check_parent(&named)?;
            }
        }
        out.named.push(named);
    }
    out.pipelines = pipeline::ordered(&out)?;
    pipeline::check_siblings(&out)?;
    Ok(out)
}

fn named(name: &str, definition: &Value, depth: usize) -> Result<Named> {
    if name.is_empty() || name.contains(['[', ']', '>']) {
        return Err(SearchError::parsing(format!(
            "Invalid aggregation name [{name}]. Aggregation names can contain any character except '[', ']', and '>'"
        )));
    }
    let Value::Object(object) = definition else {
        return Err(SearchError::parsing(format!(
            "Aggregation definition for [{name} starts with a [{}], expected a [START_OBJECT].",
            token(definition)
        )));
    };
    let mut members = Members::of_object(name, object);
    let inner = match (members.take("aggs"), members.take("aggregations")) {
        (Some(_), Some(_)) => {
            return Err(SearchError::parsing(format!(
                "Found two sub aggregation definitions under [{name}]"
            )));
        }
        (inner, other) => inner.or(other),
    };
    let meta = match members.take("meta") {
        None => None,
        Some(meta @ Value::Object(_)) => Some(meta.clone()),
        Some(other) => return Err(no_object("meta", name, other)),
    };
    let missing = || SearchError::parsing(format!("Missing definition for aggregation [{name}]"));
    let (kind, body) = members.take_first().ok_or_else(missing)?;
    if let Some((other, _)) = members.take_first() {
        return Err(SearchError::parsing(format!(
            "Found two aggregation type definitions in [{name}]: [{kind}] and [{other}]"
        )));
    }
    let Value::Object(body) = body else {
        return Err(no_object(kind, name, body));
    };
    let spec = spec(kind, name, body, depth)?;
    let inner = inner.map_or(Ok(Aggregations::default()), |inner| {
        aggregations(inner, depth + 1)
    })?;
    check_inner(name, kind, &spec, &inner)?;
    if let Some(orders) = spec.orders() {
        orders::check(orders, &inner)?;
    }
    let named = Named {
        name: name.to_owned(),
        spec,
        inner,
        meta,
    };
    pipeline::check_parents(&named)?;
    Ok(named)
}

/// Refuses ways back from nested objects where there are none.
fn check_reverse(aggregations: &Aggregations, is_nested: bool) -> Result<()> {
    for named in &aggregations.named {
        if matches!(named.spec, Spec::ReverseNested(_)) && !is_nested {
            return Err(SearchError::illegal(format!(
                "Reverse nested aggregation [{}] can only be used inside a [nested] aggregation",
                named.name
            )));
        }
        check_reverse(&named.inner, is_nested || matches!(named.spec, Spec::Nested(_)))?;
    }
    Ok(())
}

fn no_object(under: &str, name: &str, value: &Value) -> SearchError {
    SearchError::parsing(format!(
        "Expected [START_OBJECT] under [{under}], but got a [{}] in [{name}]",
        token(value)
    ))
}

/// Refuses aggregations within what has no buckets, and a sample of nothing.
fn check_inner(name: &str, kind: &str, spec: &Spec, inner: &Aggregations) -> Result<()> {
    if let Some(global) = inner
        .named
        .iter()
        .find(|named| matches!(named.spec, Spec::Global))
    {
        let reason = format!(
            "Aggregation [{name}] cannot have a global sub-aggregation [{}]. Global aggregations can only be defined as top level \
             aggregations",
            global.name
        );
        return Err(SearchError::new(ErrorKind::Aggregation, reason));
    }
    match spec {
        Spec::Metric(..) | Spec::TopHits(_) | Spec::TopMetrics(_) if !inner.is_empty() => {
            Err(SearchError::new(
                ErrorKind::AggregationStart,
                format!("Aggregator [{name}] of type [{kind}] cannot accept sub-aggregations"),
            ))
        }
        Spec::Pipeline(_) if !inner.is_empty() => Err(SearchError::illegal(format!(
            "Aggregation [{name}] cannot define sub-aggregations"
        ))),
        Spec::Sample(_) if inner.is_empty() => Err(SearchError::new(
            ErrorKind::Aggregation,
            "Sampler aggregation must be used with child aggregations.",
        )),
        _ => Ok(()),
    }
}

fn spec(kind: &str, name: &str, body: &Map<String, Value>, depth: usize) -> Result<Spec> {
    match kind {
        "filter" => return Ok(Spec::Filter(Box::new(parse_query(&Value::Object(body.clone()))?))),
        "filters" => return filters(name, body),
        "top_hits" => return Ok(Spec::TopHits(Box::new(TopSpec::parse(name, body)?))),
        "sampler" | "diversified_sampler" | "auto_date_histogram" | "variable_width_histogram"
            if depth > 0 =>
        {
            return Err(SearchError::unsupported(format!(
                "[{kind}] within other aggregations"
            )));
        }
        known if pipeline::NAMES.contains(&known) => {
            return Ok(Spec::Pipeline(Box::new(PipelineSpec::parse(known, name, body)?)));
        }
        _ => {}
    }
    let mut members = Members::of_content(kind, body);
    let spec = match kind {
        "global" => Spec::Global,
        "nested" | "reverse_nested" => return nested(kind, name, &mut members),
        "adjacency_matrix" => adjacency(name, &mut members)?,
        "geotile_grid" | "geohash_grid" => composite::grid(kind, &mut members)?,
        "composite" => composite::composite(&mut members)?,
        "missing" => Spec::Missing(source(&mut members, Form::Written)?),
        "terms" => terms::terms(name, &mut members)?,
        "multi_terms" => terms::multi(name, &mut members)?,
        "top_metrics" => Spec::TopMetrics(TopMetricsSpec::parse(&mut members)?),
        "significant_terms" | "significant_text" => terms::significant(name, kind, &mut members)?,
        "sampler" | "diversified_sampler" => terms::sample(name, kind, &mut members)?,
        "rare_terms" => terms::rare(name, &mut members)?,
        "geo_distance" => ranges::distances(name, &mut members)?,
        "histogram" => histograms::histogram(name, &mut members)?,
        "date_histogram" => histograms::date_histogram(&mut members)?,
        "auto_date_histogram" => histograms::auto_date_histogram(name, &mut members)?,
        "variable_width_histogram" => histograms::varied(name, &mut members)?,
        "range" | "date_range" | "ip_range" => ranges::range(name, kind, &mut members)?,
        known if UNSUPPORTED.contains(&known) => {
            return Err(SearchError::unsupported(format!("the aggregation [{known}]")));
        }
        other => match metrics::metric(name, kind, &mut members)? {
            Some(spec) => spec,
            None => {
                return Err(SearchError::parsing(format!(
                    "Unknown aggregation type [{other}]{}",
                    meant(other, names::NAMES)
                )));
            }
        },
    };
    members.end()?;
    Ok(spec)
}

const UNSUPPORTED: [&str; 6] = [
    "children",
    "cumulative_cardinality",
    "matrix_stats",
    "parent",
    "scripted_metric",
    "t_test",
];

/// What may be said of a field besides its name.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// No format.
    Plain,
    Written,
    /// A format and a time zone.
    Zoned,
}

/// A field, a script, or a script that makes values of a field's.
fn source(members: &mut Members<'_>, form: Form) -> Result<Source> {
    let script = members.take("script").map(DocumentScript::parse).transpose()?;
    source_by(script, members, form)
}

/// A field alone: what else is said of its values is left, and so refused.
fn field_source(members: &mut Members<'_>, form: Form) -> Result<Source> {
    source_by(None, members, form)
}

fn source_by(script: Option<DocumentScript>, members: &mut Members<'_>, form: Form) -> Result<Source> {
    let field = members.text("field")?;
    if field.is_none() && script.is_none() {
        return Err(SearchError::illegal(
            "Required one of fields [field, script], but none were specified. ",
        ));
    }
    let mut source = Source::of_field(field.unwrap_or_default());
    source.script = script.map(|script| Box::new(Scripted::new(script)));
    source.missing = missing(members)?;
    if form != Form::Plain {
        source.format = members.text("format")?;
    }
    if form == Form::Zoned {
        source.zone = zone(members)?;
    }
    if let Some(given) = members.text("value_type")? {
        let unknown = || SearchError::illegal(format!("Unknown value type [{given}]"));
        let value_type = ValueType::parse(&given).ok_or_else(unknown);
        let value_type =
            value_type.map_err(|error| SearchError::of_member(members.context(), "value_type", error));
        source.value_type = Some(value_type?);
        if let Some(script) = &mut source.script {
            script.is_whole = !matches!(given.as_str(), "double" | "float");
        }
    }
    Ok(source)
}

fn missing(members: &mut Members<'_>) -> Result<Option<Value>> {
    match members.take("missing") {
        Some(Value::Null) => {
            let cause = SearchError::illegal("[missing] must not be null");
            Err(SearchError::of_member(members.context(), "missing", cause))
        }
        Some(several @ (Value::Array(_) | Value::Object(_))) => Err(members.wrong_type("missing", several)),
        given => Ok(given.cloned()),
    }
}

fn zone(members: &mut Members<'_>) -> Result<TimeZone> {
    let zone = match members.take("time_zone") {
        None => return Ok(TimeZone::UTC),
        Some(Value::Number(hours)) => hours.as_i64().map(|hours| format!("{hours:+}")),
        Some(given) => given.as_str().map(str::to_owned),
    };
    let zone = zone.ok_or_else(|| SearchError::illegal("a [time_zone] must be a text or a number of hours"));
    let read = zone.and_then(|zone| dates::zone(&zone));
    read.map_err(|error| SearchError::of_member(members.context(), "time_zone", error))
}

/// Takes a number that must not be less than `least`.
fn at_least(members: &mut Members<'_>, name: &str, least: i64, of: &str) -> Result<Option<i64>> {
    match members.integer(name)? {
        Some(given) if given < least => {
            let must = match least {
                1 => "greater than 0".to_owned(),
                least => format!("greater than or equal to {least}"),
            };
            let cause = SearchError::illegal(format!("[{name}] must be {must}. Found [{given}] in [{of}]"));
            Err(SearchError::of_member(members.context(), name, cause))
        }
        given => Ok(given),
    }
}

/// `nested` and `reverse_nested`, which are read in an older way than others.
fn nested(kind: &str, name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let path = match members.take("path") {
        None => None,
        Some(Value::String(path)) => Some(path.clone()),
        Some(other) => return Err(unexpected(name, other)),
    };
    if let Some((_, other)) = members.take_first() {
        return Err(unexpected(name, other));
    }
    match (kind, path) {
        ("nested", Some(path)) => Ok(Spec::Nested(path)),
        ("nested", None) => Err(SearchError::parsing(format!(
            "Missing [path] field for nested aggregation [{name}]"
        ))),
        (_, path) => Ok(Spec::ReverseNested(path)),
    }
}

fn unexpected(name: &str, value: &Value) -> SearchError {
    SearchError::parsing(format!("Unexpected token {} in [{name}].", token(value)))
}

fn filters(name: &str, body: &Map<String, Value>) -> Result<Spec> {
    let unknown = |key: &str, value: &Value| {
        let reason = format!("Unknown key for a {} in [{name}]: [{key}].", token(value));
        SearchError::parsing(reason)
    };
    let (mut given, mut key, mut wants_other) = (None, None, None);
    for (member, value) in body {
        match (member.as_str(), value) {
            ("filters", Value::Object(_) | Value::Array(_)) => given = Some(value),
            ("other_bucket", Value::Bool(flag)) => wants_other = Some(*flag),
            ("other_bucket_key", Value::String(text)) => key = Some(text.clone()),
            (member, value) => return Err(unknown(member, value)),
        }
    }
    let empty = || SearchError::illegal("[filters] cannot be empty.");
    let given = given.ok_or_else(empty)?;
    let queries = match given {
        Value::Object(named) => named
            .iter()
            .map(|(name, query)| Ok((name.clone(), parse_query(query)?)))
            .collect(),
        other => one_or_many(other)
            .into_iter()
            .map(|query| Ok((String::new(), parse_query(query)?)))
            .collect::<Result<Vec<_>>>(),
    }?;
    let mut queries = queries;
    if queries.is_empty() {
        return Err(empty());
    }
    queries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let wants_other = wants_other.unwrap_or(key.is_some());
    let other = wants_other.then(|| key.unwrap_or_else(|| "_other_".to_owned()));
    Ok(Spec::Filters {
        queries,
        keyed: given.is_object(),
        other,
    })
}

fn adjacency(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let given = match members.take("filters") {
        Some(Value::Object(given)) => given,
        Some(_) => {
            let cause = SearchError::parsing("[filters] must be an object");
            return Err(SearchError::of_member("adjacency_matrix", "filters", cause));
        }
        None => {
            return Err(SearchError::illegal(format!(
                "[{name}] is missing : filters parameter"
            )));
        }
    };
    if given.len() > ADJACENT_MAX {
        return Err(SearchError::illegal(format!(
            "Number of filters is too large, must be less than or equal to: [{ADJACENT_MAX}] but was [{}].This limit can be set by \
             changing the [index.max_adjacency_matrix_filters] index level setting.",
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
