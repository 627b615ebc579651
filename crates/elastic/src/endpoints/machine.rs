//! What the system tells of the machine and of this process; nothing where it does not.

use serde_json::{Value, json};
use std::fs::{read_dir, read_to_string};

/// The pools in which Elasticsearch runs requests; here they all run where they arrive.
pub(super) const POOLS: [&str; 11] = [
    "analyze",
    "fetch_shard_started",
    "fetch_shard_store",
    "flush",
    "force_merge",
    "generic",
    "get",
    "management",
    "refresh",
    "search",
    "write",
];

/// The pool that what runs is shown in.
pub(super) const BUSY_POOL: &str = "management";

/// The machine's memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) total: u64,
    pub(super) free: u64,
    swap: u64,
    swap_free: u64,
}

impl Memory {
    pub(super) fn read() -> Memory {
        let told = read_to_string("/proc/meminfo").unwrap_or_default();
        Memory {
            total: bytes(&told, "MemTotal:"),
            free: bytes(&told, "MemAvailable:"),
            swap: bytes(&told, "SwapTotal:"),
            swap_free: bytes(&told, "SwapFree:"),
        }
    }

    pub(super) fn used(self) -> u64 {
        self.total.saturating_sub(self.free)
    }

    pub(super) fn shown(self) -> Value {
        json!({"total_in_bytes": self.total, "free_in_bytes": self.free, "used_in_bytes": self.used(),
            "free_percent": percent(self.free, self.total), "used_percent": percent(self.used(), self.total)})
    }

    pub(super) fn shown_swap(self) -> Value {
        json!({"total_in_bytes": self.swap, "free_in_bytes": self.swap_free,
            "used_in_bytes": self.swap.saturating_sub(self.swap_free)})
    }
}

/// A number of kilobytes in lines of names and figures, in bytes.
fn bytes(told: &str, name: &str) -> u64 {
    let mut lines = told.lines();
    let kilobytes = lines.find_map(|line| line.strip_prefix(name)?.trim().strip_suffix("kB"));
    let kilobytes = kilobytes.and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0).saturating_mul(1024)
}

pub(super) fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or(0)
}

/// How many threads were busy or waited in the last minute, five minutes and quarter of an hour, as texts.
pub(super) fn loads() -> [String; 3] {
    let told = read_to_string("/proc/loadavg").unwrap_or_default();
    let mut loads = told.split_whitespace();
    [(); 3].map(|()| loads.next().unwrap_or_default().to_owned())
}

/// The same as numbers, by the times that they are of.
pub(super) fn shown_loads() -> Value {
    let [one, five, fifteen] = loads().map(|load| load.parse::<f64>().unwrap_or(0.0));
    json!({"1m": one, "5m": five, "15m": fifteen})
}

pub(super) fn open_files() -> usize {
    read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// How many files may be open; -1 where that is not known.
pub(super) fn open_files_max() -> i64 {
    let told = read_to_string("/proc/self/limits").unwrap_or_default();
    let mut lines = told.lines();
    let limits = lines.find_map(|line| line.strip_prefix("Max open files"));
    let soft = limits.and_then(|limits| limits.split_whitespace().next()?.parse().ok());
    soft.unwrap_or(-1)
}

/// The threads of this process, and the bytes of its addresses.
pub(super) fn threads_and_bytes() -> (u64, u64) {
    let told = read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = told.lines();
    let threads = lines.find_map(|line| line.strip_prefix("Threads:")?.trim().parse().ok());
    (threads.unwrap_or(1), bytes(&told, "VmSize:"))
}
