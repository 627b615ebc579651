//! Results that are ready to be taken.

use super::hit::Hit;
use std::collections::VecDeque;
use store::RecordId;
use value::{Document, DocumentBuf};

/// After this many bytes of documents, no more are read until some are taken.
const READY_BYTES: usize = 2 << 20;

/// A document that a query found.
#[derive(Clone, Debug)]
pub struct FoundRecord {
    /// The record that it was read from.
    pub record: RecordId,
    /// The document, or only the needed fields if an index had them.
    pub document: DocumentBuf,
    /// Where in an array it matched, if that was asked for.
    pub position: Option<usize>,
    /// The index key under which it was found, if that was asked for.
    pub key: Option<Box<Document>>,
}

impl FoundRecord {
    /// A document without position and key.
    pub(super) fn whole(record: RecordId, document: DocumentBuf) -> FoundRecord {
        FoundRecord {
            record,
            document,
            position: None,
            key: None,
        }
    }

    /// The result of a hit. `copied` copies its document, so that the page that it was read with can be freed: a filter keeps few
    /// documents of many.
    pub(super) fn of(hit: Hit, copied: bool, position: Option<usize>) -> FoundRecord {
        let document = match hit.document {
            Some(document) if copied => document.as_raw().to_buf(),
            Some(document) => document,
            None => DocumentBuf::from(&Document::new()),
        };
        FoundRecord {
            record: hit.record,
            document,
            position,
            key: hit.key,
        }
    }
}

/// Results in their order, and the bytes of their documents.
#[derive(Debug, Default)]
pub(super) struct Ready {
    results: VecDeque<FoundRecord>,
    bytes: usize,
}

impl Ready {
    pub(super) fn len(&self) -> usize {
        self.results.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether some must be taken before more are read.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= READY_BYTES
    }

    pub(super) fn reserve(&mut self, results: usize) {
        self.results.reserve(results);
    }

    pub(super) fn push(&mut self, found: FoundRecord) {
        self.bytes += found.document.bytes().len();
        self.results.push_back(found);
    }

    pub(super) fn put_back(&mut self, found: FoundRecord) {
        self.bytes += found.document.bytes().len();
        self.results.push_front(found);
    }

    pub(super) fn take(&mut self) -> Option<FoundRecord> {
        let found = self.results.pop_front()?;
        self.bytes -= found.document.bytes().len();
        Some(found)
    }

    /// Takes all of them as hits, to be looked up again.
    pub(super) fn take_hits(&mut self) -> impl Iterator<Item = Hit> {
        self.bytes = 0;
        self.results.drain(..).map(|found| Hit {
            key: found.key,
            ..Hit::of_record(found.record)
        })
    }
}
