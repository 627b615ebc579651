//! Streams of documents, batch after batch, which cursors keep between batches.

use super::visitor::Visitor;
use crate::Result;
use bytes::Bytes;
use futures::future::BoxFuture;
use language::Interruption;
use memory::Share;
use value::DocumentBuf;

/// Whether a stream has more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamState {
    /// There may be more.
    More,
    /// Nothing is left; in a tailing stream, for the time being.
    Exhausted,
}

/// Documents, one batch after another. Between batches a stream holds a position, but no snapshot.
pub trait DocumentStream: Send {
    /// Adds documents to `batch` until it holds `documents_max`, or the next would take its bytes beyond `bytes_max`
    /// (an empty batch takes at least one), or nothing is left.
    fn fill<'a>(
        &'a mut self,
        batch: &'a mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>>;

    /// Calls a visitor with about `documents_max` documents, one by one, where they lie if the stream need not copy them.
    fn visit<'a>(
        &'a mut self,
        visitor: &'a mut dyn Visitor,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>> {
        Box::pin(async move {
            let mut batch = Vec::new();
            let state = self.fill(&mut batch, documents_max, bytes_max).await?;
            visit_all(&batch, visitor)?;
            Ok(state)
        })
    }

    /// Sets the operation under which the next batches run.
    fn attach(&mut self, interruption: &Interruption);

    /// To be called before a cursor waits for its next batch to be requested. What it keeps moves from the memory of operations
    /// to `idle`, or into files if that has no room. Fails if neither is possible.
    fn rest(&mut self, idle: &mut Share) -> Result<()>;
}

/// Calls a visitor with each document of a batch.
pub(super) fn visit_all(batch: &[DocumentBuf], visitor: &mut dyn Visitor) -> Result<()> {
    for document in batch {
        visitor.visit(document.as_raw(), None)?;
    }
    Ok(())
}

/// A batch that is being filled, with its limits; see [`DocumentStream::fill`].
#[derive(Debug)]
pub struct Batch<'b> {
    documents: &'b mut Vec<DocumentBuf>,
    documents_max: usize,
    bytes: usize,
    bytes_max: usize,
}

impl Batch<'_> {
    /// A batch that holds these documents already.
    pub fn new(documents: &mut Vec<DocumentBuf>, documents_max: usize, bytes_max: usize) -> Batch<'_> {
        Batch {
            bytes: documents.iter().map(|document| document.bytes().len()).sum(),
            documents,
            documents_max,
            bytes_max,
        }
    }

    /// The number of documents that it takes besides, unless its bytes end it before.
    pub fn room(&self) -> usize {
        if !self.documents.is_empty() && self.bytes >= self.bytes_max {
            return 0;
        }
        self.documents_max.saturating_sub(self.documents.len())
    }

    /// Whether it takes one more document as long as its last.
    pub fn fits_another(&self) -> bool {
        self.documents.last().is_none_or(|last| self.fits(last))
    }

    /// The bytes of its documents.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether it takes this document; an empty batch takes any.
    pub fn fits(&self, document: &DocumentBuf) -> bool {
        self.documents.is_empty() || self.bytes + document.bytes().len() <= self.bytes_max
    }

    /// Whether it takes one more document of `bytes` after `added` others, of `added_bytes`, that are about to be added.
    pub(super) fn fits_after(&self, added: usize, added_bytes: usize, bytes: usize) -> bool {
        (self.documents.is_empty() && added == 0) || self.bytes + added_bytes + bytes <= self.bytes_max
    }

    /// Makes room for this many more documents.
    pub(super) fn reserve(&mut self, documents: usize) {
        self.documents.reserve(documents);
    }

    /// Adds documents, which must fit, from one buffer in which they lie one after the other.
    pub(super) fn push_all(&mut self, buffer: Bytes, ends: &[usize]) {
        self.reserve(ends.len());
        let mut start = 0;
        for &end in ends {
            self.push(DocumentBuf::from_validated(buffer.slice(start..end)));
            start = end;
        }
    }

    /// Adds a document, which must fit.
    pub fn push(&mut self, document: DocumentBuf) {
        self.bytes += document.bytes().len();
        self.documents.push(document);
    }
}
