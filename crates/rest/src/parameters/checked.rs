//! What values of parameters are, which are the same in every request.

use http::StatusCode;
use indices::error::{ElasticError, Result};
use std::str::FromStr;
use std::time::Duration;

/// Refuses a value that its parameter has in no request, whether or not anything here depends on it.
pub(super) fn check(name: &str, value: &str) -> Result<()> {
    match name {
        "timeout" | "master_timeout" | "search_timeout" => time_of(value, name).map(drop),
        "realtime"
        | "request_cache"
        | "ccs_minimize_roundtrips"
        | "allow_partial_search_results"
        | "ignore_throttled"
        | "analyze_wildcard"
        | "pretty"
        | "local"
        | "flat_settings" => flag_of(value).map(drop),
        "wait_for_active_shards" => check_active_shards(value),
        "preference" => check_preference(value),
        "retry_on_conflict" => number_of::<i32>(name, value, "int").map(drop),
        "max_concurrent_shard_requests" => {
            check_least(name, value, "maxConcurrentShardRequests must be >= 1")
        }
        "pre_filter_shard_size" => check_least(name, value, "preFilterShardSize must be >= 1"),
        "max_concurrent_searches" => check_least(name, value, "maxConcurrentSearchRequests must be positive"),
        _ => Ok(()),
    }
}

pub(super) fn time_of(text: &str, name: &str) -> Result<Duration> {
    match text {
        "0" | "-1" => Ok(Duration::ZERO),
        text => Ok(search::parse_time(text, name)?),
    }
}

pub(super) fn flag_of(text: &str) -> Result<bool> {
    match text {
        "" | "true" => Ok(true),
        "false" => Ok(false),
        other => Err(ElasticError::illegal(format!(
            "Failed to parse value [{other}] as only [true] or [false] are allowed."
        ))),
    }
}

/// The number that the value of a parameter is.
pub fn number_of<N: FromStr>(name: &str, text: &str, type_name: &str) -> Result<N> {
    text.parse().map_err(|_| {
        ElasticError::illegal(format!(
            "Failed to parse {type_name} parameter [{name}] with value [{text}]"
        ))
        .because(no_number(text))
    })
}

/// A text that is no number.
fn no_number(text: &str) -> ElasticError {
    ElasticError::new(
        StatusCode::BAD_REQUEST,
        "number_format_exception",
        format!("For input string: \"{text}\""),
    )
}

fn check_least(name: &str, value: &str, reason: &str) -> Result<()> {
    match number_of::<i32>(name, value, "int")? {
        number if number >= 1 => Ok(()),
        _ => Err(ElasticError::illegal(reason)),
    }
}

/// How many copies of a shard must be there: all of them, or a number.
fn check_active_shards(value: &str) -> Result<()> {
    if value == "all" {
        return Ok(());
    }
    match value.parse::<i32>() {
        Ok(0..) => Ok(()),
        Ok(_) => Err(ElasticError::illegal("shard count cannot be a negative value")),
        Err(_) => Err(
            ElasticError::illegal(format!("cannot parse ActiveShardCount[{value}]"))
                .because(no_number(value)),
        ),
    }
}

/// Which copy is asked: what begins with `_` is one of these, and anything else stands for itself.
fn check_preference(value: &str) -> Result<()> {
    let kind = value.split(':').next().unwrap_or_default();
    match kind {
        "_local" | "_only_local" if kind == value => Ok(()),
        "_only_nodes" | "_prefer_nodes" => Ok(()),
        "_shards" => {
            let (_, shards) = value.split_once(':').unwrap_or_default();
            // What follows is a preference among the copies of these.
            let (shards, among) = shards.split_once('|').unwrap_or((shards, ""));
            let wrong = shards.split(',').find(|shard| shard.parse::<u32>().is_err());
            match wrong {
                Some(shard) => Err(no_number(shard)),
                None => check_preference(among),
            }
        }
        _ if value.starts_with('_') => Err(ElasticError::illegal(format!("no Preference for [{value}]"))),
        _ => Ok(()),
    }
}
