//! The files of `/proc`, as numbers.

/// Ticks since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// Spent on something.
    pub busy: u64,
    /// All.
    pub all: u64,
}

/// What went in and out since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Read, or received.
    pub incoming: u64,
    /// Written, or sent.
    pub outgoing: u64,
}

/// The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
pub fn cpu(text: &str) -> Option<Cpu> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .take(8)
        .filter_map(|word| word.parse().ok())
        .collect();
    let all = ticks.iter().sum();
    let idle: u64 = ticks.iter().skip(3).take(2).sum();
    (ticks.len() >= 4).then_some(Cpu {
        busy: all - idle,
        all,
    })
}

/// The load of the last minute, of `/proc/loadavg`.
pub fn load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

/// What `/proc/meminfo` tells of memory, in bytes.
pub fn memory(text: &str) -> Vec<(&'static str, u64)> {
    let bytes = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    };
    let mut found = Vec::new();
    if let (Some(all), Some(available)) = (bytes("MemTotal"), bytes("MemAvailable")) {
        found.push(("memory_used_bytes", all.saturating_sub(available)));
        found.push(("memory_available_bytes", available));
    }
    if let (Some(all), Some(free)) = (bytes("SwapTotal"), bytes("SwapFree")) {
        found.push(("swap_used_bytes", all.saturating_sub(free)));
    }
    found
}

/// Sectors of `/proc/diskstats`, of whole disks: what goes through a partition goes through its disk.
pub fn disk_traffic(text: &str, is_disk: impl Fn(&str) -> bool) -> Traffic {
    let mut traffic = Traffic::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, _, name, _, _, read, _, _, _, written, ..] = words[..] else {
            continue;
        };
        let is_made_of_others = ["loop", "ram", "dm-", "md", "zram"]
            .iter()
            .any(|kind| name.starts_with(kind));
        if !is_made_of_others && is_disk(name) {
            traffic.incoming += read.parse::<u64>().unwrap_or(0);
            traffic.outgoing += written.parse::<u64>().unwrap_or(0);
        }
    }
    traffic
}

/// Bytes of `/proc/net/dev`, of all interfaces but the loopback.
pub fn network_traffic(text: &str) -> Traffic {
    let mut traffic = Traffic::default();
    for line in text.lines() {
        let Some((name, numbers)) = line.split_once(':') else {
            continue;
        };
        let numbers: Vec<u64> = numbers
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        if name.trim() != "lo" && numbers.len() >= 9 {
            traffic.incoming += numbers[0];
            traffic.outgoing += numbers[8];
        }
    }
    traffic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_proc_are_numbers() {
        assert_eq!(
            cpu("cpu  10 1 5 80 4 0 0 0 0 0\ncpu0 1 1 1 1"),
            Some(Cpu { busy: 16, all: 100 })
        );
        assert_eq!(cpu("nothing"), None);
        assert_eq!(load("0.52 0.58 0.59 1/467 12345\n"), Some(0.52));
        let text =
            "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 600 kB\nSwapTotal: 10 kB\nSwapFree: 10 kB\n";
        let wanted = [
            ("memory_used_bytes", 409_600),
            ("memory_available_bytes", 614_400),
            ("swap_used_bytes", 0),
        ];
        assert_eq!(memory(text), wanted);
        let text = "   8 0 sda 1 2 300 4 5 6 700 8 0 0 0\n   8 1 sda1 1 2 300 4 5 6 700 8 0 0 0\n 253 0 dm-0 1 2 3 4 5 6 7 8\nx\n";
        assert_eq!(
            disk_traffic(text, |name| name != "sda1"),
            Traffic {
                incoming: 300,
                outgoing: 700
            }
        );
        let text = "Inter-| Receive\n lo: 9 0 0 0 0 0 0 0 9 0\neth0: 100 1 0 0 0 0 0 0 200 1 0\nwlan0:5 1 0 0 0 0 0 0 6 1 0\n";
        assert_eq!(
            network_traffic(text),
            Traffic {
                incoming: 105,
                outgoing: 206
            }
        );
    }
}
