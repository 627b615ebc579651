//! `_cluster/allocation/explain`: why a shard is on the one node, or a copy of it on none.

use super::nodes::attributes;
use auth::Action;
use http::{Method, StatusCode};
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use rest::call::Call;
use rest::names;
use rest::respond::{Answer, ok};
use rest::server::NODE_ID;
use search::Members;
use serde_json::{Map, Value, json};

/// `/_cluster/allocation/explain`.
pub(crate) fn run(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let includes_yes = call.parameters.flag("include_yes_decisions")?.unwrap_or(false);
    let includes_disk = call.parameters.flag("include_disk_info")?.unwrap_or(false);
    call.parameters.end_without(&["master_timeout"])?;
    let asked = Asked::parse(&call.object()?, includes_yes)?;
    let found = asked.found(call)?;
    let mut answer = json!({"index": found.index.name, "shard": found.shard, "primary": found.is_primary});
    let more = match found.is_primary {
        true => placed(call)?,
        false => unplaced(call, &found),
    };
    if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
        answer.extend(more);
    }
    if includes_disk {
        call.require_of_server(Action::ServerStatus)?;
        answer["cluster_info"] = disk(call);
    }
    Ok(ok(answer))
}

/// A shard, or a copy of it.
struct Found {
    index: Index,
    shard: u64,
    is_primary: bool,
}

/// Which shard is to be explained; any that is on no node where nothing is said of it.
struct Asked {
    index: Option<String>,
    shard: Option<u64>,
    is_primary: Option<bool>,
    node: Option<String>,
    includes_yes: bool,
}

impl Asked {
    fn parse(body: &Map<String, Value>, includes_yes: bool) -> Result<Asked> {
        let mut members = Members::of_content("cluster/allocation/explain", body);
        let asked = Asked {
            index: members.text("index")?,
            shard: members.count("shard")?.map(|shard| shard as u64),
            is_primary: members.flag("primary")?,
            node: members.text("current_node")?,
            includes_yes,
        };
        members.end()?;
        Ok(asked)
    }

    /// The request as Elasticsearch writes it in messages.
    fn shown(&self) -> String {
        let what = match (&self.index, self.shard, self.is_primary) {
            (Some(index), Some(shard), Some(is_primary)) => {
                let node = self.node.as_ref().map(|node| format!(",currentNode={node}"));
                let node = node.unwrap_or_default();
                format!("index={index},shard={shard},primary?={is_primary}{node}")
            }
            _ => "useAnyUnassignedShard=true".to_owned(),
        };
        format!(
            "ClusterAllocationExplainRequest[{what},includeYesDecisions?={}",
            self.includes_yes
        )
    }

    fn found(&self, call: &Call) -> Result<Found> {
        let (index, shard, is_primary) = match (&self.index, self.shard, self.is_primary) {
            (None, None, None) if self.node.is_none() => return self.any(call),
            (Some(index), Some(shard), Some(is_primary)) => (index, shard, is_primary),
            _ => return Err(self.incomplete()),
        };
        let index = call.index(index, Action::Find)?;
        let shape = Shape::of(&index);
        if shard >= shape.primaries {
            let kind = "shard_not_found_exception";
            return Err(ElasticError::new(StatusCode::NOT_FOUND, kind, "no such shard")
                .with("index", index.name.as_str())
                .with("shard", shard.to_string()));
        }
        if let Some(node) = &self.node {
            // All shards are on this node, and copies of them on none.
            let what = if is_primary {
                "primary shard"
            } else {
                "a replica shard"
            };
            if !super::nodes::is_meant(call, node) || !is_primary {
                return Err(ElasticError::illegal(format!(
                    "unable to find {what} assigned to node [{node}]"
                )));
            }
        }
        if !is_primary && shape.unassigned() == 0 {
            return Err(ElasticError::illegal(format!(
                "unable to find any shards to explain [{}] in the routing table",
                self.shown()
            )));
        }
        Ok(Found {
            index,
            shard,
            is_primary,
        })
    }

    /// The first copy that is on no node.
    fn any(&self, call: &Call) -> Result<Found> {
        let mut indices = names::all(call)
            .into_iter()
            .filter_map(|name| call.index(&name, Action::Find).ok());
        let index = indices.find(|index| Shape::of(index).unassigned() > 0);
        let none = || {
            let asked = self.shown();
            ElasticError::illegal(format!(
                "unable to find any unassigned shards to explain [{asked}]"
            ))
        };
        Ok(Found {
            index: index.ok_or_else(none)?,
            shard: 0,
            is_primary: false,
        })
    }

    fn incomplete(&self) -> ElasticError {
        let given = [
            ("index", self.index.is_some()),
            ("shard", self.shard.is_some()),
            ("primary", self.is_primary.is_some()),
        ];
        let missing = given.iter().filter(|(_, is_given)| !is_given);
        let reasons: Vec<String> = missing
            .map(|(name, _)| format!("{name} must be specified"))
            .collect();
        ElasticError::validation(&reasons)
    }
}

/// What is told of a shard: it stays where it is, since there is no other node.
fn placed(call: &Call) -> Result<Value> {
    let mut is_whole = true;
    for name in names::all(call) {
        is_whole &= Shape::of(&call.index(&name, Action::Find)?).unassigned() == 0;
    }
    let node = json!({"id": NODE_ID, "name": engine::host_name(), "transport_address": call.server.published().to_string(),
        "attributes": attributes(), "weight_ranking": 1});
    let mut told = json!({"current_state": "started", "current_node": node, "can_remain_on_current_node": "yes",
        "can_rebalance_cluster": if is_whole { "yes" } else { "no" }});
    if !is_whole {
        let why = "the cluster has unassigned shards and cluster setting [cluster.routing.allocation.allow_rebalance] is set to \
                   [indices_all_active]";
        told["can_rebalance_cluster_decisions"] =
            json!([{"decider": "cluster_rebalance", "decision": "NO", "explanation": why}]);
    }
    told["can_rebalance_to_other_node"] = json!("no");
    told["rebalance_explanation"] = json!(match is_whole {
        true =>
            "cannot rebalance as no target node exists that can both allocate this shard and improve the cluster balance",
        false => "rebalancing is not allowed",
    });
    Ok(told)
}

/// What is told of a copy: it is on no node, since the only one has the shard itself.
fn unplaced(call: &Call, found: &Found) -> Value {
    let why = format!(
        "a copy of this shard is already allocated to this node [[{}][{}], node[{NODE_ID}], [P], s[STARTED], a[id={}]]",
        found.index.name,
        found.shard,
        found.index.uuid()
    );
    let decider = json!({"decider": "same_shard", "decision": "NO", "explanation": why});
    let node = json!({"node_id": NODE_ID, "node_name": engine::host_name(), "transport_address": call.server.published().to_string(),
        "node_attributes": attributes(), "node_decision": "no", "deciders": [decider]});
    json!({
        "current_state": "unassigned",
        "unassigned_info": {"reason": "INDEX_CREATED", "at": search::date_text(found.index.created_ms()),
            "last_allocation_status": "no_attempt"},
        "can_allocate": "no",
        "allocate_explanation": "cannot allocate because allocation is not permitted to any of the nodes",
        "node_allocation_decisions": [node],
    })
}

/// The disk of the node.
fn disk(call: &Call) -> Value {
    let report = call.server.engine.server_report();
    let (total, used) = (report.volume_bytes, report.volume_used_bytes);
    let percent = 100.0 * used as f64 / total.max(1) as f64;
    let disk = json!({"total_bytes": total, "used_bytes": used, "free_bytes": total.saturating_sub(used),
        "free_disk_percent": 100.0 - percent, "used_disk_percent": percent});
    json!({"nodes": {NODE_ID: {"node_name": engine::host_name(), "least_available": disk, "most_available": disk}}})
}
