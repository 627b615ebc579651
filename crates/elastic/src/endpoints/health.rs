//! `/_cluster/health`: how the indices are, at once or as soon as they are as somebody waits for.

use auth::Action;
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result, kinds};
use indices::shape::Shape;
use rest::call::Call;
use rest::parameters::Parameters;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, json};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// How long is waited by default.
const TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);
/// How often it is looked whether what is waited for is there.
const LOOKED_EVERY: Duration = Duration::from_millis(100);
/// The states of indices, the best first.
const STATES: [&str; 3] = ["green", "yellow", "red"];
/// Since there is one server, this many nodes.
const NODES: u64 = 1;

pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let default = Options {
        closed: true,
        hidden: true,
        ..Options::default()
    };
    let options = default.taken(&mut call.parameters)?;
    let level = call.parameters.take("level");
    call.parameters.flag("local")?;
    let awaited = Awaited::take(&mut call.parameters)?;
    call.parameters.end()?;
    let begun = Instant::now();
    let (health, is_met) = loop {
        let health = Health::of(call, expression, options)?;
        let is_met = awaited.is_met(&health);
        let left = awaited.timeout.saturating_sub(begun.elapsed());
        if is_met || left.is_zero() {
            break (health, is_met);
        }
        call.context
            .clone()
            .run(std::pin::pin!(async {
                tokio::time::sleep(left.min(LOOKED_EVERY)).await;
                Ok::<_, ElasticError>(())
            }))
            .await?;
    };
    let mut answer = health.shown(!is_met);
    if let Some(level @ ("indices" | "shards")) = level.as_deref() {
        let shown = |(name, shape): (String, Shape)| {
            let health = of_index(shape, level == "shards");
            call.held.add_shown(&health)?;
            Ok((name, health))
        };
        let indices = health
            .shapes
            .into_iter()
            .map(shown)
            .collect::<Result<Map<_, _>>>();
        answer["indices"] = Value::Object(indices?);
    }
    let status = match is_met {
        true => StatusCode::OK,
        false => StatusCode::REQUEST_TIMEOUT,
    };
    Ok(json(status, answer))
}

/// How the indices are that an expression stands for.
struct Health {
    shapes: Vec<(String, Shape)>,
    /// Whether every index is there that is named.
    is_there: bool,
}

impl Health {
    fn of(call: &Call, expression: &str, options: Options) -> Result<Health> {
        let lenient = Options {
            ignore_unavailable: true,
            ..options
        };
        let mut shapes = Vec::new();
        for name in resolve(call, expression, lenient)? {
            let index = call.index(&name, Action::Find)?;
            shapes.push((name, Shape::of(&index)));
        }
        let strict = Options {
            ignore_unavailable: false,
            ..options
        };
        let is_there = match resolve(call, expression, strict) {
            Err(error) if error.kind == kinds::NO_INDEX => false,
            resolved => resolved.map(|_| true)?,
        };
        Ok(Health { shapes, is_there })
    }

    fn active(&self) -> u64 {
        self.shapes.iter().map(|(_, shape)| shape.primaries).sum()
    }

    fn unassigned(&self) -> u64 {
        self.shapes.iter().map(|(_, shape)| shape.unassigned()).sum()
    }

    fn status(&self) -> &'static str {
        match self.unassigned() {
            _ if !self.is_there => "red",
            0 => "green",
            _ => "yellow",
        }
    }

    fn shown(&self, timed_out: bool) -> Value {
        let (count, unassigned) = (self.active(), self.unassigned());
        let percent = match count {
            0 => 100.0,
            _ => 100.0 * count as f64 / (count + unassigned) as f64,
        };
        json!({
            "cluster_name": "larder",
            "status": self.status(),
            "timed_out": timed_out,
            "number_of_nodes": NODES,
            "number_of_data_nodes": NODES,
            "active_primary_shards": count,
            "active_shards": count,
            "relocating_shards": 0,
            "initializing_shards": 0,
            "unassigned_shards": unassigned,
            "delayed_unassigned_shards": 0,
            "number_of_pending_tasks": 0,
            "number_of_in_flight_fetch": 0,
            "task_max_waiting_in_queue_millis": 0,
            "active_shards_percent_as_number": percent,
        })
    }
}

fn of_index(shape: Shape, with_shards: bool) -> Value {
    let mut health = json!({
        "status": shape.health(), "number_of_shards": shape.primaries, "number_of_replicas": shape.replicas,
        "active_primary_shards": shape.primaries, "active_shards": shape.primaries, "relocating_shards": 0,
        "initializing_shards": 0, "unassigned_shards": shape.unassigned(),
    });
    if with_shards {
        let shard = json!({"status": shape.health(), "primary_active": true, "active_shards": 1, "relocating_shards": 0,
            "initializing_shards": 0, "unassigned_shards": shape.unassigned().min(shape.replicas)});
        let shards = (0..shape.primaries).map(|at| (at.to_string(), shard.clone()));
        health["shards"] = Value::Object(shards.collect());
    }
    health
}

/// What is waited for, and how long.
struct Awaited {
    /// The place among the states of the worst that will do.
    worst: usize,
    has_nodes: bool,
    /// The shards that are to be active; all where there is no number.
    active: Option<u64>,
    timeout: Duration,
}

impl Awaited {
    fn take(parameters: &mut Parameters) -> Result<Awaited> {
        // Nothing moves from node to node, and no master has tasks.
        for name in ["wait_for_no_initializing_shards", "wait_for_no_relocating_shards"] {
            parameters.flag(name)?;
        }
        one_of(
            parameters.take("wait_for_events"),
            &["immediate", "urgent", "high", "normal", "low", "languid"],
            "org.elasticsearch.common.Priority",
        )?;
        parameters.without_effect(&["master_timeout"]);
        let state = "org.elasticsearch.cluster.health.ClusterHealthStatus";
        let worst = one_of(parameters.take("wait_for_status"), &STATES, state)?;
        let has_nodes = parameters.take("wait_for_nodes").map(|text| has_nodes(&text));
        let active = match parameters.take("wait_for_active_shards").as_deref() {
            None => Some(0),
            Some("all") => None,
            Some(text) => Some(text.parse().map_err(|_| {
                ElasticError::illegal(match text.starts_with('-') {
                    true => "shard count cannot be a negative value".to_owned(),
                    false => format!("cannot parse ActiveShardCount[{text}]"),
                })
            })?),
        };
        Ok(Awaited {
            worst: worst.unwrap_or(STATES.len()),
            has_nodes: has_nodes.transpose()?.unwrap_or(true),
            active,
            timeout: parameters.time("timeout")?.unwrap_or(TIMEOUT_DEFAULT),
        })
    }

    fn is_met(&self, health: &Health) -> bool {
        let is_active = match self.active {
            None => health.unassigned() == 0,
            Some(count) => health.active() >= count,
        };
        let state = STATES.iter().position(|state| *state == health.status());
        health.is_there && self.has_nodes && is_active && state.is_some_and(|state| state <= self.worst)
    }
}

/// The place of a name among others; case means nothing.
fn one_of(given: Option<String>, names: &[&str], kind: &str) -> Result<Option<usize>> {
    let Some(given) = given else { return Ok(None) };
    match names.iter().position(|name| given.eq_ignore_ascii_case(name)) {
        Some(at) => Ok(Some(at)),
        None => Err(ElasticError::illegal(format!(
            "No enum constant {kind}.{}",
            given.to_ascii_uppercase()
        ))),
    }
}

/// Whether there are as many nodes as `3`, `>=3`, `ge(3)` and the like say.
fn has_nodes(text: &str) -> Result<bool> {
    let sign = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == ')');
    let number = text[sign.len()..].trim_end_matches(')').parse::<u64>();
    Ok(match (sign, number) {
        ("", Ok(wanted)) => NODES == wanted,
        (">=" | "ge(", Ok(wanted)) => NODES >= wanted,
        ("<=" | "le(", Ok(wanted)) => NODES <= wanted,
        (">" | "gt(", Ok(wanted)) => NODES > wanted,
        ("<" | "lt(", Ok(wanted)) => NODES < wanted,
        _ => {
            let reason = format!("For input string: \"{text}\"");
            let kind = "number_format_exception";
            return Err(ElasticError::new(StatusCode::BAD_REQUEST, kind, reason));
        }
    })
}
