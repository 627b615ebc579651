//! A feed: page after page of changes, then waiting for more.

use super::filter::Filter;
use super::options::{ChangesOptions, FeedKind};
use super::row;
use crate::limits::{PAGE_ROWS, PENDING_BYTES_MAX, PENDING_COUNTED_MAX};
use crate::outgoing::Shown;
use crate::server::Server;
use crate::stream::Output;
use access::database::Database;
use access::error::Result;
use engine::{Change, Order, PageLimit, RevisionedSnapshot, Sequence};
use http::BodySender;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until};

/// How long a feed waits before it looks again for a change that could not be flushed.
const STALL_TIME: Duration = Duration::from_secs(1);

/// One client's feed.
pub(super) struct Feed {
    database: Database,
    options: ChangesOptions,
    filter: Filter,
    /// What functions that filter are shown of documents besides their bodies.
    shown: Shown,
    stop: watch::Receiver<bool>,
    /// When it ends at a sign of life, where the setting `changes_duration` says so.
    ends_at: Option<Instant>,
    /// For as many as may read at once.
    pages: Arc<Semaphore>,
    /// The number up to which the log was looked at.
    position: Sequence,
    /// The last change that was looked at, which the client is told. Local documents have numbers too, but are no changes: to go
    /// after theirs would make of every checkpoint that a replication keeps here something new.
    last: Sequence,
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
    pub(super) fn new(database: Database, options: ChangesOptions, filter: Filter, server: &Server) -> Feed {
        let position = match options.order {
            Order::Forward => options.since.clone(),
            Order::Backward => Sequence::END,
        };
        let shown = Shown {
            revs: server.config.revisions_shown(),
            conflicts: options.conflicts,
            ..Shown::default()
        };
        let duration_ms: Option<u64> = server.config.number("fabric", "changes_duration");
        let duration = duration_ms.map(Duration::from_millis);
        Feed {
            shown,
            ends_at: duration.and_then(|duration| Instant::now().checked_add(duration)),
            database,
            last: options.since.clone(),
            position,
            options,
            filter,
            stop: server.stop.clone(),
            pages: server.feed_pages.clone(),
            given: 0,
        }
    }

    /// Writes the changes that are there as one object.
    pub(super) async fn write_all(mut self, output: &mut Output) -> Result<()> {
        output.text.push_str("{\"results\":[\n");
        loop {
            output.begin_read(&self.database.collection).await?;
            let ended = self.page(output).await?;
            if !output.end_page().await {
                return Ok(());
            }
            if ended {
                break;
            }
        }
        // The end of the line is added to every answer that is sent whole.
        self.write_end(&mut output.text).await
    }

    /// Appends a page of changes, or the part of it for which there is room; true where there are no more, or no more are wanted.
    async fn page(&mut self, output: &mut Output) -> Result<bool> {
        if self.given == self.options.limit {
            return Ok(true);
        }
        let snapshot = self.database.durable_snapshot().await?;
        let wanted = self.options.limit - self.given;
        let limit = match self.filter {
            Filter::All => usize::try_from(wanted).unwrap_or(PAGE_ROWS).min(PAGE_ROWS),
            _ => PAGE_ROWS,
        };
        let limit = output.page(limit);
        let page = snapshot
            .change_page(&self.position, self.options.order, limit)
            .await?;
        let shown = (self.shown, self.options.all_leaves);
        let asked = self.filter.ask(&snapshot, &page.changes, shown).await?;
        for (place, change) in page.changes.iter().enumerate() {
            engine::steps(1)?;
            let passed = asked
                .as_ref()
                .and_then(|asked| asked.get(place))
                .map(Vec::as_slice);
            if passed.is_some_and(|passed| !passed.contains(&true)) {
                self.pass(change);
                continue;
            }
            if self.is_followed() && !output.is_taken().await {
                return Ok(false);
            }
            self.row(&snapshot, change, passed, &mut output.text).await?;
            if self.given == self.options.limit {
                return Ok(true);
            }
            let must_wait = match self.is_followed() {
                true => output.is_long(),
                false => output.must_wait(),
            };
            if must_wait {
                return Ok(false);
            }
            if !output.flush_if_large().await {
                return Ok(true);
            }
        }
        // Numbers without a change, such as those of local documents, are skipped.
        if page.is_last && self.options.order == Order::Forward {
            self.position = self.position.clone().max(snapshot.head());
        }
        Ok(page.is_last)
    }

    /// Whether changes are sent as they happen.
    fn is_followed(&self) -> bool {
        self.options.kind != FeedKind::Normal
    }

    /// Appends a change, if it is let through.
    async fn row(
        &mut self,
        snapshot: &RevisionedSnapshot,
        change: &Change,
        passed: Option<&[bool]>,
        out: &mut String,
    ) -> Result<()> {
        let start = out.len();
        self.separate(out);
        let database = &self.database;
        let is_shown = row::write(
            database,
            snapshot,
            change,
            (&self.options, self.given),
            (&self.filter, passed),
            out,
        )
        .await?;
        self.pass(change);
        if is_shown {
            self.end_row(change, out);
            self.given += 1;
        } else {
            out.truncate(start);
        }
        Ok(())
    }

    fn pass(&mut self, change: &Change) {
        self.position = change.sequence.clone();
        self.last = change.sequence.clone();
    }

    fn separate(&self, out: &mut String) {
        match self.options.kind {
            FeedKind::Normal | FeedKind::LongPoll if self.given > 0 => out.push_str(",\n"),
            FeedKind::EventSource => out.push_str("data: "),
            _ => {}
        }
    }

    fn end_row(&self, change: &Change, out: &mut String) {
        match self.options.kind {
            FeedKind::Normal | FeedKind::LongPoll => {}
            FeedKind::Continuous => out.push('\n'),
            FeedKind::EventSource => {
                let sequence = self.database.sequences.text(&change.sequence);
                // Writing to a String cannot fail.
                let _ = write!(out, "\nid: \"{sequence}\"\n\n");
            }
        }
    }

    async fn write_end(&self, out: &mut String) -> Result<()> {
        let (position, pending) = match self.options.order {
            // One that is to come yet is not known here.
            Order::Forward => {
                let head = self.database.collection.head().max(self.position.clone());
                let last = self.last.clone().min(head.max(self.options.since.clone()));
                (last, self.pending().await?)
            }
            // The oldest change that was given.
            Order::Backward if self.given > 0 => (self.last.clone(), 0),
            Order::Backward => (Sequence::START, 0),
        };
        let sequence = self.database.sequences.text(&position);
        let _ = match self.options.kind {
            FeedKind::Normal | FeedKind::LongPoll => {
                write!(out, "\n],\n\"last_seq\":\"{sequence}\",\"pending\":{pending}}}")
            }
            FeedKind::Continuous => write!(out, r#"{{"last_seq":"{sequence}","pending":{pending}}}"#),
            FeedKind::EventSource => Ok(()),
        };
        if self.options.kind != FeedKind::Normal {
            out.push('\n');
        }
        Ok(())
    }

    /// The changes that are still to come; many are not counted one by one, and numbers that are no changes stand among them then.
    async fn pending(&self) -> Result<u64> {
        if self.database.collection.is_dropped() {
            return Ok(0);
        }
        let snapshot = self.database.durable_snapshot().await?;
        let rest = snapshot.head().changes_since(&self.position);
        if rest == 0 || rest > PENDING_COUNTED_MAX {
            return Ok(rest);
        }
        let limit = PageLimit {
            entries: PAGE_ROWS,
            bytes: PENDING_BYTES_MAX,
        };
        let page = snapshot
            .change_page(&self.position, Order::Forward, limit)
            .await?;
        let behind = match page.changes.last() {
            Some(last) if !page.is_last => snapshot.head().changes_since(&last.sequence),
            _ => 0,
        };
        Ok(page.changes.len() as u64 + behind)
    }

    /// Sends changes as they happen, until the client has what it wants or is gone.
    pub(super) async fn follow(mut self, mut output: Output, sender: BodySender) {
        if self.options.kind == FeedKind::LongPoll {
            output.text.push_str("{\"results\":[\n");
        }
        match self.send_changes(&mut output, &sender).await {
            Ok(true) => {
                if self.write_end(&mut output.text).await.is_ok() {
                    output.flush().await;
                }
            }
            Ok(false) => {}
            Err(error) => {
                tracing::debug!(%error, database = self.database.name, "a feed ended");
                sender.give_up().await;
            }
        }
    }

    /// True where the feed came to its end, false where the client is gone.
    async fn send_changes(&mut self, output: &mut Output, sender: &BodySender) -> Result<bool> {
        let mut was_woken = false;
        loop {
            let given = self.given;
            let position = self.position.clone();
            loop {
                output.begin_read(&self.database.collection).await?;
                // A client that takes nothing is waited for without the permit.
                let pages = self.pages.clone();
                let permit = pages.acquire().await;
                // Boxed, so that a feed that waits is small.
                let ended = Box::pin(self.page(output)).await?;
                drop(permit);
                if !output.end_page().await {
                    return Ok(false);
                }
                if ended {
                    break;
                }
            }
            let is_one_shot = self.options.kind == FeedKind::LongPoll;
            let is_enough = self.given >= self.options.limit || self.options.order == Order::Backward;
            if is_enough || (is_one_shot && self.given > given) {
                return Ok(true);
            }
            if !output.pause().await {
                return Ok(false);
            }
            if was_woken && self.position == position {
                // The change is not on the disk, and does not get there.
                sleep(STALL_TIME).await;
            }
            match self.wait(sender).await {
                Waited::Changed => was_woken = true,
                Waited::Beat => was_woken = false,
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
                Waited::Beat if self.ends_at.is_some_and(|end| end <= Instant::now()) => return Waited::Over,
                Waited::Beat if self.options.heartbeat.is_some() => {
                    let beat = match self.options.kind {
                        FeedKind::EventSource => "event: heartbeat\ndata: \n\n",
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
