//! The stages that see every document: a group of few keys, a lookup by an index, a sort that memory does not take.

use super::load::load;
use super::{Servers, Times};
use crate::Settings;
use crate::client::{Mongo, as_f64};
use crate::load::median_ms;
use crate::report::{Report, number};
use crate::workload::scramble;
use anyhow::{Context, Result, ensure};
use value::{ValueRef, doc};

const RUNS: usize = 3;
const KINDS: u64 = 8;
const MEGABYTE: f64 = 1e6;

const GROUP: &str = r#"[{"$group": {"_id": "$kind", "count": {"$sum": 1}, "mean": {"$avg": "$celsius"}}}]"#;
const GROUP_SQL: &str =
    "SELECT doc->>'kind', count(*), avg((doc->>'celsius')::float8) FROM readings GROUP BY 1";
const LOOKUP: &str = r#"[
    {"$lookup": {"from": "devices", "localField": "device", "foreignField": "serial", "as": "devices"}}
]"#;
const LOOKUP_SQL: &str =
    "SELECT o.doc, d.doc FROM orders o LEFT JOIN devices d ON d.doc->>'serial' = o.doc->>'device'";
const SORT: &str = r#"[{"$sort": {"celsius": 1}}]"#;
const SORT_SQL: &str = "SELECT doc FROM readings ORDER BY (doc->>'celsius')::float8";

/// How many documents there are of each kind.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    readings: u64,
    orders: u64,
}

impl Sizes {
    pub fn new(settings: &Settings) -> Sizes {
        Sizes {
            readings: settings.size(1_000_000, 50_000),
            orders: settings.size(100_000, 5_000),
        }
    }
}

/// About 140 bytes.
fn reading(number: u64) -> String {
    let random = scramble(number);
    let (kind, celsius) = (random % KINDS, (random >> 16) % 10_000_000);
    format!(
        "{{\"kind\":\"kind {kind}\",\"celsius\":{}.{:05},\"device\":\"{:016x}\",\"note\":\"reading {number} of a device that measures\"}}",
        celsius / 100_000,
        celsius % 100_000,
        scramble(random),
    )
}

fn serial(device: u64) -> String {
    format!("serial-{:016x}", scramble(device))
}

/// As many devices as orders, each with an index entry; most are ordered once.
pub fn load_all(sizes: Sizes, settings: &Settings, servers: &mut Servers) -> Result<()> {
    load(settings, servers, "readings", sizes.readings, reading)?;
    load(settings, servers, "orders", sizes.orders, |order| {
        let device = serial(scramble(order) % sizes.orders);
        format!("{{\"device\":\"{device}\",\"amount\":{}}}", order % 7)
    })?;
    load(settings, servers, "devices", sizes.orders, |device| {
        format!(
            "{{\"serial\":\"{}\",\"name\":\"device {device}\",\"site\":\"site {}\"}}",
            serial(device),
            device % 50
        )
    })?;
    servers.larder.connect()?.command(&doc! {
        "createIndexes": "devices",
        "indexes": [{"key": {"serial": 1}, "name": "serial_1"}],
        "$db": "bench",
    })?;
    let index = "CREATE INDEX serial ON devices ((doc->>'serial'))";
    servers.postgres.connect()?.execute(index).map(drop)
}

/// Measures the three.
pub fn measure(sizes: Sizes, servers: &mut Servers, report: &mut Report) -> Result<()> {
    let Servers {
        larder,
        postgres,
        duckdb,
    } = servers;
    let mut sql = postgres.connect()?;
    let mut rows = |sql_text: &str, expected: u64| {
        median_ms(RUNS, || {
            let rows = sql.query(sql_text, &[])?.len() as u64;
            ensure!(rows == expected, "{rows} rows instead of {expected}");
            Ok(())
        })
    };
    let mut mongo = larder.connect()?;

    let group = Times {
        larder_ms: median_ms(RUNS, || group(&mut mongo, sizes))?,
        postgres_ms: rows(GROUP_SQL, KINDS)?,
        duckdb_ms: Some(median_ms(RUNS, || {
            let rows = duckdb.query(GROUP_SQL)?.len() as u64;
            ensure!(rows == KINDS, "{rows} groups instead of {KINDS}");
            Ok(())
        })?),
    };
    group.report(report, &format!("$group of {}", number(sizes.readings as f64)));
    let lookup = Times {
        larder_ms: median_ms(RUNS, || lookup(&mut mongo, sizes))?,
        postgres_ms: rows(LOOKUP_SQL, sizes.orders)?,
        duckdb_ms: None,
    };
    lookup.report(report, &format!("$lookup of {}", number(sizes.orders as f64)));
    let before = larder.resident_bytes()?;
    larder.reset_peak()?;
    let sort = Times {
        larder_ms: median_ms(RUNS, || sort(&mut mongo, sizes))?,
        postgres_ms: rows(SORT_SQL, sizes.readings)?,
        duckdb_ms: None,
    };
    let grown = (larder.resident_peak_bytes()?.saturating_sub(before)) as f64 / MEGABYTE;
    sort.report(report, &format!("$sort of {}", number(sizes.readings as f64)));

    let mut under = |what: &str, time_ms: f64, limit_ms: f64| {
        let found = format!("{} ms", number(time_ms));
        report.check(what, found, time_ms < limit_ms);
    };
    under(
        "$group by few keys in less than 1 s on one core",
        group.larder_ms,
        1e3,
    );
    under("$lookup by an index in less than 2 s", lookup.larder_ms, 2e3);
    report.check(
        "$sort without an index grows the server by less than 100 MB",
        format!("{} MB", number(grown)),
        grown < 100.0,
    );
    Ok(())
}

fn group(client: &mut Mongo, sizes: Sizes) -> Result<()> {
    let mut counted = 0.0;
    client.aggregate("readings", GROUP, |group| {
        counted += group.get("count").and_then(as_f64).context("no count")?;
        Ok(())
    })?;
    ensure!(
        counted == sizes.readings as f64,
        "{counted} documents in all groups"
    );
    Ok(())
}

fn lookup(client: &mut Mongo, sizes: Sizes) -> Result<()> {
    let mut results = 0;
    client.aggregate("orders", LOOKUP, |order| {
        let devices = order.get("devices").and_then(ValueRef::as_array);
        ensure!(
            devices.context("no devices")?.len() == 1,
            "an order without its device"
        );
        results += 1;
        Ok(())
    })?;
    ensure!(results == sizes.orders, "{results} results");
    Ok(())
}

fn sort(client: &mut Mongo, sizes: Sizes) -> Result<()> {
    let (mut results, mut last) = (0, f64::MIN);
    client.aggregate("readings", SORT, |reading| {
        let celsius = reading.get("celsius").and_then(as_f64).context("no celsius")?;
        ensure!(last <= celsius, "{celsius} behind {last}");
        last = celsius;
        results += 1;
        Ok(())
    })?;
    ensure!(results == sizes.readings, "{results} results");
    Ok(())
}
