//! `flush`: latency of single durable writes while the disk is idle and while it is busy, beside bare flushes
//! of the same disk at the same time.

use crate::Settings;
use crate::load::{self, Load};
use crate::report::{Report, number, ratio};
use crate::server::{Larder, PostgresServer};
use crate::workload::{Ids, Reading};
use anyhow::{Result, anyhow};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Clients that write while the disk is busy; their commits are merged.
const CLIENTS_BUSY: usize = 16;
/// What keeps the disk busy: blocks of this size, each flushed.
const HOG_BYTES: usize = 4 << 20;
/// The bare flush writes as much as a small commit.
const PROBE_BYTES: usize = 4 << 10;
/// The file that the probe writes over and over, so that its size does not change, as a log's that is used
/// again.
const PROBE_FILE_BYTES: usize = 4 << 20;
/// The probe's pause beside an idle disk's single writer, whom it must not disturb.
const PROBE_PAUSE: Duration = Duration::from_millis(20);

/// Latencies of a server's writes and of bare flushes at the same time, in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Found {
    write_p50_ms: f64,
    write_p99_ms: f64,
    bare_p50_ms: f64,
    bare_p99_ms: f64,
}

pub fn run(settings: &Settings) -> Result<Report> {
    let duration = Duration::from_secs(settings.size(10, 2));
    let probes = settings.folder("flush-probe")?;
    let larder = {
        let folder = settings.folder("flush-larder")?;
        let server = Larder::start(&settings.larder, folder.path(), "128m")?;
        both(probes.path(), |clients| {
            load::run(
                clients,
                duration,
                |number| Ok((server.connect()?, number)),
                |(client, seed), number| {
                    let (id, mut document) = (new_id(clients, *seed, number), Vec::with_capacity(128));
                    Reading::new(number).put_bson(&id, &mut document);
                    client.insert("readings", &document)
                },
            )
        })?
    };
    let postgres = {
        let folder = settings.folder("flush-postgres")?;
        let server = PostgresServer::start(folder.path(), "128MB")?;
        server
            .connect()?
            .execute("CREATE TABLE readings (id text PRIMARY KEY, doc jsonb)")?;
        both(probes.path(), |clients| {
            load::run(
                clients,
                duration,
                |number| Ok((server.connect()?, number)),
                |(client, seed), number| {
                    let (id, json) = (new_id(clients, *seed, number), Reading::new(number).json());
                    client
                        .query("INSERT INTO readings VALUES ($1, $2::jsonb)", &[&id, &json])
                        .map(drop)
                },
            )
        })?
    };

    let mut report = Report::new(
        "flush",
        "single durable writes beside bare flushes of the same disk at the same time",
        &[
            "",
            "disk",
            "write p50, ms",
            "p99, ms",
            "bare p50, ms",
            "p99, ms",
            "p99 / bare p99",
        ],
    );
    report.chart("milliseconds at p99", &["durable write", "bare flush"]);
    for (name, found) in [("Larder", larder), ("PostgreSQL jsonb", postgres)] {
        for (disk, found) in ["idle", "busy"].into_iter().zip(found) {
            report.row([
                name.to_owned(),
                disk.to_owned(),
                number(found.write_p50_ms),
                number(found.write_p99_ms),
                number(found.bare_p50_ms),
                number(found.bare_p99_ms),
                ratio(found.write_p99_ms, found.bare_p99_ms),
            ]);
            report.bars(
                format!("{name}, {disk}"),
                &[found.write_p99_ms, found.bare_p99_ms],
            );
        }
    }
    let times = larder[1].write_p99_ms / larder[1].bare_p99_ms;
    report.check(
        "p99 under load within 3x of one bare flush",
        format!("{}x", number(times)),
        times <= 3.0,
    );
    Ok(report)
}

/// An id that no other client and no run with another number of clients uses.
fn new_id(clients: usize, client: usize, number: u64) -> String {
    Ids::Random.id(((clients as u64) << 50) | ((client as u64) << 40) | number)
}

/// One client on an idle disk, then several on a busy one.
fn both(folder: &Path, writes: impl Fn(usize) -> Result<Load>) -> Result<[Found; 2]> {
    let idle = beside_probe(folder, Some(PROBE_PAUSE), || writes(1))?;
    let busy = beside_hog(folder, || beside_probe(folder, None, || writes(CLIENTS_BUSY)))?;
    Ok([idle, busy])
}

/// Writes while another thread measures bare flushes, with a pause between them or without.
fn beside_probe(
    folder: &Path,
    pause: Option<Duration>,
    work: impl FnOnce() -> Result<Load>,
) -> Result<Found> {
    let stop = AtomicBool::new(false);
    let (writes, mut bare) = std::thread::scope(|scope| {
        let probe = scope.spawn(|| probe(&folder.join("probe"), pause, &stop));
        let writes = work();
        stop.store(true, Ordering::Relaxed);
        let bare = probe.join().map_err(|_| anyhow!("the probe panicked"))??;
        anyhow::Ok((writes?, bare))
    })?;
    bare.sort_unstable();
    let at =
        |share: f64| bare[((bare.len() as f64 * share) as usize).min(bare.len() - 1)].as_secs_f64() * 1e3;
    Ok(Found {
        write_p50_ms: writes.latency_ms(0.5),
        write_p99_ms: writes.latency_ms(0.99),
        bare_p50_ms: at(0.5),
        bare_p99_ms: at(0.99),
    })
}

/// Flushes small writes to a file until told to stop, at least once; how long each took.
fn probe(path: &Path, pause: Option<Duration>, stop: &AtomicBool) -> Result<Vec<Duration>> {
    let mut file = File::create(path)?;
    file.write_all(&vec![1; PROBE_FILE_BYTES])?;
    file.sync_all()?;
    let mut latencies = Vec::new();
    loop {
        let at = latencies.len() * PROBE_BYTES % PROBE_FILE_BYTES;
        let started = Instant::now();
        file.seek(SeekFrom::Start(at as u64))?;
        file.write_all(&[2; PROBE_BYTES])?;
        file.sync_data()?;
        latencies.push(started.elapsed());
        if stop.load(Ordering::Relaxed) {
            return Ok(latencies);
        }
        if let Some(pause) = pause {
            std::thread::sleep(pause);
        }
    }
}

/// Works while another thread writes and flushes large blocks.
fn beside_hog<T>(folder: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hog = scope.spawn(|| {
            let mut file = File::create(folder.join("hog"))?;
            let block = vec![3; HOG_BYTES];
            while !stop.load(Ordering::Relaxed) {
                file.seek(SeekFrom::Start(0))?;
                file.write_all(&block)?;
                file.sync_data()?;
            }
            anyhow::Ok(())
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        hog.join().map_err(|_| anyhow!("the hog panicked"))??;
        done
    })
}
