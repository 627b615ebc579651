//! A feed: page after page of changes, then waiting for more.

use super::filter::Filter;
use super::options::{ChangesOptions, Kind};
use super::row;
use crate::database::Database;
use crate::error::Result;
use crate::limits::{CHUNK_BYTES, PAGE_ROWS};
use crate::stream::Output;
use engine::{Change, Order, Sequence};
use http::BodySender;
use std::fmt::Write as _;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// One client's feed.
pub(super) struct Feed {
    database: Database,
    options: ChangesOptions,
    filter: Filter,
    stop: watch::Receiver<bool>,
    /// The last change that was looked at.
    position: Sequence,
    /// The last change of the newest snapshot: readers see a change before those are told of it who wait for one.
    head: Sequence,
    /// The changes that were given.
    given: u64,
}

/// What came while a feed waited.
enum Waited {
    Changed,
    /// Time for a sign of life.
    Beat,
    /// The client is gone, the time is over, the database was dropped, or the server stops.
    Over,
}

impl Feed {
    pub(super) fn new(
        database: Database,
        options: ChangesOptions,
        filter: Filter,
        stop: watch::Receiver<bool>,
    ) -> Feed {
        let position = match options.order {
            Order::Forward => options.since.clone(),
            Order::Backward => Sequence::END,
        };
        Feed {
            database,
            options,
            filter,
            stop,
            position,
            head: Sequence::START,
            given: 0,
        }
    }

    /// Writes the changes that are there as one object.
    pub(super) async fn write_all(mut self, output: &mut Output) -> Result<()> {
        output.text.push_str("{\"results\":[\n");
        loop {
            let ended = self.page(&mut output.text).await?;
            if ended || !output.flush_if_large().await {
                break;
            }
        }
        self.write_end(&mut output.text);
        // The end of the line is added to every answer that is sent whole.
        Ok(())
    }

    /// Appends a page of changes; true where there are no more, or no more are wanted.
    async fn page(&mut self, out: &mut String) -> Result<bool> {
        let snapshot = self.database.snapshot().await?;
        self.head = snapshot.head();
        let wanted = self.options.limit - self.given;
        let limit = match self.filter {
            Filter::All => usize::try_from(wanted).unwrap_or(PAGE_ROWS).min(PAGE_ROWS),
            _ => PAGE_ROWS,
        };
        let changes = snapshot
            .changes(&self.position, self.options.order, limit)
            .await?;
        let asked = self.filter.ask(&changes).await?;
        for (place, change) in changes.iter().enumerate() {
            let is_let_through = asked.as_ref().is_none_or(|asked| asked.get(place) == Some(&true));
            if !is_let_through {
                self.position = change.sequence.clone();
                continue;
            }
            let start = out.len();
            self.separate(out);
            let database = &self.database;
            let shown = row::write(database, &snapshot, change, &self.options, &self.filter, out).await?;
            self.position = change.sequence.clone();
            if !shown {
                out.truncate(start);
                continue;
            }
            self.end_row(change, out);
            self.given += 1;
            if self.given == self.options.limit {
                return Ok(true);
            }
        }
        if changes.len() < limit {
            // Numbers without a change, such as those of local documents, are passed by.
            if self.options.order == Order::Forward {
                self.position = self.position.clone().max(snapshot.head());
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn separate(&self, out: &mut String) {
        match self.options.kind {
            Kind::Normal | Kind::LongPoll if self.given > 0 => out.push_str(",\n"),
            Kind::EventSource => out.push_str("data: "),
            _ => {}
        }
    }

    fn end_row(&self, change: &Change, out: &mut String) {
        match self.options.kind {
            Kind::Normal | Kind::LongPoll => {}
            Kind::Continuous => out.push('\n'),
            Kind::EventSource => {
                let sequence = self.database.sequences.text(&change.sequence);
                // Writing to a String cannot fail.
                let _ = write!(out, "\nid: \"{sequence}\"\n\n");
            }
        }
    }

    fn write_end(&self, out: &mut String) {
        let (position, pending) = match self.options.order {
            Order::Forward => {
                let head = self.head.clone().max(self.database.collection.head());
                let since = &self.options.since;
                let position = self.position.clone().min(head.clone().max(since.clone()));
                let pending = head.changes_since(&position);
                (position, pending)
            }
            // The oldest change that was given.
            Order::Backward if self.given > 0 => (self.position.clone(), 0),
            Order::Backward => (Sequence::START, 0),
        };
        let sequence = self.database.sequences.text(&position);
        let _ = match self.options.kind {
            Kind::Normal | Kind::LongPoll => {
                write!(out, "\n],\n\"last_seq\":\"{sequence}\",\"pending\":{pending}}}")
            }
            Kind::Continuous => write!(out, r#"{{"last_seq":"{sequence}","pending":{pending}}}"#),
            Kind::EventSource => Ok(()),
        };
        if self.options.kind != Kind::Normal {
            out.push('\n');
        }
    }

    /// Sends changes as they happen, until the client has what it wants or is gone.
    pub(super) async fn follow(mut self, sender: BodySender) {
        let mut text = String::new();
        if self.options.kind == Kind::LongPoll {
            text.push_str("{\"results\":[\n");
        }
        match self.send_changes(&mut text, &sender).await {
            Ok(true) => {
                self.write_end(&mut text);
                sender.send(text).await;
            }
            Ok(false) => {}
            Err(error) => {
                tracing::debug!(%error, database = self.database.name, "a feed ended");
                sender.give_up().await;
            }
        }
    }

    /// True where the feed came to its end, false where the client is gone.
    async fn send_changes(&mut self, text: &mut String, sender: &BodySender) -> Result<bool> {
        loop {
            let given = self.given;
            loop {
                // Boxed, so that a feed that waits is small.
                let ended = Box::pin(self.page(text)).await?;
                if text.len() >= CHUNK_BYTES && !sender.send(std::mem::take(text)).await {
                    return Ok(false);
                }
                if ended {
                    break;
                }
            }
            let is_one_shot = self.options.kind == Kind::LongPoll;
            let is_enough = self.given >= self.options.limit || self.options.order == Order::Backward;
            if is_enough || (is_one_shot && self.given > given) {
                return Ok(true);
            }
            if !text.is_empty() && !sender.send(std::mem::take(text)).await {
                return Ok(false);
            }
            // What was taken for text is given back while the feed waits.
            text.shrink_to_fit();
            match self.wait(sender).await {
                Waited::Changed => {}
                Waited::Beat => continue,
                Waited::Over => return Ok(true),
            }
        }
    }

    /// Waits for a change, sending signs of life.
    async fn wait(&mut self, sender: &BodySender) -> Waited {
        let since = Instant::now();
        loop {
            let next = self.options.heartbeat.unwrap_or(self.options.timeout);
            match self.wait_once(sender, Instant::now() + next).await {
                Waited::Beat if self.options.heartbeat.is_some() => {
                    let beat = match self.options.kind {
                        Kind::EventSource => "event: heartbeat\ndata: \n\n",
                        _ => "\n",
                    };
                    if !sender.send(beat).await {
                        return Waited::Over;
                    }
                }
                Waited::Beat if since.elapsed() >= self.options.timeout => return Waited::Over,
                Waited::Beat => {}
                waited => return waited,
            }
        }
    }

    async fn wait_once(&mut self, sender: &BodySender, until: Instant) -> Waited {
        tokio::select! {
            is_there = self.database.collection.changed_after(&self.position) => {
                if is_there { Waited::Changed } else { Waited::Over }
            }
            () = sleep_until(until) => Waited::Beat,
            () = sender.closed() => Waited::Over,
            _ = self.stop.wait_for(|stop| *stop) => Waited::Over,
        }
    }
}
