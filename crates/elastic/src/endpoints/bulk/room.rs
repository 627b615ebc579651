//! The memory of a bulk request besides its text: what is known of each item until all are answered, and the documents of those that
//! are written together.

use super::parse::BulkItem;
use crate::limits::BULK_COMMIT_MAX;
use indices::error::{ElasticError, Result};
use memory::{Holder, Share, WAIT_MAX};
use rest::call::Call;

/// The text of documents that are read together at most, but for a single longer one.
const GROUP_BYTES_MAX: usize = 4 << 20;
/// What is made of a document's text, about: itself taken apart, and as it is written.
const DOCUMENT_FACTOR: usize = 4;
/// What the answer of an item takes, about.
const ANSWER_BYTES: usize = 1 << 10;

/// The memory of a bulk request.
pub(super) struct Room {
    share: Share,
    /// What pipelines have made of the documents that are written together.
    grown_bytes: usize,
    /// What it holds besides.
    own_bytes: usize,
}

impl Room {
    /// Waits for what is needed of these items. More of them than the limit leaves room for are refused before any is written.
    pub(super) async fn take(call: &Call, items: &[BulkItem<'_>]) -> Result<Room> {
        let mut share = call.server.engine.memory().share(Holder::Ingest);
        let answer_bytes = if call.shows("items") { ANSWER_BYTES } else { 0 };
        let of_items = items.len() * (size_of::<BulkItem<'_>>() + answer_bytes);
        if of_items > share.limit() {
            return Err(ElasticError::no_memory(&share.full(of_items)));
        }
        let own_bytes = of_items + DOCUMENT_FACTOR * longest_group(items);
        share
            .wait(own_bytes, WAIT_MAX)
            .await
            .map_err(|full| ElasticError::no_memory(&full))?;
        Ok(Room {
            share,
            grown_bytes: 0,
            own_bytes,
        })
    }

    /// Documents are read that are written together.
    pub(super) fn begin(&mut self) {
        self.grown_bytes = 0;
        // What is less always fits.
        self.share.fit(self.own_bytes);
    }

    /// A pipeline has made a document of this size.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<()> {
        let grown_bytes = self.grown_bytes + bytes;
        self.share
            .set(self.own_bytes.max(grown_bytes))
            .map_err(|full| ElasticError::no_memory(&full))?;
        self.grown_bytes = grown_bytes;
        Ok(())
    }
}

/// The items whose documents are read together.
pub(super) fn group_length(items: &[BulkItem<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |item: &&BulkItem<'_>| {
        bytes += item.source.len();
        bytes <= GROUP_BYTES_MAX
    };
    items.iter().take(BULK_COMMIT_MAX).take_while(fits).count().max(1)
}

/// The bytes of the longest texts that are read together.
fn longest_group(items: &[BulkItem<'_>]) -> usize {
    let (mut rest, mut longest) = (items, 0);
    while !rest.is_empty() {
        let (group, later) = rest.split_at(group_length(rest));
        longest = longest.max(group.iter().map(|item| item.source.len()).sum());
        rest = later;
    }
    longest
}
