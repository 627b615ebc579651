//! `coupons`: coupons keyed by code; which are rarely redeemed, which belong to one affiliate; cold and warm.

mod couch;
mod riak;

use crate::Settings;
use crate::client::{Mongo, Postgres, batch_of};
use crate::load::{self, median_ms, run_batches};
use crate::peer::Sqlite;
use crate::report::{Report, number};
use crate::server::{Larder, PostgresServer};
use crate::workload::{placeholders, scramble};
use anyhow::{Result, ensure};
use std::time::{Duration, Instant};
use value::raw::DocumentWriter;
use value::{Document, ValueRef, doc};

const BATCH: u64 = 1000;
/// Coupons of pouchdb-server: enough to see its rates, few enough to wait for a view of them.
const POUCH_COUPONS: u64 = 10_000;
const LOADERS: usize = 2;
const AFFILIATES: u64 = 1000;
const REDEEMED_MAX: u64 = 1000;
const RARELY: i32 = 50;
const RUNS: usize = 9;
const PARALLEL: [usize; 3] = [1, 8, 64];

/// What one peer needed; `parallel_rate` is queries a second for one affiliate's coupons.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    load_s: f64,
    cold_ms: f64,
    warm_ms: f64,
    affiliate_ms: f64,
    parallel_rate: [f64; PARALLEL.len()],
}

/// A coupon, about 150 bytes.
#[derive(Debug)]
struct Coupon {
    code: String,
    affiliate: u64,
    redeemed_count: u64,
    campaign: String,
    percent_off: u64,
}

impl Coupon {
    fn new(number: u64) -> Coupon {
        let random = scramble(number);
        Coupon {
            code: format!("{:010X}", random >> 24),
            affiliate: number % AFFILIATES,
            redeemed_count: scramble(random) % REDEEMED_MAX,
            campaign: format!("campaign {}", random % 40),
            percent_off: 5 + random % 50,
        }
    }

    fn put_bson(&self, out: &mut Vec<u8>) {
        let mut document = DocumentWriter::new(out);
        document.put("_id", ValueRef::String(&self.code));
        document.put("affiliate_id", ValueRef::Int32(self.affiliate as i32));
        document.put("redeemed_count", ValueRef::Int32(self.redeemed_count as i32));
        document.put("campaign", ValueRef::String(&self.campaign));
        document.put("percent_off", ValueRef::Int32(self.percent_off as i32));
        document.finish();
    }

    fn json(&self) -> String {
        let Coupon {
            affiliate,
            redeemed_count,
            campaign,
            percent_off,
            ..
        } = self;
        format!(
            "{{\"affiliate_id\":{affiliate},\"redeemed_count\":{redeemed_count},\
             \"campaign\":\"{campaign}\",\"percent_off\":{percent_off}}}"
        )
    }
}

pub fn run(settings: &Settings) -> Result<Report> {
    let duration = Duration::from_secs(settings.size(4, 1));
    let task = Task::new(settings.size(100_000, 10_000), duration);
    let expected = task.expected;
    let pouch_task = Task::new(settings.size(POUCH_COUPONS, POUCH_COUPONS / 10), duration);
    let pouch = format!("pouchdb-server, {} coupons", number(pouch_task.coupons as f64));
    let (larder, covered_ms) = larder(settings, task)?;
    let couch = couch::larder(settings, task)?;
    let (riak, details) = riak::larder(settings, task)?;
    let mut report = Report::new(
        "coupons",
        "coupons by code, by count and by affiliate",
        &[
            "",
            "load, s",
            "cold, ms",
            "warm, ms",
            "affiliate, ms",
            "1 client/s",
            "8 clients/s",
            "64 clients/s",
        ],
    );
    report.chart(
        "queries for one affiliate's coupons a second",
        &["1 client", "8 clients", "64 clients"],
    );
    let peers = [
        ("Larder, MongoDB", larder),
        ("Larder, CouchDB", couch),
        ("Larder, Riak", riak),
        (&pouch, couch::pouch(settings, pouch_task)?),
        ("PostgreSQL jsonb", postgres(settings, task)?),
        ("SQLite JSON", sqlite(settings, task)?),
    ];
    for (name, found) in peers {
        let times = [found.load_s, found.cold_ms, found.warm_ms, found.affiliate_ms];
        let cells = times
            .iter()
            .chain(&found.parallel_rate)
            .map(|value| number(*value));
        report.row(std::iter::once(name.to_owned()).chain(cells));
        report.bars(name, &found.parallel_rate);
    }
    for (protocol, found) in [("MongoDB", larder), ("CouchDB", couch)] {
        check_documents(&mut report, protocol, &found, expected);
    }
    check_riak(&mut report, &riak, &details);
    report.check(
        format!("MongoDB: all {expected} keys warm, out of an index that holds them, in less than 10 ms"),
        format!("{} ms", number(covered_ms)),
        covered_ms < 10.0,
    );
    Ok(report)
}

/// The bars of a protocol of documents.
fn check_documents(report: &mut Report, protocol: &str, found: &Found, expected: usize) {
    report.check(
        format!("{protocol}: load in less than 2 s"),
        format!("{} s", number(found.load_s)),
        found.load_s < 2.0,
    );
    report.check(
        format!("{protocol}: index or view built and first answer in less than 500 ms"),
        format!("{} ms", number(found.cold_ms)),
        found.cold_ms < 500.0,
    );
    report.check(
        format!("{protocol}: all {expected} keys warm in less than 10 ms"),
        format!("{} ms", number(found.warm_ms)),
        found.warm_ms < 10.0,
    );
}

/// The bars of Riak's protocols.
fn check_riak(report: &mut Report, riak: &Found, details: &riak::Details) {
    report.check(
        "Riak: load with terms of two indexes, by protocol buffers, 100 puts under way on each of 8 connections, in less than 2 s",
        format!(
            "{} s; where each of 64 connections waits for the answer to each put, {} s, and by HTTP {} s",
            number(riak.load_s),
            number(details.waiting_load_s),
            number(details.http_load_s)
        ),
        riak.load_s < 2.0,
    );
    report.check(
        "Riak: map/reduce over all, cold, in less than 500 ms",
        format!("{} ms", number(riak.cold_ms)),
        riak.cold_ms < 500.0,
    );
    let soon = [
        ("a secondary index", riak.warm_ms),
        ("map/reduce over keys by their beginnings", details.beginnings_ms),
        ("map/reduce over keys by their ends", details.ends_ms),
    ];
    for (what, taken_ms) in soon {
        report.check(
            format!("Riak: {what} in less than 50 ms"),
            format!("{} ms", number(taken_ms)),
            taken_ms < 50.0,
        );
    }
}

/// How many coupons, how many of them are rarely redeemed, and how long the parallel clients ask.
#[derive(Clone, Copy, Debug)]
struct Task {
    coupons: u64,
    expected: usize,
    duration: Duration,
}

impl Task {
    fn new(coupons: u64, duration: Duration) -> Task {
        let is_rare = |number: &u64| Coupon::new(*number).redeemed_count < RARELY as u64;
        Task {
            coupons,
            expected: (0..coupons).filter(is_rare).count(),
            duration,
        }
    }

    fn expect(self, found: usize) -> Result<()> {
        ensure!(
            found == self.expected,
            "{found} coupons instead of {}",
            self.expected
        );
        Ok(())
    }

    fn expect_affiliate(self, found: usize) -> Result<()> {
        let expected = (self.coupons / AFFILIATES) as usize;
        ensure!(
            found == expected,
            "{found} coupons of an affiliate instead of {expected}"
        );
        Ok(())
    }
}

/// What Larder needed through the MongoDB protocol, and the milliseconds of the warm query where the index holds the codes
/// as well.
fn larder(settings: &Settings, task: Task) -> Result<(Found, f64)> {
    let folder = settings.folder("coupons-larder")?;
    let server = Larder::start(&settings.larder, folder.path(), "256m")?;
    let started = Instant::now();
    server.load("coupons", task.coupons, (LOADERS, BATCH), |number, batch| {
        Coupon::new(number).put_bson(batch);
    })?;
    let load_s = started.elapsed().as_secs_f64();

    let mut client = server.connect()?;
    let rarely = Document::new().with("$lt", RARELY);
    let rarely = find(doc! {"redeemed_count": (rarely)});
    let started = Instant::now();
    client.command(&index(&["redeemed_count"]))?;
    task.expect(count(&mut client, &rarely)?)?;
    let cold_ms = started.elapsed().as_secs_f64() * 1e3;
    let warm_ms = median_ms(RUNS, || task.expect(count(&mut client, &rarely)?))?;
    client.command(&index(&["affiliate_id"]))?;
    let affiliate = |number: u64| find(doc! {"affiliate_id": ((number % AFFILIATES) as i32)});
    let affiliate_ms = median_ms(RUNS, || task.expect_affiliate(count(&mut client, &affiliate(1))?))?;
    let parallel_rate = parallel(
        task,
        |_| server.connect(),
        |client, number| task.expect_affiliate(count(client, &affiliate(scramble(number)))?),
    )?;
    client.command(&index(&["redeemed_count", "_id"]))?;
    client.command(&doc! {"dropIndexes": "coupons", "index": "redeemed_count", "$db": "bench"})?;
    let covered_ms = median_ms(RUNS, || task.expect(count(&mut client, &rarely)?))?;
    let found = Found {
        load_s,
        cold_ms,
        warm_ms,
        affiliate_ms,
        parallel_rate,
    };
    Ok((found, covered_ms))
}

fn index(fields: &[&str]) -> Document {
    let key = fields
        .iter()
        .fold(Document::new(), |key, field| key.with(*field, 1));
    let name = fields.join(" ");
    doc! {"createIndexes": "coupons", "indexes": [{"key": (key), "name": name}], "$db": "bench"}
}

/// All that match, only their codes, in one batch.
fn find(filter: Document) -> Document {
    doc! {"find": "coupons", "filter": (filter), "projection": {"_id": 1}, "batchSize": 100_000, "$db": "bench"}
}

fn count(client: &mut Mongo, find: &Document) -> Result<usize> {
    Ok(batch_of(client.command(find)?)?.len())
}

fn parallel<C: Send>(
    task: Task,
    connect: impl Fn(usize) -> Result<C> + Sync,
    request: impl Fn(&mut C, u64) -> Result<()> + Sync,
) -> Result<[f64; PARALLEL.len()]> {
    let mut rates = [0.0; PARALLEL.len()];
    for (rate, clients) in rates.iter_mut().zip(PARALLEL) {
        *rate = load::run(clients, task.duration, &connect, &request)?.rate();
    }
    Ok(rates)
}

const RARELY_SQL: &str = "SELECT id FROM coupons WHERE ((doc->>'redeemed_count')::int) < 50";
const AFFILIATE_SQL: &str = "SELECT id FROM coupons WHERE ((doc->>'affiliate_id')::int) = $1::int";

fn postgres(settings: &Settings, task: Task) -> Result<Found> {
    let folder = settings.folder("coupons-postgres")?;
    let server = PostgresServer::start(folder.path(), "256MB")?;
    let mut client = server.connect()?;
    client.execute("CREATE TABLE coupons (id text PRIMARY KEY, doc jsonb)")?;
    let insert = format!("INSERT INTO coupons VALUES {}", placeholders(BATCH, "jsonb"));
    let started = Instant::now();
    run_batches(
        LOADERS,
        task.coupons,
        BATCH,
        || server.connect(),
        |client, numbers| {
            let coupons = numbers.map(Coupon::new);
            let texts: Vec<String> = coupons.flat_map(|coupon| [coupon.json(), coupon.code]).collect();
            let parameters: Vec<&str> = texts
                .chunks(2)
                .flat_map(|pair| [pair[1].as_str(), pair[0].as_str()])
                .collect();
            client.query(&insert, &parameters).map(drop)
        },
    )?;
    let load_s = started.elapsed().as_secs_f64();
    let count = |client: &mut Postgres| task.expect(client.query(RARELY_SQL, &[])?.len());
    let started = Instant::now();
    client.execute("CREATE INDEX redeemed ON coupons (((doc->>'redeemed_count')::int))")?;
    count(&mut client)?;
    let cold_ms = started.elapsed().as_secs_f64() * 1e3;
    client.execute("CREATE INDEX affiliate ON coupons (((doc->>'affiliate_id')::int)); ANALYZE coupons")?;
    let warm_ms = median_ms(RUNS, || count(&mut client))?;
    let affiliate = |client: &mut Postgres, number: u64| {
        let number = (number % AFFILIATES).to_string();
        task.expect_affiliate(client.query(AFFILIATE_SQL, &[&number])?.len())
    };
    let affiliate_ms = median_ms(RUNS, || affiliate(&mut client, 1))?;
    let request = |client: &mut Postgres, number: u64| affiliate(client, scramble(number));
    let parallel_rate = parallel(task, |_| server.connect(), request)?;
    Ok(Found {
        load_s,
        cold_ms,
        warm_ms,
        affiliate_ms,
        parallel_rate,
    })
}

fn sqlite(settings: &Settings, task: Task) -> Result<Found> {
    let folder = settings.folder("coupons-sqlite")?;
    let mut database = Sqlite::open(folder.path(), 256 << 20)?;
    database.execute("CREATE TABLE coupons (id TEXT PRIMARY KEY, doc TEXT)")?;
    let started = Instant::now();
    for start in (0..task.coupons).step_by(BATCH as usize) {
        let coupons = (start..start + BATCH).map(Coupon::new);
        let rows: Vec<_> = coupons.map(|coupon| (coupon.json(), coupon.code)).collect();
        database.insert(
            "coupons",
            rows.iter()
                .map(|(document, code)| (code.as_str(), document.as_str())),
        )?;
    }
    let load_s = started.elapsed().as_secs_f64();
    let rarely = "SELECT id FROM coupons WHERE json_extract(doc, '$.redeemed_count') < 50";
    let started = Instant::now();
    database.execute("CREATE INDEX redeemed ON coupons (json_extract(doc, '$.redeemed_count'))")?;
    task.expect(database.count_rows(rarely, [])?)?;
    let cold_ms = started.elapsed().as_secs_f64() * 1e3;
    let warm_ms = median_ms(RUNS, || task.expect(database.count_rows(rarely, [])?))?;
    database.execute("CREATE INDEX affiliate ON coupons (json_extract(doc, '$.affiliate_id')); ANALYZE")?;
    let affiliate = |database: &Sqlite, number: u64| {
        let sql = "SELECT id FROM coupons WHERE json_extract(doc, '$.affiliate_id') = ?1";
        task.expect_affiliate(database.count_rows(sql, [(number % AFFILIATES) as i64])?)
    };
    let affiliate_ms = median_ms(RUNS, || affiliate(&database, 1))?;
    drop(database);
    let parallel_rate = parallel(
        task,
        |_| Sqlite::open(folder.path(), 16 << 20),
        |database, number| affiliate(database, scramble(number)),
    )?;
    Ok(Found {
        load_s,
        cold_ms,
        warm_ms,
        affiliate_ms,
        parallel_rate,
    })
}
