//! Running a pipeline: pages of its source are pushed through its steps.

use super::chain::Chain;
use super::fused::{Front, Fused};
use super::portion::Portion;
use super::row::Row;
use super::waiting::Waiting;
use crate::Result;
use futures::future::BoxFuture;
use memory::Share;
use query::execute::{Batch, DocumentStream, InHand, Interruption, StreamState};
use query::spill::SpillFolder;
use std::collections::VecDeque;
use std::sync::Arc;
use value::DocumentBuf;

/// The number of documents that are read from the source at first. Pages grow from there, so that a small answer reads little.
const PAGE_DOCUMENTS_FIRST: usize = 128;
/// The most documents that are read from the source at a time.
const PAGE_DOCUMENTS_MAX: usize = 4_096;
/// The number of documents that pass a `$group` where they lie on one snapshot. They are not gathered, so they may be many.
const VISITED_DOCUMENTS_MAX: usize = 262_144;
/// The bytes that are read from the source at a time.
const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Where the rows come from.
pub(super) enum Input {
    /// A query on a collection.
    Stream(Box<dyn DocumentStream>),
    /// A query on a collection, and what runs as one between it and the first step, a `$group`.
    Fused(Box<dyn DocumentStream>, Fused),
    /// Rows in memory.
    Rows(VecDeque<Row>),
}

/// A running pipeline.
pub(super) struct Running {
    input: Input,
    input_ended: bool,
    chain: Chain,
    page_documents: usize,
    /// Rows that were read, if only a few are pushed at a time.
    pending: Waiting,
    portion: Portion,
    ready: Waiting,
    /// What a stage returns at its end, until it is passed on.
    in_hand: InHand,
    /// The folder to which rows may move during a pause; `None` if they may not.
    spill: Option<Arc<SpillFolder>>,
    interruption: Interruption,
}

impl Running {
    pub(super) fn new(
        input: Input,
        chain: Chain,
        spill: Option<Arc<SpillFolder>>,
        interruption: Interruption,
    ) -> Running {
        Running {
            input,
            input_ended: false,
            chain,
            page_documents: PAGE_DOCUMENTS_FIRST,
            pending: Waiting::default(),
            portion: Portion::default(),
            ready: Waiting::default(),
            in_hand: InHand::default(),
            spill,
            interruption,
        }
    }

    fn is_finished(&self) -> bool {
        self.input_ended && self.pending.is_empty() && !self.chain.has_more() && self.chain.is_finished()
    }

    /// Does one page of work: reads a page, or makes the first step at its end return one. `given_bytes` were returned earlier
    /// and are not taken yet.
    async fn advance(&mut self, given_bytes: usize) -> Result<()> {
        self.interruption.check()?;
        let mut rows = Vec::new();
        if self.chain.has_more() {
            self.chain.go_on(&mut rows, &self.interruption).await?;
            if !self.chain.is_open() {
                self.input_ended = true;
                self.pending = Waiting::default();
            }
        } else if !self.pending.is_empty() {
            self.push_portion(&mut rows).await?;
        } else if self.input_ended {
            self.finish(given_bytes, &mut rows).await?;
        } else {
            let (page, state) = self.read().await?;
            self.input_ended = state == StreamState::Exhausted;
            if self.chain.expands() {
                self.pending = page.into();
                self.push_portion(&mut rows).await?;
            } else {
                self.chain.push(page, &mut rows, &self.interruption).await?;
                self.input_ended |= !self.chain.is_open();
            }
        }
        self.ready.extend(rows);
        Ok(())
    }

    /// Makes the first step at its end return a page. If documents are long, only a few operations do that at a time.
    async fn finish(&mut self, given_bytes: usize, out: &mut Vec<Row>) -> Result<()> {
        let expected = self.chain.finish_bytes();
        self.in_hand.keep(given_bytes);
        // Most of what pipelines make goes into an answer, that of a `$lookup` at last.
        self.in_hand.wait_to_answer(expected, &self.interruption).await?;
        self.chain.finish(out, &self.interruption).await?;
        if expected > 0 {
            let bytes = out.iter().map(Row::size_bytes).sum();
            self.in_hand.take(&self.interruption, bytes);
        }
        Ok(())
    }

    /// Pushes as many of the rows that were read as keep the output small enough.
    async fn push_portion(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let some = self.pending.take(self.portion.rows())?;
        self.chain.push(some, out, &self.interruption).await?;
        self.portion.learn(out.iter());
        if !self.chain.is_open() {
            self.input_ended = true;
            self.pending = Waiting::default();
        }
        Ok(())
    }

    async fn read(&mut self) -> Result<(Vec<Row>, StreamState)> {
        let wanted = self.page_documents;
        self.page_documents = (wanted * 2).min(PAGE_DOCUMENTS_MAX);
        match &mut self.input {
            Input::Fused(stream, fused) => {
                let Some(group) = self.chain.first() else {
                    return Ok((Vec::new(), StreamState::Exhausted));
                };
                let mut front = Front { fused, group };
                let state = stream
                    .visit(&mut front, VISITED_DOCUMENTS_MAX, PAGE_BYTES_MAX)
                    .await?;
                Ok((Vec::new(), state))
            }
            Input::Stream(stream) => {
                let mut batch = Vec::new();
                let state = stream.fill(&mut batch, wanted, PAGE_BYTES_MAX).await?;
                Ok((batch.into_iter().map(Row::Raw).collect(), state))
            }
            Input::Rows(rows) => {
                let page = rows.drain(..wanted.min(rows.len())).collect();
                let state = if rows.is_empty() {
                    StreamState::Exhausted
                } else {
                    StreamState::More
                };
                Ok((page, state))
            }
        }
    }

    async fn fill_batch(
        &mut self,
        batch: &mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> Result<StreamState> {
        let mut batch = Batch::new(batch, documents_max, bytes_max);
        while batch.room() > 0 {
            let Some(row) = self.ready.pop()? else {
                if self.is_finished() {
                    return Ok(StreamState::Exhausted);
                }
                // Another long one would wait here until it is requested.
                if !batch.fits_another() {
                    return Ok(StreamState::More);
                }
                self.advance(batch.bytes()).await?;
                continue;
            };
            let document = row.into_bson()?;
            if !batch.fits(&document) {
                self.ready.push_front(Row::Raw(document));
                return Ok(StreamState::More);
            }
            batch.push(document);
        }
        if self.ready.is_empty() && self.is_finished() {
            return Ok(StreamState::Exhausted);
        }
        Ok(StreamState::More)
    }
}

impl DocumentStream for Running {
    fn fill<'a>(
        &'a mut self,
        batch: &'a mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>> {
        Box::pin(async move {
            let filled = self.fill_batch(batch, documents_max, bytes_max).await;
            // Whoever has the batch now counts it.
            self.in_hand.keep(0);
            filled
        })
    }

    fn attach(&mut self, interruption: &Interruption) {
        self.interruption = interruption.clone();
        if let Input::Stream(stream) | Input::Fused(stream, _) = &mut self.input {
            stream.attach(interruption);
        }
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.ready.rest(idle, self.spill.as_deref())?;
        self.pending.rest(idle, self.spill.as_deref())?;
        self.chain.rest(idle, self.spill.as_deref())?;
        match &mut self.input {
            Input::Stream(stream) | Input::Fused(stream, _) => stream.rest(idle),
            Input::Rows(_) => Ok(()),
        }
    }
}
