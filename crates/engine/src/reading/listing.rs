//! Cursors over documents in memory: listings of collections and indexes, results of bulk writes.

use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limits::FIRST_BATCH_DOCUMENTS_DEFAULT;
use crate::tables::cursors::{Cursor, CursorReply};
use code::Code;
use futures::future::{BoxFuture, FutureExt};
use memory::Share;
use query::execute::{Batch, DocumentStream, Interruption, StreamState};
use std::collections::VecDeque;
use store::Namespace;
use value::DocumentBuf;

/// Documents in memory, returned batch by batch.
struct Listing {
    documents: VecDeque<DocumentBuf>,
}

impl DocumentStream for Listing {
    fn fill<'a>(
        &'a mut self,
        batch: &'a mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, query::Result<StreamState>> {
        let mut batch = Batch::new(batch, documents_max, bytes_max);
        while batch.room() > 0
            && self
                .documents
                .front()
                .is_some_and(|document| batch.fits(document))
            && let Some(document) = self.documents.pop_front()
        {
            batch.push(document);
        }
        let state = if self.documents.is_empty() {
            StreamState::Exhausted
        } else {
            StreamState::More
        };
        futures::future::ready(Ok(state)).boxed()
    }

    fn attach(&mut self, _interruption: &Interruption) {}

    fn rest(&mut self, idle: &mut Share) -> query::Result<()> {
        let bytes = self.documents.iter().map(|document| document.bytes().len()).sum();
        Ok(idle.add(bytes)?)
    }
}

impl Engine {
    /// The first batch of documents that are in memory already, and a cursor if there are more.
    pub fn open_listing(
        &self,
        context: &Context,
        namespace: Namespace,
        documents: Vec<DocumentBuf>,
        batch_size: Option<u64>,
    ) -> Result<CursorReply> {
        let documents = documents.into();
        let cursor = Cursor::new(context, &namespace, Box::new(Listing { documents }));
        let batch_size = batch_size.unwrap_or(FIRST_BATCH_DOCUMENTS_DEFAULT);
        // A listing is in memory, so the future is ready at once.
        self.open_cursor(context, cursor, batch_size, false)
            .now_or_never()
            .unwrap_or_else(|| Err(Error::new(Code::UNKNOWN_ERROR, "a listing was not at hand")))
    }
}
