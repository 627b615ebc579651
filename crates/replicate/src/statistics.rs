//! What a run counts.

use serde_json::{Map, Value};

/// The counters of a run, which go on from those of the run before it, as CouchDB's do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Revisions that the target was asked about.
    pub missing_checked: u64,
    /// Revisions that it lacked.
    pub missing_found: u64,
    /// Documents read from the source.
    pub docs_read: u64,
    /// Documents written to the target.
    pub docs_written: u64,
    /// Documents that the target refused.
    pub doc_write_failures: u64,
    /// Documents that were returned by requests for several at a time.
    pub bulk_get_docs: u64,
    /// Documents that were requested several at a time.
    pub bulk_get_attempts: u64,
}

impl Statistics {
    /// The counters and their names, in the order in which CouchDB writes them.
    pub fn named(&self) -> [(&'static str, u64); 7] {
        [
            ("missing_checked", self.missing_checked),
            ("missing_found", self.missing_found),
            ("docs_read", self.docs_read),
            ("docs_written", self.docs_written),
            ("doc_write_failures", self.doc_write_failures),
            ("bulk_get_docs", self.bulk_get_docs),
            ("bulk_get_attempts", self.bulk_get_attempts),
        ]
    }

    /// The counters of an entry in a history.
    pub fn of_entry(entry: &Map<String, Value>) -> Statistics {
        let number = |name: &str| entry.get(name).and_then(Value::as_u64).unwrap_or(0);
        Statistics {
            missing_checked: number("missing_checked"),
            missing_found: number("missing_found"),
            docs_read: number("docs_read"),
            docs_written: number("docs_written"),
            doc_write_failures: number("doc_write_failures"),
            bulk_get_docs: number("bulk_get_docs"),
            bulk_get_attempts: number("bulk_get_attempts"),
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &Statistics) {
        self.missing_checked += other.missing_checked;
        self.missing_found += other.missing_found;
        self.docs_read += other.docs_read;
        self.docs_written += other.docs_written;
        self.doc_write_failures += other.doc_write_failures;
        self.bulk_get_docs += other.bulk_get_docs;
        self.bulk_get_attempts += other.bulk_get_attempts;
    }
}
