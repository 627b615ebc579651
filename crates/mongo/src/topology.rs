//! What the monitors of drivers wait for: a change of the topology. There is none while the server runs, so a monitor that
//! knows the present version is answered when it has waited long enough, and notices the end of the connection at once.

use crate::connection::Socket;
use crate::wire::Request;
use engine::Client;
use language::expression::number::Number;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use value::{Document, ObjectId, Value, ValueRef, doc};

/// How often a wait looks whether its client is still there.
const CLIENT_LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// The topology of this one server, named anew at every start.
#[derive(Debug)]
pub(crate) struct Topology {
    version: Document,
}

impl Default for Topology {
    fn default() -> Topology {
        Topology {
            version: doc! {"processId": ObjectId::generate(), "counter": 0_i64},
        }
    }
}

impl Topology {
    /// Its version, as `hello` tells it.
    pub(crate) fn version(&self) -> &Document {
        &self.version
    }

    /// How long a hello wants to wait for another version than the one that it knows; `None` if that is another.
    pub(crate) fn wait_of(&self, request: &Request) -> Option<Duration> {
        let body = request.body.as_raw();
        let (name, _) = body.iter().next()?;
        let Some(ValueRef::Document(known)) = body.get("topologyVersion") else {
            return None;
        };
        let is_present = value::compare_documents(known, (&self.version).into()).is_eq();
        if !is_present || !matches!(name, "hello" | "isMaster" | "ismaster") {
            return None;
        }
        let wait = Number::of(body.get("maxAwaitTimeMS")?)?.to_i64_saturating();
        u64::try_from(wait).ok().map(Duration::from_millis)
    }
}

/// Waits; false if the server stops or the client has gone meanwhile.
pub(crate) async fn wait(limit: Duration, socket: &Socket, mut stop: watch::Receiver<bool>) -> bool {
    let started = Instant::now();
    loop {
        let left = limit.saturating_sub(started.elapsed());
        if left.is_zero() {
            return true;
        }
        tokio::select! {
            biased;
            () = net::stopped(&mut stop) => return false,
            () = tokio::time::sleep(left.min(CLIENT_LOOK_INTERVAL)) => {}
        }
        if socket.is_gone() {
            return false;
        }
    }
}

/// Whether a reply tells of no error.
pub(crate) fn is_ok(reply: &Document) -> bool {
    matches!(reply.get("ok"), Some(Value::Double(ok)) if *ok == 1.0)
}
