//! The logical time that drivers pass on for causally consistent sessions.
//!
//! A read sees every write that was answered before it, so no read ever has to wait for a time: it is enough
//! that the times given are never in the past of those given before, and of those that clients pass on.

use std::sync::atomic::{AtomicU64, Ordering};
use value::date::since_1970;
use value::raw::DocumentWriter;
use value::{Binary, Document, Timestamp, Value, ValueRef, doc};

/// The length of the signature of a cluster time; nobody signs here, so it is all zero.
const SIGNATURE_BYTES: usize = 20;

/// How far ahead of the clock a time that a client passes on may be; MongoDB allows a year.
const DRIFT_SECONDS_MAX: u64 = 365 * 24 * 60 * 60;

/// Gives times that rise.
#[derive(Debug, Default)]
pub(crate) struct ClusterClock {
    /// Seconds in the upper half, an increment in the lower.
    last: AtomicU64,
}

impl ClusterClock {
    /// A time after all times given before.
    pub(crate) fn next(&self) -> Timestamp {
        let seconds = since_1970().as_secs();
        let now = (seconds << 32) | 1;
        let previous = self.last.fetch_max(now, Ordering::Relaxed);
        let time = if previous >= now {
            self.last.fetch_add(1, Ordering::Relaxed) + 1
        } else {
            now
        };
        Timestamp {
            seconds: (time >> 32) as u32,
            increment: time as u32,
        }
    }

    /// Whether a time lies ahead of all times: it cannot have been given by any server whose clock goes right.
    pub(crate) fn is_ahead(&self, time: Timestamp) -> bool {
        let now = self
            .last
            .load(Ordering::Relaxed)
            .max(since_1970().as_secs() << 32 | 1);
        (u64::from(time.seconds) << 32 | u64::from(time.increment)) > now
    }

    /// Takes over a time that a client was given elsewhere, or before a restart: those given from now on are after it.
    pub(crate) fn advance(&self, time: Timestamp) {
        let given = u64::from(time.seconds) << 32 | u64::from(time.increment);
        let limit = (since_1970().as_secs() + DRIFT_SECONDS_MAX) << 32;
        if given < limit {
            self.last.fetch_max(given, Ordering::Relaxed);
        }
    }

    /// Adds what a reply within a session carries; see [`ClusterClock::write`].
    pub(crate) fn stamp(&self, reply: &mut Document) {
        let time = self.next();
        let hash = Binary {
            subtype: 0,
            bytes: vec![0; SIGNATURE_BYTES],
        };
        reply.push(
            "$clusterTime",
            doc! {"clusterTime": time, "signature": {"hash": hash, "keyId": Value::Int64(0)}},
        );
        reply.push("operationTime", time);
    }

    /// The same for a reply that is written at once.
    pub(crate) fn write(&self, reply: &mut DocumentWriter<'_>) {
        let time = ValueRef::Timestamp(self.next());
        reply.put_document("$clusterTime", |passed| {
            passed.put("clusterTime", time);
            passed.put_document("signature", |signature| {
                let bytes = &[0; SIGNATURE_BYTES];
                signature.put("hash", ValueRef::Binary { subtype: 0, bytes });
                signature.put("keyId", ValueRef::Int64(0));
            });
        });
        reply.put("operationTime", time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_rise() {
        let clock = ClusterClock::default();
        let times: Vec<_> = (0..1000).map(|_| clock.next()).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
    }
}
