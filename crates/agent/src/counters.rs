//! What the agent has done since it started.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct AgentCounter(AtomicU64);

impl AgentCounter {
    /// Adds to it.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// What it is.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct AgentCounters {
    /// Messages that sources gave.
    pub read: AgentCounter,
    /// Of these, those that a transformation did not keep.
    pub discarded: AgentCounter,
    /// Messages without the form that they should have, which are kept as text.
    pub unparsed: AgentCounter,
    /// Fields that could not be converted, and are kept as they were.
    pub unconverted: AgentCounter,
    /// Lines that were cut to the size that is allowed.
    pub cut: AgentCounter,
    /// Records dropped because the spool was full.
    pub dropped: AgentCounter,
    /// Records that the server took.
    pub sent: AgentCounter,
    /// Records that the server had already, from a try whose answer was lost.
    pub repeated: AgentCounter,
    /// Records that the server refused; they are in the file of rejects.
    pub rejected: AgentCounter,
    /// Requests.
    pub requests: AgentCounter,
    /// Requests that failed and were made again.
    pub retries: AgentCounter,
    /// Bytes of requests, compressed.
    pub sent_bytes: AgentCounter,
}

impl AgentCounters {
    /// Names and values.
    pub fn all(&self) -> [(&'static str, u64); 12] {
        [
            ("read", self.read.get()),
            ("discarded", self.discarded.get()),
            ("unparsed", self.unparsed.get()),
            ("unconverted", self.unconverted.get()),
            ("cut", self.cut.get()),
            ("dropped", self.dropped.get()),
            ("sent", self.sent.get()),
            ("repeated", self.repeated.get()),
            ("rejected", self.rejected.get()),
            ("requests", self.requests.get()),
            ("retries", self.retries.get()),
            ("sent_bytes", self.sent_bytes.get()),
        ]
    }
}
