//! A pipeline running: pages from its source pushed through its steps.

use super::chain::Chain;
use super::fused::{Front, Fused};
use super::kept::no_room;
use super::portion::Portion;
use super::row::Row;
use crate::Result;
use futures::future::BoxFuture;
use memory::Share;
use query::execute::{Batch, DocumentStream, Interruption, StreamState};
use std::collections::VecDeque;
use value::DocumentBuf;

/// Documents asked of the source at first; pages grow from there, so that a small answer reads little.
const PAGE_DOCUMENTS_FIRST: usize = 128;
/// Documents asked of the source at most.
const PAGE_DOCUMENTS_MAX: usize = 4_096;
/// Bytes asked of the source at a time.
const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Where the rows come from.
pub(super) enum Input {
    /// A query on a collection.
    Stream(Box<dyn DocumentStream>),
    /// A query on a collection, and what runs as one between it and the first step, a `$group`.
    Fused(Box<dyn DocumentStream>, Fused),
    /// Rows at hand.
    Rows(VecDeque<Row>),
}

/// A running pipeline.
pub(super) struct Running {
    input: Input,
    input_ended: bool,
    chain: Chain,
    page_documents: usize,
    /// Rows that were read, where few at a time are pushed.
    pending: VecDeque<Row>,
    portion: Portion,
    ready: VecDeque<Row>,
    interruption: Interruption,
}

impl Running {
    pub(super) fn new(input: Input, chain: Chain, interruption: Interruption) -> Running {
        Running {
            input,
            input_ended: false,
            chain,
            page_documents: PAGE_DOCUMENTS_FIRST,
            pending: VecDeque::new(),
            portion: Portion::default(),
            ready: VecDeque::new(),
            interruption,
        }
    }

    fn is_finished(&self) -> bool {
        self.input_ended && self.pending.is_empty() && !self.chain.has_more() && self.chain.is_finished()
    }

    /// Does one page of work: reads a page, or lets the first step that is at its end give one.
    async fn advance(&mut self) -> Result<()> {
        self.interruption.check()?;
        let mut rows = Vec::new();
        if self.chain.has_more() {
            self.chain.go_on(&mut rows, &self.interruption).await?;
            if !self.chain.is_open() {
                self.input_ended = true;
                self.pending.clear();
            }
        } else if !self.pending.is_empty() {
            self.push_portion(&mut rows).await?;
        } else if self.input_ended {
            self.chain.finish(&mut rows, &self.interruption).await?;
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

    /// Pushes so many of the rows that were read that what comes out is not too much.
    async fn push_portion(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let count = self.portion.rows().min(self.pending.len());
        let some = self.pending.drain(..count).collect();
        self.chain.push(some, out, &self.interruption).await?;
        self.portion.learn(out.iter());
        if !self.chain.is_open() {
            self.input_ended = true;
            self.pending.clear();
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
                    .visit(&mut front, PAGE_DOCUMENTS_MAX, PAGE_BYTES_MAX)
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
            let Some(row) = self.ready.pop_front() else {
                if self.is_finished() {
                    return Ok(StreamState::Exhausted);
                }
                self.advance().await?;
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
        Box::pin(self.fill_batch(batch, documents_max, bytes_max))
    }

    fn attach(&mut self, interruption: &Interruption) {
        self.interruption = interruption.clone();
        if let Input::Stream(stream) | Input::Fused(stream, _) = &mut self.input {
            stream.attach(interruption);
        }
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        let ready = self.ready.iter().chain(&self.pending).map(Row::size_bytes).sum();
        if !idle.fit(idle.bytes() + ready) {
            return Err(no_room(idle, ready));
        }
        self.chain.rest(idle)?;
        match &mut self.input {
            Input::Stream(stream) | Input::Fused(stream, _) => stream.rest(idle),
            Input::Rows(_) => Ok(()),
        }
    }
}
