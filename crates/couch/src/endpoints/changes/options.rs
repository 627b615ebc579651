//! The parameters of a feed.

use crate::attachments::Wanted;
use crate::limits::{CHANGES_TIMEOUT_MS, CHANGES_TIMEOUT_MS_MAX};
use crate::query::Query;
use access::config::Config;
use access::error::{CouchError, Result};
use access::sequence::Sequences;
use engine::{Order, Sequence};
use std::time::Duration;

/// CouchDB's limit where none is asked for, from which it counts the rows that have a sequence.
const LIMIT_DEFAULT: u64 = 1_000_000_000_000_000;

/// How changes are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeedKind {
    /// Those that are there, as one object.
    Normal,
    /// As one object, which waits until there is one.
    LongPoll,
    /// One object a line, as they happen.
    Continuous,
    /// Server-sent events, as they happen.
    EventSource,
}

/// What a feed is asked for.
#[derive(Clone, Debug)]
pub(super) struct ChangesOptions {
    pub(super) kind: FeedKind,
    /// The position after which changes are wanted.
    pub(super) since: Sequence,
    pub(super) limit: u64,
    pub(super) order: Order,
    pub(super) include_docs: bool,
    pub(super) conflicts: bool,
    pub(super) attachments: Wanted,
    /// Whether all leaves are named, not only the winner.
    pub(super) all_leaves: bool,
    /// One row in this many has its sequence (`seq_interval`).
    pub(super) sequence_interval: u64,
    /// How often a sign of life is sent; then the feed does not end by itself.
    pub(super) heartbeat: Option<Duration>,
    /// How long the feed waits for a change.
    pub(super) timeout: Duration,
}

/// How long a feed waits at most, for a change or before it gives a sign of life (`src/couch/src/couch_changes.erl`,
/// `get_changes_timeout`).
pub(super) fn waits_max(config: &Config) -> Duration {
    let set_ms = config.number("chttpd", "changes_timeout");
    let most_ms: u64 = set_ms.unwrap_or(CHANGES_TIMEOUT_MS);
    Duration::from_millis(most_ms.clamp(1, CHANGES_TIMEOUT_MS_MAX))
}

impl ChangesOptions {
    /// Reads the parameters; those that are not known mean nothing. `last_event` is what a browser says that connects again,
    /// `head` the position after the last change.
    pub(super) fn parse(
        query: &Query,
        last_event: Option<&str>,
        (sequences, head): (Sequences, Sequence),
        waits_max: Duration,
    ) -> Result<ChangesOptions> {
        let since = |text: &str| match text {
            "now" => Ok(head.clone()),
            text => sequences.parse(text),
        };
        let mut options = ChangesOptions {
            kind: FeedKind::Normal,
            since: Sequence::START,
            limit: u64::MAX,
            order: Order::Forward,
            include_docs: false,
            conflicts: false,
            attachments: Wanted::default(),
            all_leaves: false,
            sequence_interval: 1,
            heartbeat: None,
            timeout: waits_max,
        };
        for (name, value) in query.iter() {
            match name.to_ascii_lowercase().as_str() {
                "since" | "last-event-id" => options.since = since(value)?,
                name => options.set(name, value)?,
            }
        }
        // A browser that connects again says how far it has come.
        if let Some(last) = last_event.filter(|_| options.kind == FeedKind::EventSource) {
            options.since = since(last)?;
        }
        options.timeout = options.timeout.min(waits_max);
        options.heartbeat = options.heartbeat.map(|beat| beat.min(waits_max));
        Ok(options)
    }

    /// Whether a row has its sequence before which `given` others were sent: the last one within the limit always has.
    pub(super) fn has_sequence(&self, given: u64) -> bool {
        let left = self.limit.min(LIMIT_DEFAULT).saturating_sub(given);
        left.is_multiple_of(self.sequence_interval)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match (name, value) {
            ("feed", "normal") => self.kind = FeedKind::Normal,
            ("feed", "longpoll") => self.kind = FeedKind::LongPoll,
            ("feed", "continuous" | "live") => self.kind = FeedKind::Continuous,
            ("feed", "eventsource") => self.kind = FeedKind::EventSource,
            ("feed", _) => {
                return Err(CouchError::bad_request(
                    "Supported `feed` types: normal, continuous, live, longpoll, eventsource",
                ));
            }
            ("descending", "true") => self.order = Order::Backward,
            ("limit", text) => self.limit = whole("limit", text)?,
            ("style", "all_docs") => self.all_leaves = true,
            ("style", "main_only") => self.all_leaves = false,
            ("style", _) => {
                return Err(CouchError::bad_request("The style must be main_only or all_docs"));
            }
            ("heartbeat", "true") => self.heartbeat = Some(Duration::MAX),
            ("heartbeat", text) => {
                let invalid = || {
                    CouchError::bad_request(match text.parse::<i64>() {
                        Ok(_) => "The heartbeat value should be a positive integer (in milliseconds).",
                        Err(_) => {
                            "Invalid heartbeat value. Expecting a positive integer value (in milliseconds)."
                        }
                    })
                };
                let beat_ms = text
                    .parse()
                    .ok()
                    .filter(|beat_ms| *beat_ms > 0)
                    .ok_or_else(invalid)?;
                self.heartbeat = Some(Duration::from_millis(beat_ms));
            }
            ("seq_interval", text) => {
                let rows = text.parse().ok().filter(|rows| *rows > 0);
                self.sequence_interval =
                    rows.ok_or_else(|| CouchError::bad_request("invalid_seq_interval"))?;
            }
            ("timeout", text) => self.timeout = Duration::from_millis(whole("timeout", text)?),
            ("include_docs", "true") => self.include_docs = true,
            ("conflicts", "true") => self.conflicts = true,
            ("attachments", "true") => self.attachments.since = Some(0),
            ("att_encoding_info", "true") => self.attachments.encoding = true,
            _ => {}
        }
        Ok(())
    }
}

fn whole(name: &str, text: &str) -> Result<u64> {
    text.parse().map_err(|_| {
        let is_number = text.parse::<i64>().is_ok();
        let what = if is_number { "value" } else { "parameter" };
        CouchError::bad_request(format!("The {name} {what} should be a non-negative integer"))
    })
}
