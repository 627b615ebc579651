//! `connPoolStats`: the connections to other servers of a replica set or a cluster. A server that stands alone has none.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Document, doc};

/// The steps of the table of waits, and where it ends.
const STEP_MS: usize = 50;
const WAIT_MS_MAX: usize = 1000;

/// As in MongoDB, no argument is looked at.
pub(super) async fn run(_call: &mut Call<'_>) -> Result<Reply> {
    let mut reply = doc! {"numClientConnections": 0, "numAScopedConnections": 0};
    for total in [
        "totalInUse",
        "totalAvailable",
        "totalLeased",
        "totalCreated",
        "totalRefreshing",
        "totalRefreshed",
        "totalWasNeverUsed",
    ] {
        reply.push(total, 0_i64);
    }
    reply.push("acquisitionWaitTimes", waits());
    for part in ["pools", "hosts", "replicaSets"] {
        reply.push(part, Document::new());
    }
    Ok(reply.into())
}

/// How often a connection was waited for how long: never.
fn waits() -> Document {
    let none = || doc! {"count": 0_i64};
    let mut waits = doc! {"(-inf, 0ms)": none()};
    for from in (0..WAIT_MS_MAX).step_by(STEP_MS) {
        waits.push(format!("[{from}ms, {}ms)", from + STEP_MS), none());
    }
    waits.push(format!("[{WAIT_MS_MAX}ms, inf)"), none());
    waits.with("totalCount", 0_i64)
}
