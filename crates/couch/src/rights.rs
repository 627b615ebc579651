//! Who may use a path at all, whatever the method (`src/chttpd/src/chttpd_auth_request.erl`).

use crate::call::Call;
use access::error::{CouchError, Result};
use access::security::{Permission, require_server_admin};

/// Refuses a user who may not use the path. The endpoint checks all other rights.
pub(crate) fn check(call: &Call, path: &[&str]) -> Result<()> {
    let user = &call.user;
    match path {
        ["_replicate"] if user.name.is_none() && !user.is_admin() => {
            Err(CouchError::unauthorized("You are not an authenticated user"))
        }
        [name, ..] if name.starts_with('_') && !access::names::is_system(name) => Ok(()),
        [_, "_purge" | "_purged_infos_limit" | "_sync_shards"] => require_server_admin(user),
        [_, "_compact", ..] | [_, "_view_cleanup"] => require_database_admin(call),
        _ => Ok(()),
    }
}

fn require_database_admin(call: &Call) -> Result<()> {
    match call.database()?.permission {
        Permission::Administer => Ok(()),
        _ => Err(CouchError::unauthorized("You are not a server or db admin.")),
    }
}
