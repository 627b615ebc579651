//! `_db_updates`: what happens to databases as a whole (`src/global_changes/src/global_changes_httpd.erl`).

use super::options::{ChangesOptions, FeedKind, waits_max};
use crate::call::Call;
use crate::operation::Reader;
use crate::query::Query;
use crate::respond;
use crate::server::Server;
use access::error::{CouchError, Result};
use access::security::require_server_admin;
use access::sequence::Sequences;
use engine::{Order, Sequence};
use http::{BodySender, HeaderValue, Response, header};
use json::write_string;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often the databases are looked at while somebody waits.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// `/_db_updates`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    require_server_admin(&call.user)?;
    call.require_read("GET")?;
    let head = call.server.database_events.look(&call.server.engine)?;
    let last_event = call.header("last-event-id");
    let query = parameters(&call.query)?;
    let (at, waits_max) = (sequence(head), waits_max(&call.server.config));
    let options = ChangesOptions::parse(&query, last_event, (Sequences::default(), at), waits_max)?;
    let mut feed = Feed {
        server: call.server.clone(),
        position: match options.order {
            Order::Forward => options.since.changes_since(&Sequence::START),
            Order::Backward => 0,
        },
        left: options.limit,
        given: 0,
        options,
    };
    if feed.options.kind == FeedKind::Normal {
        let mut text = String::from("{\"results\":[\n");
        feed.write(&mut text)?;
        feed.write_end(&mut text);
        return Ok(respond::ok(text));
    }
    let (sender, mut response) = respond::feed();
    if feed.options.kind == FeedKind::EventSource {
        let kind = HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    let (operation, reader) = (call.operation.clone(), Reader::of(sender.clone()));
    tokio::spawn(async move {
        if let Err(error) = operation.follow(reader, feed.follow(&sender)).await {
            tracing::debug!(%error, "a feed of databases ended");
            sender.give_up().await;
        }
    });
    Ok(response)
}

/// The parameters that mean something here: some of those of changes, but that `heartbeat=false` is no mistake, and `feed=live` is one.
fn parameters(query: &Query) -> Result<Query> {
    const KNOWN: [&str; 6] = ["descending", "feed", "heartbeat", "limit", "since", "timeout"];
    const FEEDS: [&str; 4] = ["normal", "continuous", "longpoll", "eventsource"];
    if query.get("feed").is_some_and(|feed| !FEEDS.contains(&feed)) {
        let reason = "Supported `feed` types: normal, continuous, longpoll, eventsource";
        return Err(CouchError::bad_request(reason));
    }
    let mut known = Query::default();
    for (name, value) in query.iter() {
        if KNOWN.contains(&name) && (name, value) != ("heartbeat", "false") {
            known.push(name, value);
        }
    }
    Ok(known)
}

/// One client's feed.
struct Feed {
    server: Arc<Server>,
    options: ChangesOptions,
    position: u64,
    left: u64,
    given: u64,
}

impl Feed {
    /// Appends what has happened since.
    fn write(&mut self, out: &mut String) -> Result<()> {
        self.server.database_events.look(&self.server.engine)?;
        let mut events = self.server.database_events.after(self.position);
        if self.options.order == Order::Backward {
            events.reverse();
        }
        for (sequence, name, happened) in events {
            if self.left == 0 {
                break;
            }
            out.push_str(match self.options.kind {
                FeedKind::Normal | FeedKind::LongPoll if self.given > 0 => ",\r\n",
                FeedKind::EventSource => "data: ",
                _ => "",
            });
            out.push_str(r#"{"db_name":"#);
            write_string(&name, out);
            let number = sequence_text(sequence);
            out.push_str(&format!(r#","type":"{}","seq":"{number}"}}"#, happened.word()));
            match self.options.kind {
                FeedKind::Normal | FeedKind::LongPoll => {}
                FeedKind::Continuous => out.push('\n'),
                FeedKind::EventSource => out.push_str(&format!("\nid: \"{number}\"\n\n")),
            }
            self.position = sequence;
            self.given += 1;
            self.left -= 1;
        }
        Ok(())
    }

    fn write_end(&self, out: &mut String) {
        let last = sequence_text(self.position);
        match self.options.kind {
            FeedKind::Normal => out.push_str(&format!("\n],\n\"last_seq\":\"{last}\"}}")),
            FeedKind::LongPoll => out.push_str(&format!("\n],\n\"last_seq\":\"{last}\"}}\n")),
            FeedKind::Continuous => out.push_str(&format!("{{\"last_seq\":\"{last}\"}}\n")),
            FeedKind::EventSource => {}
        }
    }

    async fn follow(mut self, sender: &BodySender) -> Result<()> {
        let mut text = String::new();
        if self.options.kind == FeedKind::LongPoll {
            text.push_str("{\"results\":[\n");
        }
        let mut since = Instant::now();
        loop {
            let given = self.given;
            self.write(&mut text)?;
            let is_enough = self.left == 0
                || self.options.order == Order::Backward
                || (self.options.kind == FeedKind::LongPoll && self.given > 0);
            let is_late = self.options.heartbeat.is_none() && since.elapsed() >= self.options.timeout;
            if is_enough || is_late || *self.server.stop.borrow() {
                self.write_end(&mut text);
                sender.send(text).await;
                return Ok(());
            }
            if self.given > given {
                since = Instant::now();
            } else if self.options.heartbeat.is_some_and(|beat| since.elapsed() >= beat) {
                since = Instant::now();
                text.push_str(match self.options.kind {
                    FeedKind::EventSource => "event: heartbeat\ndata: \n\n",
                    _ => "\n",
                });
            }
            if !sender.send(std::mem::take(&mut text)).await {
                return Ok(());
            }
            tokio::select! {
                () = sleep(LOOK_INTERVAL) => {}
                () = sender.closed() => return Ok(()),
            }
        }
    }
}

fn sequence_text(number: u64) -> String {
    Sequences::default().text(&sequence(number))
}

/// The number in the form that clients are given.
fn sequence(number: u64) -> Sequence {
    number.to_string().parse().unwrap_or_default()
}
