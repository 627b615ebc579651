//! Aggregations over the buckets of others. They work on answers: the numbers that clients see are those they take.

mod average;
mod moving;
mod paths;

use super::expression::Expression;
use super::values::number_of;
use super::{Aggregations, Finish, Spec};
use average::Average;
use jiff::tz::TimeZone;
use mapping::dates::DateFormats;
use mapping::error::{Result, SearchError};
use mapping::json::{Members, as_f64, one_or_many, scalar};
use moving::Window;
use paths::{begun, buckets_of, number};
use serde_json::{Map, Value, json};
use std::cmp::Ordering;

/// Which one it is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Avg,
    Max,
    Min,
    Sum,
    Stats,
    ExtendedStats,
    Percentiles(Vec<f64>),
    Derivative,
    CumulativeSum,
    SerialDiff(usize),
    Moving(Window),
    MovingAverage(Average),
    Script(Expression),
    Selector(Expression),
    Sort {
        by: Vec<(String, bool)>,
        from: usize,
        size: Option<usize>,
    },
}

/// What is asked of a pipeline aggregation.
#[derive(Clone, Debug)]
pub(crate) struct PipelineSpec {
    kind: Kind,
    /// The paths of the numbers that it takes, by the names that a script has for them.
    paths: Vec<(String, String)>,
    /// Whether a bucket without the number counts as 0.
    zeros: bool,
    format: Option<DateFormats>,
}

/// The aggregations over buckets that are here.
pub(super) const NAMES: [&str; 15] = [
    "avg_bucket",
    "max_bucket",
    "min_bucket",
    "sum_bucket",
    "stats_bucket",
    "extended_stats_bucket",
    "percentiles_bucket",
    "derivative",
    "cumulative_sum",
    "serial_diff",
    "moving_avg",
    "moving_fn",
    "bucket_script",
    "bucket_selector",
    "bucket_sort",
];

fn paths(value: Option<&Value>) -> Vec<(String, String)> {
    match value {
        Some(Value::Object(named)) => {
            let text = |(name, path): (&String, &Value)| Some((name.clone(), scalar(path)?));
            named.iter().filter_map(text).collect()
        }
        Some(one) => one_or_many(one)
            .into_iter()
            .filter_map(|path| Some((String::new(), scalar(path)?)))
            .collect(),
        None => Vec::new(),
    }
}

fn script(value: Option<&Value>, kind: &str) -> Result<Expression> {
    let source = match value {
        Some(Value::Object(script)) => script
            .get("source")
            .or_else(|| script.get("inline"))
            .and_then(scalar),
        Some(text) => scalar(text),
        None => None,
    };
    Expression::parse(
        &source.ok_or_else(|| SearchError::parsing(format!("Missing required field [script] for {kind}")))?,
    )
}

impl PipelineSpec {
    pub(super) fn parse(
        kind: &str,
        name: &str,
        members: &mut Members<'_>,
        is_top: bool,
    ) -> Result<PipelineSpec> {
        let paths = paths(members.take("buckets_path"));
        let mut policy = members.text("gap_policy")?;
        // In a sort alone, case means nothing.
        if let Some(policy) = policy.as_mut().filter(|_| kind == "bucket_sort") {
            policy.make_ascii_lowercase();
        }
        let zeros = match policy.as_deref() {
            None | Some("skip" | "keep_values") => false,
            Some("insert_zeros") => true,
            Some(other) => return Err(SearchError::illegal(format!("Invalid gap policy: [{other}]"))),
        };
        let format = members.text("format")?;
        let format = format
            .filter(|format| !format.contains(['#', '0']))
            .map(|format| DateFormats::parse(&format))
            .transpose()?;
        let found = match kind {
            "avg_bucket" => Kind::Avg,
            "max_bucket" => Kind::Max,
            "min_bucket" => Kind::Min,
            "sum_bucket" => Kind::Sum,
            "stats_bucket" => Kind::Stats,
            "extended_stats_bucket" => {
                members.number("sigma")?;
                Kind::ExtendedStats
            }
            "percentiles_bucket" => {
                if members.flag("keyed")? == Some(false) {
                    return Err(SearchError::unsupported("[keyed] false of [percentiles_bucket]"));
                }
                let given = members.take("percents").map(one_or_many);
                let percents: Vec<f64> = given.unwrap_or_default().into_iter().filter_map(as_f64).collect();
                Kind::Percentiles(if percents.is_empty() {
                    vec![1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0]
                } else {
                    percents
                })
            }
            "derivative" => {
                if members.take("unit").is_some() {
                    return Err(SearchError::unsupported("[unit] of a derivative"));
                }
                Kind::Derivative
            }
            "cumulative_sum" => Kind::CumulativeSum,
            "moving_avg" => Kind::MovingAverage(Average::parse(members)?),
            "moving_fn" => Kind::Moving(Window::parse(members)?),
            "serial_diff" => Kind::SerialDiff(members.integer("lag")?.unwrap_or(1).max(1) as usize),
            "bucket_script" => Kind::Script(script(members.take("script"), kind)?),
            "bucket_selector" => Kind::Selector(script(members.take("script"), kind)?),
            _ => sort(members)?,
        };
        let spec = PipelineSpec {
            kind: found,
            paths,
            zeros,
            format,
        };
        if is_top && spec.is_parent() {
            return Err(SearchError::new(
                mapping::error::Kind::Validation,
                format!(
                    "Validation Failed: 1: {kind} aggregation [{name}] must be declared inside of another aggregation;"
                ),
            ));
        }
        if spec.paths.is_empty() && !matches!(spec.kind, Kind::Sort { .. }) {
            return Err(SearchError::parsing(format!(
                "Missing required field [buckets_path] for {kind} aggregation [{name}]"
            )));
        }
        Ok(spec)
    }

    /// Whether it works within the buckets of the aggregation around it, and not beside it.
    pub(super) fn is_parent(&self) -> bool {
        matches!(
            self.kind,
            Kind::Derivative
                | Kind::CumulativeSum
                | Kind::SerialDiff(_)
                | Kind::Moving(_)
                | Kind::MovingAverage(_)
                | Kind::Script(_)
                | Kind::Selector(_)
                | Kind::Sort { .. }
        )
    }

    fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Max | Kind::Min => "bucket_metric_value",
            Kind::Stats => "stats_bucket",
            Kind::ExtendedStats => "extended_stats_bucket",
            Kind::Percentiles(_) => "percentiles_bucket",
            Kind::Derivative => "derivative",
            _ => "simple_value",
        }
    }

    /// The number at a path in a bucket; a bucket without documents has none but their count.
    fn number(&self, bucket: &Value, path: &str) -> Result<Option<f64>> {
        let is_empty = path != "_count" && bucket.get("doc_count").and_then(Value::as_u64) == Some(0);
        let found = number(bucket, path)?.filter(|_| !is_empty);
        Ok(found.or(self.zeros.then_some(0.0)))
    }

    fn path(&self) -> &str {
        self.paths.first().map_or("", |(_, path)| path)
    }
}

fn sort(members: &mut Members<'_>) -> Result<Kind> {
    let mut by = Vec::new();
    for one in members.take("sort").map(one_or_many).unwrap_or_default() {
        match one {
            Value::Object(fields) => {
                for (path, order) in fields {
                    let order = order.get("order").unwrap_or(order);
                    by.push((path.clone(), scalar(order).as_deref() != Some("desc")));
                }
            }
            other => by.extend(scalar(other).map(|path| (path, true))),
        }
    }
    Ok(Kind::Sort {
        by,
        from: members.integer("from")?.unwrap_or(0).max(0) as usize,
        size: members.integer("size")?.map(|size| size.max(0) as usize),
    })
}

/// Adds what the pipelines beside other aggregations make of their buckets.
pub(super) fn siblings(
    aggregations: &Aggregations,
    finish: &Finish<'_>,
    out: &mut Map<String, Value>,
) -> Result<()> {
    for named in &aggregations.named {
        let Spec::Pipeline(spec) = &named.spec else {
            continue;
        };
        if spec.is_parent() {
            continue;
        }
        let (of, rest) = begun(out, spec.path())?;
        let mut values: Vec<(String, f64)> = Vec::new();
        for (key, bucket) in buckets_of(of) {
            values.extend(spec.number(bucket, rest)?.map(|value| (key, value)));
        }
        let mut answer = over(spec, &values);
        answer.extend(named.meta.clone().map(|meta| ("meta".to_owned(), meta)));
        out.insert(finish.name(spec.type_name(), &named.name), Value::Object(answer));
    }
    Ok(())
}

fn over(spec: &PipelineSpec, values: &[(String, f64)]) -> Map<String, Value> {
    let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let (count, sum) = (numbers.len(), numbers.iter().sum::<f64>());
    let best = |pick: fn(f64, f64) -> f64| numbers.iter().copied().reduce(pick);
    let optional = |number: Option<f64>| number.map_or(Value::Null, number_of);
    let average = (count > 0).then(|| sum / count as f64);
    let answer = match &spec.kind {
        Kind::Avg => json!({"value": optional(average)}),
        Kind::Sum => json!({"value": number_of(sum)}),
        Kind::Max | Kind::Min => {
            let best = best(if matches!(spec.kind, Kind::Max) {
                f64::max
            } else {
                f64::min
            });
            let keys = values.iter().filter(|(_, value)| Some(*value) == best);
            let keys: Vec<&String> = keys.map(|(key, _)| key).collect();
            json!({"value": optional(best), "keys": keys})
        }
        Kind::Percentiles(percents) => {
            let mut sorted = numbers.clone();
            sorted.sort_by(f64::total_cmp);
            let at = |percent: &f64| {
                let place = (percent / 100.0 * count as f64).round() as usize;
                let value = sorted.get(place.min(count.saturating_sub(1))).copied();
                (format!("{percent:?}"), optional(value))
            };
            json!({"values": percents.iter().map(at).collect::<Map<_, _>>()})
        }
        _ => {
            let mut stats = json!({
                "count": count, "min": optional(best(f64::min)), "max": optional(best(f64::max)), "avg": optional(average),
                "sum": number_of(sum),
            });
            if matches!(spec.kind, Kind::ExtendedStats) {
                let squares: f64 = numbers.iter().map(|number| number * number).sum();
                let variance = average.map(|average| squares / count as f64 - average * average);
                stats["sum_of_squares"] = number_of(squares);
                stats["variance"] = optional(variance);
                stats["std_deviation"] = optional(variance.map(f64::sqrt));
            }
            stats
        }
    };
    let mut answer = answer.as_object().cloned().unwrap_or_default();
    if let (Some(format), Some(value)) = (&spec.format, answer.get("value").and_then(Value::as_f64)) {
        answer.insert(
            "value_as_string".to_owned(),
            json!(format.write(value as i64, &TimeZone::UTC)),
        );
    }
    answer
}

/// Carries out the pipelines within the buckets of an answer.
pub(super) fn parents(
    inner: &Aggregations,
    finish: &Finish<'_>,
    answer: &mut Map<String, Value>,
) -> Result<()> {
    for named in &inner.named {
        let Spec::Pipeline(spec) = &named.spec else {
            continue;
        };
        if !spec.is_parent() {
            continue;
        }
        let name = finish.name(spec.type_name(), &named.name);
        match answer.get_mut("buckets") {
            Some(Value::Array(list)) => {
                let taken = std::mem::take(list);
                *list = within(spec, &name, taken)?;
            }
            Some(Value::Object(keyed)) => {
                let (names, values): (Vec<String>, Vec<Value>) = std::mem::take(keyed).into_iter().unzip();
                if !matches!(
                    spec.kind,
                    Kind::Derivative
                        | Kind::CumulativeSum
                        | Kind::SerialDiff(_)
                        | Kind::Moving(_)
                        | Kind::MovingAverage(_)
                        | Kind::Script(_)
                ) {
                    return Err(SearchError::unsupported(format!(
                        "[{}] on keyed buckets",
                        named.name
                    )));
                }
                *keyed = names.into_iter().zip(within(spec, &name, values)?).collect();
            }
            _ => {
                return Err(SearchError::illegal(format!(
                    "aggregation [{}] must have an aggregation of several buckets as parent",
                    named.name
                )));
            }
        }
    }
    Ok(())
}

fn within(spec: &PipelineSpec, name: &str, mut buckets: Vec<Value>) -> Result<Vec<Value>> {
    let path = spec.path().to_owned();
    let values: Vec<Option<f64>> = match spec.kind {
        Kind::Script(_) | Kind::Selector(_) | Kind::Sort { .. } => Vec::new(),
        _ => buckets
            .iter()
            .map(|bucket| spec.number(bucket, &path))
            .collect::<Result<_>>()?,
    };
    let put = |bucket: &mut Value, value: f64| bucket[name] = json!({"value": number_of(value)});
    match &spec.kind {
        Kind::Derivative => {
            let mut last = None;
            for (bucket, value) in buckets.iter_mut().zip(values) {
                if let (Some(last), Some(value)) = (last, value) {
                    put(bucket, value - last);
                }
                last = value.or(last);
            }
        }
        Kind::CumulativeSum => {
            let mut sum = 0.0;
            for (bucket, value) in buckets.iter_mut().zip(values) {
                sum += value.unwrap_or(0.0);
                put(bucket, sum);
            }
        }
        Kind::SerialDiff(lag) => {
            for (at, bucket) in buckets.iter_mut().enumerate() {
                let before = at.checked_sub(*lag).and_then(|at| values[at]);
                if let (Some(before), Some(value)) = (before, values[at]) {
                    put(bucket, value - before);
                }
            }
        }
        Kind::Moving(window) => {
            // Buckets without a number are passed by.
            let numbers: Vec<f64> = values.iter().flatten().copied().collect();
            let there = buckets
                .iter_mut()
                .zip(&values)
                .filter(|(_, value)| value.is_some());
            for (at, (bucket, _)) in there.enumerate() {
                bucket[name] = json!({"value": window.value(at, &numbers).map(number_of)});
            }
        }
        Kind::MovingAverage(average) => {
            let means = average.values(&values).into_iter();
            for (bucket, mean) in buckets.iter_mut().zip(means) {
                if let Some(mean) = mean {
                    put(bucket, mean);
                }
            }
        }
        Kind::Script(expression) | Kind::Selector(expression) => {
            let selects = matches!(spec.kind, Kind::Selector(_));
            let mut kept = Vec::with_capacity(buckets.len());
            for mut bucket in buckets {
                let mut given = Vec::new();
                for (variable, path) in &spec.paths {
                    given.push((variable, spec.number(&bucket, path)?));
                }
                let is_whole = given.iter().all(|(_, value)| value.is_some());
                let named = |name: &str| given.iter().find(|(variable, _)| *variable == name)?.1;
                let value = if is_whole {
                    Some(expression.value(&named)?)
                } else {
                    None
                };
                match (selects, value) {
                    (true, value) if value.unwrap_or(0.0) == 0.0 => continue,
                    (false, Some(value)) => put(&mut bucket, value),
                    _ => {}
                }
                kept.push(bucket);
            }
            return Ok(kept);
        }
        Kind::Sort { by, from, size } => {
            let mut keyed = Vec::with_capacity(buckets.len());
            for bucket in buckets {
                let keys: Vec<Option<f64>> = by
                    .iter()
                    .map(|(path, _)| number(&bucket, path))
                    .collect::<Result<_>>()?;
                keyed.push((keys, bucket));
            }
            keyed.sort_by(|(a, _), (b, _)| compare_keys(a, b, by));
            let page = keyed.into_iter().skip(*from).take(size.unwrap_or(usize::MAX));
            return Ok(page.map(|(_, bucket)| bucket).collect());
        }
        _ => {}
    }
    Ok(buckets)
}

/// Which of two buckets comes first; those without a number come last.
fn compare_keys(a: &[Option<f64>], b: &[Option<f64>], by: &[(String, bool)]) -> Ordering {
    let mut order = Ordering::Equal;
    for ((a, b), (_, ascending)) in a.iter().zip(b).zip(by) {
        order = order.then(match (a, b) {
            (Some(a), Some(b)) if *ascending => a.total_cmp(b),
            (Some(a), Some(b)) => b.total_cmp(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
    }
    order
}
