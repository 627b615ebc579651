//! Counting the long documents that operations have read and are working on, so that only a few of many such operations have theirs in
//! memory at a time.

use super::lookup::CHUNK_BYTES;
use crate::Result;
use language::Interruption;
use language::metrics::Metrics;
use memory::{Holder, Share, Turn, WAIT_MAX};
use std::sync::Arc;
use std::time::Duration;
use store::Snapshot;

/// A read of more bytes than this is counted. A chunk of short documents has fewer.
const LONG_CHUNK_BYTES: usize = CHUNK_BYTES + CHUNK_BYTES / 2;

/// If the mean size of a collection's documents is at least this, reads are expected to be counted.
const LONG_MEAN_BYTES: usize = CHUNK_BYTES / 2;

/// What is expected of a read at least where some documents are long and most are not. More are read at once only of what is counted.
const MAY_BE_LONG_BYTES: usize = 4 << 20;

/// How long an operation waits for the documents of others. Then it continues: late is better than never.
const PATIENCE_MAX: Duration = Duration::from_secs(10);

/// The long documents that an execution has read, as long as somebody works on them.
#[derive(Debug, Default)]
pub struct InHand {
    held: Option<Held>,
    /// The bytes that were read last.
    last_bytes: usize,
    /// Whether the documents go into an answer.
    is_answer: bool,
    /// The right to read the documents that were read last, if they go into an answer.
    turn: Option<Turn>,
    /// The memory of the answer as far as it is made, if that is much.
    answer: Option<Share>,
}

#[derive(Debug)]
struct Held {
    share: Share,
    /// The operation's metrics, so that it does not wait for itself: a pipeline may read another collection for each document.
    metrics: Option<Arc<Metrics>>,
    bytes: usize,
}

impl InHand {
    /// From now on the documents go into an answer, and so do those that were read in this turn.
    pub(super) fn answers(&mut self, turn: Option<Turn>) {
        self.is_answer = true;
        self.turn = turn;
    }

    /// To be called before more is read; `kept_bytes` of what was read are still worked on. If the next documents may be long, and the
    /// operation holds no others, waits for room for the expected bytes. Fails if they are to be an answer, and those of others are not
    /// sent in time.
    pub(super) async fn wait(
        &mut self,
        kept_bytes: usize,
        snapshot: &Snapshot,
        interruption: &Interruption,
    ) -> Result<()> {
        self.keep(kept_bytes);
        let expected = self.last_bytes.max(snapshot.mean_bytes());
        if !snapshot.may_be_long() {
            self.wait_for(expected, interruption).await;
            return Ok(());
        }
        self.wait_for(expected.max(MAY_BE_LONG_BYTES), interruption).await;
        if !self.is_answer {
            return Ok(());
        }
        // After that: those who waited for the same before have made answers meanwhile.
        self.turn = None;
        if kept_bytes > LONG_CHUNK_BYTES {
            // A part of the answer is there: others wait for it, and it does not wait for others.
            let new = || interruption.memory.share(Holder::Answers);
            self.answer.get_or_insert_with(new).charge(kept_bytes);
        } else {
            self.turn = Some(take_turn(interruption).await?);
        }
        Ok(())
    }

    /// As [`InHand::wait_for`], for what is made of documents and goes into an answer. Fails if the answers of others are not sent in
    /// time.
    pub async fn wait_to_answer(&mut self, expected: usize, interruption: &Interruption) -> Result<()> {
        self.wait_for(expected, interruption).await;
        if expected >= LONG_MEAN_BYTES {
            let memory = &interruption.memory;
            memory.room(Holder::Answers, WAIT_MAX).await?;
        }
        Ok(())
    }

    /// Waits for room for these bytes, if they are many and the operation holds no other long documents.
    async fn wait_for(&mut self, expected: usize, interruption: &Interruption) {
        if expected < LONG_MEAN_BYTES || self.held.is_some() {
            return;
        }
        let metrics = interruption.metrics.clone();
        let mut share = interruption.memory.share(Holder::Documents);
        let waits_for_itself = metrics
            .as_ref()
            .is_some_and(|metrics| metrics.has_long_documents());
        if waits_for_itself || share.wait(expected, PATIENCE_MAX).await.is_err() {
            share.charge(expected);
        }
        self.held = Some(Held {
            share,
            metrics,
            bytes: 0,
        });
    }

    /// Notes that this many bytes were read.
    pub fn take(&mut self, interruption: &Interruption, bytes: usize) {
        self.last_bytes = if bytes > LONG_CHUNK_BYTES { bytes } else { 0 };
        if self.last_bytes == 0 {
            self.turn = None;
        }
        if self.last_bytes > 0 || self.held.is_some() {
            let new = || Held {
                share: interruption.memory.share(Holder::Documents),
                metrics: interruption.metrics.clone(),
                bytes: 0,
            };
            let held = self.held.get_or_insert_with(new);
            held.set(held.bytes + bytes);
        }
    }

    /// Notes how many of the bytes that were read are still worked on.
    pub fn keep(&mut self, bytes: usize) {
        if bytes <= LONG_CHUNK_BYTES {
            (self.turn, self.answer) = (None, None);
        }
        match &mut self.held {
            Some(held) if bytes > LONG_CHUNK_BYTES => held.set(bytes),
            held => *held = None,
        }
    }
}

/// The right to read documents for an answer; `None` if they cannot be long.
pub(super) async fn turn_to_answer(snapshot: &Snapshot, interruption: &Interruption) -> Result<Option<Turn>> {
    match snapshot.may_be_long() {
        true => take_turn(interruption).await.map(Some),
        false => Ok(None),
    }
}

async fn take_turn(interruption: &Interruption) -> Result<Turn> {
    let turn = interruption.memory.turn_to_answer(true, WAIT_MAX);
    Ok(turn.await?)
}

impl Held {
    fn set(&mut self, bytes: usize) {
        self.share.charge(bytes);
        if let Some(metrics) = &self.metrics {
            metrics.works_on(bytes, self.bytes);
        }
        self.bytes = bytes;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}
