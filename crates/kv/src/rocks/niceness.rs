//! The priority of the threads that merge tables.

use rustix::process::{Pid, setpriority_process};
use std::fs;
use std::io;

/// The name of the engine's threads that merge, as the system shows it.
const MERGING: &str = "rocksdb:low";

/// The niceness of those threads. While requests use all processors, a merging thread gets a quarter of the share of one of theirs: with
/// hardly any, new tables would pile up until writes stop.
const NICENESS: i32 = 5;

/// Lowers the priority of merging below that of requests. Emptying write buffers, which must not wait long, keeps its priority.
pub(super) fn lower_merging() {
    if let Err(error) = each_merging() {
        tracing::debug!(%error, "merging has the priority of requests");
    }
}

fn each_merging() -> io::Result<()> {
    for thread in fs::read_dir("/proc/self/task")? {
        let folder = thread?.path();
        // A thread may have ended since.
        if !fs::read_to_string(folder.join("comm")).is_ok_and(|name| name.trim_end() == MERGING) {
            continue;
        }
        let number = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
        if let Some(thread) = number.and_then(Pid::from_raw) {
            setpriority_process(Some(thread), NICENESS)?;
        }
    }
    Ok(())
}
