//! `hostInfo`: the machine, as far as the system tells of it.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use std::collections::BTreeSet;
use value::date::now_ms;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let processors = Processors::read(&read("/proc/cpuinfo"), cores);
    let nodes = numa_nodes();
    let kernel = read("/proc/sys/kernel/osrelease").trim().to_owned();
    let release = read("/etc/os-release");
    let (kind, name) = match std::env::consts::OS {
        "linux" => ("Linux", field(&release, "NAME=").unwrap_or("Linux")),
        other => (other, other),
    };
    Ok(doc! {
        "system": {
            "currentTime": Value::DateTime(now_ms()),
            "hostname": engine::host_name(),
            "cpuAddrSize": usize::BITS as i32,
            "memSizeMB": memory_mb(),
            "memLimitMB": memory_mb(),
            "numCores": cores as i32,
            "numCoresAvailableToProcess": cores as i32,
            "numPhysicalCores": processors.cores as i32,
            "numCpuSockets": processors.sockets as i32,
            "cpuArch": std::env::consts::ARCH,
            "numaEnabled": nodes > 1,
            "numNumaNodes": nodes as i32,
        },
        "os": {
            "type": kind,
            "name": name,
            "version": field(&release, "VERSION_ID=").unwrap_or(&kernel),
        },
        "extra": extra(&kernel, &processors),
    }
    .into())
}

/// What is known of the processors.
#[derive(Debug, PartialEq, Eq)]
struct Processors {
    sockets: usize,
    /// Cores of silicon; each may run several threads.
    cores: usize,
    model: String,
    features: String,
}

impl Processors {
    /// Reads what Linux tells. A machine that tells nothing of sockets has one, and as many cores as threads.
    fn read(text: &str, threads: usize) -> Processors {
        let value = |of: &str, name: &str| {
            let line = of.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let (mut sockets, mut cores) = (BTreeSet::new(), BTreeSet::new());
        for processor in text.split("\n\n") {
            if let (Some(socket), Some(core)) = (value(processor, "physical id"), value(processor, "core id"))
            {
                cores.insert((socket.clone(), core));
                sockets.insert(socket);
            }
        }
        Processors {
            sockets: sockets.len().max(1),
            cores: if cores.is_empty() { threads } else { cores.len() },
            model: value(text, "model name").unwrap_or_default(),
            features: value(text, "flags").unwrap_or_default(),
        }
    }
}

fn extra(kernel: &str, processors: &Processors) -> Document {
    doc! {
        "versionString": read("/proc/version").trim(),
        "kernelVersion": kernel,
        "cpuString": processors.model.as_str(),
        "cpuFeatures": processors.features.as_str(),
    }
}

/// The nodes of memory; one where the system tells of none.
fn numa_nodes() -> usize {
    let is_node = |name: &str| {
        let number = name.strip_prefix("node").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let nodes = std::fs::read_dir("/sys/devices/system/node").map_or(0, |entries| {
        let names = entries.flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_str().is_some_and(is_node)).count()
    });
    nodes.max(1)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A value of `os-release`, which may stand in quotes.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim().trim_matches('"'))
}

fn memory_mb() -> i64 {
    let text = read("/proc/meminfo");
    let kilobytes = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<i64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_one_core_are_counted_once() {
        let processor = |socket: u8, core: u8| {
            format!(
                "processor\t: 0\nmodel name\t: M 1\nphysical id\t: {socket}\ncore id\t\t: {core}\nflags\t\t: a b\n"
            )
        };
        let text = [processor(0, 0), processor(0, 0), processor(0, 1), processor(1, 0)].join("\n");
        let read = Processors::read(&text, 4);
        assert_eq!((read.sockets, read.cores), (2, 3));
        assert_eq!((read.model.as_str(), read.features.as_str()), ("M 1", "a b"));
        let unknown = Processors::read("", 4);
        assert_eq!((unknown.sockets, unknown.cores), (1, 4));
    }

    #[test]
    fn names_of_systems_may_stand_in_quotes() {
        let text = "PRETTY_NAME=\"A 1\"\nNAME=\"A\"\nVERSION_ID=1\n";
        assert_eq!(field(text, "NAME="), Some("A"));
        assert_eq!(field(text, "VERSION_ID="), Some("1"));
        assert_eq!(field(text, "ID="), None);
    }
}
