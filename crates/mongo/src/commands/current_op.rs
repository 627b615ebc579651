//! `currentOp`: what runs now.

use super::listing_filter::ListingFilter;
use crate::arguments::{is_generic, is_true};
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::WantedOperations;
use value::{Document, Value, doc};

/// Arguments that are no condition on operations, besides those that every command takes.
const OPTIONS: [&str; 3] = ["$all", "$ownOps", "$truncateOps"];

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    // As in MongoDB, a value of any type counts as true or false.
    let is_set = |name| is_true(arguments.any(name));
    let own_only = is_set("$ownOps");
    if !own_only {
        call.require(Action::Inprog, Resource::Cluster)?;
    }
    let wanted = WantedOperations {
        all_users: !own_only,
        idle_connections: is_set("$all"),
        idle_cursors: false,
        // Long commands are shown whole only where commands for tests are on; `$currentOp` shows them everywhere.
        is_truncated: !call.server.options.test_commands
            || arguments.any("$truncateOps").is_none()
            || is_set("$truncateOps"),
    };
    let conditions: Document = call
        .body()
        .iter()
        .skip(1)
        .filter(|(name, _)| !OPTIONS.contains(name) && !is_generic(name))
        .map(|(name, value)| (name.to_owned(), value.to_value()))
        .collect();
    let filter = ListingFilter::parse(&conditions)?;
    let operations = call.server.engine.operation_documents(&call.context, &wanted);
    let mut shown = Vec::new();
    for described in operations {
        if filter.matches(&described)? {
            shown.push(Value::Document(described));
        }
    }
    let mut reply = doc! {"inprog": Value::Array(shown)};
    if call.server.engine.are_writes_locked() {
        reply.push("fsyncLock", true);
        reply.push(
            "info",
            "use db.fsyncUnlock() to terminate the fsync write/snapshot lock",
        );
    }
    Ok(reply.into())
}
