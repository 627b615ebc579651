//! Figures of the machine, out of `/proc` and `/sys`: how busy it is, what it has left, how warm it is.

mod parse;

pub use parse::{Cpu, Traffic, cpu, disk_traffic, load, memory, network_traffic};

use super::Intake;
use crate::config::Figures;
use crate::spool::Positions;
use anyhow::Result;
use std::fs;
use std::path::Path;
use std::time::Instant;
use value::{Document, Value};

/// Bytes of a sector in `/proc/diskstats`, whatever the disk has.
const SECTOR_BYTES: u64 = 512;

/// Counters of the kernel, and when they were read.
#[derive(Debug)]
struct Counted {
    at: Instant,
    cpu: Cpu,
    disk: Traffic,
    network: Traffic,
}

/// Takes figures again and again. What the kernel counts becomes the difference to the time before.
#[derive(Debug)]
pub struct Sampler {
    before: Counted,
}

impl Sampler {
    /// Begins to count.
    pub fn new() -> Sampler {
        Sampler { before: counted() }
    }

    /// The figures since the last time.
    pub fn take(&mut self, figures: &Figures) -> Document {
        let now = counted();
        let document = document(figures, &self.before, &now);
        self.before = now;
        document
    }
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler::new()
    }
}

/// Gives figures until it is time to end.
pub async fn run(mut intake: Intake, figures: &Figures) -> Result<()> {
    let mut sampler = Sampler::new();
    loop {
        // Only the difference of counters says something.
        if !intake
            .pause(figures.every.0.min(first_time(intake.is_once)))
            .await
        {
            return Ok(());
        }
        let document = sampler.take(figures);
        let record = intake.processor.document(document, value::date::now_ms());
        let records = record.into_iter().collect();
        if !intake.give(records, Positions::new()).await || intake.is_once {
            return Ok(());
        }
    }
}

fn first_time(is_once: bool) -> std::time::Duration {
    match is_once {
        true => std::time::Duration::from_secs(1),
        false => std::time::Duration::MAX,
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn counted() -> Counted {
    Counted {
        at: Instant::now(),
        cpu: cpu(&read("/proc/stat")).unwrap_or_default(),
        disk: disk_traffic(&read("/proc/diskstats"), |name| {
            Path::new("/sys/block").join(name).exists()
        }),
        network: network_traffic(&read("/proc/net/dev")),
    }
}

fn document(figures: &Figures, before: &Counted, now: &Counted) -> Document {
    let mut document = Document::new();
    let seconds = now.at.duration_since(before.at).as_secs_f64().max(1e-3);
    let rate = |now: u64, before: u64| Value::Double((now.saturating_sub(before) as f64 / seconds).round());
    let busy = now.cpu.busy.saturating_sub(before.cpu.busy);
    let all = now.cpu.all.saturating_sub(before.cpu.all);
    if all > 0 {
        document.push(
            "cpu_percent",
            Value::Double(tenths(100.0 * busy as f64 / all as f64)),
        );
    }
    if let Some(load) = load(&read("/proc/loadavg")) {
        document.push("load_1m", Value::Double(load));
    }
    for (name, bytes) in memory(&read("/proc/meminfo")) {
        document.push(name, Value::integer(bytes as i64));
    }
    document.push(
        "disk_read_bytes_per_s",
        rate(
            now.disk.incoming * SECTOR_BYTES,
            before.disk.incoming * SECTOR_BYTES,
        ),
    );
    document.push(
        "disk_written_bytes_per_s",
        rate(
            now.disk.outgoing * SECTOR_BYTES,
            before.disk.outgoing * SECTOR_BYTES,
        ),
    );
    document.push(
        "network_received_bytes_per_s",
        rate(now.network.incoming, before.network.incoming),
    );
    document.push(
        "network_sent_bytes_per_s",
        rate(now.network.outgoing, before.network.outgoing),
    );
    add_disks(&mut document, figures);
    add_temperatures(&mut document);
    document
}

/// The room of disks: of the first one at the top, of all below their paths.
fn add_disks(document: &mut Document, figures: &Figures) {
    let mut disks = Document::new();
    for path in &figures.disks {
        let Ok(space) = rustix::fs::statvfs(path) else {
            continue;
        };
        let (all, free) = (space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize);
        let used = 100.0 * (1.0 - free as f64 / all.max(1) as f64);
        let room = [
            ("disk_free_bytes", Value::integer(free as i64)),
            ("disk_used_percent", Value::Double(tenths(used))),
        ];
        if disks.is_empty() {
            room.iter()
                .for_each(|(name, value)| document.push(*name, value.clone()));
        }
        let [free, used] = room.map(|(_, value)| value);
        disks.push(
            path.to_string_lossy(),
            Document::new()
                .with("free_bytes", free)
                .with("used_percent", used),
        );
    }
    if disks.len() > 1 {
        document.push("disks", disks);
    }
}

/// The warmest zone, and all of them by their kinds.
fn add_temperatures(document: &mut Document) {
    let mut zones = Document::new();
    let mut warmest: Option<f64> = None;
    for entry in fs::read_dir("/sys/class/thermal").into_iter().flatten().flatten() {
        let text = |name: &str| fs::read_to_string(entry.path().join(name)).ok();
        let degrees = text("temp")
            .and_then(|text| text.trim().parse::<f64>().ok())
            .map(|thousandths| tenths(thousandths / 1000.0));
        if let (Some(degrees), Some(kind)) = (degrees, text("type")) {
            zones.set(kind.trim(), Value::Double(degrees));
            warmest = Some(warmest.unwrap_or(degrees).max(degrees));
        }
    }
    if let Some(warmest) = warmest {
        document.push("temperature_celsius", Value::Double(warmest));
        document.push("temperatures", zones);
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
