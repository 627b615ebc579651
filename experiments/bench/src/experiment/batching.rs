//! `batching`: many clients record against few hot documents, with one flush each and with merged commits.

use crate::Settings;
use crate::client::{Mongo, Postgres, as_i64, batch_of};
use crate::load::{self, Load};
use crate::peer::Sqlite;
use crate::report::{Report, number, ratio};
use crate::server::{Larder, PostgresServer};
use anyhow::{Context, Result, ensure};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use value::{Document, ValueRef, doc};

/// The hot documents: each a counter with a monthly budget.
const COUNTERS: usize = 10;
/// What may be spent; the request that reaches it raises the alert.
const BUDGET: i64 = 100;
const CLIENTS: [usize; 3] = [1, 64, 256];
/// Clients that do not send as fast as they can, but together as often as one flush each would allow, times `PACE`: merging
/// is needed then, and the processors are not what they wait for.
const PACED_CLIENTS: usize = 64;
const PACE: f64 = 1.5;

pub fn run(settings: &Settings) -> Result<Report> {
    let duration = Duration::from_secs(settings.size(5, 1));
    let (larder, paced) = larder(settings, duration)?;
    let postgres = postgres(settings, duration)?;
    let sqlite_rate = sqlite(settings, duration)?;

    let mut report = Report::new(
        "batching",
        "spendings recorded against 10 hot counters, each flushed before its answer",
        &["", "clients", "updates/s", "to 1 client", "p50, ms", "p99, ms"],
    );
    report.chart("durable updates/s", &["1 client", "64 clients", "256 clients"]);
    for (name, loads) in [("Larder", &larder), ("PostgreSQL jsonb", &postgres)] {
        for (load, clients) in loads.iter().zip(CLIENTS) {
            report.row([
                name.to_owned(),
                clients.to_string(),
                number(load.rate()),
                ratio(load.rate(), loads[0].rate()),
                number(load.latency_ms(0.5)),
                number(load.latency_ms(0.99)),
            ]);
        }
        report.bars(name, &loads.iter().map(Load::rate).collect::<Vec<_>>());
    }
    report.row([
        "Larder, paced".to_owned(),
        PACED_CLIENTS.to_string(),
        number(paced.rate()),
        ratio(paced.rate(), larder[0].rate()),
        number(paced.latency_ms(0.5)),
        number(paced.latency_ms(0.99)),
    ]);
    let single = ["SQLite JSON", "1", &number(sqlite_rate), "1.00x", "-", "-"];
    report.row(single.map(str::to_owned));
    report.bars("SQLite JSON", &[sqlite_rate]);

    let best = larder.iter().map(Load::rate).fold(0.0, f64::max);
    let times = best / larder[0].rate();
    report.check(
        "merged commits above 10x one flush each",
        format!("{}x", number(times)),
        times > 10.0,
    );
    // Had it gone wrong, the run would have ended with an error.
    report.check(
        "no update lost, each alert raised once",
        "none lost, each once",
        true,
    );
    let (alone_ms, waiting_ms) = (larder[0].latency_ms(0.5), paced.latency_ms(0.5));
    let found = format!("{} ms beside {} ms", number(waiting_ms), number(alone_ms));
    // It waits for the commit under way, then for its own.
    report.check(
        "a client among 64 at a steady rate waits no more than one commit longer",
        found,
        waiting_ms <= 2.0 * alone_ms,
    );
    Ok(report)
}

/// The loads of as fast as they can, and the paced one.
fn larder(settings: &Settings, duration: Duration) -> Result<(Vec<Load>, Load)> {
    let folder = settings.folder("batching-larder")?;
    let server = Larder::start(&settings.larder, folder.path(), "256m")?;
    let mut loads = Vec::new();
    for clients in CLIENTS {
        let collection = format!("budgets{clients}");
        loads.push(spend(&server, &collection, |connect, request| {
            load::run(clients, duration, connect, request)
        })?);
    }
    let rate = loads[0].rate() * PACE;
    let paced = spend(&server, "paced", |connect, request| {
        load::run_paced(PACED_CLIENTS, duration, rate, connect, request)
    })?;
    Ok((loads, paced))
}

/// A client and the command that it sends.
type Spender = (Mongo, Document);

/// Makes the counters of a collection, lets clients spend, and checks that nothing was lost.
fn spend(
    server: &Larder,
    collection: &str,
    drive: impl FnOnce(
        &(dyn Fn(usize) -> Result<Spender> + Sync),
        &(dyn Fn(&mut Spender, u64) -> Result<()> + Sync),
    ) -> Result<Load>,
) -> Result<Load> {
    let alerts = AtomicU64::new(0);
    let mut admin = server.connect()?;
    let counters: Vec<value::Value> = (0..COUNTERS)
        .map(|id| doc! {"_id": (id as i32), "spent": 0_i64, "budget": BUDGET}.into())
        .collect();
    admin.command(
        &Document::new()
            .with("insert", collection)
            .with("documents", counters)
            .with("$db", "bench"),
    )?;
    let request = |(client, command): &mut Spender, _: u64| {
        let answer = client.command(command)?;
        let counter = answer
            .get("value")
            .and_then(ValueRef::as_document)
            .context("no counter came back")?;
        let spent = counter.get("spent").map_or(0, as_i64);
        alerts.fetch_add(u64::from(spent == BUDGET), Ordering::Relaxed);
        Ok(())
    };
    let connect = |number: usize| {
        let command = doc! {
            "findAndModify": collection, "query": {"_id": ((number % COUNTERS) as i32)},
            "update": {"$inc": {"spent": 1_i64}}, "new": true, "$db": "bench",
        };
        Ok((server.connect()?, command))
    };
    let load = drive(&connect, &request)?;
    let find = Document::new().with("find", collection).with("$db", "bench");
    let spent = spent_in(&mut admin, &find)?;
    expect(&spent, load.count(), alerts.into_inner())?;
    Ok(load)
}

fn spent_in(client: &mut Mongo, find: &Document) -> Result<Vec<i64>> {
    let counters = batch_of(client.command(find)?)?;
    let spent = counters
        .iter()
        .map(|counter| counter.as_document()?.get("spent").map(as_i64));
    spent
        .map(|spent| spent.context("a counter without a sum"))
        .collect()
}

/// Every acknowledged spending is in a counter, and each counter that reached its budget raised one alert.
fn expect(spent: &[i64], acknowledged: usize, alerts: u64) -> Result<()> {
    let sum: i64 = spent.iter().sum();
    ensure!(
        sum == acknowledged as i64,
        "{sum} spendings are stored, {acknowledged} were acknowledged"
    );
    let reached = spent.iter().filter(|spent| **spent >= BUDGET).count();
    ensure!(
        alerts == reached as u64,
        "{alerts} alerts for {reached} counters that reached their budget"
    );
    Ok(())
}

const SPEND_SQL: &str = "UPDATE budgets SET doc = jsonb_set(doc, '{spent}', to_jsonb((doc->>'spent')::bigint + 1)) \
                         WHERE id = $1::int RETURNING doc->>'spent'";

fn postgres(settings: &Settings, duration: Duration) -> Result<Vec<Load>> {
    let folder = settings.folder("batching-postgres")?;
    let server = PostgresServer::start(folder.path(), "256MB")?;
    let mut admin = server.connect()?;
    admin.execute("CREATE TABLE budgets (id int PRIMARY KEY, doc jsonb)")?;
    let mut loads = Vec::new();
    for clients in CLIENTS {
        let alerts = AtomicU64::new(0);
        admin.execute(&format!(
            "TRUNCATE budgets; INSERT INTO budgets \
             SELECT id, '{{\"spent\": 0, \"budget\": {BUDGET}}}' FROM generate_series(0, {COUNTERS} - 1) id"
        ))?;
        let spend = |(client, id): &mut (Postgres, String), _| {
            let rows = client.query(SPEND_SQL, &[id])?;
            let spent = rows
                .first()
                .and_then(|row| row.first()?.as_deref())
                .context("no counter came back")?;
            alerts.fetch_add(u64::from(spent.parse() == Ok(BUDGET)), Ordering::Relaxed);
            Ok(())
        };
        let connect = |number: usize| Ok((server.connect()?, (number % COUNTERS).to_string()));
        let load = load::run(clients, duration, connect, spend)?;
        let rows = admin.execute("SELECT doc->>'spent' FROM budgets")?;
        let spent: Vec<i64> = rows
            .iter()
            .filter_map(|row| row.first()?.as_deref()?.parse().ok())
            .collect();
        expect(&spent, load.count(), alerts.into_inner())?;
        loads.push(load);
    }
    Ok(loads)
}

/// Updates a second; only one can write at a time.
fn sqlite(settings: &Settings, duration: Duration) -> Result<f64> {
    let folder = settings.folder("batching-sqlite")?;
    let mut database = Sqlite::open(folder.path(), 16 << 20)?;
    database.execute("CREATE TABLE budgets (id TEXT PRIMARY KEY, doc TEXT)")?;
    database.insert("budgets", [("0", "{\"spent\":0}")])?;
    let (started, mut updates) = (Instant::now(), 0);
    while started.elapsed() < duration {
        database.execute(
            "UPDATE budgets SET doc = json_set(doc, '$.spent', json_extract(doc, '$.spent') + 1) WHERE id = '0'",
        )?;
        updates += 1;
    }
    Ok(f64::from(updates) / started.elapsed().as_secs_f64())
}
