//! The priority of the threads that merge tables.

use rustix::process::{Pid, setpriority_process};
use std::fs;
use std::io;

/// The name of the engine's threads that merge, as the system shows it.
const MERGING: &str = "rocksdb:low";

/// How nice those are. Beside requests that want all processors they have a quarter of what one of these has: with none to speak of,
/// new tables would pile up until writes stop.
const NICENESS: i32 = 5;

/// Lets merging stand back behind requests. What must not wait long, emptying write buffers, does not.
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
