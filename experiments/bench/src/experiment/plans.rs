//! `plans`: a range, a sort and a limit over two compound indexes, where each index is right for one query
//! and wrong for the other.

use crate::Settings;
use crate::client::{Mongo, Postgres, as_i64, batch_of};
use crate::load::{median_ms, run_batches};
use crate::peer::Sqlite;
use crate::report::{Report, number};
use crate::server::{Larder, PostgresServer};
use crate::workload::placeholders;
use anyhow::{Context, Result, ensure};
use value::raw::DocumentWriter;
use value::{Document, ValueRef, doc};

const BATCH: u64 = 1000;
const LOADERS: usize = 2;
const LIMIT: i32 = 500;
const RUNS: usize = 7;
const HINTS: [(&str, Option<&str>); 3] = [
    ("hint x,y", Some("x_1_y_1")),
    ("hint y,x", Some("y_1_x_1")),
    ("no hint", None),
];

/// One of the two queries: `y` below or above a bound, sorted by `x`.
#[derive(Clone, Copy, Debug)]
struct Query {
    operator: &'static str,
    sql_operator: &'static str,
    bound: u64,
}

/// What one plan needed.
#[derive(Clone, Copy, Debug)]
struct Cost {
    time_ms: f64,
    keys: i64,
}

pub fn run(settings: &Settings) -> Result<Report> {
    let documents = settings.size(1_000_000, 50_000);
    let queries = [
        Query {
            operator: "$lt",
            sql_operator: "<",
            bound: 1000,
        },
        Query {
            operator: "$gt",
            sql_operator: ">",
            bound: documents / 10 * 9,
        },
    ];
    let folder = settings.folder("plans-larder")?;
    let server = Larder::start(&settings.larder, folder.path(), "256m")?;
    load_larder(&server, documents)?;
    let mut larder = server.connect()?;

    let mut report = Report::new(
        "plans",
        "find({y: …}).sort({x: 1}).limit(500) under both hints and under none",
        &[
            "",
            "y < bound, ms",
            "keys examined",
            "y > bound, ms",
            "keys examined",
        ],
    );
    report.chart("milliseconds", &["y < bound", "y > bound"]);
    let mut costs = Vec::new();
    for (name, hint) in HINTS {
        let [below, above] = queries.map(|query| measure(&mut larder, query, hint));
        let (below, above) = (below?, above?);
        let name = format!("Larder, {name}");
        report.bars(&name, &[below.time_ms, above.time_ms]);
        let [below_keys, above_keys] = [below, above].map(|cost| number(cost.keys as f64));
        report.row([
            name,
            number(below.time_ms),
            below_keys,
            number(above.time_ms),
            above_keys,
        ]);
        costs.push([below, above]);
    }
    drop(larder);
    drop(server);
    add_peer(
        &mut report,
        "PostgreSQL jsonb",
        postgres(settings, documents, queries)?,
    );
    add_peer(&mut report, "SQLite JSON", sqlite(settings, documents, queries)?);

    for (at, name) in ["y < bound", "y > bound"].into_iter().enumerate() {
        let [xy, yx, free] = [costs[0][at], costs[1][at], costs[2][at]];
        let best_ms = xy.time_ms.min(yx.time_ms);
        // Below half a millisecond the request itself is what is measured.
        let time = free.time_ms / best_ms.max(0.5);
        report.check(
            format!("{name}: at most 2x the better hint's time"),
            format!("{}x", number(time)),
            time <= 2.0,
        );
        let keys = free.keys as f64 / xy.keys.min(yx.keys).max(1) as f64;
        report.check(
            format!("{name}: at most 2x the better hint's keys"),
            format!("{}x", number(keys)),
            keys <= 2.0,
        );
    }
    Ok(report)
}

fn add_peer(report: &mut Report, name: &str, [below_ms, above_ms]: [f64; 2]) {
    report.row([
        name.to_owned(),
        number(below_ms),
        "-".into(),
        number(above_ms),
        "-".into(),
    ]);
    report.bars(name, &[below_ms, above_ms]);
}

fn load_larder(server: &Larder, documents: u64) -> Result<()> {
    server.connect()?.command(&doc! {
        "createIndexes": "points",
        "indexes": [
            {"key": {"x": 1, "y": 1}, "name": "x_1_y_1"},
            {"key": {"y": 1, "x": 1}, "name": "y_1_x_1"},
        ],
        "$db": "bench",
    })?;
    server.load("points", documents, (LOADERS, BATCH), |number, batch| {
        let mut point = DocumentWriter::new(batch);
        point.put("_id", ValueRef::Int32(number as i32));
        point.put("x", ValueRef::Int32(number as i32));
        point.put("y", ValueRef::Int32(number as i32));
        point.finish();
    })?;
    Ok(())
}

fn measure(client: &mut Mongo, query: Query, hint: Option<&str>) -> Result<Cost> {
    let filter = Document::new().with(query.operator, query.bound as i32);
    let mut find = doc! {
        "find": "points", "filter": {"y": (filter)}, "sort": {"x": 1}, "limit": LIMIT, "batchSize": LIMIT,
    };
    if let Some(hint) = hint {
        find.push("hint", hint);
    }
    let explain = doc! {"explain": (find.clone()), "verbosity": "executionStats", "$db": "bench"};
    find.push("$db", "bench");
    let time_ms = median_ms(RUNS, || {
        let found = batch_of(client.command(&find)?)?.len();
        ensure!(found == LIMIT as usize, "{found} documents instead of {LIMIT}");
        Ok(())
    })?;
    let explained = client.command(&explain)?;
    let stats = explained
        .get("executionStats")
        .and_then(ValueRef::as_document)
        .context("no executionStats")?;
    let keys = stats
        .get("totalKeysExamined")
        .map(as_i64)
        .context("no totalKeysExamined")?;
    Ok(Cost { time_ms, keys })
}

/// The condition, order and limit in SQL, for a column expression of each field.
fn sql(query: Query, x: &str, y: &str) -> String {
    let Query {
        sql_operator, bound, ..
    } = query;
    format!("SELECT doc FROM points WHERE {y} {sql_operator} {bound} ORDER BY {x} LIMIT {LIMIT}")
}

fn postgres(settings: &Settings, documents: u64, queries: [Query; 2]) -> Result<[f64; 2]> {
    let (x, y) = ("((doc->>'x')::int)", "((doc->>'y')::int)");
    let folder = settings.folder("plans-postgres")?;
    let server = PostgresServer::start(folder.path(), "256MB")?;
    let mut client = server.connect()?;
    client.execute(&format!(
        "CREATE TABLE points (id int PRIMARY KEY, doc jsonb);
         CREATE INDEX xy ON points ({x}, {y}); CREATE INDEX yx ON points ({y}, {x})"
    ))?;
    let insert = format!("INSERT INTO points VALUES {}", placeholders(BATCH, "jsonb"));
    run_batches(
        2,
        documents,
        BATCH,
        || server.connect(),
        |client, numbers| {
            let texts: Vec<String> = numbers
                .flat_map(|number| [number.to_string(), format!("{{\"x\":{number},\"y\":{number}}}")])
                .collect();
            let parameters: Vec<&str> = texts.iter().map(String::as_str).collect();
            client.query(&insert, &parameters).map(drop)
        },
    )?;
    client.execute("ANALYZE points")?;
    let time = |client: &mut Postgres, query: Query| {
        let sql = sql(query, x, y);
        median_ms(RUNS, || expect_rows(client.query(&sql, &[])?.len()))
    };
    Ok([time(&mut client, queries[0])?, time(&mut client, queries[1])?])
}

fn sqlite(settings: &Settings, documents: u64, queries: [Query; 2]) -> Result<[f64; 2]> {
    let (x, y) = ("json_extract(doc, '$.x')", "json_extract(doc, '$.y')");
    let folder = settings.folder("plans-sqlite")?;
    let mut database = Sqlite::open(folder.path(), 256 << 20)?;
    database.execute("CREATE TABLE points (id TEXT PRIMARY KEY, doc TEXT)")?;
    for start in (0..documents).step_by(BATCH as usize) {
        let rows: Vec<_> = (start..start + BATCH)
            .map(|number| (number.to_string(), format!("{{\"x\":{number},\"y\":{number}}}")))
            .collect();
        database.insert(
            "points",
            rows.iter().map(|(id, document)| (id.as_str(), document.as_str())),
        )?;
    }
    database.execute(&format!(
        "CREATE INDEX xy ON points ({x}, {y}); CREATE INDEX yx ON points ({y}, {x}); ANALYZE"
    ))?;
    let time = |query: Query| {
        let sql = sql(query, x, y);
        median_ms(RUNS, || expect_rows(database.count_rows(&sql, [])?))
    };
    Ok([time(queries[0])?, time(queries[1])?])
}

fn expect_rows(found: usize) -> Result<()> {
    ensure!(found == LIMIT as usize, "{found} rows instead of {LIMIT}");
    Ok(())
}
