//! How much memory the machine, or the cgroup that we run in, lets us have.

use std::fs;
use std::path::Path;

/// The least budget that the engine works with.
pub const BUDGET_BYTES_MIN: usize = 32 << 20;

/// The budget if none is given: a quarter of the memory, at most 4 GB.
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

/// The least limit of the cgroups that this process is in.
fn cgroup_bytes() -> Option<usize> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limit_of(&groups, |path| fs::read_to_string(path).ok())
}

/// The least limit of these groups, which are told as in /proc/self/cgroup (cgroups(7)): that of one holds for all below it. Of v2
/// `memory.max`, of v1 `memory.limit_in_bytes` (kernel documentation). A container sees its own group as the root.
fn limit_of(groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let named = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        Some((parts.next()?, parts.next()?))
    });
    let all = [("", "/"), ("memory", "/")].into_iter().chain(named);
    let limits = all.filter_map(|(controllers, group)| {
        let (mount, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            of if of.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let folder = Path::new(mount).join(group.trim_start_matches('/'));
        let folders = folder.ancestors().take_while(|folder| folder.starts_with(mount));
        // A group without a limit has a word in place of the number.
        let limit = |folder: &Path| read(&folder.join(file))?.trim().parse::<usize>().ok();
        folders.filter_map(limit).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_of_a_group_and_of_those_above_it_holds() {
        let limits = [
            ("/sys/fs/cgroup/system.slice/larder.service/memory.max", "max\n"),
            ("/sys/fs/cgroup/system.slice/memory.max", "1000\n"),
            ("/sys/fs/cgroup/memory/user/memory.limit_in_bytes", "500\n"),
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ];
        let limit = |groups: &str| {
            limit_of(groups, |path| {
                let found = limits.iter().find(|(of, _)| Path::new(of) == path);
                found.map(|(_, text)| (*text).to_owned())
            })
        };
        assert_eq!(limit("0::/system.slice/larder.service\n"), Some(1000));
        assert_eq!(limit("5:cpu,cpuacct:/user\n4:memory:/user\n0::/\n"), Some(500));
        assert_eq!(limit(""), Some(9_223_372_036_854_771_712));
        assert_eq!(limit_of("0::/\n", |_| None), None);
    }
}
