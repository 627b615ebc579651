//! How many files the process may have open: the caches of open files take shares of them.

use rustix::process::{Resource, getrlimit};

/// The descriptors that the process may have; without a limit, more than anything here takes.
pub(super) fn descriptors_max() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}
