//! `ids`: small documents with sequential and with random ids: speed, bytes on disk, speed of a full rewrite.

mod couch;

use crate::Settings;
use crate::load::{self, run_batches};
use crate::peer::{BareEngine, Sqlite};
use crate::report::{Report, number, ratio};
use crate::server::{Larder, PostgresServer, folder_bytes};
use crate::workload::{Ids, Reading, placeholders};
use anyhow::Result;
use std::path::Path;
use std::time::{Duration, Instant};

const BATCH: u64 = 1000;
/// Connections that insert in bulk at once.
const CLIENTS: usize = 4;
/// Documents of pouchdb-server: enough to see its rate, few enough to wait for.
const POUCH_DOCUMENTS: u64 = 20_000;
const MEMORY: &str = "128m";
const MEMORY_BYTES: usize = 128 << 20;
const SINGLE_DURATION: Duration = Duration::from_secs(2);
const KINDS: [Ids; 2] = [Ids::Sequential, Ids::Random];

/// What one peer did with one kind of ids.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    bulk_rate: f64,
    /// 0 where it makes no sense: bare calls wait for nobody.
    single_rate: f64,
    bytes_per_document: f64,
    rewrite_rate: f64,
    resident_bytes: f64,
    /// From a start after a kill to the first answer.
    restart: Duration,
}

pub fn run(settings: &Settings) -> Result<Report> {
    let documents = settings.size(2_000_000, 100_000);
    let larder = both(|ids| larder(settings, documents, ids))?;
    let couch = both(|ids| couch::larder(settings, documents, ids))?;
    let pouch_documents = settings.size(POUCH_DOCUMENTS, POUCH_DOCUMENTS / 10);
    let pouch = both(|ids| couch::pouch(settings, pouch_documents, ids))?;
    let postgres = both(|ids| postgres(settings, documents, ids))?;
    let sqlite = both(|ids| sqlite(settings, documents, ids))?;
    let bare = both(|ids| bare(settings, documents, ids))?;

    let mut report = Report::new(
        "ids",
        "documents of 100 bytes, sequential and random ids",
        &[
            "",
            "bulk/s, sequential",
            "bulk/s, random",
            "sequential/random",
            "single/s, seq.",
            "single/s, random",
            "bytes, seq.",
            "bytes, random",
            "random/seq.",
            "rewrite/s, seq.",
            "rewrite/s, random",
        ],
    );
    report.chart(
        "documents/s in batches of 1 000",
        &["sequential ids", "random ids"],
    );
    for (name, [sequential, random]) in [
        ("Larder, MongoDB", larder),
        ("Larder, CouchDB", couch),
        ("pouchdb-server", pouch),
        ("PostgreSQL jsonb", postgres),
        ("SQLite JSON", sqlite),
        ("bare RocksDB", bare),
    ] {
        report.row([
            name.to_owned(),
            number(sequential.bulk_rate),
            number(random.bulk_rate),
            ratio(sequential.bulk_rate, random.bulk_rate),
            number(sequential.single_rate),
            number(random.single_rate),
            number(sequential.bytes_per_document),
            number(random.bytes_per_document),
            ratio(random.bytes_per_document, sequential.bytes_per_document),
            number(sequential.rewrite_rate),
            number(random.rewrite_rate),
        ]);
        report.bars(name, &[sequential.bulk_rate, random.bulk_rate]);
    }
    check(&mut report, larder, postgres);
    let bulk = couch[0].bulk_rate.min(couch[1].bulk_rate);
    report.check(
        "CouchDB protocol: more than 60 000 documents/s in _bulk_docs of 1 000",
        number(bulk),
        bulk > 60e3,
    );
    Ok(report)
}

fn check(report: &mut Report, [sequential, random]: [Found; 2], postgres: [Found; 2]) {
    let speed = sequential.bulk_rate / random.bulk_rate;
    report.check(
        "sequential / random speed at most 1.25",
        number(speed),
        speed <= 1.25,
    );
    let disk = random.bytes_per_document / sequential.bytes_per_document;
    report.check(
        "random / sequential disk at most 1.15",
        number(disk),
        disk <= 1.15,
    );
    let bytes = random.bytes_per_document.max(sequential.bytes_per_document);
    report.check(
        "at most 100 bytes on disk a document",
        number(bytes),
        bytes <= 100.0,
    );
    let rewrite = sequential.rewrite_rate.min(random.rewrite_rate);
    report.check(
        "a full rewrite above 500 000 documents/s",
        number(rewrite),
        rewrite > 500e3,
    );
    let bulk = sequential.bulk_rate.min(random.bulk_rate);
    report.check(
        "at least 100 000 documents/s in batches",
        number(bulk),
        bulk >= 100e3,
    );
    let times = sequential.bulk_rate / postgres[0].bulk_rate;
    report.check(
        "at least 2x PostgreSQL's batched inserts",
        format!("{}x", number(times)),
        times >= 2.0,
    );
    let resident = random.resident_bytes.max(sequential.resident_bytes) / f64::from(1 << 20);
    report.check(
        "under 256 MB resident after loading",
        format!("{} MB", number(resident)),
        resident < 256.0,
    );
    let restart = random.restart.max(sequential.restart);
    report.check(
        "an answer within 1 s of a start after a kill",
        format!("{} ms", number(restart.as_secs_f64() * 1e3)),
        restart < Duration::from_secs(1),
    );
}

fn both(work: impl Fn(Ids) -> Result<Found>) -> Result<[Found; 2]> {
    Ok([work(KINDS[0])?, work(KINDS[1])?])
}

fn larder(settings: &Settings, documents: u64, ids: Ids) -> Result<Found> {
    let folder = settings.folder("ids-larder")?;
    let server = Larder::start(&settings.larder, folder.path(), MEMORY)?;
    let bulk_rate = server.load("readings", documents, (CLIENTS, BATCH), |number, batch| {
        Reading::new(number).put_bson(&ids.id(number), batch);
    })?;
    let resident_bytes = server.resident_bytes()? as f64;
    server.kill()?;
    let (server, restart) = restarted(settings, folder.path())?;
    let single = load::run(
        1,
        SINGLE_DURATION,
        |_| server.connect(),
        |client, number| {
            let number = documents + number;
            let mut document = Vec::with_capacity(128);
            Reading::new(number).put_bson(&ids.id(number), &mut document);
            client.insert("readings", &document)
        },
    )?;
    let stored = documents + single.count() as u64;
    let started = Instant::now();
    server
        .connect()?
        .command(&value::doc! {"compact": "readings", "$db": "bench"})?;
    let rewrite_rate = stored as f64 / started.elapsed().as_secs_f64();
    let bytes_per_document = server.stop()? as f64 / stored as f64;
    Ok(Found {
        bulk_rate,
        single_rate: single.rate(),
        bytes_per_document,
        rewrite_rate,
        resident_bytes,
        restart,
    })
}

/// Starts a server on a folder that holds data, and says how long its first answer takes.
fn restarted(settings: &Settings, folder: &Path) -> Result<(Larder, Duration)> {
    let started = Instant::now();
    let server = Larder::start(&settings.larder, folder, MEMORY)?;
    server
        .connect()?
        .command(&value::doc! {"count": "readings", "$db": "bench"})?;
    Ok((server, started.elapsed()))
}

fn postgres(settings: &Settings, documents: u64, ids: Ids) -> Result<Found> {
    let folder = settings.folder("ids-postgres")?;
    let server = PostgresServer::start(folder.path(), "128MB")?;
    let mut client = server.connect()?;
    client.execute("CREATE TABLE readings (id text PRIMARY KEY, doc jsonb)")?;
    let insert = format!("INSERT INTO readings VALUES {}", placeholders(BATCH, "jsonb"));
    let bulk_rate = run_batches(
        CLIENTS,
        documents,
        BATCH,
        || server.connect(),
        |client, numbers| {
            let texts: Vec<String> = numbers
                .flat_map(|number| [ids.id(number), Reading::new(number).json()])
                .collect();
            let parameters: Vec<&str> = texts.iter().map(String::as_str).collect();
            client.query(&insert, &parameters).map(drop)
        },
    )?;
    let single = load::run(
        1,
        SINGLE_DURATION,
        |_| server.connect(),
        |client, number| {
            let number = documents + number;
            let parameters = [ids.id(number), Reading::new(number).json()];
            let [id, document] = &parameters;
            client
                .query("INSERT INTO readings VALUES ($1, $2::jsonb)", &[id, document])
                .map(drop)
        },
    )?;
    let stored = (documents + single.count() as u64) as f64;
    let started = Instant::now();
    client.execute("VACUUM FULL readings")?;
    let rewrite_rate = stored / started.elapsed().as_secs_f64();
    let size = client.execute("SELECT pg_total_relation_size('readings')")?;
    let bytes: f64 = size
        .first()
        .and_then(|row| row.first()?.as_deref()?.parse().ok())
        .unwrap_or(0.0);
    Ok(Found {
        bulk_rate,
        single_rate: single.rate(),
        bytes_per_document: bytes / stored,
        rewrite_rate,
        ..Found::default()
    })
}

fn sqlite(settings: &Settings, documents: u64, ids: Ids) -> Result<Found> {
    let folder = settings.folder("ids-sqlite")?;
    let mut database = Sqlite::open(folder.path(), MEMORY_BYTES)?;
    database.execute("CREATE TABLE readings (id TEXT PRIMARY KEY, doc TEXT) WITHOUT ROWID")?;
    let mut insert = |numbers: std::ops::Range<u64>| {
        let rows: Vec<_> = numbers
            .map(|number| (ids.id(number), Reading::new(number).json()))
            .collect();
        database.insert(
            "readings",
            rows.iter().map(|(id, document)| (id.as_str(), document.as_str())),
        )
    };
    let started = Instant::now();
    for start in (0..documents).step_by(BATCH as usize) {
        insert(start..start + BATCH)?;
    }
    let bulk_rate = documents as f64 / started.elapsed().as_secs_f64();
    let (started, mut stored) = (Instant::now(), documents);
    while started.elapsed() < SINGLE_DURATION {
        insert(stored..stored + 1)?;
        stored += 1;
    }
    let single_rate = (stored - documents) as f64 / started.elapsed().as_secs_f64();
    let started = Instant::now();
    database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")?;
    let rewrite_rate = stored as f64 / started.elapsed().as_secs_f64();
    let bytes = folder_bytes(folder.path(), &|_| true)? as f64;
    let bytes_per_document = bytes / stored as f64;
    Ok(Found {
        bulk_rate,
        single_rate,
        bytes_per_document,
        rewrite_rate,
        ..Found::default()
    })
}

fn bare(settings: &Settings, documents: u64, ids: Ids) -> Result<Found> {
    let folder = settings.folder("ids-bare")?;
    let mut engine = BareEngine::open(folder.path(), MEMORY_BYTES)?;
    let started = Instant::now();
    for start in (0..documents).step_by(BATCH as usize) {
        let entries: Vec<_> = (start..start + BATCH)
            .map(|number| {
                let (id, mut document) = (ids.id(number), Vec::with_capacity(128));
                Reading::new(number).put_bson(&id, &mut document);
                (id, document)
            })
            .collect();
        engine.put(
            entries
                .iter()
                .map(|(id, document)| (id.as_bytes(), document.as_slice())),
        )?;
    }
    let bulk_rate = documents as f64 / started.elapsed().as_secs_f64();
    let started = Instant::now();
    engine.compact()?;
    let rewrite_rate = documents as f64 / started.elapsed().as_secs_f64();
    engine.close()?;
    let bytes = folder_bytes(folder.path(), &|name| name.ends_with(".sst"))? as f64;
    let bytes_per_document = bytes / documents as f64;
    Ok(Found {
        bulk_rate,
        single_rate: 0.0,
        bytes_per_document,
        rewrite_rate,
        ..Found::default()
    })
}
