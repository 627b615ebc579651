//! `parking`: a text log of parking records, the time of each car added up, by `larder import --group-by`; beside it mawk
//! with the same lines and PostgreSQL that copies them into a table and groups that.

use crate::Settings;
use crate::report::{Report, number, ratio};
use crate::server::PostgresServer;
use crate::workload::scramble;
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const LINES: u64 = 5_600_000;
const CARS: u64 = 100_000;
/// The bar, in MB a second of one core.
const RATE_MIN: f64 = 500.0;
const TURNS: usize = 3;

/// What mawk does with a line: seconds of both times by their digits. It knows no months: a day of the year is enough
/// because all records lie in one.
const AWK: &str = r#"
BEGIN { split("0 31 59 90 120 151 181 212 243 273 304 334", before, " ") }
function seconds(t) {
  return (((before[substr(t, 6, 2) + 0] + substr(t, 9, 2)) * 24 + substr(t, 12, 2)) * 60 + substr(t, 15, 2)) * 60 + substr(t, 18, 2)
}
{ count[$3]++; parked[$3] += seconds($2) - seconds($1) }
END { for (car in count) { cars++; lines += count[car]; total += parked[car] } printf "%d %d %.0f\n", cars, lines, total }
"#;

/// The cars, the lines and the seconds of all of them: what every peer has to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    cars: u64,
    lines: u64,
    seconds: u64,
}

pub fn run(settings: &Settings) -> Result<Report> {
    let folder = settings.folder("parking")?;
    let file = folder.path().join("parking.txt");
    let lines = settings.size(LINES, LINES / 10);
    let sums = generate(&file, lines)?;
    let megabytes = std::fs::metadata(&file)?.len() as f64 / 1e6;
    let mut report = Report::new(
        "parking",
        "total time of each car in a text log of parking records",
        &["", "seconds", "MB/s", "Larder is quicker"],
    );
    report.chart("seconds", &["seconds"]);

    let mut grouped = f64::MAX;
    let mut imported = f64::MAX;
    for turn in 0..TURNS {
        let (group_s, all_s) = larder(settings, &file, &folder.path().join(format!("data-{turn}")), sums)?;
        grouped = grouped.min(group_s);
        imported = imported.min(all_s);
    }
    let awk = mawk(&file, sums)?;
    let (copied, counted) = postgres(settings, &file, sums)?;
    let rows = [
        ("Larder: parse and group", grouped),
        (
            "Larder: and a document for each car in a new data folder",
            imported,
        ),
        ("mawk: parse and group", awk),
        ("PostgreSQL: COPY into a table", copied),
        ("PostgreSQL: COPY and GROUP BY", copied + counted),
    ];
    for (name, seconds) in rows {
        let quicker = ratio(seconds, grouped);
        report.row([
            name.to_owned(),
            number(seconds),
            number(megabytes / seconds),
            quicker,
        ]);
        report.bars(name, &[seconds]);
    }
    let rate = megabytes / grouped;
    let wanted = format!("{megabytes:.0} MB parsed and grouped by one thread at more than {RATE_MIN} MB/s");
    report.check(wanted, format!("{} MB/s", number(rate)), rate > RATE_MIN);
    Ok(report)
}

/// Writes the log, the same in every run: each line begins a little later than the one before.
fn generate(file: &Path, lines: u64) -> Result<Sums> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    let mut seen = vec![false; CARS as usize];
    let mut sums = Sums {
        lines,
        ..Sums::default()
    };
    let mut line = String::new();
    for number in 0..lines {
        let random = scramble(number);
        let (car, stay) = (random % CARS, 60 + (random >> 32) % 86_400);
        // All of a year but its last day, so that every stay ends in it.
        let start = number * (364 * 86_400) / lines;
        line.clear();
        put_time(&mut line, start);
        line.push(' ');
        put_time(&mut line, start + stay);
        // Writing to a string cannot fail.
        let _ = writeln!(line, " {car:08}");
        out.write_all(line.as_bytes())?;
        sums.seconds += stay;
        sums.cars += u64::from(!std::mem::replace(&mut seen[car as usize], true));
    }
    out.flush()?;
    Ok(sums)
}

/// A second of the year 2015.
fn put_time(line: &mut String, second: u64) {
    const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (mut day, second) = (second / 86_400, second % 86_400);
    let mut month = 0;
    while day >= DAYS[month] {
        day -= DAYS[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let (month, day) = (month + 1, day + 1);
    let _ = write!(line, "2015-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
}

/// The seconds that the import says parsing and grouping took, and those of the whole program. What it imported is looked at
/// by exporting it.
fn larder(settings: &Settings, file: &Path, data: &Path, sums: Sums) -> Result<(f64, f64)> {
    let started = Instant::now();
    let place = |command: &mut Command| {
        command.args(["--collection", "default.cars", "--data"]).arg(data);
    };
    let mut command = Command::new(&settings.larder);
    command.arg("import").arg(file).arg("--quiet");
    command.args(["--fields", "start=date,end=date,car=string", "--group-by", "car"]);
    command.args(["--sum", "parked=end-start"]);
    place(&mut command);
    let output = command.output()?;
    let all = started.elapsed().as_secs_f64();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "larder import failed:\n{told}");
    let seconds = told.lines().find_map(|line| {
        let (_, rest) = line.split_once(" groups in ")?;
        rest.split(' ').next()?.parse::<f64>().ok()
    });

    let mut export = Command::new(&settings.larder);
    export.arg("export");
    place(&mut export);
    let exported = export.output()?.stdout;
    let mut found = Sums::default();
    for line in String::from_utf8(exported)?.lines() {
        let car: serde_json::Value = serde_json::from_str(line)?;
        let number = |name: &str| {
            // 64-bit numbers are objects, so that no reader makes doubles of them.
            let digits = car[name]["$numberLong"]
                .as_str()
                .and_then(|digits| digits.parse::<u64>().ok());
            digits.with_context(|| format!("{name} in {line}"))
        };
        found.cars += 1;
        found.lines += number("count")?;
        found.seconds += number("parked")? / 1000;
    }
    ensure!(found == sums, "Larder found {found:?}, not {sums:?}");
    std::fs::remove_dir_all(data)?;
    Ok((
        seconds.context("larder import did not say how long it took")?,
        all,
    ))
}

fn mawk(file: &Path, sums: Sums) -> Result<f64> {
    let started = Instant::now();
    let output = Command::new("mawk")
        .arg(AWK)
        .arg(file)
        .output()
        .context("running mawk")?;
    let seconds = started.elapsed().as_secs_f64();
    let told = String::from_utf8(output.stdout)?;
    let found: Vec<u64> = told
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    ensure!(
        found == [sums.cars, sums.lines, sums.seconds],
        "mawk found {found:?}, not {sums:?}"
    );
    Ok(seconds)
}

/// The seconds of the copy, and those of the query.
fn postgres(settings: &Settings, file: &Path, sums: Sums) -> Result<(f64, f64)> {
    let folder = settings.folder("parking-postgres")?;
    let server = PostgresServer::start(folder.path(), "384MB")?;
    let mut client = server.connect()?;
    client.execute("CREATE UNLOGGED TABLE parking (start timestamp, stop timestamp, car text)")?;
    let started = Instant::now();
    client.execute(&format!("COPY parking FROM '{}' (DELIMITER ' ')", file.display()))?;
    let copied = started.elapsed().as_secs_f64();
    let started = Instant::now();
    client.execute(
        "CREATE UNLOGGED TABLE cars AS SELECT car, count(*) AS lines, sum(extract(epoch FROM stop - start)) AS parked \
         FROM parking GROUP BY car",
    )?;
    let counted = started.elapsed().as_secs_f64();
    let rows =
        client.execute("SELECT count(*) || ' ' || sum(lines) || ' ' || round(sum(parked)) FROM cars")?;
    let found = rows.first().and_then(|row| row.first()?.clone());
    let expected = format!("{} {} {}", sums.cars, sums.lines, sums.seconds);
    ensure!(
        found == Some(expected.clone()),
        "PostgreSQL found {found:?}, not {expected}"
    );
    Ok((copied, counted))
}
