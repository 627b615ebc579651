//! The settings of a cluster: those that mean something here, those that may be given and change nothing (where copies of shards go,
//! how nodes find each other), and which values they may have.

use crate::auto_create;
use crate::error::{ElasticError, Result};
use crate::settings;
use search::parse_time;
use serde_json::Value;
use std::time::Duration;

/// How often policies of indices are looked at.
pub const INTERVAL_SETTING: &str = "indices.lifecycle.poll_interval";

/// Whether indices are closed and dropped by their names alone, and not by patterns.
pub const REQUIRES_NAME_SETTING: &str = "action.destructive_requires_name";

/// Whether queries may be asked that take long.
pub const EXPENSIVE_SETTING: &str = "search.allow_expensive_queries";

/// What the values of a setting are.
#[derive(Clone, Copy)]
enum Kind {
    Any,
    /// True or false.
    Flag,
    /// A whole number from the first to the second.
    Whole(i32, i32),
    /// A number that is not negative.
    Number,
    /// A time of these seconds at least.
    Time(u64),
    /// A number of bytes.
    Size,
    /// A part of a disk, or a number of bytes.
    Share,
    /// One of some words; before them, what a refusal calls the setting.
    Word(&'static str, &'static [&'static str]),
    /// How much is written to a log.
    Level,
}

/// The settings that may be changed while a server runs, those of Elasticsearch 7.10; where a name ends in a point, all within it.
const KNOWN: [(&str, Kind); 72] = [
    (auto_create::SETTING, Kind::Any),
    (REQUIRES_NAME_SETTING, Kind::Flag),
    ("action.search.shard_count.limit", Kind::Whole(1, i32::MAX)),
    ("cluster.auto_shrink_voting_configuration", Kind::Flag),
    ("cluster.blocks.read_only", Kind::Flag),
    ("cluster.blocks.read_only_allow_delete", Kind::Flag),
    ("cluster.indices.close.enable", Kind::Flag),
    ("cluster.info.update.interval", Kind::Time(10)),
    ("cluster.info.update.timeout", Kind::Time(0)),
    ("cluster.max_shards_per_node", Kind::Whole(1, i32::MAX)),
    ("cluster.max_voting_config_exclusions", Kind::Whole(1, i32::MAX)),
    ("cluster.metadata.", Kind::Any),
    (
        "cluster.persistent_tasks.allocation.enable",
        Kind::Word("persistent_tasks.allocation.enable", &["all", "none"]),
    ),
    (
        "cluster.persistent_tasks.allocation.recheck_interval",
        Kind::Time(10),
    ),
    (
        "cluster.routing.allocation.allow_rebalance",
        Kind::Word("allocation.allow_rebalance", &REBALANCE_WHEN),
    ),
    ("cluster.routing.allocation.awareness.attributes", Kind::Any),
    ("cluster.routing.allocation.awareness.force.", Kind::Any),
    ("cluster.routing.allocation.balance.index", Kind::Number),
    ("cluster.routing.allocation.balance.shard", Kind::Number),
    ("cluster.routing.allocation.balance.threshold", Kind::Number),
    (
        "cluster.routing.allocation.cluster_concurrent_rebalance",
        Kind::Whole(-1, i32::MAX),
    ),
    ("cluster.routing.allocation.disk.include_relocations", Kind::Flag),
    ("cluster.routing.allocation.disk.reroute_interval", Kind::Time(0)),
    ("cluster.routing.allocation.disk.threshold_enabled", Kind::Flag),
    (
        "cluster.routing.allocation.disk.watermark.flood_stage",
        Kind::Share,
    ),
    ("cluster.routing.allocation.disk.watermark.high", Kind::Share),
    ("cluster.routing.allocation.disk.watermark.low", Kind::Share),
    (
        "cluster.routing.allocation.enable",
        Kind::Word(
            "allocation.enable",
            &["all", "new_primaries", "none", "primaries"],
        ),
    ),
    ("cluster.routing.allocation.exclude.", Kind::Any),
    ("cluster.routing.allocation.include.", Kind::Any),
    (
        "cluster.routing.allocation.node_concurrent_incoming_recoveries",
        Kind::Whole(0, i32::MAX),
    ),
    (
        "cluster.routing.allocation.node_concurrent_outgoing_recoveries",
        Kind::Whole(0, i32::MAX),
    ),
    (
        "cluster.routing.allocation.node_concurrent_recoveries",
        Kind::Whole(0, i32::MAX),
    ),
    (
        "cluster.routing.allocation.node_initial_primaries_recoveries",
        Kind::Whole(0, i32::MAX),
    ),
    ("cluster.routing.allocation.require.", Kind::Any),
    ("cluster.routing.allocation.same_shard.host", Kind::Flag),
    (
        "cluster.routing.allocation.total_shards_per_node",
        Kind::Whole(-1, i32::MAX),
    ),
    (
        "cluster.routing.rebalance.enable",
        Kind::Word("rebalance.enable", &["all", "none", "primaries", "replicas"]),
    ),
    ("cluster.routing.use_adaptive_replica_selection", Kind::Flag),
    (
        "cluster.service.slow_master_task_logging_threshold",
        Kind::Time(0),
    ),
    ("cluster.service.slow_task_logging_threshold", Kind::Time(0)),
    (
        "discovery.zen.minimum_master_nodes",
        Kind::Whole(i32::MIN, i32::MAX),
    ),
    ("indices.breaker.accounting.limit", Kind::Share),
    ("indices.breaker.accounting.overhead", Kind::Number),
    ("indices.breaker.fielddata.limit", Kind::Share),
    ("indices.breaker.fielddata.overhead", Kind::Number),
    ("indices.breaker.request.limit", Kind::Share),
    ("indices.breaker.request.overhead", Kind::Number),
    ("indices.breaker.total.limit", Kind::Share),
    ("indices.id_field_data.enabled", Kind::Flag),
    (INTERVAL_SETTING, Kind::Time(1)),
    ("indices.mapping.dynamic_timeout", Kind::Time(0)),
    ("indices.mapping.max_in_flight_updates", Kind::Whole(1, 1000)),
    ("indices.recovery.internal_action_long_timeout", Kind::Time(0)),
    ("indices.recovery.internal_action_timeout", Kind::Time(0)),
    ("indices.recovery.max_bytes_per_sec", Kind::Size),
    ("indices.recovery.max_concurrent_file_chunks", Kind::Whole(1, 8)),
    ("indices.recovery.max_concurrent_operations", Kind::Whole(1, 4)),
    ("indices.recovery.recovery_activity_timeout", Kind::Time(0)),
    ("indices.recovery.retry_delay_network", Kind::Time(0)),
    ("indices.recovery.retry_delay_state_sync", Kind::Time(0)),
    ("logger.", Kind::Level),
    ("network.breaker.inflight_requests.limit", Kind::Share),
    ("network.breaker.inflight_requests.overhead", Kind::Number),
    (EXPENSIVE_SETTING, Kind::Flag),
    ("search.default_keep_alive", Kind::Time(0)),
    ("search.max_buckets", Kind::Whole(0, i32::MAX)),
    ("search.max_keep_alive", Kind::Time(0)),
    ("snapshot.max_concurrent_operations", Kind::Whole(1, i32::MAX)),
    ("transport.slow_operation_logging_threshold", Kind::Time(0)),
    ("transport.tracer.exclude", Kind::Any),
    ("transport.tracer.include", Kind::Any),
];

/// Settings that a server has from its start on, whole names and what they begin with.
const FIXED: [&str; 14] = [
    "bootstrap.",
    "cluster.initial_master_nodes",
    "cluster.name",
    "discovery.seed_hosts",
    "discovery.type",
    "gateway.",
    "http.",
    "network.host",
    "node.",
    "path.",
    "processors",
    "search.keep_alive_interval",
    "thread_pool.",
    "transport.port",
];

/// How much is written to a log.
const LEVELS: [&str; 8] = ["all", "debug", "error", "fatal", "info", "off", "trace", "warn"];

/// When shards may be moved.
const REBALANCE_WHEN: [&str; 5] = [
    "always",
    "indices_all_active",
    "indices_primaries_active",
    "indicesallactive",
    "indicesprimariesactive",
];

/// Whether a name is one of these, or begins with one that ends in a point.
fn is_among(known: &str, name: &str) -> bool {
    known == name || (known.ends_with('.') && name.starts_with(known))
}

/// Refuses a setting that there is not, and a value that it cannot have; null takes a setting back. `scope` says how long it is to
/// be kept.
pub fn check(scope: &str, name: &str, value: &Value) -> Result<()> {
    let Some((_, kind)) = KNOWN.iter().find(|(known, _)| is_among(known, name)) else {
        let why = match FIXED.iter().any(|known| is_among(known, name)) {
            true => "not dynamically updateable",
            false => "not recognized",
        };
        return Err(ElasticError::illegal(format!("{scope} setting [{name}], {why}")));
    };
    settings::check_parts(name.split('.').count())?;
    match settings::text(value) {
        Value::Null => Ok(()),
        Value::String(text) => kind.check(name, &text),
        other => kind.check(name, &other.to_string()),
    }
}

impl Kind {
    fn check(self, name: &str, text: &str) -> Result<()> {
        match self {
            Kind::Any => Ok(()),
            Kind::Flag => match text {
                "true" | "false" => Ok(()),
                _ => Err(ElasticError::illegal(format!(
                    "Failed to parse value [{text}] as only [true] or [false] are allowed."
                ))),
            },
            Kind::Whole(least, most) => match text.parse::<i32>() {
                Ok(number) if number < least => Err(failed(name, text, &format!(" must be >= {least}"))),
                Ok(number) if number > most => Err(failed(name, text, &format!(" must be <= {most}"))),
                Ok(_) => Ok(()),
                Err(_) => Err(failed(name, text, "")),
            },
            Kind::Number => match text.trim().parse::<f32>() {
                Ok(number) if number < 0.0 => Err(failed(name, text, " must be >= 0.0")),
                Ok(_) => Ok(()),
                Err(_) => Err(failed(name, text, "")),
            },
            Kind::Time(least) => check_time(name, text, least),
            Kind::Share if is_share(text) => Ok(()),
            Kind::Size | Kind::Share => match is_size(text) {
                true => Ok(()),
                false => Err(ElasticError::illegal(format!(
                    "failed to parse setting [{name}] with value [{text}] as a size in bytes: unit is missing or unrecognized"
                ))),
            },
            Kind::Level => match LEVELS.contains(&text.to_lowercase().as_str()) {
                true => Ok(()),
                false => Err(ElasticError::illegal(format!("Unknown level constant [{text}]."))),
            },
            Kind::Word(called, words) => match words.contains(&text.to_lowercase().as_str()) {
                true => Ok(()),
                false => Err(ElasticError::illegal(format!(
                    "Illegal {called} value [{}]",
                    text.to_uppercase()
                ))),
            },
        }
    }
}

fn failed(name: &str, text: &str, bound: &str) -> ElasticError {
    ElasticError::illegal(format!(
        "Failed to parse value [{text}] for setting [{name}]{bound}"
    ))
}

fn check_time(name: &str, text: &str, seconds: u64) -> Result<()> {
    let is_zero = !text.is_empty() && text.bytes().all(|byte| byte == b'0');
    // It stands for no time at all, where a setting may have none.
    let is_none = text == "-1";
    let time = match is_zero || is_none {
        true => Duration::ZERO,
        false => parse_time(text, name)?,
    };
    match is_none || time < Duration::from_secs(seconds) {
        false => Ok(()),
        true => {
            let least = match seconds {
                0 => "0ms".to_owned(),
                seconds => format!("{seconds}s"),
            };
            Err(ElasticError::illegal(format!(
                "failed to parse value [{text}] for setting [{name}], must be >= [{least}]"
            )))
        }
    }
}

/// Whether a text is a part of a whole: `85%`, or `0.85`.
fn is_share(text: &str) -> bool {
    let (number, most) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let number = number.parse::<f64>();
    number.is_ok_and(|number| (0.0..=most).contains(&number))
}

/// Whether a text is a number of bytes, of which fractions are taken too.
fn is_size(text: &str) -> bool {
    const UNITS: [&str; 11] = ["kb", "mb", "gb", "tb", "pb", "k", "m", "g", "t", "p", "b"];
    let text = text.trim().to_lowercase();
    let number = UNITS.iter().find_map(|unit| text.strip_suffix(*unit));
    let number = number.and_then(|number| number.trim().parse::<f64>().ok());
    matches!(text.as_str(), "-1" | "0") || number.is_some_and(|number| (0.0..f64::INFINITY).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(name: &str, value: &Value) -> Option<String> {
        check("transient", name, value).err().map(|error| error.reason)
    }

    #[test]
    fn values_that_settings_cannot_have_are_refused() {
        let watermark = "cluster.routing.allocation.disk.watermark.low";
        for (name, value, reason) in [
            (
                "search.max_buckets",
                json!("many"),
                "Failed to parse value [many] for setting [search.max_buckets]",
            ),
            (
                "cluster.max_shards_per_node",
                json!(-5),
                "Failed to parse value [-5] for setting [cluster.max_shards_per_node] must be >= 1",
            ),
            (
                "action.destructive_requires_name",
                json!("yes"),
                "Failed to parse value [yes] as only [true] or [false] are allowed.",
            ),
            (
                "search.max_keep_alive",
                json!("5"),
                "failed to parse setting [search.max_keep_alive] with value [5] as a time value: unit is missing or unrecognized",
            ),
            (
                "search.max_keep_alive",
                json!(-1),
                "failed to parse value [-1] for setting [search.max_keep_alive], must be >= [0ms]",
            ),
            (
                INTERVAL_SETTING,
                json!("10ms"),
                "failed to parse value [10ms] for setting [indices.lifecycle.poll_interval], must be >= [1s]",
            ),
            (
                "cluster.routing.allocation.enable",
                json!("zz"),
                "Illegal allocation.enable value [ZZ]",
            ),
            (
                "cluster.routing.colour",
                json!(1),
                "transient setting [cluster.routing.colour], not recognized",
            ),
            (
                "colour",
                json!(null),
                "transient setting [colour], not recognized",
            ),
            (
                "node.attr.rack",
                json!("a"),
                "transient setting [node.attr.rack], not dynamically updateable",
            ),
            (
                "logger.org.elasticsearch",
                json!("loud"),
                "Unknown level constant [loud].",
            ),
            (
                "cluster.info.update.interval",
                json!("5s"),
                "failed to parse value [5s] for setting [cluster.info.update.interval], must be >= [10s]",
            ),
        ] {
            assert_eq!(refused(name, &value).as_deref(), Some(reason), "{value}");
        }
        for (name, value) in [
            ("indices.recovery.max_bytes_per_sec", json!("5 apples")),
            (watermark, json!("120%")),
            (watermark, json!(["80%"])),
            ("cluster.routing.allocation.balance.shard", json!("-0.5")),
        ] {
            assert!(refused(name, &value).is_some(), "{name} {value}");
        }
    }

    #[test]
    fn values_that_settings_may_have_are_taken() {
        for (name, value) in [
            ("search.max_buckets", json!("100")),
            ("search.max_keep_alive", json!("0")),
            (INTERVAL_SETTING, json!("1s")),
            ("cluster.routing.allocation.enable", json!("Primaries")),
            ("cluster.routing.allocation.disk.watermark.low", json!("85%")),
            ("cluster.routing.allocation.disk.watermark.high", json!(0.9)),
            (
                "cluster.routing.allocation.disk.watermark.flood_stage",
                json!("1.5gb"),
            ),
            ("cluster.routing.allocation.exclude._ip", json!("10.0.0.1")),
            (
                "cluster.routing.allocation.awareness.attributes",
                json!(["rack", "zone"]),
            ),
            ("indices.recovery.max_bytes_per_sec", json!("-1")),
            ("cluster.routing.allocation.balance.shard", json!(0.45)),
            ("cluster.routing.allocation.enable", json!(null)),
            ("indices.breaker.total.limit", json!("70%")),
            ("indices.breaker.fielddata.overhead", json!(1.03)),
            ("logger.org.elasticsearch", json!("DEBUG")),
            ("cluster.metadata.administrator", json!("sysadmin@example.org")),
            ("discovery.zen.minimum_master_nodes", json!(-1)),
        ] {
            assert_eq!(refused(name, &value), None, "{name}");
        }
    }
}
