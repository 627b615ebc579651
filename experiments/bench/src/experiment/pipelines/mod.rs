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
use crate::server::{Larder, PostgresServer};
use anyhow::Result;

/// The memory of Larder's cache; PostgreSQL has as much.
const CACHE: &str = "256m";
/// What PostgreSQL may take for one sort, as much as Larder does.
const SORT_MEMORY: &str = "100MB";

/// The time of the same work on both servers.
#[derive(Clone, Copy, Debug)]
struct Times {
    larder_ms: f64,
    postgres_ms: f64,
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

    let questions = questions::prepare(settings, &larder, &postgres)?;
    let sizes = bars::Sizes::new(settings);
    bars::load_all(sizes, &larder, &postgres)?;
    postgres.connect()?.execute("ANALYZE")?;
    // The client has the other.
    larder.pin_to_one_core()?;
    postgres.pin_to_one_core()?;

    let mut report = Report::new(
        "pipelines",
        "aggregations, each server on one core",
        &["", "Larder, ms", "PostgreSQL jsonb, ms", "Larder / PostgreSQL"],
    );
    report.chart("milliseconds", &["Larder", "PostgreSQL jsonb"]);
    let mut right = 0;
    for question in &questions {
        let (times, is_right) = question.ask(&larder, &postgres)?;
        right += u32::from(is_right);
        times.report(&mut report, question.name);
    }
    report.check(
        "both give the answers that were computed apart",
        format!("{right} of {}", questions.len()),
        right as usize == questions.len(),
    );
    bars::measure(sizes, &larder, &postgres, &mut report)?;
    Ok(report)
}

impl Times {
    fn report(self, report: &mut Report, name: &str) {
        let Times {
            larder_ms,
            postgres_ms,
        } = self;
        report.row([
            name.to_owned(),
            number(larder_ms),
            number(postgres_ms),
            ratio(larder_ms, postgres_ms),
        ]);
        report.bars(name, &[larder_ms, postgres_ms]);
    }
}
