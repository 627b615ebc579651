//! `currentOp`: what runs now.

use super::listing_filter::ListingFilter;
use crate::dispatch::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::OperationInfo;
use value::{Document, Value, doc};

/// Arguments that are no condition on operations.
const OPTIONS: [&str; 8] = [
    "$all",
    "$ownOps",
    "$truncateOps",
    "$db",
    "lsid",
    "comment",
    "$readPreference",
    "$clusterTime",
];

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let own_only = call.body().get("$ownOps").is_some();
    if !own_only {
        call.require(Action::Inprog, Resource::Cluster)?;
    }
    let conditions: Document = call
        .body()
        .iter()
        .skip(1)
        .filter(|(name, _)| !OPTIONS.contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_value()))
        .collect();
    let filter = ListingFilter::parse(&conditions)?;
    let operations: Vec<Value> = call
        .server
        .engine
        .running_operations()
        .iter()
        .filter(|operation| !own_only || operation.context.user == call.context.user)
        .map(describe)
        .filter(|described| filter.matches(described))
        .map(Value::Document)
        .collect();
    Ok(doc! {"inprog": Value::Array(operations)}.into())
}

pub(super) fn describe(operation: &OperationInfo) -> Document {
    let micros = operation.started.elapsed().as_micros() as i64;
    let kind = match operation.command.as_str() {
        "insert" => "insert",
        "update" => "update",
        "delete" => "remove",
        "find" => "query",
        "getMore" => "getmore",
        _ => "command",
    };
    let mut described = doc! {
        "type": "op",
        "desc": "conn",
        "client": &operation.client,
        "active": true,
        "opid": operation.id,
        "secs_running": micros / 1_000_000,
        "microsecs_running": micros,
        "op": kind,
        "ns": operation.namespace.as_ref().map_or_else(String::new, ToString::to_string),
        "command": operation.description.clone(),
        "killPending": operation.context.is_killed(),
        "waitingForLock": false,
    };
    if let Some(user) = operation
        .context
        .user
        .as_deref()
        .and_then(|user| user.split_once('@'))
    {
        described.push("effectiveUsers", vec![doc! {"user": user.0, "db": user.1}]);
    }
    described
}
