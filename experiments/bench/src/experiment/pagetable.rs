//! `pagetable`: pages remapped under readers of old snapshots, and a soak of snapshots that come and go.

use crate::Settings;
use crate::client::{Mongo, as_i64, batch_of};
use crate::load;
use crate::report::{Report, number, ratio};
use crate::server::Larder;
use anyhow::{Context, Result, anyhow, ensure};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};
use value::{Document, RawDocument, Value, ValueRef, doc};

/// Leaves of the table, and the pages of each.
const LEAVES: u64 = 512;
const PAGES: u64 = 8;
const WRITERS: usize = 2;
const READERS: usize = 4;
/// Leaves that a reader takes at a time, and how long it waits before the next.
const LEAVES_TOGETHER: i32 = 64;
const READER_WAIT: Duration = Duration::from_millis(20);
/// Between two snapshots of the soak, and between two looks at the memory.
const SNAPSHOT_WAIT: Duration = Duration::from_millis(5);
const LOOK_WAIT: Duration = Duration::from_millis(100);
/// What the resident memory may grow by in the soak.
const GROWTH_BYTES_MAX: i64 = 32 << 20;

pub fn run(settings: &Settings) -> Result<Report> {
    let folder = settings.folder("pagetable")?;
    let server = Larder::start(&settings.larder, folder.path(), "256m")?;
    let table = Table::new(&server)?;
    let transactions = settings.size(10_000, 1_000);
    let alone = table.remap(transactions)?;
    let beside = table.beside_readers(|| table.remap(transactions))?;
    let (first, last) = table.soak(Duration::from_secs(settings.size(60, 6)))?;

    let mut report = Report::new(
        "pagetable",
        "pages remapped under readers of old snapshots",
        &[
            "",
            "transactions/s",
            "to alone",
            "p50, ms",
            "p99, ms",
            "snapshots read",
        ],
    );
    report.chart("transactions a second", &["alone", "beside readers"]);
    let reads = [0, beside.1];
    for ((name, times), reads) in [("alone", &alone), ("beside readers", &beside.0)]
        .into_iter()
        .zip(reads)
    {
        report.row([
            name.to_owned(),
            number(times.rate),
            ratio(times.rate, alone.rate),
            number(times.ms(0.5)),
            number(times.ms(0.99)),
            reads.to_string(),
        ]);
    }
    report.bars("Larder", &[alone.rate, beside.0.rate]);
    report.check(
        "beside readers of old snapshots at least half of the rate alone",
        ratio(beside.0.rate, alone.rate),
        beside.0.rate >= alone.rate / 2.0,
    );
    // Had one seen changes from after its moment, the run would have ended with an error.
    report.check("each reader saw one moment", "each", true);
    report.check(
        "resident memory flat while snapshots come and go",
        format!("{} MiB, then {} MiB", first >> 20, last >> 20),
        last - first <= GROWTH_BYTES_MAX,
    );
    Ok(report)
}

/// What the transactions of a run took.
struct Times {
    rate: f64,
    sorted: Vec<Duration>,
}

impl Times {
    fn ms(&self, share: f64) -> f64 {
        let at = (self.sorted.len() as f64 * share) as usize;
        self.sorted.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}

struct Table<'s> {
    server: &'s Larder,
    /// Changes that were sent, and those that were acknowledged.
    sent: AtomicI64,
    acknowledged: AtomicI64,
}

impl<'s> Table<'s> {
    fn new(server: &'s Larder) -> Result<Table<'s>> {
        let leaf =
            |id: u64| -> Value { doc! {"_id": (id as i64), "pages": places(id), "changes": 0_i64}.into() };
        let leaves: Vec<Value> = (0..LEAVES).map(leaf).collect();
        server
            .connect()?
            .command(&doc! {"insert": "leaves", "documents": leaves, "$db": "bench"})?;
        Ok(Table {
            server,
            sent: AtomicI64::new(0),
            acknowledged: AtomicI64::new(0),
        })
    }

    /// Runs this many transactions.
    fn remap(&self, transactions: u64) -> Result<Times> {
        let times = Mutex::new(Vec::new());
        let connect = || self.server.connect();
        let rate = load::run_batches(WRITERS, transactions, 1, connect, |client, numbers| {
            for number in numbers {
                let started = Instant::now();
                self.transaction(client, number)?;
                times
                    .lock()
                    .map_err(|_| anyhow!("a writer panicked"))?
                    .push(started.elapsed());
            }
            Ok(())
        })?;
        let mut sorted = times.into_inner().map_err(|_| anyhow!("a writer panicked"))?;
        sorted.sort_unstable();
        Ok(Times { rate, sorted })
    }

    /// Gives the pages of one leaf other places.
    fn transaction(&self, client: &mut Mongo, number: u64) -> Result<()> {
        // Each leaf in its turn, but not one after the other.
        let leaf = (number * 389 % LEAVES) as i64;
        let changed = doc! {"$set": {"pages": places(number)}, "$inc": {"changes": 1_i64}};
        let update: Value = doc! {"q": {"_id": leaf}, "u": changed}.into();
        self.sent.fetch_add(1, Ordering::SeqCst);
        let answer = client.command(&doc! {"update": "leaves", "updates": [update], "$db": "bench"})?;
        ensure!(
            answer.get("nModified").map(as_i64) == Some(1),
            "a transaction changed nothing"
        );
        self.acknowledged.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    /// Does something while readers go through old snapshots; with how many they read.
    fn beside_readers<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, usize)> {
        let stop = AtomicBool::new(false);
        let reader = || -> Result<usize> {
            let mut client = self.server.connect()?;
            let mut reads = 0;
            while !stop.load(Ordering::Relaxed) {
                self.read_slowly(&mut client)?;
                reads += 1;
            }
            Ok(reads)
        };
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(reader)).collect();
            let done = work();
            stop.store(true, Ordering::Relaxed);
            let mut reads = 0;
            for reader in readers {
                let read = reader.join().map_err(|_| anyhow!("a reader panicked"))?;
                reads += read.context("a reader failed")?;
            }
            Ok((done?, reads))
        })
    }

    /// Reads a snapshot of the table that is old at its end, and checks that all of it is of one moment.
    fn read_slowly(&self, client: &mut Mongo) -> Result<()> {
        let least = self.acknowledged.load(Ordering::SeqCst);
        let (mut leaves, mut changes, mut cursor) = counted(client.command(&snapshot(LEAVES_TOGETHER))?)?;
        let most = self.sent.load(Ordering::SeqCst);
        while cursor != 0 {
            std::thread::sleep(READER_WAIT);
            let more = doc! {
                "getMore": cursor, "collection": "leaves", "batchSize": LEAVES_TOGETHER, "$db": "bench",
            };
            let (more_leaves, more_changes, rest) = counted(client.command(&more)?)?;
            leaves += more_leaves;
            changes += more_changes;
            cursor = rest;
        }
        ensure!(leaves == LEAVES, "{leaves} leaves in a snapshot of {LEAVES}");
        ensure!(
            (least..=most).contains(&changes),
            "a snapshot of a moment with {least} to {most} changes has {changes}"
        );
        Ok(())
    }

    /// Remaps while snapshots are opened; the most bytes resident in the first and in the last third of the time.
    fn soak(&self, duration: Duration) -> Result<(i64, i64)> {
        let stop = AtomicBool::new(false);
        let is_over = || stop.load(Ordering::Relaxed);
        let writer = || -> Result<()> {
            let mut client = self.server.connect()?;
            let mut numbers = 0..;
            while !is_over() {
                self.transaction(&mut client, numbers.next().unwrap_or_default())?;
            }
            Ok(())
        };
        let opener = || -> Result<()> {
            let mut client = self.server.connect()?;
            for number in 0_u64.. {
                if is_over() {
                    break;
                }
                let (_, _, cursor) = counted(client.command(&snapshot(1))?)?;
                if number.is_multiple_of(2) {
                    client.command(&doc! {"killCursors": "leaves", "cursors": [cursor], "$db": "bench"})?;
                }
                std::thread::sleep(SNAPSHOT_WAIT);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads = [scope.spawn(writer), scope.spawn(opener)];
            let looked = self.most_resident(duration);
            stop.store(true, Ordering::Relaxed);
            for thread in threads {
                let ended = thread.join().map_err(|_| anyhow!("a client panicked"))?;
                ended.context("a client failed")?;
            }
            looked
        })
    }

    fn most_resident(&self, duration: Duration) -> Result<(i64, i64)> {
        let started = Instant::now();
        let (mut first, mut last) = (0, 0);
        while started.elapsed() < duration {
            std::thread::sleep(LOOK_WAIT);
            let bytes = i64::try_from(self.server.resident_bytes()?)?;
            let elapsed = started.elapsed();
            if elapsed < duration / 3 {
                first = first.max(bytes);
            } else if elapsed > duration / 3 * 2 {
                last = last.max(bytes);
            }
        }
        Ok((first, last))
    }
}

/// Where the pages of a leaf are, made of a number.
fn places(seed: u64) -> Vec<Value> {
    let place =
        |page: u64| Value::Int64((seed * PAGES + page).wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64 >> 16);
    (0..PAGES).map(place).collect()
}

/// The find that opens a snapshot of the table.
fn snapshot(batch: i32) -> Document {
    doc! {"find": "leaves", "batchSize": batch, "readConcern": {"level": "snapshot"}, "$db": "bench"}
}

/// The leaves of a batch, their changes, and the cursor of the rest.
fn counted(answer: RawDocument<'_>) -> Result<(u64, i64, i64)> {
    let (mut leaves, mut changes) = (0, 0);
    for leaf in batch_of(answer)?.iter() {
        let leaf = leaf.as_document().context("a leaf that is no document")?;
        changes += leaf.get("changes").map_or(0, as_i64);
        leaves += 1;
    }
    let cursor = answer.get("cursor").and_then(ValueRef::as_document);
    let id = cursor.and_then(|cursor| cursor.get("id")).map_or(0, as_i64);
    Ok((leaves, changes, id))
}
