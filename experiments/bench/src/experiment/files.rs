//! `files`: files of three sizes served to 1, 32 and 100 clients, beside nginx serving the same files.

use crate::Settings;
use crate::client::Http;
use crate::report::{Report, number, ratio};
use crate::server::{Larder, Nginx};
use crate::workload::scramble;
use anyhow::{Context, Result, ensure};
use std::net::SocketAddr;
use std::process::Command;

const SIZES: [(&str, u64); 3] = [("1 kB", 1 << 10), ("100 kB", 100 << 10), ("1 MB", 1 << 20)];
const CLIENTS: [u32; 3] = [1, 32, 100];
/// Turns that each server has at each point; the median counts, since the machine's other work comes and goes.
const TURNS: usize = 5;
const RATIO_MIN: f64 = 0.9;

pub fn run(settings: &Settings) -> Result<Report> {
    let seconds = settings.size(3, 1);
    let folders = (settings.folder("files-larder")?, settings.folder("files-nginx")?);
    let larder = Larder::start(&settings.larder, folders.0.path(), "512m")?;
    let nginx = Nginx::start(folders.1.path())?;
    let mut client = Http::connect(larder.http_address)?;
    for (at, (_, bytes)) in SIZES.iter().enumerate() {
        let body: Vec<u8> = (0..*bytes).map(|byte| scramble(byte) as u8).collect();
        client.put(&format!("/files/bench/{at}.bin"), &body)?;
        std::fs::write(nginx.root.join(format!("{at}.bin")), &body)?;
    }
    let mut report = Report::new(
        "files",
        "files served to 1, 32 and 100 clients, warm",
        &["", "Larder, requests/s", "nginx, requests/s", "Larder / nginx"],
    );
    report.chart("requests/s", &["Larder", "nginx"]);
    for (at, (size, _)) in SIZES.iter().enumerate() {
        for clients in CLIENTS {
            let (ours, theirs) = both(&larder, &nginx, at, clients, seconds)?;
            let name = format!("{size}, {clients} clients");
            report.row([name.clone(), number(ours), number(theirs), ratio(ours, theirs)]);
            report.bars(name.clone(), &[ours, theirs]);
            let wanted = format!("{name}: at least {RATIO_MIN} of nginx");
            report.check(wanted, ratio(ours, theirs), ours >= RATIO_MIN * theirs);
        }
    }
    Ok(report)
}

/// The requests a second of both, measured in turns.
fn both(larder: &Larder, nginx: &Nginx, file: usize, clients: u32, seconds: u64) -> Result<(f64, f64)> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        theirs.push(wrk(nginx.address, &format!("/{file}.bin"), clients, seconds)?);
        ours.push(wrk(
            larder.http_address,
            &format!("/files/bench/{file}.bin"),
            clients,
            seconds,
        )?);
    }
    let median = |mut rates: Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    Ok((median(ours), median(theirs)))
}

fn wrk(address: SocketAddr, path: &str, clients: u32, seconds: u64) -> Result<f64> {
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{clients}"), &format!("-d{seconds}s")])
        .arg(format!("http://{address}{path}"))
        .output()
        .context("running wrk")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(!text.contains("Non-2xx"), "{path} was refused:\n{text}");
    let rate = text.lines().find_map(|line| line.strip_prefix("Requests/sec:"));
    Ok(rate.context("wrk gave no rate")?.trim().parse()?)
}
