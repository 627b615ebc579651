//! Reading metrics.

use super::histograms::calendar_unit;
use super::{Form, field_source, missing, source};
use crate::aggregations::Spec;
use crate::aggregations::metric_kind::MetricKind;
use crate::aggregations::scripted::Scripted;
use crate::aggregations::takes::Takes;
use crate::aggregations::values::Source;
use mapping::decimals::java_number;
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use querying::DocumentScript;
use serde_json::Value;

/// A metric by its type; `None` where it is none of these.
pub(super) fn metric(name: &str, kind: &str, members: &mut Members<'_>) -> Result<Option<Spec>> {
    let (form, kind) = match kind {
        "avg" => (Form::Written, MetricKind::Avg),
        "min" => (Form::Written, MetricKind::Min),
        "max" => (Form::Written, MetricKind::Max),
        "sum" => (Form::Written, MetricKind::Sum),
        "value_count" => (Form::Written, MetricKind::ValueCount),
        "stats" => (Form::Written, MetricKind::Stats),
        "cardinality" => (Form::Plain, cardinality(name, members)?),
        "extended_stats" => (Form::Written, extended_stats(name, members)?),
        "percentiles" => (Form::Written, percentiles(members)?),
        "percentile_ranks" => (Form::Written, percentile_ranks(members)?),
        "median_absolute_deviation" => (Form::Written, median_absolute_deviation(name, members)?),
        "boxplot" => {
            // It changes nothing, since quartiles here are exact.
            if let Some(value) = members.number("compression")?.filter(|value| *value < 0.0) {
                let reason = format!(
                    "[compression] must be greater than or equal to 0. Found [{value:?}] in [{name}]"
                );
                return Err(SearchError::of_member(
                    "boxplot",
                    "compression",
                    SearchError::illegal(reason),
                ));
            }
            (Form::Written, MetricKind::Boxplot)
        }
        "rate" => return rate(members).map(Some),
        "string_stats" => {
            let shows_distribution = members.flag("show_distribution")?.unwrap_or(false);
            // Texts have no other format: one is taken, and refused by the field.
            (Form::Written, MetricKind::StringStats { shows_distribution })
        }
        "geo_bounds" => {
            let may_wrap = members.flag("wrap_longitude")?.unwrap_or(true);
            (Form::Plain, MetricKind::GeoBounds { may_wrap })
        }
        "geo_centroid" => (Form::Plain, MetricKind::GeoCentroid),
        "weighted_avg" => return weighted_avg(members).map(Some),
        _ => return Ok(None),
    };
    let source = match kind.takes() {
        Takes::Points => field_source(members, form)?,
        _ => source(members, form)?,
    };
    Ok(Some(Spec::Metric(source, kind)))
}

/// A rate, of the values of a field or of documents.
fn rate(members: &mut Members<'_>) -> Result<Spec> {
    let unit = match members.text("unit")? {
        None => None,
        Some(unit) => {
            let unknown = || SearchError::illegal(format!("Unsupported unit {unit}"));
            Some(calendar_unit(&unit).ok_or_else(unknown)?)
        }
    };
    let of_values = members.has("field") || members.has("script");
    let source = match of_values {
        true => source(members, Form::Written)?,
        false => {
            let mut source = Source::of_field(String::new());
            source.format = members.text("format")?;
            source
        }
    };
    let kind = MetricKind::Rate {
        unit,
        counts_documents: !of_values,
    };
    Ok(Spec::Metric(source, kind))
}

fn cardinality(name: &str, members: &mut Members<'_>) -> Result<MetricKind> {
    // All values are counted, however many.
    let threshold = members.integer("precision_threshold")?;
    if let Some(threshold) = threshold.filter(|threshold| *threshold < 0) {
        let cause = SearchError::illegal(format!(
            "[precisionThreshold] must be greater than or equal to 0. Found [{threshold}] in [{name}]"
        ));
        return Err(SearchError::of_member(
            "cardinality",
            "precision_threshold",
            cause,
        ));
    }
    Ok(MetricKind::Cardinality)
}

fn extended_stats(name: &str, members: &mut Members<'_>) -> Result<MetricKind> {
    let sigma = members.number("sigma")?.unwrap_or(2.0);
    match sigma < 0.0 {
        false => Ok(MetricKind::ExtendedStats { sigma }),
        true => {
            let reason = format!("[sigma] must be greater than or equal to 0. Found [{sigma:?}] in [{name}]");
            let cause = SearchError::illegal(reason);
            Err(SearchError::of_member("extended_stats", "sigma", cause))
        }
    }
}

/// Numbers in their order, each once; one by itself is a list of it.
fn numbers(members: &mut Members<'_>, name: &str) -> Result<Option<Vec<f64>>> {
    let given = match members.take(name) {
        None => return Ok(None),
        Some(Value::Array(list)) => list.iter().collect(),
        Some(one @ (Value::Number(_) | Value::String(_))) => vec![one],
        Some(other) => return Err(members.wrong_type(name, other)),
    };
    let number = |value: &Value| java_number(&scalar(value).unwrap_or_default());
    let numbers: Result<Vec<f64>> = given.into_iter().map(number).collect();
    let mut numbers = numbers.map_err(|error| SearchError::of_member(members.context(), name, error))?;
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    Ok(Some(numbers))
}

/// What is found wrong only when all was read.
fn failed_to_build(context: &str, reason: impl Into<String>) -> SearchError {
    SearchError {
        cause: Some(Box::new(SearchError::illegal(reason))),
        ..SearchError::content(format!(
            "Failed to build [{context}] after last required field arrived"
        ))
    }
}

/// How percentiles are made: the digits that `hdr` keeps, `None` without it.
fn method<'a>(members: &mut Members<'a>) -> Result<Option<u32>> {
    let digest = members.take("tdigest");
    let hdr = members.take("hdr");
    let object = |name: &str, given: Option<&'a Value>| match given {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(other) => Err(members.wrong_type(name, other)),
    };
    let (digest, hdr) = (object("tdigest", digest)?, object("hdr", hdr)?);
    if digest.is_some() && hdr.is_some() {
        return Err(failed_to_build(
            members.context(),
            "Only one percentiles method should be declared.",
        ));
    }
    if let Some(options) = digest {
        let mut options = Members::of_content("tdigest", options);
        // Percentiles here are exact.
        if let Some(value) = options.number("compression")?.filter(|value| *value < 0.0) {
            let reason = format!("[compression] must be greater than or equal to 0. Found [{value:?}]");
            return Err(SearchError::of_member(
                "tdigest",
                "compression",
                SearchError::illegal(reason),
            ));
        }
        options.end()?;
    }
    let Some(options) = hdr else { return Ok(None) };
    let mut options = Members::of_content("hdr", options);
    let name = "number_of_significant_value_digits";
    let digits = options.integer(name)?.unwrap_or(3);
    options.end()?;
    match digits {
        0..=5 => Ok(Some(digits as u32)),
        _ => {
            let cause = SearchError::illegal("[numberOfSignificantValueDigits] must be between 0 and 5");
            Err(SearchError::of_member("hdr", name, cause))
        }
    }
}

fn percentiles(members: &mut Members<'_>) -> Result<MetricKind> {
    let usual = || vec![1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0];
    let percents = numbers(members, "percents")?.unwrap_or_else(usual);
    if percents.is_empty() {
        return Err(failed_to_build("percentiles", "[percents] must not be empty"));
    }
    if let Some(wrong) = percents.iter().find(|percent| !(0.0..=100.0).contains(*percent)) {
        let reason = format!("percent must be in [0,100], got [{wrong:?}]");
        return Err(failed_to_build("percentiles", reason));
    }
    Ok(MetricKind::Percentiles {
        percents,
        keyed: members.flag("keyed")?.unwrap_or(true),
        digits: method(members)?,
    })
}

fn percentile_ranks(members: &mut Members<'_>) -> Result<MetricKind> {
    let values = numbers(members, "values")?.unwrap_or_default();
    if values.is_empty() {
        return Err(failed_to_build(
            "percentile_ranks",
            "[values] must not be an empty array",
        ));
    }
    Ok(MetricKind::PercentileRanks {
        values,
        keyed: members.flag("keyed")?.unwrap_or(true),
        digits: method(members)?,
    })
}

fn median_absolute_deviation(name: &str, members: &mut Members<'_>) -> Result<MetricKind> {
    match members.number("compression")?.filter(|value| *value <= 0.0) {
        None => Ok(MetricKind::MedianAbsoluteDeviation),
        Some(value) => {
            let reason = format!("[compression] must be greater than 0. Found [{value:?}] in [{name}]");
            let cause = SearchError::illegal(reason);
            Err(SearchError::of_member(
                "median_absolute_deviation",
                "compression",
                cause,
            ))
        }
    }
}

fn weighted_avg(members: &mut Members<'_>) -> Result<Spec> {
    let (value, weight) = (weighted(members, "value")?, weighted(members, "weight")?);
    let mut value = value;
    value.format = members.text("format")?;
    // What values are says the field.
    members.text("value_type")?;
    Ok(Spec::Metric(value, MetricKind::WeightedAvg(Box::new(weight))))
}

fn weighted(members: &mut Members<'_>, name: &str) -> Result<Source> {
    let given = match members.take(name) {
        None => {
            let reason = format!("Could not find field name [{name}] in multiValuesSource");
            return Err(SearchError::illegal(reason));
        }
        Some(Value::Object(given)) => given,
        Some(other) => return Err(members.wrong_type(name, other)),
    };
    let mut inner = Members::of_content("field_config", given);
    let script = inner.take("script").map(DocumentScript::parse).transpose()?;
    let field = inner.text("field")?.filter(|field| !field.is_empty());
    if field.is_some() == script.is_some() {
        let state = if field.is_some() { "configured" } else { "null" };
        let cause = SearchError::illegal(format!(
            "[field] and [script] cannot both be {state}.  Please specify one or the other."
        ));
        return Err(SearchError::of_member("weighted_avg", name, cause));
    }
    let mut source = Source::of_field(field.unwrap_or_default());
    source.script = script.map(|script| Box::new(Scripted::new(script)));
    source.missing = missing(&mut inner)?;
    source.zone = super::zone(&mut inner)?;
    inner.end()?;
    Ok(source)
}
