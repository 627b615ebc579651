//! `shippers`: a file of log lines brought to Larder by its agent, by rsyslog and by syslog-ng.

mod programs;

use super::logs::lines::Lines;
use crate::Settings;
use crate::client::Http;
use crate::report::{Report, number};
use crate::server::{Larder, Shipper};
use anyhow::{Context, Result, ensure};
use programs::{Program, Target};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

const LINES: u64 = 500_000;
const LINES_SMALL: u64 = 20_000;
const LINES_A_SECOND: u64 = 100;
const STEADY: Duration = Duration::from_secs(60);
const STEADY_SMALL: Duration = Duration::from_secs(5);
/// How often lines are added, and how often it is looked how many have arrived.
const BEAT: Duration = Duration::from_millis(100);
const TIME_MAX: Duration = Duration::from_secs(600);
const RESIDENT_MAX: u64 = 10_000_000;
const SHARE_MAX: f64 = 0.01;

/// What one shipper did.
struct Found {
    lines_per_second: f64,
    /// Processor time for ten thousand lines.
    milliseconds: f64,
    resident: u64,
    /// Of one core, at the steady rate.
    share: f64,
    /// Lines there and lines written, in the end.
    counts: (u64, u64),
}

pub fn run(settings: &Settings) -> Result<Report> {
    let agent = std::fs::canonicalize(&settings.agent).with_context(|| {
        let path = settings.agent.display();
        format!("{path} is not there: cargo build --profile small -p agent")
    })?;
    let mut report = Report::new(
        "shippers",
        "a file of log lines brought to Larder",
        &[
            "",
            "lines/s",
            "CPU ms / 10 000",
            "resident, MiB",
            "CPU, 100 lines/s",
        ],
    );
    report.chart("CPU ms for 10 000 lines", &[""]);
    for program in Program::ALL {
        let found = ship(settings, &agent, program).with_context(|| format!("with {}", program.name()))?;
        report.row([
            program.name().to_owned(),
            number(found.lines_per_second),
            number(found.milliseconds),
            number(found.resident as f64 / f64::from(1 << 20)),
            format!("{:.2} %", 100.0 * found.share),
        ]);
        report.bars(program.name(), &[found.milliseconds]);
        let (there, written) = found.counts;
        report.check(
            format!("{}: each line there, once", program.name()),
            format!("{there} of {written}"),
            there == written,
        );
        if program == Program::Agent {
            report.check(
                "the agent takes at most 1 % of a core at 100 lines a second",
                format!("{:.2} %", 100.0 * found.share),
                found.share <= SHARE_MAX,
            );
            report.check(
                "the agent takes at most 10 MB",
                format!("{:.1} MB", found.resident as f64 / 1e6),
                found.resident <= RESIDENT_MAX,
            );
        }
    }
    Ok(report)
}

fn ship(settings: &Settings, agent: &Path, program: Program) -> Result<Found> {
    let scratch = settings.folder(&format!("shippers-{}", program.name()))?;
    let lines = settings.size(LINES, LINES_SMALL);
    let file = scratch.path().join("input.log");
    let all = Lines::new(lines);
    write_lines(&file, &all, 0..lines)?;
    let larder = Larder::start(&settings.larder, &scratch.path().join("data"), "256m")?;
    let mut client = Http::connect(larder.elastic_address)?;
    let target = Target {
        http: larder.http_address,
        elastic: larder.elastic_address,
    };
    let started = Instant::now();
    let shipper = Shipper::start(program.command(agent, scratch.path(), &file, &target)?)?;
    wait_for(&mut client, lines)?;
    let seconds = started.elapsed().as_secs_f64();
    let spent = shipper.processor_time()?;

    let steady = if settings.small { STEADY_SMALL } else { STEADY };
    let begun = Instant::now();
    let mut written = lines;
    while begun.elapsed() < steady {
        let due = lines + (begun.elapsed().as_secs_f64() * LINES_A_SECOND as f64) as u64;
        write_lines(&file, &all, written..due)?;
        written = due;
        sleep(BEAT);
    }
    let share = (shipper.processor_time()? - spent).as_secs_f64() / begun.elapsed().as_secs_f64();
    // The server closes connections that were idle for so long.
    client = Http::connect(larder.elastic_address)?;
    wait_for(&mut client, written)?;
    let resident = shipper.resident_peak_bytes()?;
    shipper.stop()?;
    Ok(Found {
        lines_per_second: lines as f64 / seconds,
        milliseconds: spent.as_secs_f64() * 1e3 * 1e4 / lines as f64,
        resident,
        share,
        counts: (count(&mut client)?, written),
    })
}

/// Adds lines to the file, as programs do: whole ones.
fn write_lines(file: &Path, lines: &Lines, numbers: std::ops::Range<u64>) -> Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(file)?;
    let mut file: BufWriter<File> = BufWriter::with_capacity(1 << 20, file);
    for number in numbers {
        let line = lines.line(number);
        writeln!(
            file,
            "{} {} {} {}: {}",
            line.time(),
            line.device,
            line.level,
            line.program,
            line.message
        )?;
    }
    Ok(file.flush()?)
}

fn wait_for(client: &mut Http, lines: u64) -> Result<()> {
    let begun = Instant::now();
    while count(client)? < lines {
        ensure!(begun.elapsed() < TIME_MAX, "not all lines came in {TIME_MAX:?}");
        sleep(BEAT);
    }
    Ok(())
}

/// How many lines are there; none before the first one, which makes the index.
fn count(client: &mut Http) -> Result<u64> {
    let path = format!(
        "/{}/_count?ignore_unavailable=true&allow_no_indices=true",
        programs::INDEX
    );
    let answer: serde_json::Value = serde_json::from_str(client.send("GET", &path, "")?)?;
    answer["count"].as_u64().context("an answer without count")
}
