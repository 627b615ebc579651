//! `_cluster/voting_config_exclusions`: nodes that have no vote, such as those that are to leave a cluster.
//!
//! The one node cannot lose its vote, so only nodes are listed that are not here.

use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::kept::Family;
use rest::respond::{Answer, Content};
use rest::server::NODE_ID;
use serde_json::{Value, json};

/// The setting of how many may be listed, and how many where it says nothing.
const MOST_SETTING: &str = "cluster.max_voting_config_exclusions";
const MOST: usize = 10;
/// The name under which the list is kept.
const LIST: &str = "all";
/// What stands for the part of a node that is not known.
const ABSENT: &str = "_absent_";

/// The nodes that are listed.
pub(super) async fn listed(call: &Call) -> Result<Vec<Value>> {
    let kept = call.kept_one(Family::VotingExclusions, LIST).await?;
    Ok(kept.and_then(|kept| kept.as_array().cloned()).unwrap_or_default())
}

/// `/_cluster/voting_config_exclusions`.
pub(crate) async fn run(call: &mut Call) -> Result<Answer> {
    match call.method.clone() {
        Method::POST => add(call).await?,
        Method::DELETE => clear(call).await?,
        _ => return Err(call.not_allowed("POST, DELETE")),
    }
    Ok(Answer {
        status: StatusCode::OK,
        body: Content::Nothing,
    })
}

async fn clear(call: &mut Call) -> Result<()> {
    // None of the nodes that are listed is here, so nobody has to wait until they are gone.
    call.parameters.flag("wait_for_removal")?;
    call.parameters.end_without(&["master_timeout"])?;
    call.require_server()?;
    match listed(call).await?.is_empty() {
        true => Ok(()),
        false => call.keep(Family::VotingExclusions, LIST, None).await,
    }
}

async fn add(call: &mut Call) -> Result<()> {
    let ids = call.parameters.list("node_ids").unwrap_or_default();
    let names = call.parameters.list("node_names").unwrap_or_default();
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    call.require_server()?;
    if ids.is_empty() == names.is_empty() {
        return Err(ElasticError::illegal(
            "Please set node identifiers correctly. One and only one of [node_name], [node_names] and [node_ids] has to be set",
        ));
    }
    let own = engine::host_name();
    if ids.iter().any(|id| id == NODE_ID) || names.contains(&own) {
        return Err(ElasticError::illegal(format!(
            "the node [{own}] is the only one, and cannot be taken out of the voting configuration"
        )));
    }
    let by_id = ids.iter().map(|id| json!({"node_id": id, "node_name": ABSENT}));
    let by_name = names
        .iter()
        .map(|name| json!({"node_id": ABSENT, "node_name": name}));
    let mut all = listed(call).await?;
    let before = all.len();
    for node in by_id.chain(by_name) {
        if !all.contains(&node) {
            all.push(node);
        }
    }
    let setting = call.cluster_setting(MOST_SETTING).await?;
    let most = setting.and_then(|most| most.parse().ok()).unwrap_or(MOST);
    if all.len() > most {
        let given = if ids.is_empty() { names } else { ids };
        return Err(ElasticError::illegal(format!(
            "add voting config exclusions request for [{}] would add [{}] exclusions to the existing [{before}] which would exceed the \
             maximum of [{most}] set by [{MOST_SETTING}]",
            given.join(", "),
            all.len() - before
        )));
    }
    call.keep(Family::VotingExclusions, LIST, Some(&Value::Array(all)))
        .await
}
