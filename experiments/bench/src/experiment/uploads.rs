//! `uploads`: files of 3.3 MB put by 50, 100 and 200 clients at once, beside nginx taking the same PUTs (dav).

use crate::Settings;
use crate::client::Http;
use crate::report::{Report, number, ratio};
use crate::server::{Larder, Nginx};
use crate::workload::scramble;
use anyhow::{Result, anyhow};
use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const FILE_BYTES: u64 = 3_300_000;
const CLIENTS: [u64; 3] = [50, 100, 200];
const TURNS: usize = 3;
/// The budget is for what is kept; what 200 clients are just sending comes on top.
const MEMORY_MB: u64 = 512;
const RESIDENT_MAX: u64 = (2 * MEMORY_MB) << 20;

pub fn run(settings: &Settings) -> Result<Report> {
    let body: Vec<u8> = (0..FILE_BYTES).map(|byte| scramble(byte) as u8).collect();
    let folders = (
        settings.folder("uploads-larder")?,
        settings.folder("uploads-nginx")?,
    );
    let larder = Larder::start(&settings.larder, folders.0.path(), &format!("{MEMORY_MB}m"))?;
    let nginx = Nginx::start(folders.1.path())?;
    let mut report = Report::new(
        "uploads",
        "files of 3.3 MB uploaded at once by 50, 100 and 200 clients",
        &[
            "",
            "Larder, durable, s",
            "nginx, s",
            "nginx, then sync, s",
            "the disk alone, s",
            "Larder / nginx",
            "Larder / nginx with sync",
            "Larder, written / sent",
        ],
    );
    report.chart(
        "seconds",
        &["Larder, durable", "nginx", "nginx, then sync", "the disk alone"],
    );
    for clients in CLIENTS {
        let clients = if settings.small { clients / 10 } else { clients };
        let mut best = [f64::MAX; 4];
        let written = larder.written_bytes()?;
        for turn in 0..TURNS {
            // Each begins with nothing left to be written to the disk.
            sync()?;
            let ours = put_all(
                larder.http_address,
                &format!("/files/bench/{turn}"),
                clients,
                &body,
            )?;
            sync()?;
            let started = Instant::now();
            let theirs = put_all(nginx.address, &format!("/dav/{turn}"), clients, &body)?;
            sync()?;
            let durable = started.elapsed().as_secs_f64();
            let disk = write_and_flush(folders.1.path(), clients, &body)?;
            for (best, found) in best.iter_mut().zip([ours, theirs, durable, disk]) {
                *best = best.min(found);
            }
        }
        let [ours, theirs, durable, _] = best;
        let name = format!("{clients} clients");
        let sent = clients * FILE_BYTES * TURNS as u64;
        let written = (larder.written_bytes()? - written) as f64;
        let ratios = [
            ratio(ours, theirs),
            ratio(ours, durable),
            ratio(written, sent as f64),
        ];
        report.row([name.clone()].into_iter().chain(best.map(number)).chain(ratios));
        report.bars(name.clone(), &best);
        report.check(
            format!("{name}: no slower than nginx, which flushes nothing"),
            ratio(ours, theirs),
            ours <= theirs,
        );
        report.check(
            format!("{name}: no slower than nginx with the files on the disk"),
            ratio(ours, durable),
            ours <= durable,
        );
    }
    let resident = larder.resident_peak_bytes()?;
    report.check(
        format!(
            "at most {} MB of memory for a budget of {MEMORY_MB} MB",
            RESIDENT_MAX >> 20
        ),
        format!("{} MB at the most", resident >> 20),
        resident <= RESIDENT_MAX,
    );
    Ok(report)
}

/// The seconds until all uploads are answered, each on a connection of its own.
fn put_all(address: SocketAddr, path: &str, clients: u64, body: &[u8]) -> Result<f64> {
    let started = Instant::now();
    std::thread::scope(|scope| {
        let upload = |number: u64| Http::connect(address)?.put(&format!("{path}-{number}.bin"), body);
        let threads: Vec<_> = (0..clients)
            .map(|number| scope.spawn(move || upload(number)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| anyhow!("a client panicked"))?)
    })?;
    Ok(started.elapsed().as_secs_f64())
}

/// The seconds that the disk takes for the bytes of so many files: one file, written from memory and flushed. Nobody who
/// flushes can be quicker.
fn write_and_flush(folder: &Path, files: u64, body: &[u8]) -> Result<f64> {
    let path = folder.join("bare");
    let started = Instant::now();
    let mut file = File::create(&path)?;
    for _ in 0..files {
        file.write_all(body)?;
    }
    file.sync_data()?;
    let seconds = started.elapsed().as_secs_f64();
    std::fs::remove_file(&path)?;
    Ok(seconds)
}

fn sync() -> Result<()> {
    Command::new("sync").status()?;
    Ok(())
}
