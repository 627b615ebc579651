//! Reading histograms.

use super::{orders, source};
use crate::aggregations::Spec;
use crate::aggregations::auto::{AutoSpec, unit_of};
use crate::aggregations::histogram::{Interval, Width};
use crate::units::parse_time;
use mapping::dates::{DateFormats, Rounding, parse_math};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, as_f64, scalar};
use serde_json::Value;

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

pub(super) fn histogram(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let width = members.number("interval")?.unwrap_or(0.0);
    if !(width > 0.0 && width.is_finite()) {
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

pub(super) fn date_histogram(members: &mut Members<'_>, now_ms: i64) -> Result<Spec> {
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
    let offset = match members.take("offset") {
        Some(Value::Number(ms)) => ms.as_f64().unwrap_or(0.0),
        given => match given.and_then(scalar).unwrap_or_default().as_str() {
            "" | "0" => 0.0,
            text => match text.strip_prefix('-') {
                Some(text) => -(duration_ms(text)? as f64),
                None => duration_ms(text.trim_start_matches('+'))? as f64,
            },
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

/// Buckets at most of a histogram that chooses their widths, as Elasticsearch has it.
const AUTO_BUCKETS_MAX: i64 = 655;

pub(super) fn auto_date_histogram(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let buckets = members.integer("buckets")?.unwrap_or(10);
    if buckets <= 0 {
        return Err(SearchError::illegal(format!(
            "buckets must be greater than 0 for [{name}]"
        )));
    }
    if buckets > AUTO_BUCKETS_MAX {
        return Err(SearchError::illegal(format!(
            "buckets must be less than {AUTO_BUCKETS_MAX}"
        )));
    }
    let least = match members.text("minimum_interval")? {
        None => 0,
        Some(unit) => unit_of(&unit).ok_or_else(|| {
            SearchError::illegal("minimum_interval must be one of [year, month, day, hour, minute, second]")
        })?,
    };
    let buckets = buckets as usize;
    Ok(Spec::Auto(source, AutoSpec { buckets, least }))
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

/// `90s`, `1h`, `500ms`: one millisecond at least.
fn duration_ms(text: &str) -> Result<i64> {
    let name = "date_histogram.fixedInterval";
    let ms = i64::try_from(parse_time(text, name)?.as_millis()).unwrap_or(i64::MAX);
    match ms {
        0 => Err(SearchError::illegal(format!(
            "failed to parse setting [{name}] with value [{text}]: it must be 1ms at least"
        ))),
        ms => Ok(ms),
    }
}
