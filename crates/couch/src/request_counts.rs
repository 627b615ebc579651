//! How many requests of each method came since the server started, and how many answers of each status went.

use http::{Method, StatusCode};
use std::sync::atomic::{AtomicU64, Ordering};

/// The methods that are counted by themselves (`src/couch/priv/stats_descriptions.cfg`).
const METHODS: [&str; 7] = ["COPY", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];

/// The statuses that are.
const STATUSES: [StatusCode; 25] = [
    StatusCode::OK,
    StatusCode::CREATED,
    StatusCode::ACCEPTED,
    StatusCode::NO_CONTENT,
    StatusCode::PARTIAL_CONTENT,
    StatusCode::MOVED_PERMANENTLY,
    StatusCode::FOUND,
    StatusCode::NOT_MODIFIED,
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::CONFLICT,
    StatusCode::PRECONDITION_FAILED,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::URI_TOO_LONG,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::RANGE_NOT_SATISFIABLE,
    StatusCode::EXPECTATION_FAILED,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::NOT_IMPLEMENTED,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::INSUFFICIENT_STORAGE,
];

/// The counts.
#[derive(Debug, Default)]
pub(crate) struct RequestCounts {
    all: AtomicU64,
    methods: [AtomicU64; METHODS.len()],
    statuses: [AtomicU64; STATUSES.len()],
}

impl RequestCounts {
    /// A request of this method came.
    pub(crate) fn came(&self, method: &Method) {
        self.all.fetch_add(1, Ordering::Relaxed);
        count(&METHODS, &self.methods, &method.as_str());
    }

    /// An answer of this status went.
    pub(crate) fn answered(&self, status: StatusCode) {
        count(&STATUSES, &self.statuses, &status);
    }

    /// All requests.
    pub(crate) fn all(&self) -> u64 {
        self.all.load(Ordering::Relaxed)
    }

    /// Those of each method.
    pub(crate) fn methods(&self) -> impl Iterator<Item = (&'static str, u64)> {
        METHODS.into_iter().zip(counts(&self.methods))
    }

    /// The answers of each status.
    pub(crate) fn statuses(&self) -> impl Iterator<Item = (StatusCode, u64)> {
        STATUSES.into_iter().zip(counts(&self.statuses))
    }
}

fn count<T: PartialEq>(kinds: &[T], counts: &[AtomicU64], kind: &T) {
    let mut counted = kinds.iter().zip(counts);
    if let Some((_, count)) = counted.find(|(known, _)| *known == kind) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn counts(counts: &[AtomicU64]) -> impl Iterator<Item = u64> {
    counts.iter().map(|count| count.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_count_of_its_own_counts_among_all() {
        let counts = RequestCounts::default();
        let patch = Method::from_bytes(b"PATCH").expect("a method");
        for method in [Method::GET, Method::GET, patch] {
            counts.came(&method);
        }
        counts.answered(StatusCode::NOT_FOUND);
        counts.answered(StatusCode::IM_A_TEAPOT);
        assert_eq!(counts.all(), 3);
        let methods: Vec<_> = counts.methods().filter(|(_, count)| *count > 0).collect();
        assert_eq!(methods, [("GET", 2)]);
        let statuses: Vec<_> = counts.statuses().filter(|(_, count)| *count > 0).collect();
        assert_eq!(statuses, [(StatusCode::NOT_FOUND, 1)]);
    }
}
