//! Requests as operations: listed among those of the other protocols, and ended when nobody waits for the answer, when their
//! time is over, when somebody kills them, or when the server stops.

use crate::query::Query;
use access::config::Config;
use access::error::{CouchError, Result};
use engine::{Client, Context, Engine, OperationGuard};
use http::{BodyError, BodySender, Request, StatusCode};
use memory::{Holder, Share, WAIT_MAX};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Bodies up to this size are decoded without being counted.
const SHORT_BODY_BYTES: usize = 1 << 20;

/// A request that runs.
#[derive(Debug)]
pub(crate) struct Operation {
    context: Context,
    engine: Engine,
    /// The memory of its body as JSON, for as long as anything of it goes on.
    decoded: OnceLock<Share>,
    buffers_answer: bool,
    _listed: OperationGuard,
}

impl Operation {
    /// A request with these parameters that begins now. Its time is limited where the section `fabric` of the settings says so.
    pub(crate) fn begin(
        engine: &Engine,
        config: &Config,
        request: &Request,
        query: &Query,
    ) -> Arc<Operation> {
        let buffers_answer = match query.get("buffer_response") {
            Some("true") => true,
            Some("false") => false,
            _ => config.is_on("chttpd", "buffer_response"),
        };
        let time_max = time_max(request.path(), |setting| config.get("fabric", setting));
        let asker = request.asker.clone();
        let context = Context::default()
            .within(time_max)
            .asked_by(move || asker.is_gone());
        let (method, path) = (request.method.as_str(), request.path());
        let listed = engine.register_request(method, path, request.peer, &context);
        Arc::new(Operation {
            context,
            engine: engine.clone(),
            decoded: OnceLock::new(),
            buffers_answer,
            _listed: listed,
        })
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Waits for the memory that a body takes once it is decoded. One that would take more than all is refused.
    pub(crate) async fn room_to_decode(&self, body: &[u8]) -> Result<()> {
        if body.len() <= SHORT_BODY_BYTES {
            return Ok(());
        }
        let memory = self.engine.memory();
        let wanted = json::tree_bytes(body);
        if wanted > memory.bytes() {
            return Err(CouchError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                format!(
                    "JSON of {} bytes takes {wanted} bytes of memory, more than the budget of {} bytes: raise --memory",
                    body.len(),
                    memory.bytes()
                ),
            ));
        }
        let mut share = memory.share(Holder::Commands);
        let waited = share.wait(wanted, WAIT_MAX);
        waited.await.map_err(BodyError::from)?;
        // A request has one body.
        let _ = self.decoded.set(share);
        Ok(())
    }

    /// Whether no answer of several pieces begins before its end (`src/chttpd/src/chttpd.erl`, `buffer_response`).
    pub(crate) fn buffers_answer(&self) -> bool {
        self.buffers_answer
    }

    /// A share of memory for what is kept of an answer.
    pub(crate) fn share_of_answers(&self) -> Share {
        self.engine.memory().share(Holder::Answers)
    }

    /// Does work of the request, which ends early where the request has to end.
    pub(crate) async fn run<F: Future>(&self, work: F) -> F::Output {
        self.context.interruption().run(work).await
    }

    /// Does work that is for a client, and ends where it is gone.
    pub(crate) async fn run_for<F: Future>(&self, reader: Arc<Reader>, work: F) -> F::Output {
        let mut context = self.context.clone();
        context.client = Some(reader);
        context.interruption().run(work).await
    }

    /// Does work that goes on for as long as its client wants.
    pub(crate) async fn follow<F: Future>(&self, reader: Arc<Reader>, work: F) -> F::Output {
        let mut context = self.context.clone();
        context.deadline = None;
        context.client = Some(reader);
        context.interruption().run(work).await
    }
}

/// The time that a request for this path may take: what is set for its kind (`src/fabric/src/fabric_util.erl`), else for all requests.
fn time_max(path: &str, setting: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let own = setting_of(path).and_then(&setting);
    let told = own.or_else(|| setting("request_timeout"))?;
    // It may also be `infinity`.
    told.trim().parse().ok().map(Duration::from_millis)
}

/// The setting for requests of this kind.
fn setting_of(path: &str) -> Option<&'static str> {
    // Most requests are for no design document.
    if !path.contains("_design/") {
        return None;
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (is_partition, endpoint) = match parts.as_slice() {
        [_, "_design", _, endpoint, ..] => (false, *endpoint),
        [_, "_partition", _, "_design", _, endpoint, ..] => (true, *endpoint),
        _ => return None,
    };
    match endpoint {
        "_view" if is_partition => Some("partition_view_timeout"),
        "_view" => Some("view_timeout"),
        "_search" => Some("search_timeout"),
        "_nouveau" => Some("nouveau_timeout"),
        _ => None,
    }
}

/// The client that reads an answer: it waits for the head, then takes the body piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    waits: Weak<()>,
    sender: OnceLock<BodySender>,
}

impl Reader {
    /// One who waits for the head as long as the second value lives.
    pub(crate) fn waiting() -> (Arc<Reader>, Arc<()>) {
        let waits = Arc::new(());
        let reader = Reader {
            waits: Arc::downgrade(&waits),
            sender: OnceLock::new(),
        };
        (Arc::new(reader), waits)
    }

    /// One who takes pieces that are sent this way.
    pub(crate) fn of(sender: BodySender) -> Arc<Reader> {
        let reader = Reader::default();
        reader.streams_to(sender);
        Arc::new(reader)
    }

    /// The head is sent; pieces go this way.
    pub(crate) fn streams_to(&self, sender: BodySender) {
        // There is one way.
        let _ = self.sender.set(sender);
    }
}

impl Client for Reader {
    fn is_gone(&self) -> bool {
        match self.sender.get() {
            Some(sender) => sender.is_closed(),
            None => self.waits.strong_count() == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings of these names and values.
    fn set(all: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        move |asked| {
            let found = all.iter().find(|(name, _)| *name == asked);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn a_request_takes_as_long_as_is_set_for_its_kind() {
        let settings = set(&[
            ("request_timeout", "5"),
            ("view_timeout", "infinity"),
            ("partition_view_timeout", "6"),
            ("search_timeout", "7"),
            ("nouveau_timeout", "8"),
        ]);
        for (path, time_ms) in [
            ("/db", Some(5)),
            ("/db/_design/d", Some(5)),
            ("/db/_design/d/_show/s", Some(5)),
            ("/db/_design/d/_view/v", None),
            ("/db/_partition/p/_design/d/_view/v", Some(6)),
            ("/db/_design/d/_search/i", Some(7)),
            ("/db/_partition/p/_design/d/_search/i", Some(7)),
            ("/db/_design/d/_nouveau/i", Some(8)),
        ] {
            let found = time_max(path, &settings);
            assert_eq!(found, time_ms.map(Duration::from_millis), "{path}");
        }
        let general = set(&[("request_timeout", "5")]);
        let found = time_max("/db/_design/d/_search/i", &general);
        assert_eq!(found, Some(Duration::from_millis(5)));
        assert_eq!(time_max("/db", set(&[])), None);
    }
}
