//! Bringing a group up to date with the change log.
//!
//! Changes are read in batches. While the map functions run over some, the next batch is read and the rows of earlier
//! ones are taken in, always in the order of the log. A round of them is written in one commit while the next is gathered,
//! together with the position in the log that it reaches, so after a crash the update goes on from there. A round may end amid a batch:
//! a thousand small documents can have a million rows. The commit need not be flushed by
//! itself: commits become durable in the order in which they are made, so the rows are never ahead of the documents.

use super::Group;
use super::RenderOptions;
use super::round::Round;
use super::state::GroupState;
use crate::javascript::Command;
use crate::limits::{MAP_BATCH_BYTES, MAP_BATCH_DOCUMENTS};
use crate::{Error, Result, ScriptError};
use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;
use store::{
    Change, ChangeKind, DerivedSnapshot, Durability, Order, PageLimit, Sequence, Snapshot, StoreError,
};
use tokio::task::JoinHandle;

/// How far an update is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The full name of the collection.
    pub namespace: String,
    /// The id of the design document.
    pub design: String,
    /// The changes that were looked at.
    pub done: u64,
    /// The changes that there were when it began, and those that came since and were looked at.
    pub total: u64,
    /// When it began.
    pub started: SystemTime,
    /// When it last went on.
    pub updated: SystemTime,
}

/// Changes on their way: what one read of the change log gave.
struct Batch<F> {
    /// Documents that have no rows any more.
    removed: Vec<String>,
    /// Documents that the map functions look at.
    mapped: Mapped,
    /// The rows of the first of them, once the map functions are done; `None` if there are none.
    answer: Option<F>,
    /// Whose turn it was to run them.
    turn: usize,
    /// The last change of the batch.
    sequence: Sequence,
}

/// The trees as a commit left them.
type Rows = (Arc<DerivedSnapshot>, GroupState);

/// An update under way.
struct Following {
    /// The trees, unless they are being written.
    rows: Option<Rows>,
    /// The commit of the round before.
    writing: Option<JoinHandle<Result<Rows>>>,
    round: Round,
    /// What the round reaches: all changes up to here are in the trees, being written or in it.
    sequence: Sequence,
}

impl Following {
    /// Takes the trees, once those are written that are being written.
    async fn take_rows(&mut self) -> Result<Rows> {
        let interrupted = || Error::Store(StoreError::Interrupted);
        match self.writing.take() {
            Some(writing) => writing.await.map_err(|_| interrupted())?,
            None => self.rows.take().ok_or_else(interrupted),
        }
    }
}

/// Documents that map functions look at.
#[derive(Default)]
struct Mapped {
    /// JSON text of the documents, parted by commas.
    text: String,
    /// The documents, where each of them begins in the text, and its place in the log.
    ids: Vec<String>,
    starts: Vec<usize>,
    sequences: Vec<Sequence>,
}

impl Mapped {
    /// The documents from one on as JSON text.
    fn text_from(&self, first: usize) -> String {
        let start = self.starts.get(first).copied().unwrap_or(self.text.len());
        let rest = self.text.get(start..).unwrap_or_default();
        format!("[{rest}]")
    }
}

/// What reading the change log gave.
#[derive(Default)]
struct Read {
    mapped: Mapped,
    /// Documents that have no rows.
    removed: Vec<String>,
    /// The last change in it.
    sequence: Sequence,
    changes: u64,
}

impl Group {
    /// Waits until the rows hold all changes up to `sequence`. The update goes on if nobody waits for it any more.
    pub async fn update(self: &Arc<Self>, sequence: Sequence) -> Result<()> {
        if *self.reached.lock() >= sequence {
            return Ok(());
        }
        let group = self.clone();
        let updated = tokio::spawn(async move { group.update_here(sequence).await });
        updated.await.map_err(|_| Error::Store(StoreError::Interrupted))?
    }

    /// Updates without anybody waiting; what goes wrong is logged.
    pub fn update_in_background(self: &Arc<Self>) {
        let group = self.clone();
        tokio::spawn(async move {
            let head = group.collection.head();
            if let Err(error) = group.update_here(head).await {
                tracing::warn!(design_document = group.definition.id, "{error}");
            }
        });
    }

    async fn update_here(self: &Arc<Self>, sequence: Sequence) -> Result<()> {
        let _updating = self.updating.lock().await;
        if *self.reached.lock() >= sequence {
            return Ok(());
        }
        let result = loop {
            let (snapshot, state) = self.state().await?;
            match self.follow(snapshot, state).await {
                // Another process has written rows meanwhile. They are in the tree, and the update goes on after them.
                // A commit fails like this only if another one succeeded, so the rows advance with each attempt.
                Err(Error::Store(StoreError::Contention)) => {}
                result => break result,
            }
        };
        *self.progress.lock() = None;
        result
    }

    /// Takes in all changes that there are.
    async fn follow(self: &Arc<Self>, snapshot: Arc<DerivedSnapshot>, state: GroupState) -> Result<()> {
        self.begin_progress(&state);
        let mut following = Following {
            round: Round::within(&self.memory),
            sequence: state.sequence.clone(),
            rows: Some((snapshot, state)),
            writing: None,
        };
        let gathered = self.gather(&mut following).await;
        // A commit under way ends before another update may begin, whatever became of what follows it.
        let written = following.take_rows().await;
        let reached_now = gathered?;
        written?;
        let mut reached = self.reached.lock();
        *reached = reached_now.max(reached.clone());
        Ok(())
    }

    /// Gathers rounds out of the log to its end, each while the one before is written; up to where all changes are in them.
    async fn gather(self: &Arc<Self>, following: &mut Following) -> Result<Sequence> {
        let mut sequence = following.sequence.clone();
        // One batch for each worker, and one that waits for the first of them to end.
        let in_flight_max = self.definition.program.workers() + 1;
        let mut in_flight = VecDeque::new();
        let mut turn = 0;
        loop {
            // Read before the log: if the log then has nothing more, the rows hold all changes up to here.
            let head = self.collection.head();
            let read = self.read(&sequence).await?;
            let ended = read.is_none();
            if let Some(read) = read {
                sequence = read.sequence;
                self.note_progress(read.changes);
                let program = &self.definition.program;
                let map = |mapped: &Mapped| program.call_in_turn(turn, Command::Map, mapped.text_from(0));
                in_flight.push_back(Batch {
                    answer: (!read.mapped.ids.is_empty()).then(|| map(&read.mapped)),
                    removed: read.removed,
                    mapped: read.mapped,
                    turn,
                    sequence: sequence.clone(),
                });
                turn += 1;
            }
            while in_flight.len() >= in_flight_max || (ended && !in_flight.is_empty()) {
                if let Some(batch) = in_flight.pop_front() {
                    self.take_in(batch, following).await?;
                }
            }
            if ended {
                self.write(following, ended).await?;
                return Ok(head.max(sequence));
            }
        }
    }

    /// Waits for the map functions and takes the rows into the round, which is written whenever it is full. Where the rows of
    /// the first documents are much, the others are handed over again.
    async fn take_in<F>(self: &Arc<Self>, batch: Batch<F>, following: &mut Following) -> Result<()>
    where
        F: Future<Output = std::result::Result<String, ScriptError>>,
    {
        for id in batch.removed {
            following.round.add_removed(id);
        }
        if let Some(answer) = batch.answer {
            let (mapped, mut done) = (batch.mapped, 0);
            let mut answer = answer.await;
            loop {
                let rest = mapped.ids.get(done..).unwrap_or_default();
                let text = answer.map_err(|script| self.script_error(script, rest))?;
                let taken = following.round.add_mapped(rest, text, &self.definition)?;
                // Reads are ready at once, so nothing else would let others have the thread.
                tokio::task::yield_now().await;
                done += taken;
                if done >= mapped.ids.len() || taken == 0 {
                    break;
                }
                // What comes after this document in the log and has no rows was taken in with the first; it is so again
                // where the update goes on from here.
                if let Some(sequence) = mapped.sequences.get(done - 1) {
                    following.sequence = sequence.clone();
                    self.write_if_full(following).await?;
                }
                let program = &self.definition.program;
                let text = mapped.text_from(done);
                answer = program.call_in_turn(batch.turn, Command::Map, text).await;
            }
        }
        following.sequence = batch.sequence;
        self.write_if_full(following).await
    }

    async fn write_if_full(self: &Arc<Self>, following: &mut Following) -> Result<()> {
        match following.round.is_full() {
            true => self.write(following, false).await,
            false => Ok(()),
        }
    }

    /// The error of a call that was handed documents of these ids.
    fn script_error(&self, script: ScriptError, ids: &[String]) -> Error {
        let place = match script {
            ScriptError::TimedOut { place, .. } | ScriptError::OutOfMemory { place, .. } => Some(place),
            _ => None,
        };
        Error::Script {
            script,
            function: self.definition.id.clone(),
            document: place.and_then(|place| ids.get(place).cloned()),
        }
    }

    /// Begins to write the round, once the one before is written.
    async fn write(self: &Arc<Self>, following: &mut Following, ended: bool) -> Result<()> {
        let (snapshot, state) = following.take_rows().await?;
        // Nothing to note: no change was read, and `complete` does not change.
        if following.sequence == state.sequence && (state.complete || !ended) {
            following.rows = Some((snapshot, state));
            return Ok(());
        }
        let round = std::mem::replace(&mut following.round, Round::within(&self.memory));
        let (group, sequence) = (self.clone(), following.sequence.clone());
        following.writing = Some(tokio::spawn(async move {
            group.commit((snapshot, state), round, sequence, ended).await
        }));
        Ok(())
    }

    /// Commits a round, and takes a snapshot that has it.
    async fn commit(
        &self,
        (snapshot, mut state): Rows,
        mut round: Round,
        sequence: Sequence,
        ended: bool,
    ) -> Result<Rows> {
        let pages = round.write(&snapshot, &mut state, &self.definition).await?;
        state.sequence = sequence;
        state.complete |= ended;
        self.derived
            .commit(snapshot.commits(), state.encode(), pages, Durability::Soon)
            .await?;
        Ok((Arc::new(self.derived.snapshot().await?), state))
    }

    /// The next changes after a position; `None` if there are no more.
    async fn read(&self, after: &Sequence) -> Result<Option<Read>> {
        let snapshot = self.collection.snapshot().await?;
        let limit = PageLimit {
            entries: MAP_BATCH_DOCUMENTS,
            bytes: 2 * MAP_BATCH_BYTES,
        };
        let page = snapshot.change_page(after, Order::Forward, limit).await?;
        let changes = page.changes;
        if changes.is_empty() {
            return self.read_purges(&snapshot, after, &snapshot.head()).await;
        }
        let program = &self.definition.program;
        let members = self.members.get_or_try_init(|| program.members());
        let members = members.await.map_err(|script| self.script_error(script, &[]))?;
        let options = RenderOptions {
            local_sequence: self.definition.local_sequence,
            members: members.as_deref(),
        };
        let mut read = Read::default();
        for change in changes {
            read.sequence = change.sequence.clone();
            read.changes += 1;
            self.render_change(&snapshot, change, options, &mut read).await?;
            if read.mapped.text.len() >= MAP_BATCH_BYTES {
                break;
            }
        }
        // A document may have been purged and made again. The round takes removals in first, so the later rows stay.
        if let Some(purged) = self.read_purges(&snapshot, after, &read.sequence).await? {
            read.removed.extend(purged.removed);
        }
        Ok(Some(read))
    }

    /// The documents that purges removed as a whole; `None` if there was no purge.
    async fn read_purges(
        &self,
        snapshot: &Snapshot,
        after: &Sequence,
        until: &Sequence,
    ) -> Result<Option<Read>> {
        let purges = snapshot.purges(after, until).await?;
        let Some(last) = purges.last() else {
            return Ok(None);
        };
        let whole = purges.iter().filter(|purge| purge.is_whole);
        Ok(Some(Read {
            sequence: last.sequence.clone(),
            removed: whole.filter_map(|purge| self.render.id(&purge.id)).collect(),
            ..Read::default()
        }))
    }

    async fn render_change(
        &self,
        snapshot: &Snapshot,
        change: Change,
        options: RenderOptions<'_>,
        read: &mut Read,
    ) -> Result<()> {
        match change.kind {
            ChangeKind::Put(record) => {
                let history = match record.has_tree() || options.local_sequence {
                    true => Some(snapshot.history_of(&record).await?),
                    false => None,
                };
                let Mapped {
                    text,
                    ids,
                    starts,
                    sequences,
                } = &mut read.mapped;
                let before = text.len();
                text.push_str(if ids.is_empty() { "" } else { "," });
                let start = text.len();
                let id = self.render.document(&record, history.as_ref(), options, text);
                let is_mapped = |id: &str| self.definition.include_design || !id.starts_with("_design/");
                match id {
                    Some(id) if is_mapped(&id) => {
                        ids.push(id);
                        starts.push(start);
                        sequences.push(change.sequence);
                    }
                    _ => text.truncate(before),
                }
            }
            ChangeKind::Deleted { id, .. } => read.removed.extend(self.render.id(&id)),
        }
        Ok(())
    }

    fn begin_progress(&self, state: &GroupState) {
        let head = self.collection.head();
        let now = SystemTime::now();
        *self.progress.lock() = Some(Progress {
            namespace: self.collection.namespace().to_string(),
            design: self.definition.id.clone(),
            done: 0,
            total: head.changes_since(&state.sequence),
            started: now,
            updated: now,
        });
    }

    fn note_progress(&self, changes: u64) {
        if let Some(progress) = &mut *self.progress.lock() {
            progress.done += changes;
            progress.total = progress.total.max(progress.done);
            progress.updated = SystemTime::now();
        }
    }
}
