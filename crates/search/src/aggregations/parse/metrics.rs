//! Reading metrics that have options.

use super::source;
use crate::aggregations::Spec;
use crate::aggregations::metrics::MetricKind;
use mapping::error::{Result, SearchError};
use mapping::json::{Members, as_f64, one_or_many};
use serde_json::Value;

fn numbers(members: &mut Members<'_>, name: &str, default: &[f64]) -> Result<Vec<f64>> {
    let given = match members.take(name) {
        None => return Ok(default.to_vec()),
        Some(list) => one_or_many(list),
    };
    let numbers: Vec<f64> = given.iter().filter_map(|number| as_f64(number)).collect();
    match numbers.is_empty() || numbers.len() != given.len() {
        true => Err(SearchError::illegal(format!(
            "[{name}] must not be empty, and have numbers"
        ))),
        false => Ok(numbers),
    }
}

/// The digits that `hdr` keeps; `None` without it.
fn digits(members: &mut Members<'_>) -> Result<Option<u32>> {
    let Some(options) = members.take("hdr") else {
        return Ok(None);
    };
    let mut options = Members::of("hdr", options)?;
    let digits = match options.take("number_of_significant_value_digits") {
        None => 3,
        Some(digits) => digits
            .as_i64()
            .ok_or_else(|| SearchError::parsing("[number_of_significant_value_digits] must be a number"))?,
    };
    options.end()?;
    match digits {
        0..=5 => Ok(Some(digits as u32)),
        _ => Err(SearchError::illegal(
            "[numberOfSignificantValueDigits] must be between 0 and 5",
        )),
    }
}

fn compression(members: &mut Members<'_>) -> Result<()> {
    if let Some(options) = members.take("tdigest") {
        let mut options = Members::of("tdigest", options)?;
        // Percentiles here are exact.
        if let Some(value) = options.number("compression")?.filter(|value| *value < 0.0) {
            let reason = format!("[compression] must be greater than or equal to 0. Found [{value:?}]");
            return Err(SearchError::illegal(reason));
        }
        options.end()?;
    }
    Ok(())
}

pub(super) fn percentiles(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let percents = numbers(members, "percents", &[1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0])?;
    if let Some(wrong) = percents.iter().find(|percent| !(0.0..=100.0).contains(*percent)) {
        return Err(SearchError::illegal(format!(
            "percent must be in [0,100], got [{wrong}]"
        )));
    }
    let keyed = members.flag("keyed")?.unwrap_or(true);
    compression(members)?;
    let digits = digits(members)?;
    Ok(Spec::Metric(
        source,
        MetricKind::Percentiles {
            percents,
            keyed,
            digits,
        },
    ))
}

pub(super) fn percentile_ranks(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let values = numbers(members, "values", &[])?;
    if values.is_empty() {
        return Err(SearchError::illegal("[values] must not be an empty array"));
    }
    let keyed = members.flag("keyed")?.unwrap_or(true);
    compression(members)?;
    digits(members)?;
    Ok(Spec::Metric(
        source,
        MetricKind::PercentileRanks { values, keyed },
    ))
}

pub(super) fn median_absolute_deviation(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    if let Some(value) = members.number("compression")?.filter(|value| *value <= 0.0) {
        let reason = format!("[compression] must be greater than 0. Found [{value:?}] in [{name}]");
        return Err(SearchError::illegal(reason));
    }
    Ok(Spec::Metric(source, MetricKind::MedianAbsoluteDeviation))
}

pub(super) fn weighted_avg(members: &mut Members<'_>) -> Result<Spec> {
    let mut part = |name: &str| {
        let missing = || SearchError::parsing(format!("Missing [{name}] of [weighted_avg]"));
        let mut inner = Members::of(name, members.take(name).ok_or_else(missing)?)?;
        let source = source(&mut inner)?;
        inner.end()?;
        Ok(source)
    };
    let (value, weight) = (part("value")?, part("weight")?);
    for name in ["format", "value_type"] {
        if members.take(name).is_some_and(|given| *given != Value::Null) {
            return Err(SearchError::unsupported(format!("[{name}] of weighted_avg")));
        }
    }
    Ok(Spec::Metric(value, MetricKind::WeightedAvg(Box::new(weight))))
}
