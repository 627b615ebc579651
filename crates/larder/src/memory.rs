//! How much memory the machine, or the cgroup that we run in, lets us have.

use std::fs;

/// The least budget that the engine works with.
pub const BUDGET_BYTES_MIN: usize = 32 << 20;

/// The budget where none is given: a quarter of the memory, at most 4 GB.
pub fn default_budget() -> usize {
    let available = [machine_bytes(), cgroup_bytes()].into_iter().flatten().min();
    available.map_or(256 << 20, |bytes| (bytes / 4).clamp(BUDGET_BYTES_MIN, 4 << 30))
}

/// `MemTotal` of /proc/meminfo (proc(5)).
fn machine_bytes() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The limit of cgroup v2, else of v1 (kernel documentation, cgroup-v2 `memory.max`).
fn cgroup_bytes() -> Option<usize> {
    [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .iter()
    .find_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok())
}
