//! Documents batch after batch: what a cursor keeps between batches.

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
    /// Nothing is left (of a tailing stream: for the time being).
    Exhausted,
}

/// Documents one batch after another. Between batches it holds a position, no snapshot.
pub trait DocumentStream: Send {
    /// Adds documents to `batch` until it holds `documents_max`, or the next would take its bytes over `bytes_max`
    /// (an empty batch takes at least one), or nothing more is there.
    fn fill<'a>(
        &'a mut self,
        batch: &'a mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>>;

    /// Gives about `documents_max` documents to a visitor, one by one and where they lie, if the stream need not copy them.
    fn visit<'a>(
        &'a mut self,
        visitor: &'a mut dyn Visitor,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>> {
        Box::pin(async move {
            let mut batch = Vec::new();
            let state = self.fill(&mut batch, documents_max, bytes_max).await?;
            for document in &batch {
                visitor.visit(document.as_raw(), None)?;
            }
            Ok(state)
        })
    }

    /// The operation under which the next batches run.
    fn attach(&mut self, interruption: &Interruption);

    /// Called before a cursor is left until its next batch is asked for: what it keeps goes from the memory of operations
    /// to `idle`, or into files where that has no room; fails where it can go to neither.
    fn rest(&mut self, idle: &mut Share) -> Result<()>;
}

/// A batch that is filled within its limits, as [`DocumentStream::fill`] says.
#[derive(Debug)]
pub struct Batch<'b> {
    documents: &'b mut Vec<DocumentBuf>,
    documents_max: usize,
    bytes: usize,
    bytes_max: usize,
}

impl Batch<'_> {
    /// The batch with what it holds already.
    pub fn new(documents: &mut Vec<DocumentBuf>, documents_max: usize, bytes_max: usize) -> Batch<'_> {
        Batch {
            bytes: documents.iter().map(|document| document.bytes().len()).sum(),
            documents,
            documents_max,
            bytes_max,
        }
    }

    /// How many more documents it takes, if bytes do not end it before.
    pub fn room(&self) -> usize {
        if !self.documents.is_empty() && self.bytes >= self.bytes_max {
            return 0;
        }
        self.documents_max.saturating_sub(self.documents.len())
    }

    /// Whether it takes one more document that is as long as its last.
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

    /// Whether it takes one more document of this many bytes after others that are about to be added.
    pub(super) fn fits_behind(&self, added: usize, added_bytes: usize, bytes: usize) -> bool {
        (self.documents.is_empty() && added == 0) || self.bytes + added_bytes + bytes <= self.bytes_max
    }

    /// Makes room for this many more documents.
    pub(super) fn reserve(&mut self, documents: usize) {
        self.documents.reserve(documents);
    }

    /// Adds documents that fit and lie in one buffer, one after the other.
    pub(super) fn push_all(&mut self, buffer: Bytes, ends: &[usize]) {
        self.reserve(ends.len());
        let mut start = 0;
        for &end in ends {
            self.push(DocumentBuf::from_validated(buffer.slice(start..end)));
            start = end;
        }
    }

    /// Adds a document that fits.
    pub fn push(&mut self, document: DocumentBuf) {
        self.bytes += document.bytes().len();
        self.documents.push(document);
    }
}
