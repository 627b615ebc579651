//! `pi`: whole documents read and single documents written by many clients, in little memory, through the MongoDB protocol and
//! through HTTP.

mod http;

use crate::Settings;
use crate::client::{Mongo, Postgres};
use crate::load::{self, Load, run_batches};
use crate::report::{Report, number, ratio};
use crate::server::{Larder, PostgresServer};
use crate::workload::{Ids, placeholders, scramble};
use anyhow::{Result, ensure};
use std::time::Duration;
use value::ValueRef;
use value::raw::DocumentWriter;

const BATCH: u64 = 500;
const LOADERS: usize = 2;
const READERS: usize = 32;
const WRITERS: [usize; 2] = [32, 256];
const RESIDENT_BYTES_MAX: f64 = 512e6;
/// What each document holds besides its id.
const TEXT: &str =
    "A small machine in a cupboard answers as many readers as ask, and forgets nothing it was told. ";

/// Reads, and writes by few and by many clients.
#[derive(Debug)]
struct Found {
    reads: Load,
    writes: [Load; WRITERS.len()],
}

pub fn run(settings: &Settings) -> Result<Report> {
    let documents = settings.size(200_000, 20_000);
    let duration = Duration::from_secs(settings.size(5, 1));
    let (larder, http, resident_bytes) = larder(settings, documents, duration)?;
    let postgres = postgres(settings, documents, duration)?;
    let mut report = Report::new(
        "pi",
        "documents of 500 bytes read and durably written one by one, in 128 MB",
        &[
            "",
            "reads/s, 32 clients",
            "p99, ms",
            "writes/s, 32",
            "p99, ms",
            "writes/s, 256",
            "p99, ms",
        ],
    );
    report.chart(
        "requests/s",
        &["reads, 32 clients", "writes, 32 clients", "writes, 256 clients"],
    );
    for (name, found) in [("Larder", &larder), ("PostgreSQL jsonb", &postgres)] {
        let loads = [&found.reads, &found.writes[0], &found.writes[1]];
        let cells = loads
            .iter()
            .flat_map(|load| [number(load.rate()), number(load.latency_ms(0.99))]);
        report.row(std::iter::once(name.to_owned()).chain(cells));
        report.bars(name, &loads.map(Load::rate));
    }
    http.put_rows(&mut report);
    let ratios = [&larder.reads, &larder.writes[0], &larder.writes[1]]
        .into_iter()
        .zip([&postgres.reads, &postgres.writes[0], &postgres.writes[1]])
        .flat_map(|(ours, theirs)| [ratio(ours.rate(), theirs.rate()), String::new()]);
    report.row(std::iter::once("Larder / PostgreSQL".to_owned()).chain(ratios));

    let reads = larder.reads.rate();
    report.check("at least 30 000 reads/s", number(reads), reads >= 30e3);
    let times = reads / postgres.reads.rate();
    report.check(
        "at least PostgreSQL's reads",
        format!("{}x", number(times)),
        times >= 1.0,
    );
    http.put_check(&mut report);
    let resident = format!("{} MB", number(resident_bytes / 1e6));
    report.check(
        "resident memory under 512 MB throughout",
        resident,
        resident_bytes < RESIDENT_BYTES_MAX,
    );
    Ok(report)
}

fn larder(settings: &Settings, documents: u64, duration: Duration) -> Result<(Found, http::Found, f64)> {
    let folder = settings.folder("pi-larder")?;
    let server = Larder::start(&settings.larder, folder.path(), "128m")?;
    server.load("notes", documents, (LOADERS, BATCH), |number, batch| {
        put_bson(&Ids::Random.id(number), batch);
    })?;
    let mut resident_bytes = server.resident_bytes()?;
    let connect = |number: usize| Ok((server.connect()?, number as u64));
    let read = |(client, seed): &mut (Mongo, u64), number: u64| {
        let id = Ids::Random.id(scramble((*seed << 40) + number) % documents);
        ensure!(client.find_by_id("notes", &id)?.is_some(), "{id} is not there");
        Ok(())
    };
    let reads = load::run(READERS, duration, connect, read)?;
    resident_bytes = resident_bytes.max(server.resident_bytes()?);
    let mut write = |round: usize| {
        let insert = |(client, seed): &mut (Mongo, u64), number: u64| {
            let mut document = Vec::with_capacity(600);
            put_bson(&Ids::Random.id(new_number(round, *seed, number)), &mut document);
            client.insert("notes", &document)
        };
        let load = load::run(WRITERS[round], duration, connect, insert)?;
        resident_bytes = resident_bytes.max(server.resident_bytes()?);
        anyhow::Ok(load)
    };
    let writes = [write(0)?, write(1)?];
    let http = http::run(settings, &server, documents, duration)?;
    resident_bytes = resident_bytes.max(server.resident_bytes()?);
    Ok((Found { reads, writes }, http, resident_bytes as f64))
}

fn postgres(settings: &Settings, documents: u64, duration: Duration) -> Result<Found> {
    let folder = settings.folder("pi-postgres")?;
    let server = PostgresServer::start(folder.path(), "128MB")?;
    server
        .connect()?
        .execute("CREATE TABLE notes (id text PRIMARY KEY, doc jsonb)")?;
    let insert = format!("INSERT INTO notes VALUES {}", placeholders(BATCH, "jsonb"));
    let json = format!("{{\"text\":\"{}\",\"stars\":5}}", TEXT.repeat(5));
    run_batches(
        2,
        documents,
        BATCH,
        || server.connect(),
        |client, numbers| {
            let ids: Vec<String> = numbers.map(|number| Ids::Random.id(number)).collect();
            let parameters: Vec<&str> = ids.iter().flat_map(|id| [id.as_str(), &json]).collect();
            client.query(&insert, &parameters).map(drop)
        },
    )?;
    let connect = |number: usize| Ok((server.connect()?, number as u64));
    let read = |(client, seed): &mut (Postgres, u64), number: u64| {
        let id = Ids::Random.id(scramble((*seed << 40) + number) % documents);
        let rows = client.query("SELECT doc FROM notes WHERE id = $1", &[&id])?;
        ensure!(rows.len() == 1, "{id} is not there");
        Ok(())
    };
    let reads = load::run(READERS, duration, connect, read)?;
    let write = |round: usize| {
        let insert = |(client, seed): &mut (Postgres, u64), number: u64| {
            let id = Ids::Random.id(new_number(round, *seed, number));
            client
                .query("INSERT INTO notes VALUES ($1, $2::jsonb)", &[&id, &json])
                .map(drop)
        };
        load::run(WRITERS[round], duration, connect, insert)
    };
    Ok(Found {
        reads,
        writes: [write(0)?, write(1)?],
    })
}

/// The number of a document that no other client and no other round writes.
fn new_number(round: usize, client: u64, number: u64) -> u64 {
    ((round as u64 + 1) << 60) | (client << 40) | number
}

fn put_bson(id: &str, out: &mut Vec<u8>) {
    let mut document = DocumentWriter::new(out);
    document.put("_id", ValueRef::String(id));
    document.put("text", ValueRef::String(&TEXT.repeat(5)));
    document.put("stars", ValueRef::Int32(5));
    document.finish();
}
