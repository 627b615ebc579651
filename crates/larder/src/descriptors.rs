//! File descriptors: every connection takes one, and so does the store for its files. A store without one stops all writes, so
//! connections leave it some.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that connections leave to everything else: the store's tables, logs and large values, temporary files,
/// replications.
const KEPT_BACK: usize = 2_048;

/// Raises the limit of descriptors as far as the system lets the process: the usual 1,024, with which it is started, is not what
/// anybody chose.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if limit.current != raised.current
        && let Err(error) = setrlimit(Resource::Nofile, raised)
    {
        tracing::warn!(%error, limit = limit.current, "the limit of open files could not be raised");
    }
}

/// The connections that there may be, at most as many as wanted.
pub fn connections_max(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    let Some(limit) = limit.and_then(|limit| usize::try_from(limit).ok()) else {
        return wanted;
    };
    let connections = wanted.min(beside_the_store(limit));
    if connections < wanted {
        tracing::warn!(
            connections,
            wanted,
            limit,
            "fewer connections than wanted: the limit of open files (ulimit -Hn) is too low"
        );
    }
    connections
}

/// What is left of a limit for connections: at least half.
fn beside_the_store(limit: usize) -> usize {
    limit - KEPT_BACK.min(limit / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_keeps_its_descriptors_and_connections_at_least_half() {
        let left = [0, 256, 1_024, 2 * KEPT_BACK, 20_000].map(beside_the_store);
        assert_eq!(left, [0, 128, 512, KEPT_BACK, 20_000 - KEPT_BACK]);
    }
}
