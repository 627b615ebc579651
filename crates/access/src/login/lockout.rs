//! Whoever failed often is locked out for a while, even with the right password, where `[chttpd_auth_lockout]` says so
//! (`src/couch/src/couch_auth_lockout.erl`). CouchDB's default is to do so; here it is that whoever failed often waits.

use super::Visitor;
use crate::error::{CouchError, Result};
use std::time::Duration;

const SECTION: &str = "chttpd_auth_lockout";
/// The failures from which on somebody is locked out.
const THRESHOLD: u32 = 5;
/// How long failures are remembered.
const LIFETIME_MS: u64 = 300_000;

/// Refuses somebody who failed too often from this address.
pub(super) fn check(visitor: &Visitor<'_>, name: &str) -> Result<()> {
    let config = visitor.config;
    let mode = config.get(SECTION, "mode").unwrap_or_default();
    if mode != "enforce" && mode != "warn" {
        return Ok(());
    }
    let lifetime = Duration::from_millis(config.number(SECTION, "max_lifetime").unwrap_or(LIFETIME_MS));
    let threshold = config.number(SECTION, "threshold").unwrap_or(THRESHOLD);
    if visitor.engine.failed_logins(name, visitor.peer, lifetime) < threshold {
        return Ok(());
    }
    if mode == "enforce" {
        return Err(CouchError::forbidden(
            "Account is temporarily locked due to multiple authentication failures",
        ));
    }
    tracing::warn!(user = ?name, peer = %visitor.peer, "authentication failure threshold reached");
    Ok(())
}
