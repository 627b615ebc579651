//! What comes into an index, as it comes: an event stream that follows the change log.
//!
//! It reads no further than the client takes. One that has fallen far behind is told of a gap and goes on at the end.

use crate::serve::Protocol;
use auth::{Action, User};
use engine::{ChangeKind, Order, PageLimit, Sequence};
use http::header::CONTENT_TYPE;
use http::{Body, BodySender, HeaderValue, Method, Request, Response};
use indexing::{id_of, seen};
use indices::Index;
use indices::error::{ElasticError, Result};
use rest::access::{self, Asking};
use rest::parameters::Parameters;
use rest::respond;
use search::{Held, Request as Search, Run, parse_query_string, parse_sort};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// Documents of one event.
const DOCUMENTS_MAX: usize = 500;
/// A reader this many changes behind goes on at the end.
const BEHIND_MAX: u64 = 5_000;
/// How long changes are gathered before they are sent.
const GATHER_TIME: Duration = Duration::from_millis(100);
/// How often it is said that the stream lives, and looked whether its user may still read.
const BEAT_TIME: Duration = Duration::from_secs(15);
/// How long a server that stops waits until a client takes the event that says so. One that reads may need a moment: the event
/// before may still be on its way.
const LAST_EVENT_TIME_MAX: Duration = Duration::from_secs(1);
/// Bytes of a document that is shown; of a larger one only the `_id`.
const DOCUMENT_BYTES_MAX: usize = 256 * 1024;

impl Protocol {
    /// Answers `GET ?c=INDEX&q=QUERY&since=POSITION` with the documents that come into an index and match, from now on or from a position
    /// that an event told. Events are `open {position}`, `lines {position, lines: [{_id, _seq_no, document}]}`, `gap {position, count}`,
    /// `beat` and `end {reason}`. It ends when `stop` becomes true.
    pub async fn tail(
        &self,
        user: Option<Arc<User>>,
        request: Request,
        stop: watch::Receiver<bool>,
    ) -> Response {
        match self.open_tail(user, &request, stop).await {
            Ok(response) => response,
            Err(error) => respond::Form::of(&request).response(respond::error(&error), false),
        }
    }

    async fn open_tail(
        &self,
        user: Option<Arc<User>>,
        request: &Request,
        stop: watch::Receiver<bool>,
    ) -> Result<Response> {
        let mut parameters = Parameters::parse(request.path(), request.query())?;
        let name = parameters.take("c").unwrap_or_default();
        let query = parameters.take("q").filter(|query| !query.trim().is_empty());
        let since = parameters.take("since").map(|text| position(&text)).transpose()?;
        parameters.end()?;
        let query = query
            .map(|query| parse_query_string(&query, None, true, true))
            .transpose()?;
        let search = Search {
            query,
            size: DOCUMENTS_MAX,
            sort: parse_sort(&json!("_doc"))?,
            track_total_hits: None,
            ..Search::default()
        };
        let call = rest::call::Call {
            method: Method::GET,
            parameters,
            user: user.clone(),
            privileges: access::privileges(self.server(), request, Asking::Known(user.clone())).await?,
            ..rest::call::Call::of_server(self.server().clone())
        };
        let index = call.index(&name, Action::Find)?;
        // A query that does not fit the mapping is refused before anything is sent.
        matching(&search, &index, &[], call.held.another()).await?;
        let (sender, body) = Body::feed();
        let tail = Tail {
            protocol: self.clone(),
            user,
            name,
            search,
            since,
            index,
            stop,
        };
        tokio::spawn(tail.follow(sender));
        let mut response = Response::new(body);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        Ok(response)
    }
}

/// One reader.
struct Tail {
    protocol: Protocol,
    user: Option<Arc<User>>,
    name: String,
    search: Search,
    /// Where it goes on; at the end by default.
    since: Option<Sequence>,
    index: Index,
    stop: watch::Receiver<bool>,
}

fn position(text: &str) -> Result<Sequence> {
    let wrong = |_| ElasticError::illegal(format!("since={text} is no position that an event told"));
    text.parse().map_err(wrong)
}

impl Tail {
    async fn follow(mut self, sender: BodySender) {
        let durable = self.index.collection.durable_snapshot().await;
        let Ok(head) = durable.map(|snapshot| snapshot.head()) else {
            return;
        };
        // A position beyond the end is one of a collection that had the name before.
        let mut at = self.since.clone().filter(|since| *since <= head).unwrap_or(head);
        if !send(
            &sender,
            "open",
            &json!({"c": self.name, "position": at.to_string()}),
        )
        .await
        {
            return;
        }
        loop {
            let waited = tokio::select! {
                () = sender.closed() => return,
                is_there = self.index.collection.changed_after(&at) => Some(is_there),
                () = tokio::time::sleep(BEAT_TIME) => None,
                () = net::stopped(&mut self.stop) => {
                    // A client that takes nothing is not waited for any longer.
                    let _ = timeout(LAST_EVENT_TIME_MAX, end(&sender, "the server stops")).await;
                    return;
                }
            };
            if !self.may_read() {
                return end(&sender, "the collection may not be read any more").await;
            }
            let sent = match waited {
                None if !self.index.collection.is_dropped() => {
                    send(&sender, "beat", &json!({"position": at.to_string()})).await
                }
                None | Some(false) => return end(&sender, "the collection was dropped").await,
                Some(true) => {
                    tokio::time::sleep(GATHER_TIME).await;
                    match self.send_changes(&sender, &mut at).await {
                        Ok(sent) => sent,
                        Err(error) => return end(&sender, &error.reason).await,
                    }
                }
            };
            if !sent {
                return;
            }
        }
    }

    /// Sends what has changed; false where the client is gone.
    async fn send_changes(&self, sender: &BodySender, at: &mut Sequence) -> Result<bool> {
        let snapshot = self.index.collection.durable_snapshot().await?;
        let behind = snapshot.head().changes_since(at);
        if behind > BEHIND_MAX {
            *at = snapshot.head();
            let gap = json!({"position": at.to_string(), "count": behind});
            return Ok(send(sender, "gap", &gap).await);
        }
        loop {
            let limit = PageLimit {
                entries: DOCUMENTS_MAX,
                ..PageLimit::default()
            };
            let page = snapshot.change_page(at, Order::Forward, limit).await?;
            let Some(last) = page.changes.last() else {
                return Ok(true);
            };
            *at = last.sequence.clone();
            let held = Held::within(self.protocol.server().engine.memory());
            let lines = matching(&self.search, &self.index, &page.changes, held).await?;
            let told = json!({"position": at.to_string(), "lines": lines});
            if !lines.is_empty() && !send(sender, "lines", &told).await {
                return Ok(false);
            }
            if page.is_last {
                return Ok(true);
            }
        }
    }

    /// Whether the user is still there and may read the collection.
    fn may_read(&self) -> bool {
        let engine = &self.protocol.server().engine;
        let Some(user) = &self.user else {
            return !engine.needs_login();
        };
        let namespace = &self.index.namespace;
        let resource = auth::Resource::Collection(&namespace.database, &namespace.collection);
        let now = engine
            .user(&user.database, &user.name)
            .filter(|now| now.uuid == user.uuid);
        now.is_some_and(|user| engine.privileges(&user).allows(Action::Find, resource))
    }
}

/// Those of the changes that put a document which matches, as lines.
async fn matching(
    search: &Search,
    index: &Index,
    changes: &[engine::Change],
    held: Held,
) -> Result<Vec<Value>> {
    let shown = search::Index {
        name: index.name.clone(),
        mapping: index.mapping().await?,
        boost: 1.0,
    };
    let mut run = Run::new(search, vec![shown], value::date::now_ms(), held)?;
    run.begin(0)?;
    for change in changes {
        let ChangeKind::Put(record) = &change.kind else {
            continue;
        };
        let id = id_of(record);
        run.see(&seen(&id, record))?;
    }
    let outcome = run.finish(false, &|_, _, _| Ok(Value::Null))?;
    outcome.hits.iter().map(line).collect()
}

fn line(hit: &search::Hit) -> Result<Value> {
    let mut line = json!({"_id": hit.id, "_seq_no": hit.sequence});
    let bytes = hit.document.bytes().len();
    if bytes > DOCUMENT_BYTES_MAX {
        line["cut_bytes"] = json!(bytes);
        return Ok(line);
    }
    line["document"] = Value::Object(::json::exact_object(&hit.document));
    Ok(line)
}

/// Says why no more is to come.
async fn end(sender: &BodySender, reason: &str) {
    // Where the client is gone there is nobody left to tell.
    send(sender, "end", &json!({"reason": reason})).await;
}

/// Sends one event; false where the client is gone.
async fn send(sender: &BodySender, event: &str, data: &Value) -> bool {
    sender.send(format!("event: {event}\ndata: {data}\n\n")).await
}
