//! `pipelines`: four published aggregations, whose answers are known, and the time of the stages that see every
//! document: `$group`, `$lookup`, `$sort`.

mod bars;
mod grades;
mod load;
mod places;
mod posts;
mod questions;

use crate::Settings;
use crate::report::{Report, number, ratio};
use crate::server::{DuckDb, Larder, PostgresServer};
use anyhow::Result;

/// The memory of Larder's cache; PostgreSQL has as much.
const CACHE: &str = "256m";
/// What PostgreSQL may take for one sort, as much as Larder does.
const SORT_MEMORY: &str = "100MB";

/// What is asked.
#[derive(Debug)]
struct Servers {
    larder: Larder,
    postgres: PostgresServer,
    duckdb: DuckDb,
}

/// The time of the same work on each.
#[derive(Clone, Copy, Debug)]
struct Times {
    larder_ms: f64,
    postgres_ms: f64,
    /// `None` where it is not asked: it would be measured by the objects that Python makes of many results.
    duckdb_ms: Option<f64>,
}

pub fn run(settings: &Settings) -> Result<Report> {
    let folder = settings.folder("pipelines-larder")?;
    let larder = Larder::start(&settings.larder, folder.path(), CACHE)?;
    let folder = settings.folder("pipelines-postgres")?;
    let postgres = PostgresServer::start(folder.path(), "256MB")?;
    postgres
        .connect()?
        .execute(&format!("ALTER SYSTEM SET work_mem = '{SORT_MEMORY}'"))?;
    postgres.connect()?.execute("SELECT pg_reload_conf()")?;

    let mut servers = Servers {
        larder,
        postgres,
        duckdb: DuckDb::start()?,
    };
    let questions = questions::prepare(settings, &mut servers)?;
    let sizes = bars::Sizes::new(settings);
    bars::load_all(sizes, settings, &mut servers)?;
    servers.postgres.connect()?.execute("ANALYZE")?;
    // The client has the other.
    servers.larder.pin_to_one_core()?;
    servers.postgres.pin_to_one_core()?;
    servers.duckdb.pin_to_one_core()?;

    let mut report = Report::new(
        "pipelines",
        "aggregations, each server on one core",
        &[
            "",
            "Larder, ms",
            "PostgreSQL jsonb, ms",
            "Larder / PostgreSQL",
            "DuckDB JSON, ms",
            "Larder / DuckDB",
        ],
    );
    report.chart("milliseconds", &["Larder", "PostgreSQL jsonb"]);
    let mut right = 0;
    for question in &questions {
        let (times, is_right) = question.ask(&mut servers)?;
        right += u32::from(is_right);
        times.report(&mut report, question.name);
    }
    report.check(
        "all give the answers that were computed apart",
        format!("{right} of {}", questions.len()),
        right as usize == questions.len(),
    );
    bars::measure(sizes, &mut servers, &mut report)?;
    Ok(report)
}

impl Times {
    fn report(self, report: &mut Report, name: &str) {
        let Times {
            larder_ms,
            postgres_ms,
            duckdb_ms,
        } = self;
        let shown = |shown: Option<String>| shown.unwrap_or_else(|| "-".to_owned());
        report.row([
            name.to_owned(),
            number(larder_ms),
            number(postgres_ms),
            ratio(larder_ms, postgres_ms),
            shown(duckdb_ms.map(number)),
            shown(duckdb_ms.map(|duckdb_ms| ratio(larder_ms, duckdb_ms))),
        ]);
        report.bars(name, &[larder_ms, postgres_ms]);
    }
}
