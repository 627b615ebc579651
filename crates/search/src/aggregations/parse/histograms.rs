//! Reading histograms.

use super::{Form, at_least, source};
use crate::aggregations::auto::{AutoSpec, unit_of};
use crate::aggregations::histogram::{Bounds, Interval, Width};
use crate::aggregations::ordering;
use crate::aggregations::values::Source;
use crate::aggregations::varied::VariedSpec;
use crate::aggregations::{BUCKETS_MAX, Spec};
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::{Members, as_f64};
use querying::time_of;
use serde_json::Value;

/// The bounds of a histogram; those of dates are read when the field is known.
fn bounds(members: &mut Members<'_>, name: &str, are_dates: bool) -> Result<Bounds> {
    let given = match members.take(name) {
        None => return Ok(Bounds::default()),
        Some(Value::Object(given)) => given,
        Some(other) => return Err(members.wrong_type(name, other)),
    };
    let context = if are_dates { "bounds" } else { "double_bounds" };
    let mut inner = Members::of_content(context, given);
    let mut end = |name: &str| inner.take(name).filter(|end| !end.is_null()).cloned();
    let mut bounds = Bounds {
        given: (end("min"), end("max")),
        ..Bounds::default()
    };
    inner.end()?;
    if !are_dates {
        let number = |name: &str, end: &Option<Value>| {
            let number = |value: &Value| {
                let cause =
                    || SearchError::new(ErrorKind::NumberFormat, format!("For input string: {value}"));
                as_f64(value).ok_or_else(|| SearchError::of_member("double_bounds", name, cause()))
            };
            end.as_ref().map(number).transpose()
        };
        bounds.low = number("min", &bounds.given.0)?;
        bounds.high = number("max", &bounds.given.1)?;
        if bounds.low.zip(bounds.high).is_some_and(|(low, high)| low > high) {
            return Err(SearchError::content(
                "Failed to build [double_bounds] after last required field arrived",
            ));
        }
    }
    Ok(bounds)
}

fn interval(width: Width, offset: f64, members: &mut Members<'_>) -> Result<Interval> {
    let are_dates = !matches!(width, Width::Number(_));
    let name = members.context().to_owned();
    Ok(Interval {
        width,
        offset,
        least: at_least(members, "min_doc_count", 0, &name)?.unwrap_or(0) as u64,
        extended: bounds(members, "extended_bounds", are_dates)?,
        hard: bounds(members, "hard_bounds", are_dates)?,
        keyed: members.flag("keyed")?.unwrap_or(false),
        orders: ordering::take(members)?,
    })
}

pub(super) fn histogram(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members, Form::Written)?;
    let width = number_width(name, members)?;
    let offset = members.number("offset")?.unwrap_or(0.0);
    Ok(Spec::Histogram(
        source,
        Box::new(interval(width, offset, members)?),
    ))
}

/// The interval of a histogram of numbers.
pub(super) fn number_width(name: &str, members: &mut Members<'_>) -> Result<Width> {
    let wrong = || {
        let reason = format!("[interval] must be >0 for histogram aggregation [{name}]");
        SearchError::illegal(reason)
    };
    match members.number("interval")? {
        Some(width) if width > 0.0 && width.is_finite() => Ok(Width::Number(width)),
        Some(_) => Err(SearchError::of_member("histogram", "interval", wrong())),
        None => Err(wrong()),
    }
}

pub(super) fn date_histogram(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members, Form::Zoned)?;
    let (width, offset) = (date_width(members)?, date_offset(members)?);
    Ok(Spec::Histogram(
        source,
        Box::new(interval(width, offset, members)?),
    ))
}

/// The interval of a histogram of dates, which is given in one of three ways.
pub(super) fn date_width(members: &mut Members<'_>) -> Result<Width> {
    let calendar = members.text("calendar_interval")?;
    let fixed = members.text("fixed_interval")?;
    let old = match members.take("interval") {
        None => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(ms)) => Some(format!("{ms}ms")),
        Some(other) => return Err(members.wrong_type("interval", other)),
    };
    let of_member = |name: &str, cause: SearchError| SearchError::of_member("date_histogram", name, cause);
    match (calendar, fixed, old) {
        (Some(calendar), None, None) => calendar_unit(&calendar).map(Width::Calendar).ok_or_else(|| {
            let reason =
                format!("The supplied interval [{calendar}] could not be parsed as a calendar interval.");
            of_member("calendar_interval", SearchError::illegal(reason))
        }),
        (None, Some(fixed), None) => match duration_ms(&fixed) {
            Some(0) => Err(no_time()),
            Some(ms) => Ok(Width::Fixed(ms)),
            None => Err(of_member("fixed_interval", no_interval(&fixed))),
        },
        (None, None, Some(old)) => match (calendar_unit(&old), duration_ms(&old)) {
            (Some(unit), _) => Ok(Width::Calendar(unit)),
            (None, Some(ms)) if ms > 0 => Ok(Width::Fixed(ms)),
            (None, Some(_)) => Err(no_time()),
            (None, None) => Err(SearchError::illegal(format!("Unable to parse interval [{old}]"))),
        },
        (None, None, None) => Err(SearchError::illegal(
            "Invalid interval specified, must be non-null and non-empty",
        )),
        (_, fixed, old) => {
            let name = match (fixed, old) {
                (_, Some(_)) => "interval",
                _ => "fixed_interval",
            };
            let reason =
                "Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.";
            Err(of_member(name, SearchError::illegal(reason)))
        }
    }
}

fn no_interval(text: &str) -> SearchError {
    SearchError::illegal(format!(
        "failed to parse setting [date_histogram.fixedInterval] with value [{text}] as a time value: unit is missing or unrecognized"
    ))
}

fn no_time() -> SearchError {
    SearchError::illegal("Zero or negative time interval not supported")
}

/// Milliseconds by which buckets begin later: a number, or a time with a sign.
pub(super) fn date_offset(members: &mut Members<'_>) -> Result<f64> {
    match members.take("offset") {
        None => Ok(0.0),
        Some(Value::Number(ms)) => Ok(ms.as_f64().unwrap_or(0.0)),
        Some(Value::String(text)) => {
            let (sign, time) = match text.strip_prefix('-') {
                Some(time) => (-1.0, time),
                None => (1.0, text.strip_prefix('+').unwrap_or(text)),
            };
            let wrong = || {
                let reason = format!(
                    "failed to parse setting [DateHistogramAggregationBuilder.parseOffset] with value [{time}] as a time value: unit is \
                     missing or unrecognized"
                );
                SearchError::of_member("date_histogram", "offset", SearchError::illegal(reason))
            };
            let ms = if time == "0" { Some(0) } else { duration_ms(time) };
            ms.map(|ms| sign * ms as f64).ok_or_else(wrong)
        }
        Some(other) => Err(members.wrong_type("offset", other)),
    }
}

/// The limit of `buckets`: Elasticsearch's limit of all buckets, 65,535, divided by 30, the most units that an interval has.
const AUTO_BUCKETS_MAX: i64 = 2184;

pub(super) fn auto_date_histogram(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source: Source = source(members, Form::Zoned)?;
    let buckets = members.integer("buckets")?.unwrap_or(10);
    if buckets <= 0 {
        let cause = SearchError::illegal(format!("buckets must be greater than 0 for [{name}]"));
        return Err(SearchError::of_member("auto_date_histogram", "buckets", cause));
    }
    if buckets > AUTO_BUCKETS_MAX {
        return Err(SearchError::illegal(format!(
            "buckets must be less than {AUTO_BUCKETS_MAX}"
        )));
    }
    let least = match members.text("minimum_interval")? {
        None => 0,
        Some(unit) => unit_of(&unit).ok_or_else(|| {
            let cause = SearchError::illegal(
                "minimum_interval must be one of [year, month, day, hour, minute, second]",
            );
            SearchError::of_member("auto_date_histogram", "minimum_interval", cause)
        })?,
    };
    let buckets = buckets as usize;
    Ok(Spec::Auto(source, AutoSpec { buckets, least }))
}

pub(super) fn varied(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members, Form::Zoned)?;
    let mut number = |member: &str, above: i64| -> Result<Option<i64>> {
        match members.integer(member)? {
            Some(given) if given <= above => {
                let reason = format!("{member} must be greater than [{above}] for [{name}]");
                let cause = SearchError::illegal(reason);
                Err(SearchError::of_member("variable_width_histogram", member, cause))
            }
            given => Ok(given),
        }
    };
    let buckets = number("buckets", 0)?.unwrap_or(10);
    let size = number("shard_size", 1)?.unwrap_or(buckets.saturating_mul(50));
    let buffer = number("initial_buffer", 0)?.unwrap_or(size.saturating_mul(10).min(50_000));
    let groups = size.saturating_mul(3) / 4;
    let refused = if buckets > BUCKETS_MAX as i64 {
        format!("buckets must be less than {BUCKETS_MAX}")
    } else if buffer < buckets {
        format!("initial_buffer must be at least buckets but was [{buffer}<{buckets}] for [{name}]")
    } else if groups < buckets {
        format!("3/4 of shard_size must be at least buckets but was [{groups}<{buckets}] for [{name}]")
    } else {
        let spec = VariedSpec::new(buckets as usize, groups as u64);
        return Ok(Spec::Varied(source, spec));
    };
    Err(SearchError::illegal(refused))
}

/// A unit of the calendar by its name.
pub(super) fn calendar_unit(text: &str) -> Option<char> {
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

/// `90s`, `1h`, `500ms`; none at all where the time is negative.
fn duration_ms(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(time) => time_of(time).map(|_| 0),
        None => i64::try_from(time_of(text)?.as_millis()).ok(),
    }
}
