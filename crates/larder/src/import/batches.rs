//! Parsed documents on their way to the target.

use value::DocumentBuf;

/// The most documents in one batch.
const DOCUMENTS_MAX: usize = 1_000;

/// About how many bytes of documents are in one batch: well below what one message may hold.
const BYTES_MAX: usize = 4 << 20;

/// A document and where it stood.
#[derive(Debug)]
pub struct Parsed {
    /// `file:line`.
    pub place: String,
    /// The document.
    pub document: DocumentBuf,
}

/// Text that is not a document.
#[derive(Debug)]
pub struct Bad {
    /// `file:line`.
    pub place: String,
    /// Why.
    pub reason: String,
    /// The text.
    pub text: Vec<u8>,
}

/// Documents that are sent together.
#[derive(Debug, Default)]
pub struct Batch {
    /// What could be parsed.
    pub documents: Vec<Parsed>,
    /// What could not.
    pub bad: Vec<Bad>,
    bytes: usize,
}

impl Batch {
    /// Adds a document.
    pub fn push(&mut self, parsed: Parsed) {
        self.bytes += parsed.document.bytes().len();
        self.documents.push(parsed);
    }

    /// Adds text that is not a document.
    pub fn push_bad(&mut self, bad: Bad) {
        self.bytes += bad.text.len();
        self.bad.push(bad);
    }

    /// Whether it is time to send it.
    pub fn is_full(&self) -> bool {
        self.documents.len() + self.bad.len() >= DOCUMENTS_MAX || self.bytes >= BYTES_MAX
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.bad.is_empty()
    }
}
