//! One run from its first look at both stores to its last checkpoint.

use crate::checkpoint::{self, Log, common_ancestor};
use crate::error::{PeerError, PeerErrorKind, ReplicateError};
use crate::options::{Filter, Options};
use crate::peer::{Changes, ChangesQuery, Peer};
use crate::progress::Progress;
use crate::statistics::Statistics;
use crate::{batch, peer::Row};
use futures::StreamExt;
use futures::stream::FuturesOrdered;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// How long one request for changes waits in a continuous run.
const CHANGES_WAIT: Duration = Duration::from_secs(25);

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether there was nothing new since the last checkpoint.
    pub no_changes: bool,
    /// The checkpoint as it was recorded last; empty where there never was one.
    pub checkpoint: Map<String, Value>,
}

/// Copies what the target lacks, from the checkpoint of this id on. A continuous run ends only by an error or by being
/// dropped; what is not recorded then is looked at again by the next run.
pub async fn replicate<S: Peer, T: Peer>(
    source: Arc<S>,
    target: Arc<T>,
    id: &str,
    options: &Options,
    progress: Arc<Progress>,
) -> Result<Outcome, ReplicateError> {
    let mut session = Session::start(source, target, id, options, progress).await?;
    session.run().await?;
    session.record().await?;
    Ok(Outcome {
        // That nothing passed the filter is recorded too, and yet it is no change.
        no_changes: session.recorded.is_none() || !session.saw_changes,
        checkpoint: session.recorded.unwrap_or(session.source_log.body),
    })
}

struct Session<'s, S, T> {
    source: Arc<S>,
    target: Arc<T>,
    id: &'s str,
    options: &'s Options,
    progress: Arc<Progress>,
    session_id: String,
    started: Timestamp,
    source_mark: String,
    target_mark: String,
    source_log: Log,
    target_log: Log,
    /// The history of the sessions before this one.
    history: Vec<Value>,
    start: Value,
    /// Everything up to here is written to the target.
    through: Value,
    /// Everything up to here is recorded.
    committed: Value,
    /// Whether the source had changes that were to be looked at.
    saw_changes: bool,
    /// The checkpoint that this session wrote last.
    recorded: Option<Map<String, Value>>,
}

/// Part of a page, and how far the source is read when it is done.
struct Batch {
    rows: Vec<Row>,
    sequence: Value,
}

impl<'s, S: Peer, T: Peer> Session<'s, S, T> {
    async fn start(
        source: Arc<S>,
        target: Arc<T>,
        id: &'s str,
        options: &'s Options,
        progress: Arc<Progress>,
    ) -> Result<Self, ReplicateError> {
        let source_mark = source.open().await.map_err(|error| opening(error, &*source))?;
        let target_mark = open_target(&*target, options).await?;
        let (source_log, target_log) = tokio::try_join!(Log::load(&*source, id), Log::load(&*target, id))?;
        let agreed = common_ancestor(&source_log, &target_log);
        let (start, history) = agreed.unwrap_or((Value::from(0), Vec::new()));
        let start = match &options.since {
            Some(since) if start == 0 => since.clone(),
            _ => start,
        };
        // The counters go on from those of the last session, unless an earlier attempt at this one has counted
        // further.
        let counted = history
            .first()
            .and_then(Value::as_object)
            .map(Statistics::of_entry);
        progress.update(|snapshot| {
            if let Some(counted) =
                counted.filter(|counted| counted.missing_checked > snapshot.statistics.missing_checked)
            {
                snapshot.statistics = counted;
            }
            snapshot.source_sequence = start.clone();
            snapshot.through_sequence = start.clone();
            snapshot.checkpointed_sequence = start.clone();
        });
        Ok(Session {
            source,
            target,
            id,
            options,
            progress,
            session_id: uuid::Uuid::new_v4().simple().to_string(),
            started: Timestamp::now(),
            source_mark,
            target_mark,
            source_log,
            target_log,
            history,
            through: start.clone(),
            committed: start.clone(),
            start,
            saw_changes: false,
            recorded: None,
        })
    }

    /// Reads changes ahead while several batches are copied at once. Batches count as done in their order: if
    /// `through` passed one that is still being copied, a checkpoint would skip it should the run end there.
    async fn run(&mut self) -> Result<(), ReplicateError> {
        let (sender, mut batches) = mpsc::channel(self.options.batches);
        let (source, progress) = (self.source.clone(), self.progress.clone());
        let reading = read_changes(source, self.start.clone(), self.options, progress, sender);
        tokio::pin!(reading);
        let mut is_read = false;
        let mut is_taken = false;
        let mut copying = FuturesOrdered::new();
        let mut next_checkpoint = Instant::now() + self.options.checkpoint_interval;
        while !(is_read && is_taken && copying.is_empty()) {
            tokio::select! {
                read = &mut reading, if !is_read => {
                    read?;
                    is_read = true;
                }
                batch = batches.recv(), if !is_taken && copying.len() < self.options.batches => match batch {
                    Some(batch) => {
                        self.saw_changes |= !batch.rows.is_empty();
                        copying.push_back(self.copy(batch));
                    }
                    None => is_taken = true,
                },
                Some(copied) = copying.next() => {
                    let sequence: Value = copied?;
                    self.progress.update(|snapshot| snapshot.through_sequence = sequence.clone());
                    self.through = sequence;
                }
                () = sleep_until(next_checkpoint) => {
                    self.record().await?;
                    next_checkpoint = Instant::now() + self.options.checkpoint_interval;
                }
            }
        }
        Ok(())
    }

    fn copy(&self, batch: Batch) -> impl Future<Output = Result<Value, PeerError>> + Send + use<S, T> {
        let (source, target, progress) = (self.source.clone(), self.target.clone(), self.progress.clone());
        async move {
            if !batch.rows.is_empty() {
                batch::copy(&*source, &*target, batch.rows, &progress).await?;
            }
            Ok(batch.sequence)
        }
    }

    /// Records in both stores how far the run has come, after both have flushed: a checkpoint must not claim what a
    /// crash can still undo. Fails if a store was replaced meanwhile, because what was written to the old one is
    /// gone.
    async fn record(&mut self) -> Result<(), ReplicateError> {
        if self.through == self.committed || !self.options.use_checkpoints {
            return Ok(());
        }
        let (source_mark, target_mark) = tokio::join!(self.source.flush(), self.target.flush());
        let failed = |side: &str, error: PeerError| {
            ReplicateError::Checkpoint(format!("Failure on {side} commit: {error}"))
        };
        let target_mark = target_mark.map_err(|error| failed("target", error))?;
        let source_mark = source_mark.map_err(|error| failed("source", error))?;
        if is_replaced(&self.source_mark, &source_mark) {
            return Err(ReplicateError::Replaced("source"));
        }
        if is_replaced(&self.target_mark, &target_mark) {
            return Err(ReplicateError::Replaced("target"));
        }
        let body = checkpoint::body(&self.session_id, &self.through, self.entry(), &self.history);
        let failed = |side: &str, error: PeerError| {
            ReplicateError::Checkpoint(format!("Error updating the {side} checkpoint document: {error}"))
        };
        let stored = self.source_log.store(&*self.source, self.id, &body).await;
        stored.map_err(|error| failed("source", error))?;
        let stored = self.target_log.store(&*self.target, self.id, &body).await;
        stored.map_err(|error| failed("target", error))?;
        self.committed = self.through.clone();
        self.progress
            .update(|snapshot| snapshot.checkpointed_sequence = self.committed.clone());
        self.recorded = Some(body);
        Ok(())
    }

    /// This session's entry in the history.
    fn entry(&self) -> Value {
        let mut entry = Map::new();
        let mut put = |name: &str, value: Value| drop(entry.insert(name.to_owned(), value));
        put("session_id", Value::from(self.session_id.as_str()));
        put("start_time", Value::from(http_date(self.started)));
        put("end_time", Value::from(http_date(Timestamp::now())));
        put("start_last_seq", self.start.clone());
        put("end_last_seq", self.through.clone());
        put("recorded_seq", self.through.clone());
        for (name, number) in self.progress.snapshot().statistics.named() {
            put(name, Value::from(number));
        }
        Value::Object(entry)
    }
}

/// The form of RFC 9110, section 5.6.7.
fn http_date(at: Timestamp) -> String {
    at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn opening(error: PeerError, peer: &impl Peer) -> ReplicateError {
    match error.kind {
        PeerErrorKind::NoDatabase => ReplicateError::NoDatabase(peer.name()),
        PeerErrorKind::Unauthorized => ReplicateError::Unauthorized(peer.name()),
        _ => ReplicateError::Peer(error),
    }
}

async fn open_target<T: Peer>(target: &T, options: &Options) -> Result<String, ReplicateError> {
    let opened = match (target.open().await, &options.create_target) {
        (Err(error), Some(parameters)) if error.kind == PeerErrorKind::NoDatabase => {
            let created = target.create(parameters).await;
            created.map_err(|error| opening(error, target))?;
            target.open().await
        }
        (opened, _) => opened,
    };
    opened.map_err(|error| opening(error, target))
}

/// Whether a database was deleted and made again; stores that give no mark say `"0"`.
fn is_replaced(before: &str, now: &str) -> bool {
    before != now && before != "0" && now != "0"
}

/// Reads the source's changes page by page and sends them on in batches until there are no more. A continuous run
/// ends when the receiver is dropped.
async fn read_changes<S: Peer>(
    source: Arc<S>,
    start: Value,
    options: &Options,
    progress: Arc<Progress>,
    batches: mpsc::Sender<Batch>,
) -> Result<(), PeerError> {
    let mut since = start;
    let mut wait = None;
    loop {
        let query = ChangesQuery {
            since: &since,
            limit: options.batch_rows,
            wait,
            filter: &options.filter,
            winners_only: options.winners_only,
        };
        let page = source.changes(&query).await?;
        progress.update(|snapshot| {
            snapshot.source_sequence = page.last_sequence.clone();
            snapshot.pending = page.pending;
        });
        let is_last = length(&page) < options.batch_rows;
        // In stores whose local documents take sequence numbers, a checkpoint alone advances the sequence. To record
        // that would write another checkpoint, and so on without end.
        let is_idle = length(&page) == 0 && options.filter == Filter::All && since != 0;
        if page.last_sequence != since && !is_idle {
            since = page.last_sequence.clone();
            let batch = Batch {
                rows: page.rows,
                sequence: page.last_sequence,
            };
            if batches.send(batch).await.is_err() {
                return Ok(());
            }
        }
        if is_last && !options.continuous {
            return Ok(());
        }
        // After a full page the next is requested at once; after the last one the request waits for changes.
        wait = is_last.then_some(CHANGES_WAIT);
    }
}

/// The changes of a page, whether they can be replicated or not.
fn length(page: &Changes) -> usize {
    page.rows.len() + page.skipped
}
