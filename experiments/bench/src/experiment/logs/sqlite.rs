//! The lines in SQLite, their messages in an index of FTS5 that refers to them.

use super::lines::{COMMON, Lines, PHRASE, RARE, device};
use super::{Client, Found, NEWEST, Place, Question, WORDED, measure};
use crate::Settings;
use crate::peer::Sqlite;
use crate::server::{folder_bytes, resident_bytes};
use anyhow::{Result, anyhow};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

const CACHE_BYTES: usize = 64 << 20;
const TABLES: &str = "
    CREATE TABLE lines (id INTEGER PRIMARY KEY, at INTEGER, device TEXT, level TEXT, program TEXT, message TEXT);
    CREATE INDEX by_device ON lines (device, at);
    CREATE INDEX by_time ON lines (at);
    CREATE VIRTUAL TABLE words USING fts5(message, content='lines', content_rowid='id');";

struct Database {
    folder: PathBuf,
    /// It has one writer at a time.
    writing: Mutex<Sqlite>,
}

struct Connection<'d> {
    writing: &'d Mutex<Sqlite>,
    reading: Sqlite,
}

pub fn sqlite(settings: &Settings, lines: &Lines) -> Result<Found> {
    let folder = settings.folder("logs-sqlite")?;
    let writing = Sqlite::open(folder.path(), CACHE_BYTES)?;
    writing.execute(TABLES)?;
    let database = Database {
        folder: folder.path().to_owned(),
        writing: Mutex::new(writing),
    };
    let mut found = measure(&&database, lines)?;
    drop(database);
    found.bytes = folder_bytes(folder.path(), &|_| true)?;
    Ok(found)
}

impl<'d> Place for &'d Database {
    type Client = Connection<'d>;

    fn connect(&self) -> Result<Connection<'d>> {
        Ok(Connection {
            writing: &self.writing,
            reading: Sqlite::open(&self.folder, CACHE_BYTES)?,
        })
    }

    fn settle(&self) -> Result<Duration> {
        lock(&self.writing)?.execute("ANALYZE")?;
        Ok(Duration::ZERO)
    }

    /// Of the whole process: it is a library.
    fn resident_bytes(&self) -> Result<u64> {
        resident_bytes(std::process::id())
    }
}

fn lock(writing: &Mutex<Sqlite>) -> Result<MutexGuard<'_, Sqlite>> {
    writing.lock().map_err(|_| anyhow!("a writer panicked"))
}

impl Client for Connection<'_> {
    fn insert(&mut self, lines: &Lines, numbers: Range<u64>) -> Result<()> {
        let made: Vec<_> = numbers.map(|number| (number, lines.line(number))).collect();
        let mut writing = lock(self.writing)?;
        let rows = made.iter().map(|(number, line)| {
            let columns = (
                line.at_ms as i64,
                &line.device,
                line.level,
                line.program,
                &line.message,
            );
            (*number as i64, columns)
        });
        writing.transaction(|transaction| {
            let mut line = transaction.prepare("INSERT INTO lines VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            let mut words = transaction.prepare("INSERT INTO words (rowid, message) VALUES (?1, ?2)")?;
            for (id, (at, device, level, program, message)) in rows {
                line.execute((id, at, device, level, program, message))?;
                words.execute((id, message))?;
            }
            Ok(())
        })
    }

    fn ask(&mut self, lines: &Lines, question: Question) -> Result<u64> {
        let newest = "SELECT lines.* FROM words JOIN lines ON lines.id = words.rowid WHERE words MATCH ?1";
        let newest = |and: &str| format!("{newest} {and} ORDER BY at DESC LIMIT {WORDED}");
        let reading = &self.reading;
        let count = match question {
            Question::Newest(number) => reading.count_rows(
                &format!("SELECT * FROM lines WHERE device = ?1 ORDER BY at DESC LIMIT {NEWEST}"),
                [device(number)],
            )?,
            Question::Rare => reading.count_rows(&newest(""), [RARE])?,
            Question::Common => reading.count_rows(&newest(""), [COMMON])?,
            Question::Best => reading.count_rows(
                "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT 10",
                [COMMON],
            )?,
            Question::Phrase => reading.count_rows(&newest(""), [format!("\"{PHRASE}\"")])?,
            Question::Hour => {
                let (from, to) = lines.hour();
                let hour = newest("AND at >= ?2 AND at < ?3");
                reading.count_rows(&hour, (COMMON, from as i64, to as i64))?
            }
            Question::Histogram => {
                let sql = "SELECT sum(count) FROM (SELECT count(*) AS count FROM lines GROUP BY at / 3600000, level)";
                return Ok(u64::try_from(reading.number(sql)?)?);
            }
        };
        Ok(count as u64)
    }
}
