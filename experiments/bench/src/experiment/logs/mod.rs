//! `logs`: lines of many devices, indexed as they arrive, and found by device, word, phrase and time.

mod elastic;
pub mod lines;
mod postgres;
mod sqlite;
mod tantivy;
mod xapian;

use crate::Settings;
use crate::load::median_ms;
use crate::report::{Report, number, ratio};
use anyhow::{Context, Result, anyhow, ensure};
use lines::Lines;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Lines that are sent together, and by how many clients.
const BATCH: u64 = 1000;
const LOADERS: usize = 2;
/// The lines that arrive while questions are asked, and how often some do.
const ARRIVING_RATE: u64 = 2000;
const ARRIVING_WAIT: Duration = Duration::from_millis(50);
/// How many of the newest lines are asked for: of a device, with a word.
const NEWEST: u64 = 1000;
const WORDED: u64 = 100;
const RUNS: usize = 9;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// The newest lines of the device with this number.
    Newest(u64),
    /// The newest lines with a word that few have.
    Rare,
    /// The newest lines with a word that many have.
    Common,
    /// The ten best lines with that word.
    Best,
    /// The newest lines with words one after the other.
    Phrase,
    /// The newest lines with the common word within an hour.
    Hour,
    /// How many lines there are by hour and level.
    Histogram,
}

const QUESTIONS: [Question; 7] = [
    Question::Newest(7),
    Question::Rare,
    Question::Common,
    Question::Best,
    Question::Phrase,
    Question::Hour,
    Question::Histogram,
];

/// A place for lines.
trait Place: Sync {
    type Client: Client;

    fn connect(&self) -> Result<Self::Client>;

    /// Waits until what is done behind the answers is done; for how long of the wait there was nothing to do any more.
    fn settle(&self) -> Result<Duration>;

    /// Bytes of memory that are resident.
    fn resident_bytes(&self) -> Result<u64>;
}

/// A connection to one.
trait Client: Send {
    /// Inserts the lines with these numbers, which are durable then.
    fn insert(&mut self, lines: &Lines, numbers: std::ops::Range<u64>) -> Result<()>;

    /// How many lines an answer has, or counts.
    fn ask(&mut self, lines: &Lines, question: Question) -> Result<u64>;
}

/// What one needed.
#[derive(Debug)]
struct Found {
    rate: f64,
    /// The rate with what was done behind the answers.
    settled_rate: f64,
    /// The newest of one device while lines arrive.
    arriving_ms: f64,
    times_ms: [f64; QUESTIONS.len()],
    /// The histogram when it was asked for first; a server may keep what it made of it.
    first_histogram_ms: f64,
    resident_bytes: u64,
    answers: [u64; QUESTIONS.len()],
    bytes: u64,
}

/// What Larder is measured beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Peer {
    Elasticsearch,
    Postgresql,
    Sqlite,
    Xapian,
}

impl Peer {
    fn title(self) -> &'static str {
        match self {
            Peer::Elasticsearch => "Elasticsearch 7.10.2",
            Peer::Postgresql => "PostgreSQL, GIN on tsvector",
            Peer::Sqlite => "SQLite FTS5",
            Peer::Xapian => "Xapian",
        }
    }

    fn measure(self, settings: &Settings, lines: &Lines) -> Result<Found> {
        match self {
            Peer::Elasticsearch => elastic::elasticsearch(settings, lines),
            Peer::Postgresql => postgres::postgres(settings, lines),
            Peer::Sqlite => sqlite::sqlite(settings, lines),
            Peer::Xapian => xapian::xapian(settings, lines),
        }
    }
}

pub fn run(settings: &Settings) -> Result<Report> {
    let lines = Lines::new(settings.lines.unwrap_or(settings.size(10_000_000, 200_000)));
    let mut report = Report::new(
        "logs",
        "log lines of 500 devices, searched while they arrive",
        &[
            "",
            "lines/s",
            "and settled",
            "B a line",
            "resident, MiB",
            "arriving, ms",
            "device, ms",
            "rare, ms",
            "common, ms",
            "best, ms",
            "phrase, ms",
            "hour, ms",
            "histogram, ms",
            "first, ms",
        ],
    );
    report.chart(
        "milliseconds",
        &["device", "rare", "common", "phrase", "hour", "histogram"],
    );
    let larder = elastic::larder(settings, &lines)?;
    add(&mut report, "Larder, Elasticsearch's protocol", &larder, &lines);
    let mut peers = Vec::new();
    for peer in &settings.peers {
        peers.push((*peer, peer.measure(settings, &lines)?));
    }
    let limit = tantivy::tantivy(settings, &lines)?;
    add(&mut report, "tantivy alone", &limit, &lines);
    for (peer, found) in &peers {
        add(&mut report, peer.title(), found, &lines);
        ensure!(
            larder.answers == found.answers,
            "{} finds {:?} instead of {:?}",
            peer.title(),
            found.answers,
            larder.answers
        );
    }
    report.check(
        "at least 50 000 lines a second",
        number(larder.settled_rate),
        larder.settled_rate >= 50e3,
    );
    report.check(
        "the newest 1 000 of a device in less than 20 ms while lines arrive",
        format!("{} ms", number(larder.arriving_ms)),
        larder.arriving_ms < 20.0,
    );
    report.check(
        "resident memory below 512 MiB",
        format!("{} MiB", larder.resident_bytes >> 20),
        larder.resident_bytes < 512 << 20,
    );
    for (peer, found) in &peers {
        if *peer == Peer::Elasticsearch {
            check_beside_elasticsearch(&mut report, &larder, found);
        }
    }
    for (peer, found) in &peers {
        for (at, question) in QUESTIONS.iter().enumerate() {
            report.check(
                format!("{question:?} no slower than {}", peer.title()),
                ratio(larder.times_ms[at], found.times_ms[at]),
                larder.times_ms[at] <= found.times_ms[at],
            );
        }
    }
    for (at, question) in QUESTIONS.iter().enumerate() {
        report.check(
            format!("{question:?} within twice the time of tantivy alone"),
            ratio(larder.times_ms[at], limit.times_ms[at]),
            larder.times_ms[at] <= 2.0 * limit.times_ms[at],
        );
    }
    Ok(report)
}

/// The bars that are set beside Elasticsearch alone.
fn check_beside_elasticsearch(report: &mut Report, larder: &Found, elasticsearch: &Found) {
    report.check(
        "at least twice as many lines a second as Elasticsearch",
        ratio(larder.settled_rate, elasticsearch.settled_rate),
        larder.settled_rate >= 2.0 * elasticsearch.settled_rate,
    );
    report.check(
        "the newest 1 000 of a device in a fifth of Elasticsearch's time while lines arrive",
        ratio(larder.arriving_ms, elasticsearch.arriving_ms),
        5.0 * larder.arriving_ms <= elasticsearch.arriving_ms,
    );
    report.check(
        "at most 0.65 of Elasticsearch's bytes on disk",
        ratio(larder.bytes as f64, elasticsearch.bytes as f64),
        larder.bytes as f64 <= 0.65 * elasticsearch.bytes as f64,
    );
}

fn add(report: &mut Report, name: &str, found: &Found, lines: &Lines) {
    let mut row = vec![
        name.to_owned(),
        number(found.rate),
        number(found.settled_rate),
        number(found.bytes as f64 / lines.count as f64),
        (found.resident_bytes >> 20).to_string(),
        number(found.arriving_ms),
    ];
    row.extend(found.times_ms.map(number));
    row.push(number(found.first_histogram_ms));
    report.row(row);
    let [device, rare, common, _, phrase, hour, histogram] = found.times_ms;
    report.bars(name, &[device, rare, common, phrase, hour, histogram]);
}

/// Loads the lines into a place and asks; all but the bytes on disk.
fn measure<P: Place>(place: &P, lines: &Lines) -> Result<Found> {
    let started = Instant::now();
    let rate = crate::load::run_batches(
        LOADERS,
        lines.count,
        BATCH,
        || place.connect(),
        |client, numbers| client.insert(lines, numbers),
    )?;
    let rest = place.settle()?;
    let settled_rate = lines.count as f64 / started.elapsed().saturating_sub(rest).as_secs_f64();
    let mut client = place.connect()?;
    let (mut times_ms, mut answers) = ([0.0; QUESTIONS.len()], [0; QUESTIONS.len()]);
    let mut resident_bytes = place.resident_bytes()?;
    let mut first_histogram_ms = 0.0;
    for (at, question) in QUESTIONS.into_iter().enumerate() {
        let mut ask = || {
            answers[at] = client
                .ask(lines, question)
                .with_context(|| format!("{question:?}"))?;
            Ok(())
        };
        let started = Instant::now();
        ask()?;
        let first = started.elapsed();
        // What takes long is not waited for nine times.
        times_ms[at] = match first > Duration::from_secs(2) {
            true => first.as_secs_f64() * 1e3,
            false => median_ms(RUNS, ask)?,
        };
        if question == Question::Histogram {
            first_histogram_ms = first.as_secs_f64() * 1e3;
        }
        resident_bytes = resident_bytes.max(place.resident_bytes()?);
    }
    let arriving_ms = while_lines_arrive(place, lines, || {
        let mut device = 0;
        median_ms(4 * RUNS, || {
            device += 1;
            client.ask(lines, Question::Newest(device)).map(drop)
        })
    })?;
    Ok(Found {
        rate,
        settled_rate,
        arriving_ms,
        times_ms,
        first_histogram_ms,
        resident_bytes: resident_bytes.max(place.resident_bytes()?),
        answers,
        bytes: 0,
    })
}

/// Does something while another client brings lines.
fn while_lines_arrive<P: Place, T>(place: &P, lines: &Lines, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let stop = AtomicBool::new(false);
    let arriving = || -> Result<()> {
        let mut client = place.connect()?;
        let together = ARRIVING_RATE * ARRIVING_WAIT.as_millis() as u64 / 1000;
        let started = Instant::now();
        for turn in 0.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let first = lines.count + u64::from(turn) * together;
            client.insert(lines, first..first + together)?;
            std::thread::sleep((ARRIVING_WAIT * (turn + 1)).saturating_sub(started.elapsed()));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let arriving = scope.spawn(arriving);
        std::thread::sleep(Duration::from_secs(1));
        let done = work();
        stop.store(true, Ordering::Relaxed);
        arriving
            .join()
            .map_err(|_| anyhow!("the client that brings lines panicked"))??;
        done
    })
}
