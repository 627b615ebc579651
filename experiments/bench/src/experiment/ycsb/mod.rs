//! `ycsb`: the core workloads A to F of the Yahoo! Cloud Serving Benchmark, from 1, 8 and 64 clients, by a driver of our own.

mod client;
mod mix;
mod zipfian;

use crate::Settings;
use crate::load::{self, Load};
use crate::report::{Report, number};
use crate::server::{Larder, PostgresServer};
use anyhow::Result;
use client::Client;
use mix::{Mix, Operation, Picker};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const PARALLEL: [usize; 3] = [1, 8, 64];
/// Fields of a record, and the bytes of each: a record has about 1 kB.
const FIELDS: u64 = 10;
const FIELD_BYTES: usize = 100;
/// Records that a scan gives, at most.
const SCAN_MAX: u64 = 100;
const LOAD_BATCH: u64 = 200;
const LOADERS: usize = 2;

/// The workloads for which a bar is set.
const BARRED: [Mix; 4] = [Mix::A, Mix::B, Mix::C, Mix::F];
/// How many times PostgreSQL's throughput must come out.
const TIMES_MIN: f64 = 1.5;

/// Operations a second and the latency at p99, for each number of clients.
type Found = [(f64, f64); PARALLEL.len()];

pub fn run(settings: &Settings) -> Result<Report> {
    let task = Task {
        records: settings.size(100_000, 10_000),
        duration: Duration::from_secs(settings.size(5, 1)),
    };
    let larder = {
        let folder = settings.folder("ycsb-larder")?;
        let server = Larder::start(&settings.larder, folder.path(), "512m")?;
        task.all(|| Ok(Client::Mongo(server.connect()?)))?
    };
    let postgres = {
        let folder = settings.folder("ycsb-postgres")?;
        let server = PostgresServer::start(folder.path(), "512MB")?;
        server
            .connect()?
            .execute("CREATE TABLE usertable (id text PRIMARY KEY, doc jsonb)")?;
        task.all(|| Ok(Client::Postgres(server.connect()?)))?
    };
    Ok(report(&larder, &postgres))
}

fn report(larder: &[(Mix, Found)], postgres: &[(Mix, Found)]) -> Report {
    let mut report = Report::new(
        "ycsb",
        "YCSB's workloads A to F, keys by Zipf's law",
        &[
            "",
            "1 client/s",
            "p99, ms",
            "8 clients/s",
            "p99, ms",
            "64 clients/s",
            "p99, ms",
        ],
    );
    report.chart("operations a second, 8 clients", &["Larder", "PostgreSQL jsonb"]);
    for ((mix, ours), (_, theirs)) in larder.iter().zip(postgres) {
        for (name, found) in [("Larder", ours), ("PostgreSQL jsonb", theirs)] {
            let cells = found.iter().flat_map(|(rate, p99)| [number(*rate), number(*p99)]);
            report.row(std::iter::once(format!("{mix:?}, {}: {name}", mix.words())).chain(cells));
        }
        report.bars(format!("{mix:?}"), &[ours[1].0, theirs[1].0]);
    }
    for ((mix, ours), (_, theirs)) in larder.iter().zip(postgres) {
        if !BARRED.contains(mix) {
            continue;
        }
        for (clients, (ours, theirs)) in PARALLEL.iter().zip(ours.iter().zip(theirs)) {
            report.check(
                format!("{mix:?}, {clients} clients: {TIMES_MIN}x PostgreSQL, and p99 no worse"),
                format!(
                    "{}x, p99 {} ms and {} ms",
                    number(ours.0 / theirs.0),
                    number(ours.1),
                    number(theirs.1)
                ),
                ours.0 >= TIMES_MIN * theirs.0 && ours.1 <= theirs.1,
            );
        }
    }
    report
}

/// How many records there are at first, and for how long each workload runs.
#[derive(Clone, Copy, Debug)]
struct Task {
    records: u64,
    duration: Duration,
}

impl Task {
    /// Loads the records, and runs all workloads, those last that add records.
    fn all(self, connect: impl Fn() -> Result<Client> + Sync) -> Result<Vec<(Mix, Found)>> {
        load::run_batches(LOADERS, self.records, LOAD_BATCH, &connect, |client, numbers| {
            client.load(numbers)
        })?;
        let records = AtomicU64::new(self.records);
        Mix::ALL
            .into_iter()
            .map(|mix| {
                let mut found = Found::default();
                for (found, clients) in found.iter_mut().zip(PARALLEL) {
                    let load = self.run(mix, clients, &connect, &records)?;
                    *found = (load.rate(), load.latency_ms(0.99));
                }
                Ok((mix, found))
            })
            .collect()
    }

    fn run(
        self,
        mix: Mix,
        clients: usize,
        connect: &(impl Fn() -> Result<Client> + Sync),
        records: &AtomicU64,
    ) -> Result<Load> {
        let picker = |number: usize| Picker::new(mix, records.load(Ordering::Relaxed), number as u64);
        load::run(
            clients,
            self.duration,
            |number| Ok((connect()?, picker(number))),
            |(client, picker), _| match picker.next(records) {
                Operation::Read(key) => client.read(&key, mix == Mix::D),
                Operation::Update(key, field, value) => client.update(&key, field, &value),
                Operation::Insert(number) => client.insert(number),
                Operation::Scan(key, count) => client.scan(&key, count),
                Operation::ReadModifyWrite(key, field, value) => {
                    client.read(&key, false)?;
                    client.update(&key, field, &value)
                }
            },
        )
    }
}
