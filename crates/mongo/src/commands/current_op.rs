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
        .map(OperationInfo::to_document)
        .filter(|described| filter.matches(described))
        .map(Value::Document)
        .collect();
    Ok(doc! {"inprog": Value::Array(operations)}.into())
}
