//! `_cluster/reroute`: shards are where they are, on the one node, and no command moves them.

use super::cluster::{STATE, sections_of, shown_state};
use super::nodes::{ROLES, is_meant};
use super::stats::metrics::Metrics;
use auth::Action;
use http::Method;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use rest::call::Call;
use rest::resolve::Options;
use rest::respond::{Answer, ok};
use rest::server::NODE_ID;
use serde_json::{Map, Value, json};

/// The commands that need another node, or that lose documents.
const NOT_HERE: [&str; 4] = [
    "move",
    "allocate_replica",
    "allocate_stale_primary",
    "allocate_empty_primary",
];

/// `/_cluster/reroute`.
pub(crate) async fn run(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::POST])?;
    call.require_server()?;
    let metrics = metrics(call);
    let explains = call.parameters.flag("explain")?.unwrap_or(false);
    for name in ["dry_run", "retry_failed"] {
        call.parameters.flag(name)?;
    }
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let mut body = call.object()?;
    let commands = body.shift_remove("commands").unwrap_or_else(|| json!([]));
    let is_dry = body.shift_remove("dry_run").unwrap_or(Value::Null);
    if !(is_dry.is_null() || is_dry.is_boolean()) {
        return Err(ElasticError::parsing(
            "[cluster_reroute] [dry_run] must be true or false",
        ));
    }
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "[cluster_reroute] unknown field [{other}]"
        )));
    }
    let commands = commands
        .as_array()
        .ok_or_else(|| ElasticError::parsing("[cluster_reroute] [commands] must be an array"))?;
    let mut explanations = Vec::new();
    for command in commands {
        let cancel = Cancel::parse(command)?;
        let why_not = cancel.refusal(call)?;
        match explains {
            true => explanations.push(cancel.explained(&why_not)),
            false => return Err(ElasticError::illegal(format!("[cancel_allocation] {why_not}"))),
        }
    }
    let all = Options {
        hidden: true,
        ..Options::ANY_STATE
    };
    let state = shown_state(call, &metrics, false, "_all", all).await?;
    let mut answer = json!({"acknowledged": true, "state": state});
    if explains {
        answer["explanations"] = Value::Array(explanations);
    }
    Ok(ok(answer))
}

/// The sections of the state that are shown: all but the metadata, unless the request says which.
fn metrics(call: &mut Call) -> Metrics {
    let usual = || {
        let names = STATE.iter().filter(|name| **name != "metadata");
        names.copied().collect::<Vec<_>>().join(",")
    };
    sections_of(Some(&call.parameters.take("metric").unwrap_or_else(usual)))
}

/// The command to cancel what is done to place a shard on a node.
struct Cancel {
    index: String,
    shard: u64,
    node: String,
    allows_primary: bool,
}

impl Cancel {
    /// Reads a command, which must be this one.
    fn parse(command: &Value) -> Result<Cancel> {
        let named = command.as_object().filter(|command| command.len() == 1);
        let (name, options) = named
            .and_then(|command| command.iter().next())
            .ok_or_else(|| ElasticError::malformed("allocation command is malformed"))?;
        if NOT_HERE.contains(&name.as_str()) {
            return Err(ElasticError::unsupported(format!(
                "the command [{name}], since there is one node,"
            )));
        }
        if name != "cancel" {
            return Err(ElasticError::malformed(format!(
                "there is no allocation command [{name}]"
            )));
        }
        let empty = Map::new();
        let options = options.as_object().unwrap_or(&empty);
        let known = ["index", "shard", "node", "allow_primary"];
        if let Some(other) = options.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(ElasticError::malformed(format!(
                "[cancel] command does not support field [{other}]"
            )));
        }
        let missing = |name: &str| {
            let reason = format!("[cancel] command missing the {name} parameter");
            ElasticError::malformed(reason)
        };
        let text = |name: &str| {
            let text = options.get(name).and_then(Value::as_str);
            text.map(str::to_owned).ok_or_else(|| missing(name))
        };
        Ok(Cancel {
            index: text("index")?,
            shard: options
                .get("shard")
                .and_then(Value::as_u64)
                .ok_or_else(|| missing("shard"))?,
            node: text("node")?,
            allows_primary: options.get("allow_primary") == Some(&Value::Bool(true)),
        })
    }

    /// Why there is nothing to cancel: all shards that are on the node have been placed.
    fn refusal(&self, call: &Call) -> Result<String> {
        if !is_meant(call, &self.node) {
            let reason = format!("failed to resolve [{}], no matching nodes", self.node);
            return Err(ElasticError::illegal(reason));
        }
        let index = call.index(&self.index, Action::Find)?;
        let (shard, node) = (self.shard, described(call));
        if shard >= Shape::of(&index).primaries {
            return Ok(format!("can't cancel {shard}, failed to find it on node {node}"));
        }
        if self.allows_primary {
            return Err(ElasticError::unsupported(
                "to take a shard from the one node by the command [cancel]",
            ));
        }
        Ok(format!(
            "can't cancel {shard} on node {node}, shard is primary and started"
        ))
    }

    /// The command with the decision that it is not carried out.
    fn explained(&self, why_not: &str) -> Value {
        json!({
            "command": "cancel",
            "parameters": {"index": self.index, "shard": self.shard, "node": self.node, "allow_primary": self.allows_primary},
            "decisions": [{"decider": "cancel_allocation_command", "decision": "NO", "explanation": why_not}],
        })
    }
}

/// The node as Elasticsearch writes it in messages.
fn described(call: &Call) -> String {
    let address = call.server.published();
    let roles: String = ROLES.iter().filter_map(|role| role.chars().next()).collect();
    format!(
        "{{{}}}{{{NODE_ID}}}{{{NODE_ID}}}{{{}}}{{{address}}}{{{roles}}}",
        engine::host_name(),
        address.ip()
    )
}
