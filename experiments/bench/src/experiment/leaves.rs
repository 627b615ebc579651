//! `leaves`: how small the rows of a view are in its compressed pages, and what the reduction of a range costs.

use crate::Settings;
use crate::peer::{Sqlite, ViewStore};
use crate::report::{Report, number, ratio};
use crate::server::folder_bytes;
use crate::workload::scramble;
use anyhow::{Result, ensure};
use std::time::{Duration, Instant};
use value::{Document, doc};

const MEMORY_BYTES: usize = 256 << 20;
const BATCH: u64 = 5_000;
const RUNS: u32 = 25;
/// How many register in a month.
const USERS_A_MONTH: u64 = 9_000;
const FIRST_YEAR: u64 = 2008;

const MAP: &str = "function (doc) {
  var month = doc.CreationDate.substring(0, 7);
  emit(month, {Month: month, Users: 1});
}";
const REDUCE: &str = "function (keys, values) {
  return {Month: values[0].Month, Users: values.reduce(function (sum, value) { return sum + value.Users; }, 0)};
}";

/// A user of a site of questions and answers.
#[derive(Debug)]
struct User {
    id: String,
    month: String,
    name: String,
    second: u64,
    reputation: u64,
}

impl User {
    fn new(number: u64) -> User {
        let (random, month) = (scramble(number), month(number));
        User {
            id: format!("users/{}", 1_000_000 + number),
            month,
            name: format!("user{}", random % 1_000_000),
            second: number % USERS_A_MONTH * 250,
            reputation: 1 + (random >> 40) % 1000,
        }
    }

    fn document(&self) -> Document {
        let (day, second) = (1 + self.second / 86_400, self.second % 86_400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        doc! {
            "_id": self.id.as_str(),
            "DisplayName": self.name.as_str(),
            "CreationDate": format!("{}-{day:02}T{hour:02}:{minute:02}:{second:02}", self.month),
            "Reputation": self.reputation as i64,
        }
    }

    fn key(&self) -> String {
        format!("\"{}\"", self.month)
    }

    fn value(&self) -> String {
        format!(r#"{{"Month":"{}","Users":1}}"#, self.month)
    }
}

/// The month in which a user registers.
fn month(number: u64) -> String {
    let months = number / USERS_A_MONTH;
    format!("{}-{:02}", FIRST_YEAR + months / 12, 1 + months % 12)
}

/// What one store needed.
#[derive(Clone, Copy, Debug)]
struct Found {
    build_s: f64,
    rows_bytes: u64,
    disk_bytes: u64,
    reduce_ms: f64,
}

pub fn run(settings: &Settings) -> Result<Report> {
    let users = settings.size(1_000_000, 50_000);
    let tenth = larder(settings, users / 10)?;
    let whole = larder(settings, users)?;
    let sqlite = sqlite(settings, users)?;
    let mut report = Report::new(
        "leaves",
        "rows of a view in compressed pages",
        &[
            "",
            "rows",
            "rows, MB",
            "on disk, MB",
            "smaller by",
            "built, rows/s",
            "half reduced, ms",
        ],
    );
    report.chart("MB", &["rows", "on disk"]);
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    for (name, users, found) in [
        ("Larder, a tenth", users / 10, tenth),
        ("Larder", users, whole),
        ("SQLite", users, sqlite),
    ] {
        report.row([
            name.to_owned(),
            number(users as f64),
            number(megabytes(found.rows_bytes)),
            number(megabytes(found.disk_bytes)),
            ratio(found.rows_bytes as f64, found.disk_bytes as f64),
            number(users as f64 / found.build_s),
            number(found.reduce_ms),
        ]);
        report.bars(name, &[megabytes(found.rows_bytes), megabytes(found.disk_bytes)]);
    }
    let smaller = whole.rows_bytes as f64 / whole.disk_bytes as f64;
    report.check(
        "rows at least 20x smaller on disk",
        ratio(smaller, 1.0),
        smaller >= 20.0,
    );
    let slower = whole.reduce_ms / tenth.reduce_ms;
    report.check(
        "half of ten times the rows reduced in at most twice the time",
        ratio(slower, 1.0),
        slower <= 2.0,
    );
    Ok(report)
}

fn larder(settings: &Settings, users: u64) -> Result<Found> {
    let folder = settings.folder("leaves-larder")?;
    let store = ViewStore::open(folder.path(), MEMORY_BYTES)?;
    for from in (0..users).step_by(BATCH as usize) {
        let batch = (from..users.min(from + BATCH)).map(|user| User::new(user).document());
        store.insert(batch.collect())?;
    }
    let started = Instant::now();
    let view = store.build(MAP, REDUCE)?;
    let build_s = started.elapsed().as_secs_f64();
    let (from, to) = half(users);
    let expected = (0..users)
        .filter(|user| (from.as_str()..=to.as_str()).contains(&month(*user).as_str()))
        .count();
    let started = Instant::now();
    for _ in 0..RUNS {
        let reduced = view.reduce(&from, &to)?;
        let wanted = format!(r#""Users":{expected}}}"#);
        ensure!(
            reduced.ends_with(&wanted),
            "the reduction is {reduced}, not …{wanted}"
        );
    }
    let reduce_ms = (started.elapsed() / RUNS).as_secs_f64() * 1e3;
    let (rows_bytes, disk_bytes) = view.sizes()?;
    store.close()?;
    Ok(Found {
        build_s,
        rows_bytes,
        disk_bytes,
        reduce_ms,
    })
}

/// The months between which about half of all users registered.
fn half(users: u64) -> (String, String) {
    (month(users / 4), month(users / 4 * 3))
}

fn sqlite(settings: &Settings, users: u64) -> Result<Found> {
    let folder = settings.folder("leaves-sqlite")?;
    let mut sqlite = Sqlite::open(folder.path(), MEMORY_BYTES)?;
    sqlite.execute("CREATE TABLE rows (place TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")?;
    let mut rows_bytes = 0;
    let mut build = Duration::ZERO;
    for from in (0..users).step_by(BATCH as usize) {
        let rows = (from..users.min(from + BATCH)).map(|user| {
            let user = User::new(user);
            (format!("{}{}", user.key(), user.id), user.value())
        });
        let rows: Vec<(String, String)> = rows.collect();
        rows_bytes += rows
            .iter()
            .map(|(place, value)| place.len() + value.len())
            .sum::<usize>() as u64;
        let started = Instant::now();
        sqlite.insert(
            "rows",
            rows.iter().map(|(place, value)| (place.as_str(), value.as_str())),
        )?;
        build += started.elapsed();
    }
    let sums = "SELECT sum(json_extract(value, '$.Users')) FROM rows WHERE place >= '\"' || ?1 AND place < '\"' || ?2 || '#'";
    let started = Instant::now();
    sqlite.count_rows(sums, half(users))?;
    let reduce_ms = started.elapsed().as_secs_f64() * 1e3;
    drop(sqlite);
    Ok(Found {
        build_s: build.as_secs_f64(),
        rows_bytes,
        disk_bytes: folder_bytes(folder.path(), &|name| name.ends_with(".sqlite"))?,
        reduce_ms,
    })
}
